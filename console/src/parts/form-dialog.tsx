// A button that opens a dialog with a form: what is given there is saved, or the dialog says why
// not.
import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { type ReactNode, type SubmitEvent, useRef, useState } from "react";
import { ApiProblem } from "../api/client.ts";
import { taggedKey } from "../api/queries.ts";
import { useLanguage } from "../preferences.ts";
import { useTexts } from "../texts/texts.ts";
import { Button, type ButtonProps } from "./controls.tsx";
import { fieldProblems } from "./field-problems.ts";
import { useFirstProblem } from "./first-problem.ts";
import { Notice, Problem, Stale } from "./problem.tsx";
import { TellUnread, tagOf } from "./tagged-fields.tsx";
import styles from "./confirm.module.css";

/** What the API found wrong with a field, if anything. */
export type FieldProblems = (field: string) => string | undefined;

export interface FormDialogProps {
  /** Opens the dialog. */
  readonly button: string;
  readonly kind?: ButtonProps["kind"];
  readonly title: string;
  readonly lead?: ReactNode;
  /** Says what will happen. */
  readonly submit: string;
  /** Fields of the API that the form shows problems beside; all others are told below. */
  readonly fields?: readonly string[];
  readonly children: ReactNode | ((problemOf: FieldProblems) => ReactNode);
  /** Answers what is to be shown instead of the form, if anything. Throws what the API refused. */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- most forms have nothing to show
  readonly onSubmit: (form: HTMLFormElement) => Promise<ReactNode | void>;
}

export function FormDialog({ button, kind = "plain", title, lead, ...form }: FormDialogProps) {
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [{ isOpen, opening }, setOpened] = useState({ isOpen: false, opening: 0 });
  const [result, setResult] = useState<ReactNode>();
  const close = (): void => {
    setOpened((now) => ({ ...now, isOpen: false }));
    setResult(undefined);
  };
  // The answer may come when the dialog was closed, and opened again for something else.
  const finish = (shown: ReactNode): void => {
    if (shown === undefined) {
      setOpened((now) => (now.opening === opening ? { ...now, isOpen: false } : now));
      return;
    }
    // Such as a secret that is told this once.
    setResult(shown);
    setOpened((now) => ({ ...now, isOpen: true }));
  };
  // A result that is shown only once must not be lost by a key press or a click outside the dialog.
  const keepResult = (event: Event): void => {
    if (result !== undefined) event.preventDefault();
  };
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => (open ? setOpened({ isOpen: true, opening: opening + 1 }) : close())}
    >
      <Dialog.Trigger asChild>
        <Button kind={kind}>{button}</Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={styles["shade"]} />
        <Dialog.Content
          className={[styles["dialog"], styles["wide"]].join(" ")}
          dir={direction}
          onEscapeKeyDown={keepResult}
          onPointerDownOutside={(event) => event.preventDefault()}
          {...(lead === undefined && { "aria-describedby": undefined })}
        >
          <Dialog.Title asChild>
            <h2>{title}</h2>
          </Dialog.Title>
          {result === undefined && lead !== undefined && (
            <Dialog.Description className={styles["text"]}>{lead}</Dialog.Description>
          )}
          {result === undefined ? <DialogForm {...form} onDone={finish} /> : <Result onClose={close}>{result}</Result>}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface DialogFormProps extends Pick<FormDialogProps, "submit" | "fields" | "children" | "onSubmit"> {
  readonly onDone: (result: ReactNode) => void;
}

function DialogForm({ submit, fields = [], children, onSubmit, onDone }: DialogFormProps) {
  const t = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [isUnread, setUnread] = useState(false);
  const [error, setError] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  useFirstProblem(form, error);
  const loaded = useLoadedForm();
  const send = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setBusy(true);
    loaded.begin(event.currentTarget);
    setError(undefined);
    onSubmit(event.currentTarget).then(
      (result) => onDone(result ?? undefined),
      (problem: unknown) => {
        setBusy(false);
        setError(problem);
      },
    );
  };
  const { problemOf, isTold } = fieldProblems(error, fields);
  return (
    <form ref={form} className={styles["form"]} onSubmit={send}>
      <TellUnread value={setUnread}>{typeof children === "function" ? children(problemOf) : children}</TellUnread>
      {loaded.isFresh && (
        <Notice kind="calm" role="status">
          {t("object.loaded")}
        </Notice>
      )}
      {error instanceof ApiProblem && error.isStale ? (
        <Stale
          change={error.lastChange}
          isNew={loaded.isNew}
          onReload={() => void loaded.loadAnew().then(() => setError(undefined), setError)}
        />
      ) : (
        error !== undefined && !isTold && <Problem error={error} />
      )}
      <div className={styles["buttons"]}>
        <Dialog.Close asChild>
          <Button>{t("dialog.cancel")}</Button>
        </Dialog.Close>
        <Button kind="primary" type="submit" busy={isBusy} disabled={isUnread}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

/**
 * What the form was filled with (tagged-fields.tsx), and how it is read again: untouched fields
 * take the new values, typed text stays.
 */
function useLoadedForm() {
  const client = useQueryClient();
  const [isNew, setNew] = useState(false);
  const [isFresh, setFresh] = useState(false);
  return {
    isNew,
    isFresh,
    begin: (form: HTMLFormElement): void => {
      setNew(tagOf(form).etag === "");
      setFresh(false);
    },
    loadAnew: async (): Promise<void> => {
      await client.refetchQueries({ queryKey: [taggedKey], type: "active" }, { throwOnError: true });
      setFresh(true);
    },
  };
}

function Result({ children, onClose }: { readonly children: ReactNode; readonly onClose: () => void }) {
  const t = useTexts();
  return (
    <div className={styles["form"]}>
      {children}
      <div className={styles["buttons"]}>
        <Button kind="primary" onClick={onClose}>
          {t("dialog.close")}
        </Button>
      </div>
    </div>
  );
}
