// A step that cannot be taken back: the button opens a dialog that names what will happen.
import { AlertDialog } from "radix-ui";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { Button } from "./controls.tsx";
import { Problem } from "./problem.tsx";
import { TellUnread } from "./tagged-fields.tsx";
import styles from "./confirm.module.css";

export interface ConfirmProps {
  /** Says what will happen: on the button that opens, and on the one that does it. */
  readonly button: string;
  readonly title: string;
  readonly text: string;
  /** Fields, such as the own password. */
  readonly children?: ReactNode;
  readonly onConfirm: (form: HTMLFormElement) => Promise<void>;
  /** The dialog was left: the step was not asked for, or failed. */
  readonly onLeave?: () => void;
}

export function Confirm({ button, title, text, onLeave, ...form }: ConfirmProps) {
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [{ isOpen, opening }, setOpened] = useState({ isOpen: false, opening: 0 });
  // The answer may come when the dialog was closed, and opened again.
  const finish = (): void => setOpened((now) => (now.opening === opening ? { ...now, isOpen: false } : now));
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        setOpened((now) => ({ isOpen: open, opening: now.opening + (open ? 1 : 0) }));
        if (!open) onLeave?.();
      }}
    >
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
          <ConfirmForm {...form} button={button} onDone={finish} />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface ConfirmFormProps extends Pick<ConfirmProps, "button" | "children" | "onConfirm"> {
  readonly onDone: () => void;
}

/** Another one with each opening: an error is not shown again. */
function ConfirmForm({ button, children, onConfirm, onDone }: ConfirmFormProps) {
  const t = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [isUnread, setUnread] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    onConfirm(event.currentTarget).then(onDone, (problem: unknown) => {
      setBusy(false);
      setError(problem);
    });
  };
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <TellUnread value={setUnread}>{children}</TellUnread>
      {error !== undefined && <Problem error={error} />}
      <div className={styles["buttons"]}>
        <AlertDialog.Cancel asChild>
          <Button>{t("confirm.keep")}</Button>
        </AlertDialog.Cancel>
        <Button kind="danger" type="submit" busy={isBusy} disabled={isUnread}>
          {button}
        </Button>
      </div>
    </form>
  );
}
