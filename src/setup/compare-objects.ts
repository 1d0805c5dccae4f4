// What differs between two versions of an object: by key for the audit, and as lines of text for people. Of
// secrets only that they changed. Pure.
import { isDeepStrictEqual } from "node:util";
import type { Fields, KeyedValue } from "../fields/field.ts";

type Keys = Readonly<Record<string, unknown>>;

/** The keys that differ, as JSON. */
export interface Differences {
  readonly before: Keys;
  readonly after: Keys;
}

export function isEqual(one: unknown, other: unknown): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

/** Undefined: there is no such version. */
export function differencesOf(fields: Fields, old: Keys | undefined, now: Keys | undefined): Differences {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const [left, right] = [old?.[key] ?? undefined, now?.[key] ?? undefined];
    if (isEqual(left, right)) continue;
    if (field.secret === true) {
      if (old !== undefined && now !== undefined) after[key] = "changed";
      continue;
    }
    const [was, is] = field.kind === "keyed" ? itemDifferences(field, left, right) : shortened(left, right);
    if (was !== undefined) before[key] = was;
    if (is !== undefined) after[key] = is;
  }
  return { before, after };
}

/** Those that differ, by their names. */
function itemDifferences({ fields }: KeyedValue, left: unknown, right: unknown): readonly [unknown, unknown] {
  const [old, now] = [left as ReadonlyMap<string, Keys> | undefined, right as ReadonlyMap<string, Keys> | undefined];
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const name of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
    const [was, is] = [old?.get(name), now?.get(name)];
    if (isEqual(was, is)) continue;
    const differences = differencesOf(fields, was, is);
    if (was !== undefined) before[name] = differences.before;
    if (is !== undefined) after[name] = differences.after;
  }
  return [orNone(before), orNone(after)];
}

function orNone(values: object): object | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

/** Of longer lists, only what the other has not, and at most this many. */
const mostItems = 100;
const longestText = 2_000;

/** Both as JSON. Rials fit into a number. */
export function shortened(before: unknown, after: unknown): readonly [unknown, unknown] {
  const [old, now] = [toJson(before), toJson(after)];
  const isLong = [old, now].some((value) => Array.isArray(value) && value.length > mostItems);
  return isLong ? [withoutShared(old, now), withoutShared(now, old)] : [old, now];
}

function withoutShared(value: unknown, other: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const others = new Set(Array.isArray(other) ? other.map((item) => JSON.stringify(item)) : []);
  const own = value.filter((item) => !others.has(JSON.stringify(item)));
  return { count: value.length, onlyHere: own.slice(0, mostItems) };
}

function toJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value, shortValue)) as unknown);
}

function shortValue(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string" || value.length <= longestText) return value;
  // At a whole character: half of one is refused by the database.
  return `${value.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `window: 100 → 50`. Of a new object, what it has. `path` stands before each key. */
export function linesOf({ before, after }: Differences, path = ""): readonly string[] {
  return Object.keys({ ...before, ...after }).flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    const label = path + key;
    const [oldItems, nowItems] = [itemsOf(old), itemsOf(now)];
    if (isEqual(old, now)) return [];
    if (oldItems || nowItems) return listLines(label, oldItems, nowItems);
    if (!isObject(old ?? {}) || !isObject(now ?? {}))
      return [`${label}: ${old === undefined ? "" : `${shown(old)} → `}${shown(now)}`];
    // An object with a name, such as a user, within its list.
    const isItem = path !== "";
    if (isItem && now === undefined) return [`${label}: removed`];
    const lines = linesOf({ before: (old ?? {}) as Keys, after: (now ?? {}) as Keys }, `${label}.`);
    return isItem && old === undefined ? [`${label}: new`, ...lines] : lines;
  });
}

function isObject(value: unknown): value is Keys {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  const items = isObject(value) ? value["onlyHere"] : value;
  return Array.isArray(items) ? items : undefined;
}

function listLines(label: string, old: readonly unknown[] = [], now: readonly unknown[] = []): readonly string[] {
  const [before, after] = [old.map(itemText), now.map(itemText)];
  const lines = [
    ...after.filter((item) => !before.includes(item)).map((item) => `${label}: + ${item}`),
    ...before.filter((item) => !after.includes(item)).map((item) => `${label}: - ${item}`),
  ];
  return lines.length > 0 ? lines : [`${label}: ${after.join("; ") || "none"}`];
}

/** Of certificates the end, which tells them from others. */
const shortCertificates = (pem: string): string => `…${pem.replace(/-----[^-]*-----|\\n/g, "").slice(-12)}`;

/** `operator: MCI, price: 1390` */
function itemText(item: unknown): string {
  if (!isObject(item)) return shown(item);
  return Object.entries(item)
    .map(([key, value]) => `${key}: ${Array.isArray(value) ? value.map(shown).join(" ") : shown(value)}`)
    .join(", ");
}

function shown(value: unknown): string {
  if (value === undefined || value === "") return "none";
  // Each difference stands in one line.
  const text = typeof value === "string" && !/[\n\r]/.test(value) ? value : JSON.stringify(value);
  return text.replaceAll(/-----BEGIN [^"]*/g, shortCertificates);
}
