// A named part of a page.
import { useId, type ReactNode } from "react";
import styles from "./section.module.css";

export interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles["section"]} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className={styles["lead"]}>{lead}</p>}
      {children}
    </section>
  );
}
