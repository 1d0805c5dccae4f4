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
          {key in old && (
            <del dir="auto">
              <Value value={old[key]} />
            </del>
          )}
          {key in now && (
            <ins dir="auto">
              <Value value={now[key]} />
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}

function valuesOf(given: unknown): Values {
  if (given === undefined || given === null) return {};
  return typeof given === "object" ? Object.fromEntries(Object.entries(given)) : { "": given };
}

/** A list or an object as JSON, from left to right, in which each text keeps its own direction. */
function Value({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return value;
  const json = JSON.stringify(value);
  if (typeof value !== "object" || value === null) return json;
  return (
    <bdi dir="ltr">
      {json.split(jsonTexts).map((piece, index) => (index % 2 === 0 ? piece : <bdi key={index}>{piece}</bdi>))}
    </bdi>
  );
}

/** Texts of JSON with their quotation marks, caught so that `split` keeps them. */
const jsonTexts = /("(?:[^"\\]|\\.)*")/;
