// What differs between two versions of an object, by what its fields declare: in lines of text for
// people, and by key for the audit. Secrets are only told as changed. Pure.
import { isDeepStrictEqual } from "node:util";
import { type SetupField, defaultsOf, type Fields, type KeyedValue, type RowsValue } from "../fields/field.ts";
import { formatRials } from "../sms/money.ts";

type Keys = Readonly<Record<string, unknown>>;

export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

/**
 * `window: 100 → 50`. Of a new object, whose `old` is undefined, what is not the default. `path`
 * stands before each key.
 */
export function describeDifferences(fields: Fields, old: Keys | undefined, now: Keys, path = ""): readonly string[] {
  const before = old ?? defaultsOf(fields);
  return Object.entries(fields).flatMap(([key, field]) => {
    const [left, right] = [before[key], now[key]];
    if (isEqual(left, right)) return [];
    const label = path + labelOf(key, field);
    if (field.secret === true) return old === undefined ? [] : [`${label}: changed`];
    if (field.kind === "keyed") return describeKeyed(field, left, right, label);
    if (field.kind === "rows") return describeRows(field, textsOf(field, left), textsOf(field, right), label);
    if (field.kind === "record") return describeRows({ unordered: true }, entryTexts(left), entryTexts(right), label);
    if (Array.isArray(right) || Array.isArray(left)) return describeList(label, left, right);
    return [old === undefined ? `${label}: ${shown(right)}` : `${label}: ${shown(left)} → ${shown(right)}`];
  });
}

function labelOf(key: string, { within }: SetupField): string {
  return within === undefined ? key : `${within.key}.${within.as}`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "bigint") return formatRials(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "object") return JSON.stringify(shortCertificate(value));
  // Each difference stands in one line.
  return typeof value === "string" && !/[\n\r]/.test(value) ? value : JSON.stringify(value);
}

/** Of certificates only their presence and identity. */
function shortCertificate(tls: object): object {
  return Object.fromEntries(
    Object.entries(tls).map(([key, text]: [string, unknown]) => {
      if (typeof text !== "string" || !text.includes("-----BEGIN")) return [key, text];
      const base64 = text.replace(/-----[^-]*-----|\s/g, "");
      return [key, `certificates of ${text.length} characters, …${base64.slice(-12)}`];
    }),
  );
}

const mostItemsShown = 40;

function describeList(label: string, old: unknown, now: unknown): readonly string[] {
  const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);
  const [before, after] = [new Set(listOf(old)), new Set(listOf(now))];
  const added = [...after].filter((item) => !before.has(item)).map((item) => `+${item}`);
  const removed = [...before].filter((item) => !after.has(item)).map((item) => `-${item}`);
  const items = [...firstOf(added, "added"), ...firstOf(removed, "removed")];
  if (items.length > 0) return [`${label}: ${items.join(" ")}`];
  // null is not an empty list, and the order may have changed.
  return [`${label}: ${now === null ? "default" : listOf(now).join(" ")}`];
}

function firstOf(items: readonly string[], what: string): readonly string[] {
  const more = items.length - mostItemsShown;
  return more <= 0 ? items : [...items.slice(0, mostItemsShown), `(and ${more} more ${what})`];
}

function describeKeyed({ fields }: KeyedValue, left: unknown, right: unknown, label: string): readonly string[] {
  const [old, now] = [left as ReadonlyMap<string, Keys>, right as ReadonlyMap<string, Keys>];
  const names = [...now.keys()];
  const changed = isEqual([...old.keys()].sort(), names.toSorted()) ? [] : describeList(label, [...old.keys()], names);
  return [
    ...changed,
    ...[...now].flatMap(([name, item]) => describeDifferences(fields, old.get(name), item, `${label}.${name}.`)),
  ];
}

const longestRow = 300;

function textsOf({ fields }: RowsValue, rows: unknown): readonly string[] {
  return Array.isArray(rows) ? (rows as readonly Keys[]).map((row) => rowText(fields, row)) : [];
}

/** `delivered: OK DONE` */
function entryTexts(record: unknown): readonly string[] {
  return Object.entries((record ?? {}) as Keys).map(
    ([key, value]) => `${key}: ${Array.isArray(value) ? shownList(value) : shown(value)}`,
  );
}

