// Buttons, and the fields in which people give something.
import {
  type ButtonHTMLAttributes,
  type InputHTMLAttributes,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from "react";
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

export function Button({ kind = "plain", busy = false, className, type = "button", disabled, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      data-kind={kind}
      className={[buttonStyles["button"], buttonStyles[kind], className].filter(Boolean).join(" ")}
    />
  );
}

// One value that a person gives: its name, the place to type, and what is wrong with it.

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

export function Field({ label, hint, problem, className, ...rest }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={[fieldStyles["field"], className].filter(Boolean).join(" ")}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={fieldStyles["input"]}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? fieldStyles["hint"] : fieldStyles["problem"]}>
          {note}
        </p>
      )}
    </div>
  );
}

// A text of several lines that a person gives.

export interface LongFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

export function LongField({ label, hint, problem, ...rest }: LongFieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={fieldStyles["field"]}>
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={4}
        {...rest}
        id={id}
        className={fieldStyles["long"]}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? fieldStyles["hint"] : fieldStyles["problem"]}>
          {note}
        </p>
      )}
    </div>
  );
}

// A text of several lines that a person gives.

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly hint?: string | undefined;
}

export function TextArea({ label, hint, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={fieldStyles["field"]}>
      <label htmlFor={id}>{label}</label>
      <textarea {...rest} id={id} className={fieldStyles["input"]} aria-describedby={hint && `${id}-note`} />
      {hint !== undefined && (
        <p id={`${id}-note`} className={fieldStyles["hint"]}>
          {hint}
        </p>
      )}
    </div>
  );
}

// A choice of few: the browser's own list, which every keyboard and screen reader knows.

export interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChoose?: (value: string) => void;
}

export function Select({ label, options, onChoose, className, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={[fieldStyles["field"], className].filter(Boolean).join(" ")}>
      <label htmlFor={id}>{label}</label>
      <select
        {...rest}
        id={id}
        className={fieldStyles["select"]}
        data-stored={rest.defaultValue}
        onChange={(event) => onChoose?.(event.target.value)}
      >
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

// Yes or no, in a form.

export interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
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

export interface SwitchProps {
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

export interface FileFieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Endings, as `accept` takes them. */
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onChoose: (file: File) => void;
}

export function FileField({ label, hint, accept, disabled = false, onChoose }: FileFieldProps) {
  const t = useTexts();
  const id = useId();
  const [name, setName] = useState<string>();
  return (
    <div className={fieldStyles["field"]}>
      <label htmlFor={id}>{label}</label>
      <div className={fileFieldStyles["choice"]}>
        <input
          id={id}
          type="file"
          className="visuallyHidden"
          accept={accept}
          disabled={disabled}
          aria-describedby={`${id}-name${hint === undefined ? "" : ` ${id}-note`}`}
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
      {hint !== undefined && (
        <p id={`${id}-note`} className={fieldStyles["hint"]}>
          {hint}
        </p>
      )}
    </div>
  );
}

// The field for one's present password, asked for again before what cannot be taken back.

export function CurrentPassword() {
  const t = useTexts();
  return (
    <Field
      label={t("password.current")}
      name="password"
      type="password"
      dir="ltr"
      autoComplete="current-password"
      required
    />
  );
}

// What a person typed into a field of a form.

export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value : "";
}
