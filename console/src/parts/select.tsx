// A choice of few: the browser's own list, which every keyboard and screen reader knows.
import { useId, type SelectHTMLAttributes } from "react";
import styles from "./field.module.css";

export interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChoose?: (value: string) => void;
}

export function Select({ label, options, onChoose, className, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={[styles["field"], className].filter(Boolean).join(" ")}>
      <label htmlFor={id}>{label}</label>
      <select
        {...rest}
        id={id}
        className={styles["select"]}
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
