// A page or list without content: why, and the one next step.
import type { ReactNode } from "react";
import styles from "./empty.module.css";

export interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className={styles["empty"]}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
