// What differs between before and after, key by key, as the setup file names them.
import styles from "./changes.module.css";

type Values = Readonly<Record<string, unknown>>;

export function Changes({
  before = {},
  after = {},
}: {
  readonly before?: Values | undefined;
  readonly after?: Values | undefined;
}) {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (keys.length === 0) return null;
  return (
    <ul className={styles["changes"]}>
      {keys.map((key) => (
        <li key={key}>
          <code dir="ltr">{key}</code>
          {key in before && <del dir="auto">{textOf(before[key])}</del>}
          {key in after && <ins dir="auto">{textOf(after[key])}</ins>}
        </li>
      ))}
    </ul>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
