// One value that a person gives: its name, the place to type, and what is wrong with it.
import { useId, type InputHTMLAttributes } from "react";
import styles from "./field.module.css";

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

export function Field({ label, hint, problem, className, ...rest }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={[styles["field"], className].filter(Boolean).join(" ")}>
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className={styles["input"]}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? styles["hint"] : styles["problem"]}>
          {note}
        </p>
      )}
    </div>
  );
}
