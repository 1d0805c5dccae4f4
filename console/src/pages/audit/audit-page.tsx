// Who changed what, when and from where, with what differs.
import type { Answers } from "../../api/types.ts";
import { dayFilters, type Filter } from "../../parts/filters.tsx";
import { ListPage } from "../../parts/list-page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Code, isNameless, kindText, Moment, shortened } from "../../parts/values.tsx";
import { isolated, type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./changes.module.css";

type AuditEntry = Answers["GET /audit"]["items"][number];

/** Those that people look for. */
const kinds = [
  "account",
  "connector",
  "operator",
  "portedNumber",
  "route",
  "line",
  "tariff",
  "template",
  "rules",
  "blockList",
  "optOut",
  "staff",
  "user",
  "apiKey",
  "webhookEndpoint",
  "credit",
  "campaign",
  "messageText",
  "review",
  "personalData",
  "settings",
];

export function AuditPage() {
  const t = useTexts();
  const filters: readonly Filter[] = [
    { key: "who", label: t("audit.who"), kind: "text" },
    { key: "account", label: t("message.account"), kind: "text" },
    {
      key: "kind",
      label: t("statement.kind"),
      kind: "choice",
      options: kinds.map((kind) => ({ value: kind, text: kindText(t, kind) })),
    },
    { key: "name", label: t("object.name"), kind: "text" },
    ...dayFilters(t),
  ];
  return (
    <ListPage
      list="GET /audit"
      title={t("audit.title")}
      lead={t("audit.lead")}
      filters={filters}
      keyOf={({ id }) => id}
      columns={columnsOf(t)}
      none={{ title: t("audit.none"), text: t("audit.noneText") }}
    />
  );
}

function columnsOf(t: Translate): readonly Column<AuditEntry>[] {
  return [
    { title: t("statement.time"), cell: ({ at }) => <Moment at={at} ago /> },
    { title: t("audit.who"), cell: ({ who }) => <Who who={who} /> },
    { title: t("audit.action"), cell: ({ action }) => wordFor(t, `audit.action.${action}`, action) },
    {
      title: t("audit.object"),
      cell: ({ kind, name }) => (
        <span>
          {kindText(t, kind)} {!isNameless(kind, name) && <Code text={isId(name) ? shortened(name) : name} />}
        </span>
      ),
    },
    {
      title: t("audit.changes"),
      wide: true,
      cell: ({ before, after }) => <Changes before={before} after={after} />,
    },
    {
      title: t("sessions.address"),
      atEnd: true,
      cell: ({ address }) => address !== undefined && <Code text={address} />,
    },
  ];
}

function isId(name: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name);
}

/** As the filter takes it, so that it can be copied there. */
function Who({ who }: { readonly who: string }) {
  const t = useTexts();
  return who === "gateway" ? t("who.gateway") : <Code text={who} />;
}

// What differs between before and after, key by key, as the setup file names them.

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
          <summary>{t("rules.more", { count: rest.length })}</summary>
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

/** A list of words as text, an object as JSON, from left to right, in which each text keeps its own direction. */
function Value({ value }: { readonly value: unknown }) {
  const t = useTexts();
  if (typeof value === "string") return value;
  const json = JSON.stringify(value);
  if (typeof value !== "object" || value === null) return json;
  if (Array.isArray(value) && value.length === 0) return "—";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object"))
    return value
      .map(String)
      .map((word) => (isId(word) ? shortened(word) : isolated(word)))
      .join(t("list.comma"));
  return (
    <bdi dir="ltr">
      {json.split(jsonTexts).map((piece, index) => (index % 2 === 0 ? piece : <bdi key={index}>{piece}</bdi>))}
    </bdi>
  );
}

/** Texts of JSON with their quotation marks, caught so that `split` keeps them. */
const jsonTexts = /("(?:[^"\\]|\\.)*")/;
