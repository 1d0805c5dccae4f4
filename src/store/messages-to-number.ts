// Messages to a number, in stretches of time, by the indexes by recipient: a summary of blocks for
// weeks that fill, a tree for those that are over (docs/decisions/0020).
//
// Statements name the parts of the table that they read. A range of ids would name them, too, but
// it lets PostgreSQL use the indexes by id, which look no worse than the summary, and read a week.
// So no condition here but the number may use an index.
import { uuidFloor } from "../uuid.ts";
import type { Queryable } from "./database.ts";
import { listMessageParts } from "./partitions.ts";

/** Ids from `from` up to but without `before`, and where their rows lie. */
export interface Stretch {
  readonly from: string;
  readonly before: string;
  /** Partitions of `message`. */
  readonly parts: readonly string[];
}

/**
 * One for each week, the newest first: the first has all that lies ahead, the last all before.
 * `fromMs`: since 1970.
 */
export async function listStretches(
  db: Queryable,
  { fromMs, before }: { readonly fromMs: number; readonly before: string },
): Promise<readonly Stretch[]> {
  const { weeks, others } = await listMessageParts(db);
  const ahead = weeks.filter(({ monday }) => monday.getTime() > Date.now());
  const present = weeks.slice(ahead.length);
  const stretches: Stretch[] = [];
  let end = before;
  let parts = [...ahead.map(({ name }) => name), ...others];
  for (const { monday, name } of [...present, { monday: new Date(0), name: undefined }]) {
    const week = monday.getTime();
    const from = uuidFloor(Math.max(week, fromMs));
    if (name !== undefined) parts.push(name);
    if (from < end) stretches.push({ from, before: end, parts });
    if (week <= fromMs) break;
    if (from < end) end = from;
    parts = [...others];
  }
  return stretches;
}

/** Placeholders of a statement, such as `$1`. */
interface Asked {
  readonly recipient: string;
  readonly from: string;
  readonly before: string;
  /** Whose value may be null: of any account. */
  readonly accountId?: string;
}

/**
 * SQL for a stretch's messages to a number: a source of rows `m`. Call the statement in a
 * transaction that prefers indexes, and without a name: its text depends on the parts.
 */
export function messagesTo({ parts }: Stretch, { recipient, from, before, accountId }: Asked): string {
  const others = [`(id >= ${from}) is true`, `(id < ${before}) is true`];
  if (accountId !== undefined) others.push(`(account_id = ${accountId}) is not false`);
  const rows = parts.map((part) => `select * from ${part} where recipient = ${recipient} and ${others.join(" and ")}`);
  return `(${rows.join(" union all ")}) m`;
}
