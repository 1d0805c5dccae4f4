// Some of a few names, each by a tick. A hidden field holds them as JSON, for a field of kind
// `json`.
import { useState } from "react";
import styles from "./object.module.css";

export interface PicksProps {
  readonly name: string;
  readonly options: readonly PickOption[];
  /** As it is stored. */
  readonly chosen: unknown;
  /** What the field holds where none is ticked; "" leaves the key out. */
  readonly none: "" | "[]";
}

export interface PickOption {
  readonly value: string;
  /** Absent: the value speaks for itself. */
  readonly text?: string;
}

export function Picks({ name, options, chosen, none }: PicksProps) {
  const [picked, setPicked] = useState<readonly string[]>(() => textsOf(chosen));
  const offered = new Set(options.map(({ value }) => value));
  // What is stored and not offered is kept.
  const all = [...options, ...textsOf(chosen).flatMap((value) => (offered.has(value) ? [] : [{ value }]))];
  const turn = (value: string, isOn: boolean): void =>
    setPicked(isOn ? [...picked, value].sort() : picked.filter((each) => each !== value));
  return (
    <div className={styles["picks"]}>
      <input type="hidden" name={name} value={picked.length === 0 ? none : JSON.stringify(picked)} />
      {all.map(({ value, text }: PickOption) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={picked.includes(value)}
            onChange={(event) => turn(value, event.target.checked)}
          />
          {text ?? <bdi>{value}</bdi>}
        </label>
      ))}
    </div>
  );
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
