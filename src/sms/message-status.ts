// The life of a message as one table: event × state → status (docs/message-lifecycle.md). The
// statements in store/ take their numbers and guards from here; test/store/outcomes.test.ts and
// noted-changes.test.ts compare what they do with this table. No event leaves a final state, except
// that a receipt may correct two of them.

export const messageStatus = { waiting: 0, sent: 1, delivered: 2, undelivered: 3, unsent: 4 } as const;

export type MessageStatus = (typeof messageStatus)[keyof typeof messageStatus];

/** errorCode of a status answer: why a message ended, or why its outcome is open. */
export const reasonCode = {
  noReceipt: 1301,
  outcomeUnknown: 1302,
  refused: 1303,
  expired: 1304,
  canceled: 1305,
  undelivered: 1306,
  optedOut: 1307,
  inReview: 1308,
  notAllowed: 1309,
  uncarriable: 1310,
} as const;

export type ReasonCode = (typeof reasonCode)[keyof typeof reasonCode];

/**
 * What can happen to a whole message; for a long message, after its parts are combined.
 * - accepted: the operator took all parts
 * - outcomeOpen: submitted and never answered; a receipt may still decide
 * - turnedAwayLate: the operator did not take what it had left unanswered
 * - outcomeUnknown: submitted and never answered; no longer waiting
 * - optedOut: the recipient wants nothing from the line any more
 * - uncarriable: no link of the route can carry the text
 * - allowed, notAllowed: the decision of staff on a message that a content rule keeps for review
 * - noReceipt: the time for receipts is over
 */
export const messageEvents = [
  "accepted",
  "outcomeOpen",
  "turnedAwayLate",
  "refused",
  "expired",
  "canceled",
  "outcomeUnknown",
  "optedOut",
  "uncarriable",
  "allowed",
  "notAllowed",
  "delivered",
  "undelivered",
  "noReceipt",
] as const;

export type MessageEvent = (typeof messageEvents)[number];

/** A status, with its reason where that matters. */
type MessageState =
  | "waiting"
  | "open" // 0 with 1302: held
  | "review" // 0 with 1308: waits for staff, and is not in the queue
  | "sent"
  | "unreported" // 1 with 1301: final, may be corrected
  | "delivered"
  | "undelivered"
  | "unsent"
  | "uncertain"; // 4 with 1302: final, may be corrected

const { waiting, sent, delivered, undelivered, unsent } = messageStatus;

// A state that a row does not list ignores the event. A receipt may arrive before the answer to
// submit_sm, so waiting messages accept receipts too. A message that may have been submitted (open)
// cannot be canceled.
const transitions: Readonly<Record<MessageEvent, Readonly<Partial<Record<MessageState, MessageStatus>>>>> = {
  accepted: { waiting: sent, open: sent },
  outcomeOpen: { waiting },
  turnedAwayLate: { open: waiting },
  refused: { waiting: unsent, open: unsent },
  expired: { waiting: unsent, open: unsent, review: unsent },
  canceled: { waiting: unsent, review: unsent },
  outcomeUnknown: { waiting: unsent, open: unsent },
  optedOut: { waiting: unsent, open: unsent },
  uncarriable: { waiting: unsent, open: unsent },
  allowed: { review: waiting },
  notAllowed: { review: unsent },
  delivered: { waiting: delivered, open: delivered, sent: delivered, unreported: delivered, uncertain: delivered },
  undelivered: {
    waiting: undelivered,
    open: undelivered,
    sent: undelivered,
    unreported: undelivered,
    uncertain: undelivered,
  },
  noReceipt: { sent },
};

const reasons: Readonly<Record<MessageEvent, ReasonCode | undefined>> = {
  accepted: undefined,
  outcomeOpen: reasonCode.outcomeUnknown,
  turnedAwayLate: undefined,
  refused: reasonCode.refused,
  expired: reasonCode.expired,
  canceled: reasonCode.canceled,
  outcomeUnknown: reasonCode.outcomeUnknown,
  optedOut: reasonCode.optedOut,
  uncarriable: reasonCode.uncarriable,
  allowed: undefined,
  notAllowed: reasonCode.notAllowed,
  delivered: undefined,
  undelivered: reasonCode.undelivered,
  noReceipt: reasonCode.noReceipt,
};

function stateOf(status: MessageStatus, reason: ReasonCode | undefined): MessageState {
  switch (status) {
    case waiting:
      if (reason === reasonCode.inReview) return "review";
      return reason === reasonCode.outcomeUnknown ? "open" : "waiting";
    case sent:
      return reason === reasonCode.noReceipt ? "unreported" : "sent";
    case delivered:
      return "delivered";
    case undelivered:
      return "undelivered";
    case unsent:
      return reason === reasonCode.outcomeUnknown ? "uncertain" : "unsent";
  }
}

/** The status after an event, or "ignored" if the event changes nothing. */
export function nextStatus(
  status: MessageStatus,
  reason: ReasonCode | undefined,
  event: MessageEvent,
): MessageStatus | "ignored" {
  return transitions[event][stateOf(status, reason)] ?? "ignored";
}

/** Ends without an answer of the operator. */
const keepsOpen: ReadonlySet<MessageEvent> = new Set(["expired", "optedOut", "uncarriable"]);

/**
 * The reason that goes with the new status, for an event that was not ignored. If the validity of a
 * message with an open outcome ends, or no link can carry it any more, the outcome stays unknown:
 * the operator may have taken it. A message whose validity ends in review was not allowed.
 */
export function reasonAfter(reason: ReasonCode | undefined, event: MessageEvent): ReasonCode | undefined {
  if (keepsOpen.has(event) && reason === reasonCode.outcomeUnknown) return reason;
  return event === "expired" && reason === reasonCode.inReview ? reasonCode.notAllowed : reasons[event];
}

/** Reasons that a message with an open outcome does not get: it keeps 1302. */
export const reasonsOfOpen: readonly ReasonCode[] = messageEvents
  .filter((event) => reasons[event] !== reasonAfter(reasonCode.outcomeUnknown, event))
  .flatMap((event) => reasons[event] ?? []);

/**
 * The statuses in which the event counts, for the guards in SQL. The reason does not matter, except
 * that 1301 is final. `correctedByReceipt` has the states that only a receipt leaves.
 */
export function statusesBefore(event: MessageEvent): readonly MessageStatus[] {
  return Object.values(messageStatus).filter((status) => nextStatus(status, undefined, event) !== "ignored");
}

/** The final states that a later receipt can change to 2 or 3. */
export const correctedByReceipt: readonly { readonly status: MessageStatus; readonly reason: ReasonCode }[] = [
  { status: sent, reason: reasonCode.noReceipt },
  { status: unsent, reason: reasonCode.outcomeUnknown },
];

export const receiptVerdictNames = ["delivered", "undelivered", "none"] as const;
export type ReceiptVerdict = (typeof receiptVerdictNames)[number];

// The priorities of messages, most urgent first. What is due is sent in their order.

export const messagePriority = { oneTimeCode: 0, single: 1, multi: 2, campaign: 3 } as const;

export type MessagePriority = (typeof messagePriority)[keyof typeof messagePriority];
