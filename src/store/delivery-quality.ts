// Statements on what became of messages by who carried them (report_delivery). Written by the
// statements that build the reports (reports.ts).
import { type DeliveryCounts, noDelivery, timeLimits } from "../sms/delivery-quality.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import { composed, type Queryable } from "./database.ts";
import { timeOfId } from "./sql-texts.ts";

const { sent, delivered, undelivered, unsent } = messageStatus;

/** What nobody in the network has to do with: no measure of delivery. */
const ownReasons = [reasonCode.canceled, reasonCode.optedOut, reasonCode.notAllowed].join(", ");

/** Whether a message m ended by what nobody in the network decided. */
export const isWithdrawn = `(m.status = ${unsent} and coalesce(m.reason, 0) in (${ownReasons}))`;

/** Whether a message m counts. Waiting ones do not yet. */
export const showsDelivery = `(m.status <> ${messageStatus.waiting} and not ${isWithdrawn})`;

/** What of its key does not change while a message m may still change, once it counts. */
export const carrierColumns = `date_bin('15 minutes', ${timeOfId("m.id")}, 'epoch') as at, m.sender as line, m.operator,
         coalesce(m.connector_id, (m.not_taken #>> '{runs,-1,c}')::int, 0) as connector_id`;

/** What the operator's code means, or what it said itself, or the reason. */
export const failureColumn = `case when m.status in (${undelivered}, ${unsent})
              then coalesce(m.failure ->> 'kind', case when m.reason in (${reasonCode.refused}, ${reasonCode.undelivered}) then left(m.reason_detail, 60) end,
                            m.reason::text, '')
              else '' end as failure`;

/** An open outcome, which a receipt may still change. */
export const failureOfOpen = (status: string): string =>
  `case when ${status} = ${messageStatus.unsent} then '${reasonCode.outcomeUnknown}' else '' end`;

const limits = timeLimits.slice(0, -1).join(", ");

/** In which column of times a message m is, if it was delivered. */
export const timeColumn = `width_bucket(extract(epoch from m.final_at - m.sent_at), array[${limits}]::numeric[]) as time`;

const times = timeLimits.map((limit) => `within_${limit}`);

/** The columns that count, each with what it counts. */
const counts: Readonly<Record<string, string>> = {
  unreported: `status = ${sent}`,
  undelivered: `status = ${undelivered}`,
  unsent: `status = ${unsent}`,
  ...Object.fromEntries(times.map((column, place) => [column, `status = ${delivered} and time = ${place}`])),
};
const columns = Object.keys(counts);
const carried = "at, line, operator, connector_id, failure";
const key = `account_id, ${carried}`;

const addRows = (
  sums: readonly string[],
  from: string,
  groups: string,
): string => `insert into report_delivery as r (${key}, ${columns.join(", ")})
  select coalesce(account_id, 0), ${carried}, ${sums.join(", ")} from ${from} group by ${groups}
  on conflict (${key}) do update set ${columns.map((column) => `${column} = r.${column} + excluded.${column}`).join(", ")}`;

/**
 * Adds the messages of `counted`, each with the columns above, its status, and how often it counts: 1 or -1.
 * Each is counted for its account, and once more for all accounts together (0), so that neither is summed up
 * from the rows of the other.
 */
export function addToDelivery(counted: string): string {
  return addRows(
    Object.values(counts).map((condition) => `coalesce(sum(n) filter (where ${condition}), 0)`),
    counted,
    `grouping sets ((${key}), (${carried}))`,
  );
}

/** Quarters of an hour become hours, and these days, so that long spans have few rows. */
const coarser = `case when at < now() - interval '3 days' then date_trunc('day', at, 'UTC')
              when at < now() - interval '4 hours' then date_trunc('hour', at, 'UTC') else at end`;

/**
 * Corrections that come later are quarters again, until the next time. The caller holds the lock of
 * the reports: a correction adds to the same rows in another order.
 */
export async function foldDelivery(tx: Queryable): Promise<void> {
  await tx.query(
    composed(
      "foldDelivery",
      `with gone as (
  delete from report_delivery where at <> ${coarser} returning account_id, ${coarser} as at, line, operator, connector_id, failure, ${columns.join(", ")}
)
${addRows(
  columns.map((column) => `sum(${column})`),
  "gone",
  key,
)}`,
      [],
    ),
  );
}

/** What the counts are summed up by, with the column. */
const dimensions = { connector: "connector_id", operator: "operator", line: "line", failure: "failure" };
export type DeliveryDimension = keyof typeof dimensions;

export interface DeliveryOfName {
  /** Null: no connector has taken or refused them. */
  readonly name: string | null;
  readonly spans: readonly DeliveryCounts[];
}

/** Sums over spans that follow each other, each from one of these times to the next. */
export async function listDelivery(
  db: Queryable,
  {
    by,
    accountId,
    bounds,
  }: { readonly by: DeliveryDimension; readonly accountId?: number | undefined; readonly bounds: readonly Date[] },
): Promise<DeliveryOfName[]> {
  const name = by === "connector" ? "coalesce(c.name, 'connector ' || nullif(key, 0))" : "key";
  const join = by === "connector" ? "left join configured_object c on c.id = key" : "";
  const rows = await db.query<
    Omit<DeliveryCounts, "delivered"> & { readonly name: string | null; readonly span: number }
  >(
    `listDeliveryBy_${by}`,
    `select ${name} as name, s.*
  from (select ${dimensions[by]} as key, width_bucket(at, $2::timestamptz[]) as span, sum(undelivered)::float8 as undelivered,
               sum(unsent)::float8 as unsent, sum(unreported)::float8 as unreported, array[${times.map((column) => `sum(${column})`).join(", ")}]::float8[] as times
          from report_delivery
         where account_id = $1 and at >= ($2::timestamptz[])[1] and at < ($2::timestamptz[])[cardinality($2::timestamptz[])]
         group by 1, 2) s
  ${join}`,
    [accountId ?? 0, bounds],
  );
  const byName = new Map<string | null, DeliveryCounts[]>();
  for (const { name: of, span, undelivered, unsent, unreported, times } of rows) {
    const spans = byName.get(of) ?? bounds.slice(1).map(() => noDelivery);
    spans[span - 1] = { undelivered, unsent, unreported, times };
    byName.set(of, spans);
  }
  return [...byName].map(([of, spans]) => ({ name: of, spans }));
}
