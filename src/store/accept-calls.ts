// The accepting statement writes everything for a group of send calls (charge, ledger, messages,
// queue or claims) at once, so the calls can be answered 200 when its transaction is committed.
import { reasonCode } from "../sms/message-status.ts";
import type { Encoding } from "../sms/text-kind.ts";
import type { Queryable } from "./database.ts";
import {
  bool,
  type Column,
  int2,
  int4,
  int8,
  rows,
  rowStatement,
  single,
  text,
  timestamptz,
  uuid,
} from "./row-statement.ts";
import { queuePriority } from "./sql-texts.ts";

/**
 * One send call as it is stored. `batchId` is a UUIDv7; its messages' ids carry the same
 * millisecond.
 */
export interface CallToStore {
  readonly accountId: number;
  readonly batchId: string;
  readonly total: bigint;
  readonly priority: number;
  readonly messages: readonly MessageToStore[];
}

export interface MessageToStore {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly givenSender: string | null;
  readonly givenRecipient: string | null;
  readonly content: string;
  readonly language: string;
  readonly operator: string;
  readonly encoding: Encoding;
  readonly parts: number;
  readonly cost: bigint;
  readonly templateId: string | null;
  readonly routeId: number;
  readonly validSeconds: number;
  /** Of an account with `duplicateSeconds`; hexadecimal digits. */
  readonly textHash?: string | undefined;
  /** Absent: at once. */
  readonly sendAt?: Date | undefined;
  /** When it would go out if there were no sending hours, where that differs from `sendAt`. */
  readonly wantedAt?: Date | undefined;
  /** When the sending hours end in which it may go out. */
  readonly windowEnd?: Date | undefined;
  readonly purpose?: number | undefined;
  /** The rule for whose sake it waits for staff. */
  readonly review?: string | undefined;
  /** These are set when it is stored: what its call has, and whether a claim has it. */
  accountId?: number;
  batchId?: string;
  priority?: number;
  isClaimed?: boolean;
}

/**
 * Claims for binds of this node that have capacity, so that their messages skip the queue. They are
 * stored together with the messages: a claim is on disk before its message is written to a link.
 */
export interface DirectClaims {
  readonly nodeId: string;
  readonly claims: readonly { readonly claimId: string; readonly connectorId: number; readonly bindNumber: number }[];
  /**
   * For each message of all calls, in order, the index of its claim; null when it waits in the
   * queue.
   */
  readonly claimOf: readonly (number | null)[];
}

/** All messages go to the queue. */
export const noDirectClaims: DirectClaims = {
  nodeId: "00000000-0000-0000-0000-000000000000",
  claims: [],
  claimOf: [],
};

export interface StoredCalls {
  /** For each call; false: the credit of its account does not cover all its calls given here. */
  readonly stored: readonly boolean[];
  /** When the calls were stored, by the database's clock. */
  readonly storedAt: Date;
  /** False when the node's lease has ended; then all messages wait in the queue. */
  readonly isClaimed: boolean;
}

/** A claim with the places of its first and last message among all that are claimed, from 1. */
interface PlacedClaim {
  readonly claimId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly first: number;
  readonly last: number;
}

const messageColumns: Readonly<Record<string, Column<MessageToStore>>> = {
  account_id: int4("accountId"),
  batch_id: uuid("batchId"),
  priority: int2("priority"),
  id: uuid("id"),
  sender: text("sender"),
  recipient: text("recipient"),
  given_sender: text("givenSender"),
  given_recipient: text("givenRecipient"),
  content: text("content"),
  language: text("language"),
  operator: text("operator"),
  encoding: text("encoding"),
  parts: int2("parts"),
  cost: int8("cost"),
  template_id: text("templateId"),
  route_id: int4("routeId"),
  valid_seconds: int4("validSeconds"),
  is_claimed: bool("isClaimed"),
};

/** Few messages have them. */
const optionalColumns: typeof messageColumns = {
  send_at: timestamptz("sendAt"),
  wanted_at: timestamptz("wantedAt"),
  window_end: timestamptz("windowEnd"),
  purpose: int2("purpose"),
  rule: text("review"),
};

function parametersOf(optional: boolean) {
  return {
    call: rows<CallToStore>({
      account_id: int4("accountId"),
      batch_id: uuid("batchId"),
      total: int8("total"),
      messages: int4(({ messages }) => messages.length),
    }),
    message: rows<MessageToStore>(optional ? { ...messageColumns, ...optionalColumns } : messageColumns),
    /** Then the rows are not read again for the queue. */
    allClaimed: single<boolean>(),
    nodeId: single<string>(),
    claim: rows<PlacedClaim>({
      id: uuid("claimId"),
      connector_id: int4("connectorId"),
      bind_number: int4("bindNumber"),
      first: int4("first"),
      last: int4("last"),
    }),
    claimed: rows<{ readonly accountId: number; readonly messageId: string }>({
      account_id: int4("accountId"),
      message_id: uuid("messageId"),
    }),
    accountTotal: rows<{ readonly accountId: number; readonly total: bigint }>({
      account_id: int4("accountId"),
      total: int8("total"),
    }),
  };
}

