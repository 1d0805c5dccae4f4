// Signing in: name and password, then the code of a second factor where there is one.
import { type ReactNode, type SubmitEvent, useEffect, useState } from "react";
import { ApiProblem, Refused } from "../../api/client.ts";
import { type Credentials, unauthenticated, useSessionActions } from "../../api/session.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { LanguageSwitch, Mark, ThemeSwitch } from "../../frame/switches.tsx";
import { Button, Field, formText } from "../../parts/controls.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";
import signInFrameStyles from "./sign-in-frame.module.css";
import signInPageStyles from "./sign-in-page.module.css";

/** `problem`: why nobody was signed in by the address. */
export function SignInPage({ problem }: { readonly problem?: unknown }) {
  const [credentials, setCredentials] = useState<Credentials>();
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const { signIn } = useSessionActions();
  const [error, setError] = useState<unknown>(problem);
  const [isBusy, setBusy] = useState(false);
  const t = useTexts();

  const enter = (given: Credentials): void => {
    setBusy(true);
    setError(undefined);
    signIn(given).then(
      (outcome) => {
        setBusy(false);
        setCredentials(given);
        setCodeNeeded(outcome === "codeNeeded");
      },
      (refusal: unknown) => {
        setBusy(false);
        setError(refusal);
      },
    );
  };

  return (
    <SignInFrame title={isCodeNeeded ? t("signIn.codeTitle") : t("signIn.title")}>
      {error !== undefined && (
        <Problem
          error={
            isWrong(error) && error !== problem
              ? new Refused(t(isCodeNeeded ? "signIn.wrongCode" : "signIn.wrong"))
              : error
          }
        />
      )}
      {isCodeNeeded && credentials !== undefined ? (
        <CodeForm isBusy={isBusy} onCode={(code) => enter({ ...credentials, code })} />
      ) : (
        <PasswordForm isBusy={isBusy} onCredentials={enter} />
      )}
    </SignInFrame>
  );
}

/** The answer is the same for whatever is wrong. In the second step name and password were right. */
function isWrong(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === unauthenticated;
}

interface PasswordFormProps {
  readonly isBusy: boolean;
  readonly onCredentials: (credentials: Credentials) => void;
}

function PasswordForm({ isBusy, onCredentials }: PasswordFormProps) {
  const t = useTexts();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = (name: string) => formText(form, name);
    const organisation = text("organisation").trim();
    const person = { username: text("username").trim(), password: text("password") };
    onCredentials(organisation === "" ? person : { ...person, organisation });
  };
  return (
    <form className={signInPageStyles["form"]} onSubmit={submit}>
      <Field
        label={t("signIn.username")}
        name="username"
        autoComplete="username"
        dir="ltr"
        required
        autoFocus
        spellCheck={false}
        autoCapitalize="none"
      />
      <Field
        label={t("signIn.password")}
        name="password"
        type="password"
        autoComplete="current-password"
        dir="ltr"
        required
      />
      <Field
        label={t("signIn.organisation")}
        name="organisation"
        autoComplete="organization"
        dir="ltr"
        hint={t("signIn.organisationHint")}
        spellCheck={false}
        autoCapitalize="none"
      />
      <Button kind="primary" type="submit" busy={isBusy}>
        {t("signIn.enter")}
      </Button>
    </form>
  );
}

interface CodeFormProps {
  readonly isBusy: boolean;
  readonly onCode: (code: string) => void;
}

function CodeForm({ isBusy, onCode }: CodeFormProps) {
  const t = useTexts();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onCode(asciiDigits(formText(event.currentTarget, "code")).trim());
  };
  return (
    <form className={signInPageStyles["form"]} onSubmit={submit}>
      <Field
        label={t("signIn.code")}
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        dir="ltr"
        hint={t("signIn.codeHint")}
        required
        autoFocus
      />
      <Button kind="primary" type="submit" busy={isBusy}>
        {t("signIn.verify")}
      </Button>
    </form>
  );
}

// What stands around the pages before the console itself: the name of the house, and language and
// theme.

interface SignInFrameProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  const t = useTexts();
  useEffect(() => {
    document.title = `${title} · ${t("product.name")}`;
  });
  return (
    <div className={signInFrameStyles["page"]}>
      <header className={signInFrameStyles["top"]}>
        <LanguageSwitch />
        <ThemeSwitch />
      </header>
      <main className={signInFrameStyles["frame"]}>
        <Mark />
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className={signInFrameStyles["lead"]}>{lead}</p>}
        </div>
        {children}
      </main>
    </div>
  );
}

// The links of the demo: /console/sign-in#ticket=…. The ticket leaves the address at once, so that
// neither the history nor a copied address holds it.

const form = /^#ticket=([\w-]+)$/;

function ticketInAddress(): string | undefined {
  return form.exec(window.location.hash)?.[1];
}

interface TicketOutcome {
  /** The ticket is on its way, or was taken. */
  readonly isEntering: boolean;
  readonly problem: unknown;
}

/** Signs in by the ticket of the address, if it has one. */
export function useTicket(): TicketOutcome {
  const [ticket, setTicket] = useState(ticketInAddress);
  const [problem, setProblem] = useState<unknown>();
  const { signInByTicket } = useSessionActions();
  useEffect(() => {
    // A link that is opened where this page is open already loads nothing.
    const look = (): void => setTicket(ticketInAddress());
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  }, []);
  useEffect(() => {
    if (ticket === undefined) return;
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    signInByTicket(ticket).then(
      () => setTicket(undefined),
      (error: unknown) => {
        setTicket(undefined);
        setProblem(error);
      },
    );
  }, [ticket]);
  return { isEntering: ticket !== undefined, problem };
}
