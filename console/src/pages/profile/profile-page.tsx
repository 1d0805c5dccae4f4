// One's own account in the console: where one is signed in, password and second factor.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { callApi } from "../../api/client.ts";
import { isOfService, useAnswer } from "../../api/queries.ts";
import { useSessionActions } from "../../api/session.ts";
import { usePerson } from "../../frame/person.ts";
import { Button, CurrentPassword, Field, type FieldProps, formText } from "../../parts/controls.tsx";
import { fieldProblems } from "../../parts/field-problems.ts";
import { FormDialog, withProblems } from "../../parts/form-dialog.tsx";
import { PageHead, Section } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Loaded, Table } from "../../parts/table.tsx";
import { Code, Moment } from "../../parts/values.tsx";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { browserOf } from "./browser-name.ts";
import { SecondFactorSetup } from "./second-factor-setup.tsx";
import styles from "./profile.module.css";

export function ProfilePage() {
  const t = useTexts();
  const { username, role } = usePerson();
  return (
    <>
      <PageHead title={t("profile.title")} heading={<bdi>{username}</bdi>} lead={wordFor(t, `role.${role}`, role)} />
      <Section title={t("sessions.title")} lead={t("sessions.lead")}>
        <SessionList />
      </Section>
      <Section title={t("signIn.password")} lead={t("password.lead")}>
        <PasswordForm />
      </Section>
      <Section title={t("factor.title")} lead={t("factor.lead")}>
        <SecondFactor />
      </Section>
    </>
  );
}

function SecondFactor() {
  const t = useTexts();
  const profile = useAnswer("GET /profile");
  const [isChanging, setChanging] = useState(false);
  const readAnew = (): void => {
    setChanging(false);
    void profile.refetch();
  };
  return (
    <Loaded query={profile}>
      {({ secondFactor, recoveryCodes }) =>
        !secondFactor || isChanging ? (
          <SecondFactorSetup onBegin={() => setChanging(true)} onDone={readAnew} />
        ) : (
          <div className={styles["setup"]}>
            <p>{t("factor.isSet", { count: recoveryCodes })}</p>
            <div className={styles["row"]}>
              <Button onClick={() => setChanging(true)}>{t("factor.another")}</Button>
              <FormDialog
                button={t("factor.remove")}
                kind="danger"
                title={t("factor.removeTitle")}
                lead={t("factor.removeText")}
                onSubmit={async (_, __, form) => {
                  await callApi("POST /profile/second-factor/remove", {
                    body: { password: formText(form, "password") },
                  });
                }}
              >
                {() => <CurrentPassword />}
              </FormDialog>
            </div>
          </div>
        )
      }
    </Loaded>
  );
}

/** Where one is signed in, and the way to end it there. */
function SessionList() {
  const t = useTexts();
  const sessions = useAnswer("GET /sessions");
  const end = useMutation({
    mutationFn: (id: string) => callApi("DELETE /sessions/{id}", { params: { id } }),
    onSuccess: () => sessions.refetch(),
  });
  return (
    <>
      {end.error !== null && <Problem error={end.error} />}
      <Loaded query={sessions}>
        {({ items }) => (
          <Table
            name={t("sessions.title")}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t("sessions.browser"),
                cell: ({ userAgent }) => <bdi>{browserOf(userAgent) ?? t("sessions.program")}</bdi>,
              },
              { title: t("sessions.address"), cell: ({ address }) => <Code text={address} /> },
              { title: t("sessions.since"), cell: ({ createdAt }) => <Moment at={createdAt} ago /> },
              { title: t("keys.used"), cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} ago /> },
            ]}
            actions={({ id, current }) =>
              current ? (
                t("sessions.this")
              ) : (
                <Button kind="danger" onClick={() => end.mutate(id)}>
                  {t("sessions.end")}
                </Button>
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

/** A new password of one's own: the present one, and the new one twice. */
export function PasswordForm() {
  const t = useTexts();
  const client = useQueryClient();
  const { renew } = useSessionActions();
  const change = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const [password, newPassword] = [formText(form, "password"), formText(form, "newPassword")];
      if (newPassword !== formText(form, "again"))
        throw withProblems([{ field: "again", errorMessage: t("password.differ") }]);
      const session = await callApi("POST /profile/password", { body: { password, newPassword } });
      form.reset();
      return session;
    },
    onSuccess: (session) => {
      renew(session);
      void client.invalidateQueries({ predicate: isOfService });
    },
  });
  const { problemOf, isTold } = fieldProblems(change.error, ["password", "newPassword", "again"]);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change.mutate(event.currentTarget);
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <CurrentPassword problem={problemOf("password")} />
      <NewPasswordField
        name="newPassword"
        label={t("password.next")}
        hint={t("password.length")}
        problem={problemOf("newPassword")}
      />
      <NewPasswordField name="again" label={t("password.again")} problem={problemOf("again")} />
      {change.error !== null && !isTold && <Problem error={change.error} />}
      {change.isSuccess && (
        <Notice kind="calm" role="status">
          {t("password.done")}
        </Notice>
      )}
      <div>
        <Button kind="primary" type="submit" busy={change.isPending}>
          {t("password.change")}
        </Button>
      </div>
    </form>
  );
}

function NewPasswordField(props: FieldProps) {
  return <Field {...props} type="password" dir="ltr" autoComplete="new-password" required />;
}