// The time of the statement, because the transaction may have waited for the accounts since its begin.
// The optional columns cost PostgreSQL a tenth of the statement, so it is made without them, too. Each
// insert reads the rows given by itself: to keep them for all costs more.
function storingStatement(name: string, { optional }: { readonly optional: boolean }) {
  const dueAt = optional ? "coalesce(m.send_at, statement_timestamp())" : "statement_timestamp()";
  const validUntil = `${dueAt} + make_interval(secs => m.valid_seconds)`;
  const queuedColumns = ["account_id", "priority", "id", "parts", "route_id", "valid_seconds", "is_claimed"];
  if (optional) queuedColumns.push("send_at", "wanted_at", "window_end", "rule");
  const isCharged = "account_id = any (array(select account_id from charged))";
  return rowStatement(
    name,
    parametersOf(optional),
    ({ call, message, allClaimed, nodeId, claim, claimed, accountTotal }) => `with charged as (
  update account_balance b set balance = b.balance - t.total
    from ${accountTotal.as("t")}
   where b.account_id = t.account_id and (b.unlimited or b.balance >= t.total)
  returning b.account_id
),
lease as materialized (select exists (select from node where id = ${nodeId} and lease_until > statement_timestamp()) as stands),
entered as (
  insert into ledger_entry (account_id, id, kind, amount, messages)
  select account_id, batch_id, 'charge', -total, messages from ${call.as("c")} where ${isCharged}
),
stored as (
  insert into message (account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
                       parts, cost, template_id, route_id, priority, valid_until${optional ? ", send_at, purpose, reason" : ""})
  select account_id, id, batch_id, sender, recipient, given_sender, given_recipient, content, language, operator, encoding,
         parts, cost, template_id, route_id, priority, ${validUntil}${optional ? `, send_at, purpose, case when rule is not null then ${reasonCode.inReview} end` : ""}
    from ${message.as("m")} where ${isCharged}
),
${
  optional
    ? `reviewed as (
  insert into review (account_id, message_id, rule, valid_until, wanted_at)
  select account_id, id, rule, ${validUntil}, wanted_at from ${message.as("m")} where ${isCharged} and rule is not null
),
`
    : ""
}claimed as (
  insert into claim (id, node_id, connector_id, bind_number, claimed_at, account_ids, message_ids)
  select c.id, ${nodeId}, c.connector_id, c.bind_number, statement_timestamp(),
         (${claimed.array("account_id")})[c.first:c.last], (${claimed.array("message_id")})[c.first:c.last]
    from ${claim.as("c")}
   where (select stands from lease)
),
queued as (
  insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts${optional ? ", window_end, wanted_at" : ""})
  select route_id, ${queuePriority("priority", dueAt)}, account_id, ${dueAt}, id, ${validUntil}, parts${optional ? ", window_end, wanted_at" : ""}
    from ${message.as("m", queuedColumns)}
   where not (${allClaimed}::boolean and (select stands from lease)) and ${isCharged} and not (is_claimed and (select stands from lease))${optional ? " and rule is null" : ""}
)
select statement_timestamp() as "storedAt", (select stands from lease) as "isClaimed", array(select account_id from charged) as "charged"`,
  );
}

export const storeCallsStatement = storingStatement("storeCalls", { optional: false });
export const storeCallsWithOptionsStatement = storingStatement("storeCallsWithOptions", { optional: true });

/**
 * Stores all calls of an account, or none of them where its credit does not cover them together.
 * For an account whose balance is locked in the transaction, the caller knows that it does.
 */
export async function storeCalls(
  db: Queryable,
  calls: readonly CallToStore[],
  direct: DirectClaims = noDirectClaims,
): Promise<StoredCalls> {
  const message: MessageToStore[] = [];
  const totals = new Map<number, bigint>();
  for (const { accountId, batchId, priority, total, messages } of calls) {
    totals.set(accountId, (totals.get(accountId) ?? 0n) + total);
    for (const one of messages) {
      one.accountId = accountId;
      one.batchId = batchId;
      one.priority = priority;
      message.push(one);
    }
  }
  // In the order in which balances are locked.
  const accountTotal: { accountId: number; total: bigint }[] = [];
  for (const [accountId, total] of totals) accountTotal.push({ accountId, total });
  accountTotal.sort((one, other) => one.accountId - other.accountId);
  const statement = message.some(hasOptional) ? storeCallsWithOptionsStatement : storeCallsStatement;
  const { nodeId } = direct;
  const [row] = await db.query<Omit<StoredCalls, "stored"> & { readonly charged: readonly number[] }>(
    statement.with({ call: calls, message, nodeId, ...claimsOf(calls, direct), accountTotal }),
  );
  if (row === undefined) throw new Error("the accepting statement returned no row");
  const charged = new Set(row.charged);
  const stored = calls.map(({ accountId }) => charged.has(accountId));
  return { stored, storedAt: row.storedAt, isClaimed: row.isClaimed };
}

function hasOptional({ sendAt, wantedAt, windowEnd, purpose, review }: MessageToStore): boolean {
  return (sendAt ?? wantedAt ?? windowEnd ?? purpose ?? review) !== undefined;
}

/** Marks the messages that a claim has, and lists them claim by claim. */
function claimsOf(calls: readonly CallToStore[], { claims, claimOf }: DirectClaims) {
  // A call that the credit does not cover is listed in its claim but stored nowhere else. That is
  // harmless, because every reader of a claim joins the messages.
  const claimedBy: { accountId: number; messageId: string }[][] = [];
  for (let index = 0; index < claims.length; index += 1) claimedBy.push([]);
  let place = 0;
  for (const { accountId, messages } of calls)
    for (const message of messages) {
      const claimed = claimedBy[claimOf[place] ?? -1];
      claimed?.push({ accountId, messageId: message.id });
      message.isClaimed = claimed !== undefined;
      place += 1;
    }
  const claimed = claimedBy.flat();
  let last = 0;
  const claim: PlacedClaim[] = [];
  for (const { claimId, connectorId, bindNumber } of claims) {
    const first = last + 1;
    last += claimedBy[claim.length]?.length ?? 0;
    claim.push({ claimId, connectorId, bindNumber, first, last });
  }
  return { claim, claimed, allClaimed: claimed.length === place };
}
