// A button that opens a form: what is given there is saved, or the dialog says why not. A form about
// an object reads it as it opens, and changes only the state that was read: where somebody else has
// changed it meanwhile, the form says who did, and continues with the current state and what was typed.
import { useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { Fragment, type ReactNode, type SubmitEvent, useRef, useState } from "react";
import { ApiProblem, callTagged, type Endpoint, type ExpectedState } from "../api/client.ts";
import type { Answers } from "../api/types.ts";
import { type Asked, isOfService, isStillList, useTagged } from "../api/queries.ts";
import { useTexts } from "../texts/texts.ts";
import { Button, type ButtonProps } from "./controls.tsx";
import { fieldProblems } from "./field-problems.ts";
import { type FieldSpec, readFields } from "./field-spec.ts";
import { DeclaredFields } from "./fields.tsx";
import { useFirstProblem } from "./first-problem.ts";
import { type Fields, mergeTyped } from "./merge-typed.ts";
import { Conflict, Notice, Problem, Stale } from "./problem.tsx";
import { Waiting } from "./table.tsx";
import { Copyable, useCopy } from "./values.tsx";
import styles from "./form-dialog.module.css";

/** What a form was filled with. */
export interface Seen<Name extends Endpoint> {
  readonly value: Answers[Name];
  /** Names the state that a change is of. */
  readonly expected: ExpectedState;
}

export interface FormDialogProps<Name extends Endpoint> {
  /** Opens the dialog. */
  readonly button: string;
  /** Of the button, where many are called alike. */
  readonly label?: string | undefined;
  /** `danger`: a question before what cannot be taken back. */
  readonly kind?: ButtonProps["kind"];
  /** There is nothing to ask yet. */
  readonly disabled?: boolean;
  readonly title: string;
  readonly lead?: ReactNode;
  /** Says what will happen; absent: the words of the button. */
  readonly submit?: string;
  /** The object that the form is about. */
  readonly about?: { readonly name: Name } & Asked;
  readonly specs?: readonly FieldSpec[];
  /** What the fields begin with; in a form about an object, those that the object does not fill. */
  readonly initial?: Fields | undefined;
  /** What the object fills; absent: its own keys. */
  readonly fill?: (value: Answers[Name]) => Fields;
  /** Above the fields: what they are about. */
  readonly above?: (seen: Answers[Name]) => ReactNode;
  /** `read`: what the fields hold now. */
  readonly children?: (seen: Answers[Name], read: () => Fields) => ReactNode;
  /**
   * Answers what is to be shown instead of the form, if anything. Throws what the API refused.
   * Absent: the dialog only shows something.
   */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- most forms have nothing to show
  readonly onSubmit?: (given: Fields, seen: Seen<Name>, form: HTMLFormElement) => Promise<ReactNode | void>;
  /** The dialog was left: nothing was done, or it failed. */
  readonly onLeave?: () => void;
}

export function FormDialog<Name extends Endpoint>(props: FormDialogProps<Name>) {
  const { button, label, kind = "plain", disabled, title, lead, onLeave } = props;
  const [{ isOpen, opening }, setOpened] = useState({ isOpen: false, opening: 0 });
  const [result, setResult] = useState<ReactNode>();
  const close = (): void => {
    setOpened((now) => ({ ...now, isOpen: false }));
    setResult(undefined);
  };
  // The answer may come when the dialog was closed, and opened again for something else.
  const finish = (shown: ReactNode): void => {
    // Such as a secret that is shown this once.
    setResult(shown);
    setOpened((now) =>
      shown === undefined && now.opening !== opening ? now : { ...now, isOpen: shown !== undefined },
    );
  };
  // A result that is shown only once must not be lost by a key press.
  const keepResult = (event: Event): void => {
    if (result !== undefined) event.preventDefault();
  };
  const changeOpen = (open: boolean): void => {
    if (open) setOpened({ isOpen: true, opening: opening + 1 });
    else {
      close();
      onLeave?.();
    }
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={changeOpen}>
      <Dialog.Trigger asChild>
        <Button kind={kind} aria-label={label} disabled={disabled}>
          {button}
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={styles["shade"]} />
        <Dialog.Content
          className={kind === "danger" ? styles["dialog"] : [styles["dialog"], styles["wide"]].join(" ")}
          role={kind === "danger" ? "alertdialog" : "dialog"}
          onEscapeKeyDown={keepResult}
          // What is typed is not lost by a click beside it.
          onPointerDownOutside={(event) => event.preventDefault()}
          {...(lead === undefined && { "aria-describedby": undefined })}
        >
          <Dialog.Title asChild>
            <h2>{title}</h2>
          </Dialog.Title>
          {result === undefined && lead !== undefined && (
            <Dialog.Description className={styles["text"]}>{lead}</Dialog.Description>
          )}
          {result === undefined ? <OpenForm {...props} onDone={finish} /> : <Result onClose={close}>{result}</Result>}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
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

interface OpenFormProps<Name extends Endpoint> extends FormDialogProps<Name> {
  readonly onDone: (result: ReactNode) => void;
}

function OpenForm<Name extends Endpoint>(props: OpenFormProps<Name>) {
  const { about, initial = {} } = props;
  if (about !== undefined) return <ReadForm {...props} about={about} />;
  // Nothing was read: what the form's children are given is not there.
  return <Form {...props} seen={undefined} filled={{ fields: initial, contested: [], version: 0 }} />;
}

function keysOf(value: object): Fields {
  return Object.fromEntries(Object.entries(value));
}

/** What the declared fields begin with. */
interface Filled {
  readonly fields: Fields;
  /** Typed here, and changed to something else by somebody else. */
  readonly contested: readonly string[];
  /** Another one draws the fields again. */
  readonly version: number;
}

function ReadForm<Name extends Endpoint>(
  props: OpenFormProps<Name> & { readonly about: NonNullable<OpenFormProps<Name>["about"]> },
) {
  const { about, initial, fill = keysOf } = props;
  const { name, ...asked } = about;
  const { data, error, refetch } = useTagged(name, asked);
  const [anew, setAnew] = useState<{ readonly seen: Seen<Name>; readonly filled: Filled }>();
  // Fields that are there stay when they cannot be read again: something may be typed in them.
  if (data === undefined)
    return (
      <>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Waiting />}
        <Buttons {...props} isBusy={false} isUnread />
      </>
    );
  const { seen, filled } = anew ?? {
    seen: { value: data.value, expected: data },
    filled: { fields: { ...initial, ...fill(data.value) }, contested: [], version: 0 },
  };
  const readAnew = async (typed: Fields): Promise<void> => {
    const { value, etag } = await callTagged(name, asked);
    const merged = mergeTyped({ ...initial, ...fill(seen.value) }, typed, { ...initial, ...fill(value) });
    setAnew({ seen: { value, expected: { etag } }, filled: { ...merged, version: filled.version + 1 } });
  };
  return <Form {...props} seen={seen} filled={filled} onReadAnew={readAnew} />;
}

interface FormProps<Name extends Endpoint> extends OpenFormProps<Name> {
  readonly seen: Seen<Name> | undefined;
  readonly filled: Filled;
  readonly onReadAnew?: (typed: Fields) => Promise<void>;
}

function Form<Name extends Endpoint>(props: FormProps<Name>) {
  const { kind, specs = [], above, children, onSubmit, onDone, filled, onReadAnew } = props;
  // Only a form that is about an object is given one.
  const seen = props.seen ?? ({ value: undefined, expected: "new" } as unknown as Seen<Name>);
  const t = useTexts();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<Fields>();
  useFirstProblem(form, error);
  const read = (): Fields => (form.current === null ? {} : readFields(form.current, specs));
  const fail = (problem: unknown): void => {
    setBusy(false);
    setError(problem);
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = read();
    setSent(given);
    const missing = specs.filter(({ name, required }) => required === true && (given[name] ?? "") === "");
    if (missing.length > 0) {
      setError(withProblems(missing.map(({ name }) => ({ field: name, errorMessage: t("object.needed") }))));
      return;
    }
    setBusy(true);
    setError(undefined);
    onSubmit?.(given, seen, event.currentTarget).then(async (result) => {
      void client.invalidateQueries({ predicate: isStillList });
      const shown = client.invalidateQueries({ predicate: (query) => isOfService(query) && !isStillList(query) });
      // The page shows what was done before the dialog leaves it: what is asked for next is about that.
      if ((result ?? undefined) === undefined) await shown;
      onDone(result ?? undefined);
    }, fail);
  };
  const readAnew = (): void => {
    void onReadAnew?.(read()).then(() => setError(undefined), setError);
  };
  const { problemOf, isTold } = fieldProblems(
    error,
    specs.map(({ name }) => name),
    sent,
  );
  const stale = error instanceof ApiProblem && error.isStale ? error : undefined;
  return (
    <form ref={form} className={styles["form"]} onSubmit={submit} noValidate>
      {filled.version > 0 && <ReadAnew contested={specs.filter(({ name }) => filled.contested.includes(name))} />}
      {above?.(seen.value)}
      <DeclaredFields key={filled.version} specs={specs} values={filled.fields} problemOf={problemOf} />
      {children?.(seen.value, read)}
      {stale !== undefined &&
        (kind === "danger" ? (
          <Conflict change={stale.lastChange} />
        ) : (
          <Stale change={stale.lastChange} isNew={onReadAnew === undefined} onReload={readAnew} />
        ))}
      {error !== undefined && stale === undefined && !isTold && <Problem error={error} />}
      <Buttons {...props} isBusy={isBusy} />
    </form>
  );
}

/** What became of what was typed. */
function ReadAnew({ contested }: { readonly contested: readonly FieldSpec[] }) {
  const t = useTexts();
  const fields = contested.map(({ label }) => label).join(t("list.comma"));
  return (
    <Notice kind={fields === "" ? "calm" : "attention"} role="status">
      {fields === "" ? t("object.loaded") : t("object.contested", { fields })}
    </Notice>
  );
}

interface ButtonsProps extends Pick<FormDialogProps<never>, "button" | "kind" | "submit" | "onSubmit"> {
  readonly isBusy: boolean;
  /** What the form is about is not there yet. */
  readonly isUnread?: boolean;
}

function Buttons({ button, kind, submit = button, onSubmit, isBusy, isUnread = false }: ButtonsProps) {
  const t = useTexts();
  const isQuestion = kind === "danger";
  return (
    <div className={styles["buttons"]}>
      <Dialog.Close asChild>
        <Button>{t(onSubmit === undefined ? "dialog.close" : isQuestion ? "confirm.keep" : "dialog.cancel")}</Button>
      </Dialog.Close>
      {onSubmit !== undefined && (
        <Button kind={isQuestion ? "danger" : "primary"} type="submit" busy={isBusy} disabled={isUnread}>
          {submit}
        </Button>
      )}
    </div>
  );
}

/** As the API says it: of a field that is empty there is nothing to ask it. */
export function withProblems(validationErrors: ApiProblem["fields"]): ApiProblem {
  return new ApiProblem(400, { validationErrors });
}

interface ShownOnceProps {
  /** Why it is to be kept, or who is to get it. */
  readonly note: string;
  /** The secret, and what one needs beside it. */
  readonly values: readonly { readonly name: string; readonly text: string }[];
}

/** New credentials, the result of a form: nobody can see the secret again. */
export function ShownOnce({ note, values }: ShownOnceProps) {
  const t = useTexts();
  const [copied, copyAll] = useCopy(values.map(({ name, text }) => `${name}: ${text}`).join("\n"));
  return (
    <>
      <Notice kind="attention" role="status">
        {note}
      </Notice>
      <dl className={styles["secret"]}>
        {values.map(({ name, text }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <Copyable text={text} name={name} whole />
            </dd>
          </Fragment>
        ))}
      </dl>
      <div>
        <Button onClick={copyAll}>
          <span aria-live="polite">{t(copied ? "copy.copied" : "copy.all")}</span>
        </Button>
      </div>
    </>
  );
}
