// One's own account in the console.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import {
  type OwnSession,
  changePassword,
  endSession,
  findProfile,
  listSessions,
  removeSecondFactor,
} from "../../api/profile.ts";
import { useSessionActions } from "../../api/session.ts";
import { formatNumber } from "../../format/numbers.ts";
import { roleText, usePerson } from "../../frame/person.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Button, CurrentPassword, Field, formText } from "../../parts/controls.tsx";
import { PageHead } from "../../parts/page.tsx";
import { NotAnew, Notice, Problem } from "../../parts/problem.tsx";
import { Table, Waiting } from "../../parts/table.tsx";
import { Code, Moment } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { browserOf } from "./browser-name.ts";
import { SecondFactorSetup } from "./second-factor-setup.tsx";
import styles from "./profile.module.css";

export function ProfilePage() {
  const t = useTexts();
  const person = usePerson();
  return (
    <>
      <PageHead title={t("profile.title")} heading={<bdi>{person.username}</bdi>} lead={roleText(t, person.role)} />
      <section className={styles["part"]} aria-labelledby="sessions">
        <h2 id="sessions">{t("sessions.title")}</h2>
        <p>{t("sessions.lead")}</p>
        <SessionList />
      </section>
      <section className={styles["part"]} aria-labelledby="password">
        <h2 id="password">{t("password.title")}</h2>
        <p>{t("password.lead")}</p>
        <PasswordForm />
      </section>
      <section className={styles["part"]} aria-labelledby="factor">
        <h2 id="factor">{t("factor.title")}</h2>
        <p>{t("factor.lead")}</p>
        <SecondFactor />
      </section>
    </>
  );
}

function SecondFactor() {
  const t = useTexts();
  const client = useQueryClient();
  const language = useLanguage();
  const profile = useQuery({ queryKey: ["profile"], queryFn: ({ signal }) => findProfile(signal) });
  const [isChanging, setChanging] = useState(false);
  const reload = (): void => {
    setChanging(false);
    void client.invalidateQueries({ queryKey: ["profile"] });
  };
  if (profile.isPending) return <Waiting />;
  if (profile.isLoadingError) return <Problem error={profile.error} onRetry={() => void profile.refetch()} />;
  if (!profile.data.secondFactor || isChanging)
    return <SecondFactorSetup onBegin={() => setChanging(true)} onDone={reload} />;
  return (
    <div className={styles["setup"]}>
      <NotAnew query={profile} />
      <p>{t("factor.isSet", { count: formatNumber(language, profile.data.recoveryCodes) })}</p>
      <div className={styles["row"]}>
        <Button onClick={() => setChanging(true)}>{t("factor.another")}</Button>
        <Confirm
          button={t("factor.remove")}
          title={t("factor.removeTitle")}
          text={t("factor.removeText")}
          onConfirm={async (form) => {
            await removeSecondFactor(formText(form, "password"));
            reload();
          }}
        >
          <CurrentPassword />
        </Confirm>
      </div>
    </div>
  );
}

// Where one is signed in, and the way to end it there.

export function SessionList() {
  const t = useTexts();
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: ["sessions"], queryFn: ({ signal }) => listSessions(signal) });
  const [error, setError] = useState<unknown>();
  const end = ({ id }: OwnSession): void => {
    setError(undefined);
    endSession(id).then(() => void client.invalidateQueries({ queryKey: ["sessions"] }), setError);
  };
  if (sessions.isPending) return <Waiting />;
  if (sessions.isLoadingError) return <Problem error={sessions.error} onRetry={() => void sessions.refetch()} />;
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <NotAnew query={sessions} />
      <Table
        name={t("sessions.title")}
        rows={sessions.data.items}
        keyOf={({ id }) => id}
        columns={[
          {
            key: "browser",
            title: t("sessions.browser"),
            cell: ({ userAgent }) => <bdi>{browserOf(userAgent) ?? t("sessions.program")}</bdi>,
          },
          { key: "address", title: t("sessions.address"), cell: ({ address }) => <Code text={address} /> },
          { key: "since", title: t("sessions.since"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
          { key: "used", title: t("sessions.used"), cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} ago /> },
          {
            key: "end",
            title: t("sessions.action"),
            isActions: true,
            cell: (session) =>
              session.current ? (
                t("sessions.this")
              ) : (
                <Button kind="danger" onClick={() => end(session)}>
                  {t("sessions.end")}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}

// A new password of one's own: the present one, and the new one twice.

/** Characters, as the API counts them. */
const shortest = 10;

type Outcome =
  { readonly kind: "short" | "differ" | "busy" | "done" } | { readonly kind: "refused"; readonly error: unknown };

export function PasswordForm() {
  const t = useTexts();
  const client = useQueryClient();
  const { renew } = useSessionActions();
  const [outcome, setOutcome] = useState<Outcome>();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const next = formText(form, "next");
    const problem = problemOf(next, formText(form, "again"));
    setOutcome({ kind: problem ?? "busy" });
    if (problem !== undefined) return;
    changePassword(formText(form, "current"), next).then(
      (session) => {
        form.reset();
        setOutcome({ kind: "done" });
        renew(session);
        void client.invalidateQueries({ queryKey: ["sessions"] });
      },
      (error: unknown) => setOutcome({ kind: "refused", error }),
    );
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <PasswordField name="current" label={t("password.current")} />
      <PasswordField
        name="next"
        label={t("password.next")}
        hint={t("password.length")}
        problem={outcome?.kind === "short" ? t("password.tooShort") : undefined}
      />
      <PasswordField
        name="again"
        label={t("password.again")}
        problem={outcome?.kind === "differ" ? t("password.differ") : undefined}
      />
      {outcome?.kind === "refused" && <Problem error={outcome.error} />}
      {outcome?.kind === "done" && (
        <Notice kind="calm" role="status">
          {t("password.done")}
        </Notice>
      )}
      <div>
        <Button kind="primary" type="submit" busy={outcome?.kind === "busy"}>
          {t("password.change")}
        </Button>
      </div>
    </form>
  );
}

function problemOf(next: string, again: string): "short" | "differ" | undefined {
  if (Array.from(next).length < shortest) return "short";
  return next === again ? undefined : "differ";
}

interface PasswordFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
}

function PasswordField({ name, ...rest }: PasswordFieldProps) {
  const autoComplete = name === "current" ? "current-password" : "new-password";
  return <Field {...rest} name={name} type="password" dir="ltr" autoComplete={autoComplete} required />;
}
