// Drops rows that are kept for a time only.
import { messageStatus } from "../sms/message-status.ts";
import { composed, type Queryable } from "./database.ts";

const { sent, delivered, undelivered, unsent } = messageStatus;

interface KeptRows {
  readonly table: string;
  /** When a row o became old. */
  readonly since: string;
  /** What else must hold of it. */
  readonly and?: string;
}

const keptRows = {
  auditEntries: { table: "audit_entry", since: "o.at" },
  /** Parts that are held, and which no receipt can reach any more: they were answered, or ended. */
  heldParts: {
    table: "held_message",
    since: `(select case when m.status in (${sent}, ${delivered}, ${undelivered}) then '-infinity' when m.status = ${unsent} then m.final_at end
               from message m where m.account_id = o.account_id and m.id = o.message_id)`,
  },
  deliveryCounts: { table: "report_delivery", since: "o.at" },
  minutesOfFigures: { table: "figures_of_minute", since: "o.at" },
  idempotencyKeys: { table: "idempotency_key", since: "o.created_at" },
  /** References of phones that got no long message. */
  idleReferences: { table: "concatenation_reference", since: "o.used_at" },
  joinedParts: { table: "inbound_part", since: "o.received_at", and: "o.joined" },
  /** The numbers of registrations that ended before anything that is kept: the next one is old, too. */
  nodeRuns: {
    table: "node_run",
    since: "(select n.started_at from node_run n where n.number > o.number order by n.number limit 1)",
    and: "not exists (select from node n where n.id = o.node_id)",
  },
  optOutChanges: { table: "opt_out_change", since: "o.created_at" },
  parkedReceipts: { table: "unmatched_receipt", since: "o.received_at" },
  receivedMessages: { table: "inbound_message", since: "o.received_at" },
  /** The link settings of connectors that were removed. */
  removedConnectors: { table: "removed_connector", since: "o.removed_at" },
  reportDays: { table: "report_day", since: "(o.day + 1)::timestamptz" },
  settledReplies: { table: "inbound_reply", since: "o.asked_at", and: "o.content is null" },
  silentNodes: { table: "node_figures", since: "o.at" },
  webhookAttempts: { table: "webhook_attempt", since: "o.started_at" },
} as const satisfies Readonly<Record<string, KeptRows>>;

/**
 * Those older than so many seconds. Answers how many. What another transaction holds is left to the
 * next time: it may lock the same rows in another order.
 */
export async function dropOldRows(db: Queryable, kind: keyof typeof keptRows, seconds: number): Promise<number> {
  const { table, since, and = "true" }: KeptRows = keptRows[kind];
  const dropped = await db.query<{ dropped: number }>(
    composed(
      "dropOldRows",
      `with dropped as (
  delete from ${table} where ctid = any (array(
    select o.ctid from ${table} o where ${since} < now() - make_interval(secs => $1) and ${and} for update of o skip locked)) returning 1
)
select count(*)::int as dropped from dropped`,
      [seconds],
    ),
  );
  return dropped[0]?.dropped ?? 0;
}
