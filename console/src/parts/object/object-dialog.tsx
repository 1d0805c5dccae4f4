// A button that opens a form for one object of the configuration. It is written only if nobody has
// changed it meanwhile; else the form says who did, and goes on with the present state and what was
// typed.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { type ReactNode, type SubmitEvent, useRef, useState } from "react";
import { ApiProblem, type ExpectedState, type PathOf, getTagged, putTagged } from "../../api/client.ts";
import { isOfForm } from "../../api/queries.ts";
import type { SetupObject, SetupObjectPath } from "../../api/types.ts";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import { Button, type ButtonProps } from "../controls.tsx";
import { fieldProblems } from "../field-problems.ts";
import { useFirstProblem } from "../first-problem.ts";
import { Notice, Problem, Stale } from "../problem.tsx";
import { Waiting } from "../table.tsx";
import { type FieldSpec, readFields, shownText } from "./field-spec.ts";
import { type Fields, mergeTyped, notShown } from "./merge-typed.ts";
import { ObjectFields } from "./object-fields.tsx";
import confirmStyles from "../confirm.module.css";
import styles from "./object.module.css";

/** What a change may make old: everything but who is signed in, and forms that are open. */
export function isOfService(query: { readonly queryKey: readonly unknown[] }): boolean {
  return query.queryKey[0] !== "session" && !isOfForm(query);
}

export interface ObjectKind {
  /** Of the API. */
  readonly path: SetupObjectPath;
  /** The key that names an object. */
  readonly nameKey: string;
  /** Keys with pages of their own: they stay where a change leaves them out. */
  readonly apart?: readonly string[];
}

export interface ObjectDialogProps {
  readonly kind: ObjectKind;
  /** Absent: a new one. */
  readonly name?: string;
  readonly button: string;
  readonly emphasis?: ButtonProps["kind"];
  readonly title: string;
  readonly specs: readonly FieldSpec[];
  /** What a new one begins with. */
  readonly initial?: Fields;
  /** More that can be done with what is typed, such as a test. */
  readonly besides?: (read: () => Fields) => ReactNode;
}

export function ObjectDialog({ button, emphasis = "plain", title, ...form }: ObjectDialogProps) {
  const direction = useLanguage() === "fa" ? "rtl" : "ltr";
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <Button
          kind={emphasis}
          aria-label={form.name === undefined || isOne(form.kind) ? undefined : `${button} ${form.name}`}
        >
          {button}
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={confirmStyles["shade"]} />
        <Dialog.Content
          className={[confirmStyles["dialog"], confirmStyles["wide"]].join(" ")}
          dir={direction}
          aria-describedby={undefined}
          // What is typed is not lost by a click beside it.
          onPointerDownOutside={(event) => event.preventDefault()}
        >
          <Dialog.Title asChild>
            <h2>{title}</h2>
          </Dialog.Title>
          <Loaded {...form} onDone={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type FormProps = Omit<ObjectDialogProps, "button" | "emphasis" | "title"> & { readonly onDone: () => void };

interface Opened {
  /** What the server has. */
  readonly stored: Fields;
  /** What the fields begin with. */
  readonly shown: Fields;
  readonly expected: ExpectedState;
  readonly contested: readonly string[];
  /** Another one draws the fields again. */
  readonly version: number;
}

/** The settings have no name: they stand at the path itself. */
function isOne({ path }: ObjectKind): boolean {
  return path === "/settings";
}

export function pathOf({ path }: ObjectKind, name: string): PathOf<SetupObject> {
  return path === "/settings" ? path : `${path}/${encodeURIComponent(name)}`;
}

const badRequest = 400;

const untouched = { contested: [], version: 0 } as const;

function Loaded(props: FormProps) {
  const { name, initial = {} } = props;
  if (name !== undefined) return <Existing {...props} name={name} />;
  return <Editing {...props} first={{ stored: {}, shown: initial, expected: "new", ...untouched }} />;
}

/** Read each time the form opens: a form never begins with what was there a while ago. */
function Existing(props: FormProps & { readonly name: string }) {
  const path = pathOf(props.kind, props.name);
  const { data, error, refetch } = useQuery({
    queryKey: ["form", path],
    queryFn: ({ signal }) => getTagged<SetupObject>(path, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  // Something may be typed in fields that are there.
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Waiting />;
  const { value, etag } = data;
  return <Editing {...props} first={{ stored: value, shown: value, expected: { etag }, ...untouched }} />;
}

function Editing({ first, ...props }: FormProps & { readonly first: Opened }) {
  const [opened, setOpened] = useState(first);
  const [error, setError] = useState<unknown>();
  const reload = (typed: Fields): void => {
    setError(undefined);
    getTagged<SetupObject>(pathOf(props.kind, props.name ?? "")).then(({ value, etag }) => {
      const { fields, contested } = mergeTyped(opened.stored, typed, value);
      setOpened({ stored: value, shown: fields, expected: { etag }, contested, version: opened.version + 1 });
    }, setError);
  };
  return <ObjectForm key={opened.version} {...props} opened={opened} onReload={reload} loadError={error} />;
}

interface ObjectFormProps extends FormProps {
  readonly opened: Opened;
  readonly onReload: (typed: Fields) => void;
  readonly loadError: unknown;
}

function ObjectForm({ kind, name, specs, besides, opened, onReload, loadError, onDone }: ObjectFormProps) {
  const t = useTexts();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [sent, setSent] = useState<Fields>();
  useFirstProblem(form, error);
  const names = specs.map((spec) => spec.name);
  const { problemOf, isTold } = fieldProblems(error, names, sent);
  const read = (): Fields => (form.current === null ? {} : readFields(form.current, specs));
  const save = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const body: Fields = { ...notShown(opened.stored, [...names, ...(kind.apart ?? [])]), ...read() };
    const called = name ?? shownText(body[kind.nameKey]);
    if (called === "" && !isOne(kind)) {
      setError(missing(kind.nameKey, t("object.needed")));
      return;
    }
    setBusy(true);
    setError(undefined);
    setSent(body);
    putTagged(pathOf(kind, called), body, opened.expected).then(
      () => {
        void client.invalidateQueries({ predicate: isOfService });
        onDone();
      },
      (problem: unknown) => {
        setBusy(false);
        setError(problem);
      },
    );
  };
  const stale = error instanceof ApiProblem && error.isStale ? error : undefined;
  return (
    <form ref={form} className={confirmStyles["form"]} onSubmit={save} noValidate>
      {opened.contested.length > 0 && (
        <Notice kind="attention" role="status">
          {t("object.contested", { fields: opened.contested.join(", ") })}
        </Notice>
      )}
      <ObjectFields specs={specs} values={opened.shown} problemOf={problemOf} />
      {besides?.(read)}
      {stale !== undefined && (
        <Stale change={stale.lastChange} isNew={name === undefined} onReload={() => onReload(read())} />
      )}
      {error !== undefined && stale === undefined && !isTold && <Problem error={error} />}
      {loadError !== undefined && <Problem error={loadError} />}
      <div className={styles["buttons"]}>
        <Dialog.Close asChild>
          <Button>{t("dialog.cancel")}</Button>
        </Dialog.Close>
        <Button kind="primary" type="submit" busy={isBusy}>
          {name === undefined ? t("object.add") : t("object.save")}
        </Button>
      </div>
    </form>
  );
}

/** As the API says it of a key that is not there: without a name there is nothing to ask it. */
function missing(field: string, errorMessage: string): ApiProblem {
  return new ApiProblem(badRequest, { validationErrors: [{ field, errorMessage }] });
}
