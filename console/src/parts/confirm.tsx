// A step that cannot be taken back: the button opens a dialog that names what will happen.
import { AlertDialog } from "radix-ui";
import { useState, type SubmitEvent } from "react";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { formText } from "./form-text.ts";
import { Field } from "./field.tsx";
import { Problem } from "./problem.tsx";
import styles from "./confirm.module.css";

export interface ConfirmProps {
  /** Says what will happen: on the button that opens, and on the one that does it. */
  readonly button: string;
  readonly title: string;
  readonly text: string;
  /** Asks for the own password besides. */
  readonly password?: boolean;
  readonly onConfirm: (password: string) => Promise<void>;
}

export function Confirm({ button, title, text, password = false, onConfirm }: ConfirmProps) {
  const t = useTexts();
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    onConfirm(formText(event.currentTarget, "password")).then(
      () => {
        setBusy(false);
        setOpen(false);
      },
      (problem: unknown) => {
        setBusy(false);
        setError(problem);
      },
    );
  };
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
      <AlertDialog.Trigger asChild>
        <Button kind="danger">{button}</Button>
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={styles["shade"]} />
        <AlertDialog.Content className={styles["dialog"]} dir={direction}>
          <AlertDialog.Title asChild>
            <h2>{title}</h2>
          </AlertDialog.Title>
          <AlertDialog.Description className={styles["text"]}>{text}</AlertDialog.Description>
          <form className={styles["form"]} onSubmit={submit}>
            {password && (
              <Field
                label={t("password.current")}
                name="password"
                type="password"
                dir="ltr"
                autoComplete="current-password"
                required
              />
            )}
            {error !== undefined && <Problem error={error} />}
            <div className={styles["buttons"]}>
              <AlertDialog.Cancel asChild>
                <Button>{t("confirm.keep")}</Button>
              </AlertDialog.Cancel>
              <Button kind="danger" type="submit" busy={isBusy}>
                {button}
              </Button>
            </div>
          </form>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
