// What differs between before and after, key by key, as the setup file names them.
import { useTexts } from "../../texts/texts.ts";
import styles from "./changes.module.css";

/** An object that was made has dozens of keys: the others are folded. */
const shownAtOnce = 5;

type Values = Readonly<Record<string, unknown>>;

export function Changes({ before, after }: { readonly before?: unknown; readonly after?: unknown }) {
  const t = useTexts();
  const old = valuesOf(before);
  const now = valuesOf(after);
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  if (keys.length === 0) return null;
  const rest = keys.slice(shownAtOnce);
  return (
    <>
      <List keys={keys.slice(0, shownAtOnce)} old={old} now={now} />
      {rest.length > 0 && (
        <details className={styles["rest"]}>
          <summary>{t("audit.more", { count: rest.length })}</summary>
          <List keys={rest} old={old} now={now} />
        </details>
      )}
    </>
  );
}

interface ListProps {
  readonly keys: readonly string[];
  readonly old: Values;
  readonly now: Values;
}

function List({ keys, old, now }: ListProps) {
  return (
    <ul className={styles["changes"]}>
      {keys.map((key) => (
        <li key={key}>
          <code dir="ltr">{key}</code>
          {key in old && <del dir="auto">{textOf(old[key])}</del>}
          {key in now && <ins dir="auto">{textOf(now[key])}</ins>}
        </li>
      ))}
    </ul>
  );
}

function valuesOf(given: unknown): Values {
  if (given === undefined || given === null) return {};
  return typeof given === "object" ? Object.fromEntries(Object.entries(given)) : { "": given };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
