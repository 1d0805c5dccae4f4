// Send calls as the accepting statements are given them: their values, and the rows that these
// become.
import type { AccountLimits } from "../sms/account-limits.ts";
import type { DayAndMonth } from "../sms/calendar-periods.ts";
import type { Encoding } from "../sms/text-kind.ts";
import {
  bool,
  type Column,
  int2,
  int4,
  int8,
  rows,
  type RowsInText,
  single,
  text,
  timestamptz,
  uuid,
} from "./row-statement.ts";

/**
 * One send call as it is stored. `batchId` is a UUIDv7; its messages' ids carry the same
 * millisecond.
 */
export interface CallToStore {
  readonly accountId: number;
  readonly batchId: string;
  readonly total: bigint;
  readonly priority: number;
  /** `answer` is kept for a repetition of the call. */
  readonly idempotency: { readonly key: string; readonly fingerprint: Buffer; readonly answer: string } | undefined;
  readonly messages: readonly MessageToStore[];
  /** Of an account with limits; such calls go through accept-limited-calls.ts. */
  readonly limits?: LimitsOfCall | undefined;
}

/** The limits of a call's account, and the day and the month by which they are counted. */
export interface LimitsOfCall extends AccountLimits {
  readonly periods: DayAndMonth;
  /**
   * Every text that was sent before counts as repeated. Otherwise it is looked up first whether the
   * earlier message ended unsent, which costs a statement and hardly ever matters.
   */
  readonly isFirstTry?: boolean;
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
  /** Of an account with `duplicateSeconds` (accept-limited-calls.ts); hexadecimal digits. */
  readonly textHash?: string | undefined;
  /** When the sending hours end in which it may go out. */
  readonly windowEnd?: Date | undefined;
  /** Set for few messages; a statement without such messages is not given these columns. */
  readonly unusual?: UnusualMessage;
}

export interface UnusualMessage {
  /** Absent: at once. */
  readonly sendAt?: Date | undefined;
  /** When it would go out if there were no sending hours, where that differs from `sendAt`. */
  readonly wantedAt?: Date | undefined;
  readonly purpose?: number | undefined;
  /** The rule for whose sake it waits for staff. */
  readonly review?: string | undefined;
}

/**
 * Claims for binds of this node that have room, so that their messages skip the queue. They are
 * stored together with the messages: a claim is on disk before its message is written to a link.
 */
export interface StraightClaims {
  readonly nodeId: string;
  readonly claims: readonly { readonly claimId: string; readonly connectorId: number; readonly bindNumber: number }[];
  /**
   * For each message of all calls, in order, the index of its claim; null when it waits in the
   * queue.
   */
  readonly claimOf: readonly (number | null)[];
}

const callRows = rows<CallToStore>({
  account_id: int4((call) => call.accountId),
  batch_id: uuid((call) => call.batchId),
  total: int8((call) => call.total),
  messages: int4((call) => call.messages.length),
  priority: int2((call) => call.priority),
});

/** A message with the place of its call, from 1. */
interface PlacedMessage {
  readonly place: number;
  readonly message: MessageToStore;
  readonly isClaimed: boolean;
}

const messageColumns: Readonly<Record<string, Column<PlacedMessage>>> = {
  place: int4(({ place }) => place),
  id: uuid(({ message }) => message.id),
  sender: text(({ message }) => message.sender),
  recipient: text(({ message }) => message.recipient),
  given_sender: text(({ message }) => message.givenSender),
  given_recipient: text(({ message }) => message.givenRecipient),
  content: text(({ message }) => message.content),
  language: text(({ message }) => message.language),
  operator: text(({ message }) => message.operator),
  encoding: text(({ message }) => message.encoding),
  parts: int2(({ message }) => message.parts),
  cost: int8(({ message }) => message.cost),
  template_id: text(({ message }) => message.templateId),
  route_id: int4(({ message }) => message.routeId),
  valid_seconds: int4(({ message }) => message.validSeconds),
  is_claimed: bool(({ isClaimed }) => isClaimed),
};

