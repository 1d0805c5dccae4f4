// A text of several lines that a person gives.
import { useId, type TextareaHTMLAttributes } from "react";
import styles from "./field.module.css";

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly label: string;
  readonly hint?: string | undefined;
}

export function TextArea({ label, hint, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={styles["field"]}>
      <label htmlFor={id}>{label}</label>
      <textarea {...rest} id={id} className={styles["input"]} aria-describedby={hint && `${id}-note`} />
      {hint !== undefined && (
        <p id={`${id}-note`} className={styles["hint"]}>
          {hint}
        </p>
      )}
    </div>
  );
}
