// What nodes see and have counted: one row a node for the present, and one a node and minute.
// And what may need a person: how long messages have been due, and how many messages and templates wait for a decision.
import { composed, type Queryable } from "./database.ts";

/** The row of one node. */
export interface ToldFigures {
  readonly processId: string;
  readonly host: string;
  readonly figures: object;
}

export async function tellFigures(db: Queryable, { processId, host, figures }: ToldFigures): Promise<void> {
  await db.query(
    "tellFigures",
    `insert into node_figures (process_id, host, at, figures) values ($1, $2, now(), $3)
    on conflict (process_id) do update set host = excluded.host, at = excluded.at, figures = excluded.figures`,
    [processId, host, JSON.stringify(figures)],
  );
}

/** For a node that leaves in order. */
export async function dropFiguresOf(db: Queryable, processId: string): Promise<void> {
  await db.query("dropFiguresOf", "delete from node_figures where process_id = $1", [processId]);
}

export interface ReadFigures<Figures> {
  readonly processId: string;
  readonly host: string;
  /** How long ago the node wrote it, by the database's clock. */
  readonly silentSeconds: number;
  readonly figures: Figures;
}

/** `Figures` is what nodes of this version tell; they write nothing else. */
export function readFigures<Figures>(db: Queryable): Promise<ReadFigures<Figures>[]> {
  return db.query<ReadFigures<Figures>>(
    "readFigures",
    `select process_id as "processId", host, greatest(0, extract(epoch from now() - at))::float8 as "silentSeconds", figures
  from node_figures order by host, process_id`,
  );
}

const counted = [
  "accepted",
  "sent",
  "delivered",
  "undelivered",
  "unsent",
  "taken",
  "refused",
  "throttled",
  "unanswered",
] as const;
const counts = counted.join(", ");
const sums = [...counted, "answers"].map((column) => `sum(${column}) as ${column}`).join(", ");

/** Counts are absolute: the same minute written twice is the same minute. */
export interface MinuteOfNode extends Readonly<Record<(typeof counted)[number], number>> {
  readonly at: Date;
  readonly processId: string;
  readonly answers: number;
  readonly medianMs: number;
  readonly slowMs: number;
}

export async function insertMinute(db: Queryable, minute: MinuteOfNode): Promise<void> {
  await db.query(
    composed(
      "insertMinute",
      `insert into figures_of_minute (at, process_id, ${counts}, answers, median_ms, slow_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (at, process_id) do nothing`,
      [
        ...[minute.at, minute.processId, ...counted.map((column) => minute[column])],
        ...[minute.answers, minute.medianMs, minute.slowMs],
      ],
    ),
  );
}

// By the number of answers, so that an idle minute weighs nothing.
const middle = "coalesce(sum(median_ms * answers::bigint) / nullif(sum(answers), 0), 0)";

/** A point of a series: the sums of all nodes from its time on, until the next point. */
export interface FigurePoint extends Readonly<Record<(typeof counted)[number], bigint>> {
  readonly at: Date;
  /** Null where there was no answer. */
  readonly medianMs: bigint | null;
  readonly slowMs: bigint | null;
}

const pointColumns = `${counted.map((column) => `${column}::bigint`).join(", ")},
       case when answers > 0 then median::bigint end as "medianMs", case when answers > 0 then slow::bigint end as "slowMs"`;

/** Whole minutes or hours from `since` on. A time without a row has no point. */
export function listFigures(db: Queryable, step: "minute" | "hour", since: Date): Promise<FigurePoint[]> {
  return db.query<FigurePoint>(
    composed(
      "listFigures",
      `select at, ${pointColumns}
  from (select date_trunc('${step}', at, 'UTC') as at, ${sums}, ${middle} as median, max(slow_ms) as slow
          from figures_of_minute where at >= $1 group by 1) s
 order by at`,
      [since],
    ),
  );
}

/** Accounts whose balance is below their `lowCredit`; at most so many. */
export function listLowCredit(
  db: Queryable,
  limit: number,
): Promise<{ readonly account: string; readonly balance: bigint; readonly limit: bigint }[]> {
  return db.query(
    "listLowCredit",
    `select a.name as account, b.balance, a.low_credit as "limit"
  from account a join account_balance b on b.account_id = a.id
 where a.low_credit > 0 and not b.unlimited and b.balance < a.low_credit
 order by b.balance, a.name limit $1`,
    [limit],
  );
}

const countable = {
  administrators: "person where role = 'administrator' and enabled",
  messagesInReview: "review",
  templatesToDecide: "template where not approved and refused_reason is null",
  webhookRetries: "webhook_retry",
};

/** How many there are, but no more than `most`. */
export async function countRows(db: Queryable, kind: keyof typeof countable, most = 1_000_000): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `count_${kind}`,
    `select count(*)::int as count from (select from ${countable[kind]} limit $1) counted`,
    [most],
  );
  return row?.count ?? 0;
}