/** `operator: MCI, price: 1,390`, without defaults. */
export function rowText(fields: Fields, row: Keys): string {
  const text = Object.entries(fields)
    .filter(([key, field]) => row[key] !== undefined && !isEqual(row[key], field.default))
    .map(([key]) => `${key}: ${Array.isArray(row[key]) ? shownList(row[key]) : shown(row[key])}`)
    .join(", ");
  return text.length > longestRow ? `${text.slice(0, longestRow).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

function shownList(items: readonly unknown[]): string {
  return items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join(" ");
}

/** If the rows that stayed are reordered, the whole list is shown. */
export function describeRows(
  { unordered }: Pick<RowsValue, "unordered">,
  old: readonly string[],
  now: readonly string[],
  label: string,
): readonly string[] {
  const start = label === "" ? "" : `${label}: `;
  const [before, after] = [new Set(old), new Set(now)];
  const place = (index: number): string =>
    old.length === 0 || unordered === true ? "" : ` (place ${index + 1} of ${now.length})`;
  const stayed = (list: readonly string[]): readonly string[] =>
    list.filter((text) => before.has(text) && after.has(text));
  return [
    ...now.flatMap((text, index) => (before.has(text) ? [] : [`${start}+ ${text}${place(index)}`])),
    ...old.filter((text) => !after.has(text)).map((text) => `${start}- ${text}`),
    ...(unordered === true || isEqual(stayed(old), stayed(now))
      ? []
      : [`${start}in this order:`, ...now.map((text) => `  ${text}`)]),
  ];
}

/** The keys that differ, before and after, without secrets; of a secret, that it is another one. */
export function auditDifferences(
  fields: Fields,
  old: Keys | undefined,
  now: Keys | undefined,
): { readonly before: Keys; readonly after: Keys } {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const [left, right] = [old?.[key] ?? undefined, now?.[key] ?? undefined];
    if (isEqual(left, right)) continue;
    if (field.secret === true) {
      if (old !== undefined && now !== undefined) after[key] = "changed";
    } else if (field.kind === "keyed") {
      const items = auditItems(field, left, right);
      if (Object.keys(items.before).length > 0) before[key] = items.before;
      if (Object.keys(items.after).length > 0) after[key] = items.after;
    } else {
      if (left !== undefined) before[key] = shorten(left, right);
      if (right !== undefined) after[key] = shorten(right, left);
    }
  }
  return { before, after };
}

/** Those that differ, by their names. */
function auditItems({ fields }: KeyedValue, left: unknown, right: unknown) {
  const [old, now] = [left as ReadonlyMap<string, Keys> | undefined, right as ReadonlyMap<string, Keys> | undefined];
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const name of changedItems(old, now)) {
    const pair = auditDifferences(fields, old?.get(name), now?.get(name));
    const [was, is] = [old?.has(name) === true, now?.has(name) === true];
    if (was && (!is || Object.keys(pair.before).length > 0)) before[name] = pair.before;
    if (is && (!was || Object.keys(pair.after).length > 0)) after[name] = pair.after;
  }
  return { before, after };
}

/** The names of items that were added, removed or changed. */
export function changedItems(
  old: ReadonlyMap<string, unknown> = new Map(),
  now: ReadonlyMap<string, unknown> = new Map(),
): readonly string[] {
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => !isEqual(old.get(name), now.get(name)));
}

/** Of a longer list, the audit has only what the other has not, and at most this many. */
const mostItems = 100;
const longestText = 2_000;

/** As JSON. Rials fit into a number. */
export function shorten(value: unknown, other: unknown): unknown {
  const plain = toJson(value);
  if (!Array.isArray(plain)) {
    const text = typeof plain === "object" && plain !== null ? JSON.stringify(plain) : plain;
    if (typeof text !== "string" || text.length <= longestText) return plain;
    // At a whole character: half of one is refused by the database.
    return `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…`;
  }
  if (plain.length <= mostItems) return plain;
  const others = new Set(Array.isArray(other) ? other.map((item) => JSON.stringify(toJson(item))) : []);
  const own = plain.filter((item) => !others.has(JSON.stringify(item)));
  return { count: plain.length, onlyHere: own.slice(0, mostItems) };
}

function toJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? Number(item) : item)),
  ) as unknown;
}
