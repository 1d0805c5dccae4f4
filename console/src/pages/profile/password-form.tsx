// A new password of one's own: the present one, and the new one twice.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { changePassword } from "../../api/profile.ts";
import { useSessionActions } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { formText } from "../../parts/form-text.ts";
import { Field } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useTexts } from "../../texts/texts.ts";
import styles from "./profile.module.css";

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
