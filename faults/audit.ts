// The audit after a case: what the caller was promised, what the API says of it, what the operator
// saw, and the money, held against each other message by message.
import { messageStatus as is, reasonCode } from "../src/sms/message-status.ts";
import { type Database, onlyOf } from "../src/store/database.ts";
import type { PromisedMessage } from "./load.ts";
import type { Operator, PartFacts } from "./operator.ts";
import { numberFrom } from "../bench/look.ts";

export interface Audit {
  readonly accepted: number;
  readonly lost: number;
  /** Parts that the operator took again, and messages that were stored twice. */
  readonly doubled: number;
  readonly misreported: number;
  readonly rialsOff: bigint;
  /** Ended or open with 1302: honest, and not known. */
  readonly open: number;
  /** In the queue, or in somebody's hands. */
  readonly underWay: number;
  /** Some of the messages that are lost or misreported, in words. */
  readonly examples: readonly string[];
}

export interface AuditOptions {
  readonly operator: Operator;
  readonly db: Database;
  readonly call: { readonly apiKey: string; readonly ports: readonly number[] };
  readonly promised: readonly PromisedMessage[];
  readonly openingCredit: bigint;
}

interface StatusElement {
  readonly sentMessageId: string;
  readonly messageStatus?: number | undefined;
  readonly errorCode?: number | undefined;
}

const idsAtATime = 100;
const mostExamples = 5;

export async function audit({ operator, db, call, promised, openingCredit }: AuditOptions): Promise<Audit> {
  const underWay = await countUnderWay(db);
  const statuses = await readStatuses(call, promised);
  const found = { lost: 0, misreported: 0, open: 0 };
  const examples: string[] = [];
  for (const { id, recipient, parts } of promised) {
    const status = statuses.get(id);
    const facts = operator.facts(recipient, parts);
    const verdict = judge(status, facts);
    if (verdict === "right") continue;
    found[verdict] += 1;
    if (verdict === "open" || examples.length === mostExamples) continue;
    examples.push(`${verdict}: ${id} is ${JSON.stringify(status)}, the operator saw ${JSON.stringify(facts)}`);
  }
  const books = await readBooks(db);
  return {
    accepted: promised.length,
    ...found,
    doubled: operator.doubled + Math.abs(books.messages - promised.length),
    rialsOff: rialsOff(
      books,
      promised.reduce((sum, { cost }) => sum + cost, 0n),
      openingCredit,
    ),
    underWay,
    examples,
  };
}

type Verdict = "right" | "open" | "lost" | "misreported";

/** One message's status against what the operator saw of its parts. */
export function judge(status: StatusElement | undefined, facts: readonly PartFacts[]): Verdict {
  const { messageStatus, errorCode } = status ?? {};
  if (messageStatus === undefined) return "lost";
  const isTaken = facts.every(({ taken }) => taken > 0);
  const isDelivered = facts.every(({ delivered }) => delivered);
  const isUndelivered = facts.some(({ undelivered }) => undelivered);
  const isRefused = facts.some(({ refused }) => refused);
  const isReportedOn = isDelivered || isUndelivered;
  if (errorCode === reasonCode.outcomeUnknown) {
    // A long message's receipts cannot be told apart while several of its parts are unanswered:
    // that is its documented limit.
    return isReportedOn && facts.length === 1 ? "misreported" : "open";
  }
  if (errorCode === reasonCode.optedOut) {
    return facts.some(({ taken, refused }) => taken > 0 || refused) ? "misreported" : "right";
  }
  switch (messageStatus) {
    case is.waiting:
      return "lost";
    case is.sent:
      if (!isTaken) return "lost";
      return isReportedOn || isRefused ? "misreported" : "right";
    case is.delivered:
      return isDelivered ? "right" : "misreported";
    case is.undelivered:
      return isUndelivered ? "right" : "misreported";
    default:
      return isRefused && !isReportedOn ? "right" : "misreported";
  }
}

async function readStatuses(
  { apiKey, ports }: AuditOptions["call"],
  promised: readonly PromisedMessage[],
): Promise<ReadonlyMap<string, StatusElement>> {
  const statuses = new Map<string, StatusElement>();
  for (let from = 0; from < promised.length; from += idsAtATime) {
    const sentMessageIds = promised.slice(from, from + idsAtATime).map(({ id }) => id);
    // Of whichever node answers.
    const answers = ports.map((port) => askStatuses(port, apiKey, JSON.stringify({ sentMessageIds })));
    // A soak asks for a million: what is not judged is not kept.
    for (const { sentMessageId, messageStatus, errorCode } of await Promise.any(answers))
      statuses.set(sentMessageId, { sentMessageId, messageStatus, errorCode });
  }
  return statuses;
}

async function askStatuses(port: number, apiKey: string, body: string): Promise<readonly StatusElement[]> {
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/messages/status`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`status calls are answered ${response.status}`);
  return ((await response.json()) as { messages: readonly StatusElement[] }).messages;
}

interface Books {
  readonly messages: number;
  readonly balance: bigint;
  readonly ledger: bigint;
  readonly charged: bigint;
  /** Refunds that are missing, surplus, or of the wrong amount. */
  readonly wrongRefunds: bigint;
  readonly refunded: bigint;
}

// A message with 1302 that a later receipt proved sent keeps its refund: such a one has none or
// one. All others at 4 have one, all else none.
async function readBooks(db: Database): Promise<Books> {
  return onlyOf(
    db.query<Books>(
      "readBooks",
      `with refund as (select message_id, count(*) as times, sum(amount) as amount from ledger_entry where kind = 'refund' group by message_id),
judged as (
  select case when m.status = 4 then abs(m.cost - coalesce(r.amount, 0))
              when m.status in (2, 3) and r.times = 1 then abs(m.cost - r.amount)
              else coalesce(r.amount, 0) end as off
    from message m left join refund r on r.message_id = m.id)
select (select count(*)::int from message) as messages, (select balance from account_balance) as balance,
       (select coalesce(sum(amount), 0)::bigint from ledger_entry) as ledger,
       (select coalesce(-sum(amount), 0)::bigint from ledger_entry where kind = 'charge') as charged,
       (select coalesce(sum(amount), 0)::bigint from refund) as refunded,
       (select coalesce(sum(off), 0)::bigint from judged) as "wrongRefunds"`,
    ),
  );
}

function rialsOff(
  { balance, ledger, charged, refunded, wrongRefunds }: Books,
  cost: bigint,
  openingCredit: bigint,
): bigint {
  const distances = [ledger - balance, charged - cost, balance - (openingCredit - cost + refunded)];
  return distances.reduce((sum, off) => sum + (off < 0n ? -off : off), wrongRefunds);
}

/** Messages that wait, are in somebody's hands, or are not told to be open. */
export async function countUnderWay(db: Database): Promise<number> {
  return numberFrom(
    db,
    `(select count(*) from message_queue) + (select coalesce(sum(cardinality(message_ids)), 0) from claim)
     + (select count(*) from message where status = 0 and reason is distinct from 1302)`,
  );
}
