// Yes or no, in a form.
import { useId, type InputHTMLAttributes } from "react";
import styles from "./check.module.css";

export interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  readonly label: string;
}

export function Check({ label, ...rest }: CheckProps) {
  const id = useId();
  return (
    <div className={styles["check"]}>
      <input {...rest} id={id} type="checkbox" />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
