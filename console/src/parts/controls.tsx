// Buttons, and the fields in which people give something.
import {
  type ButtonHTMLAttributes,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from "react";
import { Link } from "wouter";
import { useTexts } from "../texts/texts.ts";
import buttonStyles from "./button.module.css";
import checkStyles from "./check.module.css";
import fieldStyles from "./field.module.css";
import fileFieldStyles from "./file-field.module.css";
import switchStyles from "./switch.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  /** Long work under way: it cannot be pressed again. */
  readonly busy?: boolean;
}

export function Button({ kind = "plain", busy = false, type = "button", disabled, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      data-kind={kind}
      className={buttonStyles["button"]}
    />
  );
}

interface ButtonLinkProps {
  readonly href: string;
  readonly kind?: ButtonProps["kind"];
  readonly children: ReactNode;
}

/** The way to a page where something is done, as a button. */
export function ButtonLink({ href, kind = "plain", children }: ButtonLinkProps) {
  return (
    <Link href={href} data-kind={kind} className={buttonStyles["button"]}>
      {children}
    </Link>
  );
}

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

interface LabelledProps extends Labelled {
  readonly className?: string | undefined;
  readonly control: (about: {
    readonly id: string;
    readonly "aria-invalid": true | undefined;
    readonly "aria-describedby": string | undefined;
  }) => ReactNode;
}

/** The name of a value that a person gives, the place to give it, and what is wrong with it. */
function Labelled({ label, hint, problem, className, control }: LabelledProps) {
  const id = useId();
  const note = problem ?? hint;
  const noteId = note === undefined ? undefined : `${id}-note`;
  return (
    <div className={[fieldStyles["field"], className].filter(Boolean).join(" ")}>
      <label htmlFor={id}>{label}</label>
      {control({ id, "aria-invalid": problem !== undefined || undefined, "aria-describedby": noteId })}
      {note !== undefined && (
        <p id={noteId} className={problem === undefined ? fieldStyles["hint"] : fieldStyles["problem"]}>
          {note}
        </p>
      )}
    </div>
  );
}

export type FieldProps = Labelled & InputHTMLAttributes<HTMLInputElement>;

export function Field({ label, hint, problem, className, ...rest }: FieldProps) {
  const control: LabelledProps["control"] = (about) => <input {...rest} {...about} className={fieldStyles["input"]} />;
  return <Labelled {...{ label, hint, problem, className, control }} />;
}

/** A text of several lines. */
export function LongField({
  label,
  hint,
  problem,
  className,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const control: LabelledProps["control"] = (about) => (
    <textarea rows={4} {...rest} {...about} className={[fieldStyles["long"], className].filter(Boolean).join(" ")} />
  );
  return <Labelled {...{ label, hint, problem, control }} />;
}

interface SelectProps extends Labelled, Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChoose?: (value: string) => void;
}

/** A choice of few: the browser's own list, which every keyboard and screen reader knows. */
export function Select({ label, hint, problem, options, onChoose, className, ...rest }: SelectProps) {
  const control: LabelledProps["control"] = (about) => (
    <select {...rest} {...about} className={fieldStyles["select"]} onChange={(event) => onChoose?.(event.target.value)}>
      <Options options={options} />
    </select>
  );
  return <Labelled {...{ label, hint, problem, className, control }} />;
}

export function Options({ options }: Pick<SelectProps, "options">) {
  return options.map(({ value, text }) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
}

// Yes or no, in a form.

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  readonly label: string;
}

export function Check({ label, ...rest }: CheckProps) {
  const id = useId();
  return (
    <div className={checkStyles["check"]}>
      <input {...rest} id={id} type="checkbox" />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}

// On or off, at once. Its name is that of what it switches; its state is also said in a word beside
// it.

interface SwitchProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly text: string;
  readonly disabled?: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

export function Switch({ name, isOn, text, disabled = false, onSwitch }: SwitchProps) {
  return (
    <span className={switchStyles["switch"]}>
      <button
        type="button"
        role="switch"
        aria-label={name}
        aria-checked={isOn}
        disabled={disabled}
        className={switchStyles["track"]}
        onClick={() => onSwitch(!isOn)}
      >
        <span className={switchStyles["thumb"]} />
      </button>
      <span className={isOn ? undefined : switchStyles["off"]}>{text}</span>
    </span>
  );
}

// A file that a person chooses. The browser's own button speaks the browser's language, so ours
// stands in its place.

interface FileFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Endings, as `accept` takes them. */
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onChoose: (file: File) => void;
}

export function FileField({ label, hint, accept, disabled = false, onChoose }: FileFieldProps) {
  const t = useTexts();
  const [name, setName] = useState<string>();
  const control: LabelledProps["control"] = ({ id, "aria-describedby": note = "" }) => (
    <div className={fileFieldStyles["choice"]}>
      <input
        id={id}
        type="file"
        className="visuallyHidden"
        accept={accept}
        disabled={disabled}
        aria-describedby={`${id}-name ${note}`.trim()}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // The same file is read again once it was edited.
          target.value = "";
          if (file === undefined) return;
          setName(file.name);
          onChoose(file);
        }}
      />
      <label
        htmlFor={id}
        aria-hidden="true"
        data-disabled={disabled}
        className={[buttonStyles["button"], fileFieldStyles["button"]].join(" ")}
      >
        {t("file.choose")}
      </label>
      <bdi id={`${id}-name`} className={fileFieldStyles["name"]}>
        {name ?? t("file.none")}
      </bdi>
    </div>
  );
  return <Labelled {...{ label, hint, control }} />;
}

// The field for one's present password, asked for again before what cannot be taken back.

export function CurrentPassword({ problem }: Pick<FieldProps, "problem">) {
  const t = useTexts();
  return (
    <Field
      label={t("password.current")}
      name="password"
      type="password"
      dir="ltr"
      autoComplete="current-password"
      problem={problem}
      required
    />
  );
}

// What a person typed into a field of a form.

export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value : "";
}
