// The forms of objects of the configuration, which are read, changed and removed alike.
import { callApi, type Endpoint } from "../api/client.ts";
import type { Asked } from "../api/queries.ts";
import { useTexts } from "../texts/texts.ts";
import type { ButtonProps } from "./controls.tsx";
import { type FieldSpec, shownText } from "./field-spec.ts";
import { FormDialog, type FormDialogProps } from "./form-dialog.tsx";
import { type Fields, notShown } from "./merge-typed.ts";

type Objects = "operators" | "ported-numbers" | "connectors" | "lines" | "tariffs" | "accounts";

export interface ObjectKind {
  /** Of one object, in the API. */
  readonly path: `/${Objects}/{name}` | "/settings";
  /** The key that names an object. */
  readonly nameKey: string;
  /** Keys with pages of their own: they stay where a change leaves them out. */
  readonly ownPages?: readonly string[];
}

interface ObjectDialogProps {
  readonly kind: ObjectKind;
  /** Absent: a new one. */
  readonly name?: string;
  /** Absent for an object that has a name: "Edit". */
  readonly button?: string;
  readonly emphasis?: ButtonProps["kind"];
  readonly specs: readonly FieldSpec[];
  /** What a new one begins with. */
  readonly initial?: Fields;
  readonly onAdded?: (name: string) => void;
  /** More that can be done with what is typed, such as a test. */
  readonly besides?: (read: () => Fields) => FormDialogProps<never>["lead"];
}

export function ObjectDialog(props: ObjectDialogProps) {
  const { kind, name, button, emphasis = "plain", specs, initial, onAdded, besides } = props;
  const t = useTexts();
  const { path, nameKey, ownPages = [] } = kind;
  const edit = button ?? t("object.edit");
  const isNew = name === undefined;
  const form = {
    button: edit,
    kind: emphasis,
    title: button ?? name ?? edit,
    submit: t(isNew ? "object.add" : "object.save"),
    specs,
    initial,
  };
  return (
    <FormDialog<`GET ${typeof path}`>
      {...form}
      label={button === undefined ? `${edit} ${name ?? ""}` : undefined}
      {...(!isNew && { about: { name: `GET ${path}`, params: { name } } })}
      onSubmit={async (given, { value, expected }) => {
        const shown = [...specs.map((spec) => spec.name), ...ownPages];
        const body = { ...notShown({ ...value }, shown), ...given };
        const own = name ?? shownText(given[nameKey]);
        await callApi(`PUT ${path}`, { params: { name: own }, body, expected });
        if (isNew) onAdded?.(own);
      }}
    >
      {(_, read) => besides?.(read)}
    </FormDialog>
  );
}

/** Of objects that are read before they are removed. */
type RemovablePath<Name extends Endpoint = Endpoint> = Name extends `DELETE ${infer Path}`
  ? `GET ${Path}` extends Endpoint
    ? Path
    : never
  : never;

interface RemoveDialogProps {
  readonly name: string;
  /** What it means for messages. */
  readonly text: string;
  readonly path: RemovablePath;
  readonly of: Asked;
  /** Where to, when the page was that of the object. */
  readonly onRemoved?: (() => void) | undefined;
}

/**
 * Removes one object after a question. Its state is read as the question opens: what somebody
 * changes meanwhile is not removed unseen.
 */
export function RemoveDialog({ name, text, path, of, onRemoved }: RemoveDialogProps) {
  const t = useTexts();
  return (
    <FormDialog<`GET ${typeof path}`>
      button={t("object.remove")}
      kind="danger"
      title={t("object.removeTitle", { name })}
      lead={text}
      about={{ name: `GET ${path}`, ...of }}
      onSubmit={async (_, { expected }) => {
        await callApi(`DELETE ${path}`, { ...of, expected });
        onRemoved?.();
      }}
    />
  );
}

interface RemoveObjectProps extends Pick<RemoveDialogProps, "name" | "text" | "onRemoved"> {
  readonly kind: ObjectKind;
}

export function RemoveObject({ kind: { path }, ...props }: RemoveObjectProps) {
  return path === "/settings" ? null : <RemoveDialog {...props} path={path} of={{ params: { name: props.name } }} />;
}

interface ObjectActionsProps extends Pick<ObjectDialogProps, "kind" | "specs"> {
  readonly name: string;
  /** What it means for messages. */
  readonly removeText: string;
}

/** What can be done with an object of a list. */
export function ObjectActions({ removeText, ...object }: ObjectActionsProps) {
  const { kind, name } = object;
  return (
    <>
      <ObjectDialog {...object} emphasis="quiet" />
      <RemoveObject kind={kind} name={name} text={removeText} />
    </>
  );
}
