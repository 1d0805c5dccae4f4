// Names and values of one object, in two columns.
import type { ReactNode } from "react";
import styles from "./facts.module.css";

export interface Fact {
  readonly name: string;
  /** Absent: the fact is left out. */
  readonly value?: ReactNode;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles["facts"]}>
      {facts
        .filter(({ value }) => value !== undefined)
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
