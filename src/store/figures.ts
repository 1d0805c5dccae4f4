// Statements on what nodes see and have counted: one row a node for the present, one a node and
// minute, one an hour.
import type { Queryable } from "./database.ts";

/** The row of one node, replaced each second. */
export interface ToldFigures {
  readonly processId: string;
  readonly host: string;
  readonly figures: object;
}

export async function tellFigures(db: Queryable, { processId, host, figures }: ToldFigures): Promise<void> {
  await db.query({
    name: "tellFigures",
    text: `/* tellFigures */
insert into node_figures (process_id, host, at, figures) values ($1, $2, now(), $3)
    on conflict (process_id) do update set host = excluded.host, at = excluded.at, figures = excluded.figures`,
    values: [processId, host, JSON.stringify(figures)],
  });
}

/** For a node that leaves in order. */
export async function dropFiguresOf(db: Queryable, processId: string): Promise<void> {
  await db.query({
    name: "dropFiguresOf",
    text: "/* dropFiguresOf */ delete from node_figures where process_id = $1",
    values: [processId],
  });
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
  return db.query<ReadFigures<Figures>>({
    name: "readFigures",
    text: `/* readFigures */
select process_id as "processId", host, greatest(0, extract(epoch from now() - at))::float8 as "silentSeconds", figures
  from node_figures order by host, process_id`,
    values: [],
  });
}

/** Counts are absolute: the same minute written twice is the same minute. */
export interface MinuteOfNode {
  readonly at: Date;
  readonly processId: string;
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
  readonly taken: number;
  readonly refused: number;
  readonly throttled: number;
  readonly unanswered: number;
  readonly answers: number;
  readonly medianMs: number;
  readonly slowMs: number;
}

export async function insertMinute(db: Queryable, minute: MinuteOfNode): Promise<void> {
  await db.query({
    name: "insertMinute",
    text: `/* insertMinute */
insert into figures_of_minute (at, process_id, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered, answers,
                               median_ms, slow_ms)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    on conflict (at, process_id) do nothing`,
    values: [
      minute.at,
      minute.processId,
      minute.accepted,
      minute.sent,
      minute.delivered,
      minute.undelivered,
      minute.unsent,
      minute.taken,
      minute.refused,
      minute.throttled,
      minute.unanswered,
      minute.answers,
      minute.medianMs,
      minute.slowMs,
    ],
  });
}

const sums = `sum(accepted) as accepted, sum(sent) as sent, sum(delivered) as delivered, sum(undelivered) as undelivered, sum(unsent) as unsent,
       sum(taken) as taken, sum(refused) as refused, sum(throttled) as throttled, sum(unanswered) as unanswered, sum(answers) as answers`;
// By the number of answers, so that an idle minute weighs nothing.
const middle = "coalesce(sum(median_ms * answers::bigint) / nullif(sum(answers), 0), 0)";

/**
 * Adds the minutes of whole hours that ended so long ago to their hours, and deletes them, in one
 * statement: each minute counts once, however many nodes do this at once. Returns how many minutes.
 */
export async function foldMinutes(
  db: Queryable,
  { keepHours, limit }: { readonly keepHours: number; readonly limit: number },
): Promise<number> {
  const [row] = await db.query<{ folded: number }>({
    name: "foldMinutes",
    text: `/* foldMinutes */
with gone as (
  delete from figures_of_minute
   where (at, process_id) in (
     select at, process_id from figures_of_minute where at < date_trunc('hour', now(), 'UTC') - make_interval(hours => $1)
      order by at, process_id limit $2 for update skip locked)
  returning *
),
folded as (
  insert into figures_of_hour as h (at, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered, answers, median_ms,
                                    slow_ms)
  select date_trunc('hour', at, 'UTC') as hour, ${sums}, ${middle}, max(slow_ms) from gone group by 1 order by 1
      on conflict (at) do update
     set accepted = h.accepted + excluded.accepted, sent = h.sent + excluded.sent, delivered = h.delivered + excluded.delivered,
         undelivered = h.undelivered + excluded.undelivered, unsent = h.unsent + excluded.unsent, taken = h.taken + excluded.taken,
         refused = h.refused + excluded.refused, throttled = h.throttled + excluded.throttled, unanswered = h.unanswered + excluded.unanswered,
         median_ms = coalesce((h.median_ms * h.answers + excluded.median_ms * excluded.answers) / nullif(h.answers + excluded.answers, 0), 0),
         answers = h.answers + excluded.answers, slow_ms = greatest(h.slow_ms, excluded.slow_ms)
)
select count(*)::int as folded from gone`,
    values: [keepHours, limit],
  });
  return row?.folded ?? 0;
}

/** A point of a series: the sums of all nodes from its time on, until the next point. */
export interface FigurePoint {
  readonly at: Date;
  readonly accepted: bigint;
  readonly sent: bigint;
  readonly delivered: bigint;
  readonly undelivered: bigint;
  readonly unsent: bigint;
  readonly taken: bigint;
  readonly refused: bigint;
  readonly throttled: bigint;
  readonly unanswered: bigint;
  /** Null where there was no answer. */
  readonly medianMs: bigint | null;
  readonly slowMs: bigint | null;
}

const pointColumns = `accepted::bigint, sent::bigint, delivered::bigint, undelivered::bigint, unsent::bigint, taken::bigint, refused::bigint,
       throttled::bigint, unanswered::bigint, case when answers > 0 then median::bigint end as "medianMs",
       case when answers > 0 then slow::bigint end as "slowMs"`;

/** Whole minutes from `since` on; a minute with no row has no point. */
export function listMinutes(db: Queryable, since: Date): Promise<FigurePoint[]> {
  return db.query<FigurePoint>({
    name: "listMinutes",
    text: `/* listMinutes */
select at, ${pointColumns}
  from (select at, ${sums}, ${middle} as median, max(slow_ms) as slow from figures_of_minute where at >= $1 group by at) m
 order by at`,
    values: [since],
  });
}

/** Hours from `since` on, those included that still stand as minutes. */
export function listHours(db: Queryable, since: Date): Promise<FigurePoint[]> {
  return db.query<FigurePoint>({
    name: "listHours",
    text: `/* listHours */
select at, ${pointColumns}
  from (select hour as at, ${sums}, ${middle} as median, max(slow_ms) as slow
          from (select at as hour, accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered, answers, median_ms, slow_ms
                  from figures_of_hour where at >= $1
                union all
                select date_trunc('hour', at, 'UTC'), accepted, sent, delivered, undelivered, unsent, taken, refused, throttled, unanswered,
                       answers, median_ms, slow_ms
                  from figures_of_minute where at >= $1) every
         group by hour) h
 order by at`,
    values: [since],
  });
}
