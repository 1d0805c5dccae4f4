// Signing in: name and password, then the code of a second factor where there is one.
import { useState, type SubmitEvent } from "react";
import { useSessionActions, type Credentials } from "../../api/session.ts";
import { asciiDigits } from "../../format/numbers.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Field } from "../../parts/field.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import styles from "./sign-in-page.module.css";

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
      {error !== undefined && <Problem error={error} />}
      {isCodeNeeded && credentials !== undefined ? (
        <CodeForm isBusy={isBusy} onCode={(code) => enter({ ...credentials, code })} />
      ) : (
        <PasswordForm isBusy={isBusy} onCredentials={enter} />
      )}
    </SignInFrame>
  );
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
    <form className={styles["form"]} onSubmit={submit}>
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
      <Button kind="primary" type="submit" busy={isBusy} className={styles["enter"]}>
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
    <form className={styles["form"]} onSubmit={submit}>
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
      <Button kind="primary" type="submit" busy={isBusy} className={styles["enter"]}>
        {t("signIn.verify")}
      </Button>
    </form>
  );
}
