// Drops rows that are kept for a time only.
import { messageStatus } from "../sms/message-status.ts";
import type { Queryable } from "./database.ts";
import { type RowStatement, rowStatement, single } from "./row-statement.ts";

const { sent, delivered, undelivered, unsent } = messageStatus;

/** Each with the condition that it is older than `age`. */
const conditions = {
  auditEntries: (age: string) => `audit_entry where at < now() - ${age}`,
  /** Parts that are held, and which no receipt can reach any more: they were answered, or ended. */
  heldParts: (age: string) => `held_message h using message m where m.account_id = h.account_id and m.id = h.message_id
   and (m.status in (${sent}, ${delivered}, ${undelivered}) or (m.status = ${unsent} and m.final_at < now() - ${age}))`,
  deliveryCounts: (age: string) => `report_delivery where at < now() - ${age}`,
  hoursOfFigures: (age: string) => `figures_of_hour where at < now() - ${age}`,
  idempotencyKeys: (age: string) => `idempotency_key where created_at < now() - ${age}`,
  /** References of phones that got no long message. */
  idleReferences: (age: string) => `concatenation_reference where used_at < now() - ${age}`,
  joinedParts: (age: string) => `inbound_part where joined and received_at < now() - ${age}`,
  /** The numbers of registrations that ended before anything that is kept. */
  nodeRuns: (age: string) => `node_run r where started_at < now() - ${age}
   and number < (select max(number) from node_run o where o.started_at < now() - ${age})
   and not exists (select from node n where n.id = r.node_id)`,
  optOutChanges: (age: string) => `opt_out_change where created_at < now() - ${age}`,
  parkedReceipts: (age: string) => `unmatched_receipt where received_at < now() - ${age}`,
  receivedMessages: (age: string) => `inbound_message where received_at < now() - ${age}`,
  /** The link settings of connectors that were removed. */
  removedConnectors: (age: string) => `removed_connector where removed_at < now() - ${age}`,
  reportDays: (age: string) => `report_day where day < (now() - ${age})::date`,
  settledReplies: (age: string) => `inbound_reply where content is null and asked_at < now() - ${age}`,
  silentNodes: (age: string) => `node_figures where at < now() - ${age}`,
};

export type OldRows = keyof typeof conditions;

export const dropOldStatements = Object.fromEntries(
  Object.entries(conditions).map(([kind, rowsOlderThan]) => [
    kind,
    rowStatement(
      `dropOld_${kind}`,
      { seconds: single<number>() },
      ({ seconds }) => `with dropped as (delete from ${rowsOlderThan(`make_interval(secs => ${seconds})`)} returning 1)
select count(*)::int as dropped from dropped`,
    ),
  ]),
) as Readonly<Record<OldRows, RowStatement<{ seconds: number }>>>;

/** Those older than so many seconds. Answers how many. */
export async function dropOldRows(db: Queryable, kind: OldRows, seconds: number): Promise<number> {
  const [row] = await db.query<{ dropped: number }>(dropOldStatements[kind].with({ seconds }));
  return row?.dropped ?? 0;
}