/** Given only where a message needs them. */
const unusualColumns: typeof messageColumns = {
  send_at: timestamptz(({ message }) => message.unusual?.sendAt),
  wanted_at: timestamptz(({ message }) => message.unusual?.wantedAt),
  window_end: timestamptz(({ message }) => message.windowEnd),
  purpose: int2(({ message }) => message.unusual?.purpose),
  rule: text(({ message }) => message.unusual?.review),
};

/** A claim with the places of its first and last message among all that are claimed, from 1. */
interface PlacedClaim {
  readonly claimId: string;
  readonly connectorId: number;
  readonly bindNumber: number;
  readonly first: number;
  readonly last: number;
}

const claimRows = rows<PlacedClaim>({
  id: uuid((claim) => claim.claimId),
  connector_id: int4((claim) => claim.connectorId),
  bind_number: int4((claim) => claim.bindNumber),
  first: int4((claim) => claim.first),
  last: int4((claim) => claim.last),
});

const claimedRows = rows<{ readonly accountId: number; readonly messageId: string }>({
  account_id: int4(({ accountId }) => accountId),
  message_id: uuid(({ messageId }) => messageId),
});

/** Whether the messages of a statement may have what few messages have. */
export type Kind = "usual" | "unusual";

/** What each of the statements is given. Usual messages share the end of their window. */
export function storedParameters(kind: Kind) {
  return {
    call: callRows,
    message: rows<PlacedMessage>(kind === "usual" ? messageColumns : { ...messageColumns, ...unusualColumns }),
    nodeId: single<string>(),
    claim: claimRows,
    claimed: claimedRows,
    ...(kind === "usual" && { windowEnd: single<Date | null>() }),
  };
}

type SingleName = "nodeId" | "windowEnd";

export type StoredInText = {
  readonly [Name in keyof ReturnType<typeof storedParameters>]: Name extends SingleName ? string : RowsInText;
};

/** No claims: all messages go to the queue. */
export const nothingStraight: StraightClaims = {
  nodeId: "00000000-0000-0000-0000-000000000000",
  claims: [],
  claimOf: [],
};

/**
 * Whether no message needs columns of its own. Those of accounts whose sending hours end at the
 * same time, or of which none has hours, share it.
 */
export function areUsual(calls: readonly CallToStore[]): boolean {
  const shared = sharedWindowEnd(calls)?.getTime();
  return calls.every(({ messages }) =>
    messages.every(({ unusual, windowEnd }) => unusual === undefined && windowEnd?.getTime() === shared),
  );
}

function sharedWindowEnd(calls: readonly CallToStore[]): Date | undefined {
  return calls[0]?.messages[0]?.windowEnd;
}

export function storedRows(calls: readonly CallToStore[], { nodeId, claims, claimOf }: StraightClaims) {
  const placed: PlacedMessage[] = [];
  // A call that the credit does not cover is listed in its claim but stored nowhere else. That is
  // harmless, because every reader of a claim joins the messages.
  const claimedBy = claims.map(() => [] as { accountId: number; messageId: string }[]);
  calls.forEach(({ accountId, messages }, callNumber) => {
    for (const message of messages) {
      const claimed = claimedBy[claimOf[placed.length] ?? -1];
      claimed?.push({ accountId, messageId: message.id });
      placed.push({ place: callNumber + 1, message, isClaimed: claimed !== undefined });
    }
  });
  let last = 0;
  const claim = claims.map(({ claimId, connectorId, bindNumber }, index) => {
    const first = last + 1;
    last += claimedBy[index]?.length ?? 0;
    return { claimId, connectorId, bindNumber, first, last };
  });
  const windowEnd = sharedWindowEnd(calls) ?? null;
  return { call: calls, message: placed, nodeId, claim, claimed: claimedBy.flat(), windowEnd };
}
