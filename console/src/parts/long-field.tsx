// A text of several lines that a person gives.
import { useId, type TextareaHTMLAttributes } from "react";
import styles from "./field.module.css";

export interface LongFieldProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

export function LongField({ label, hint, problem, ...rest }: LongFieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={styles["field"]}>
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={4}
        {...rest}
        id={id}
        className={styles["long"]}
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
