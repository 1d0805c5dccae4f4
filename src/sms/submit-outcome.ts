// What the reply to one submit_sm, or its absence, means for the message and for its link.
// Pure: the clock and the counts are arguments. A message ends only by a refusal, the end of its
// validity, or the policy for unknown outcomes; link problems never end it.

/** What a refusal means for the message and for the link. */
export type AnswerClass = "permanent" | "temporary" | "throttled" | "bindFatal";

export interface Refusal {
  readonly kind: "refused";
  /** In the words of the link's protocol, such as ESME_RTHROTTLED. */
  readonly answer: string;
  readonly answerClass: AnswerClass;
  readonly retryAfterMs?: number | undefined;
}

export type SubmitReply =
  | { readonly kind: "accepted"; readonly smscMessageId: string }
  | Refusal
  /** Written, and never answered. */
  | { readonly kind: "unknown" }
  /** Never written. */
  | { readonly kind: "notWritten" };

/** What to do about a submit_sm that was written and never answered. */
export type UncertainPolicy = "resend" | "hold" | "fail";

/** Times are milliseconds of one clock. */
export interface SubmitContext {
  /** 1 for the first. */
  readonly attempt: number;
  /** Earlier submissions that were never answered. */
  readonly unanswered: number;
  /**
   * Answers in a row that turned this message away because of the link, with nothing else taken
   * meanwhile. This answer counts.
   */
  readonly turnedAwayInARow: number;
  /** How often in a row the message had this answer before, whatever was taken meanwhile. */
  readonly turnedAwayBefore: number;
  /** Parts that the bind took since it rejected another message because of the link. */
  readonly takenBetween: number;
  readonly now: number;
  readonly validUntil: number;
  readonly policy: UncertainPolicy;
  /** Whether the link is still bound. */
  readonly isBound: boolean;
  readonly responseTimeoutMs: number;
}

/**
 * Whose fault it is that a part is tried again. The back-off of the message grows by its own fault,
 * its count of unanswered submissions by silence, and nothing by the fault of the link.
 */
export type Culprit = "link" | "message" | "silence";

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly smscMessageId: string }
  /**
   * Try again, after `delayMs`; undefined: at its old place, as soon as the link allows.
   * `answer`: that of the operator, if there was one.
   */
  | {
      readonly kind: "deferred";
      readonly delayMs: number | undefined;
      readonly fault: Culprit;
      readonly answer?: string;
    }
  | { readonly kind: "refused"; readonly answer: string }
  | { readonly kind: "expired" }
  /** Wait for a receipt until validity ends. Never submit again. */
  | { readonly kind: "held" }
  | { readonly kind: "failedUnknown" };

/** The names under which answers are counted. */
export type AnswerName = "accepted" | "refused" | "deferred" | "throttled" | "unknown" | "expired";

export interface Judgement {
  readonly outcome: SubmitOutcome;
  readonly name: AnswerName;
  /** The answer concerns the link: it pauses, and nothing overtakes what was rejected. */
  readonly pausesLink: boolean;
}

const firstBackOffMs = 1_000;
const longestBackOffMs = 60_000;

/**
 * After this many throttling answers in a row to one message, with nothing else taken meanwhile,
 * the message itself is the cause (for example, its recipient's queue at the SMSC is full). It then
 * steps aside, so that the others do not wait until its validity ends.
 */
const turnedAwayTooOften = 5;

/**
 * If a bind takes this many parts between two messages that it throttles, it takes the other
 * messages. An operator under too much load throttles a larger share.
 */
const takesTheOthers = 10;

/**
 * After this many unanswered submissions a message is held even under the policy `resend`: an SMSC
 * that takes everything and answers nothing would deliver it again and again.
 */
export const maximumUnansweredSubmissions = 4;

/**
 * Judges one reply:
 *
 * | reply      | outcome                     | tried again            | fault   | counted as |
 * |------------|-----------------------------|------------------------|---------|------------|
 * | accepted   | accepted                    |                        |         | accepted   |
 * | permanent  | refused                     |                        |         | refused    |
 * | temporary  | deferred                    | after its back-off (1) | message | deferred   |
 * | throttled  | deferred; the link pauses   | at its old place (2)   | link    | throttled  |
 * | bindFatal  | deferred; the link pauses   | at its old place (2)   | link    | deferred   |
 * | unknown    | by policy: deferred, held   | later each time (3)    | silence | unknown    |
 * |            | or failedUnknown            |                        |         |            |
 * | notWritten | deferred                    | at its old place       | link    | deferred   |
 *
 * (1) Or after the time that the answer names. (2) Too often in a row: by its own fault, after its
 * back-off; when it is throttled again, the link does not rest if it takes the others. (3) On a
 * link that is gone at once, at its old place.
 *
 * What is deferred after its validity is expired instead; an unanswered part is failedUnknown then.
 */
export function decideReply(reply: SubmitReply, context: SubmitContext): Judgement {
  switch (reply.kind) {
    case "accepted":
      return judged({ kind: "accepted", smscMessageId: reply.smscMessageId });
    case "refused":
      return decideRefused(reply, context);
    case "unknown":
      return { outcome: decideUnknown(context), name: "unknown", pausesLink: false };
    case "notWritten":
      return judged(atOldPlace(context));
  }
}

/** Whether an answer concerns the link and not the message. */
export function isLinkAnswer(reply: SubmitReply): boolean {
  return reply.kind === "refused" && (reply.answerClass === "throttled" || reply.answerClass === "bindFatal");
}

function judged(outcome: Exclude<SubmitOutcome, { kind: "held" | "failedUnknown" }>): Judgement {
  return { outcome, name: outcome.kind, pausesLink: false };
}

function decideRefused({ answerClass, answer, retryAfterMs }: Refusal, context: SubmitContext): Judgement {
  switch (answerClass) {
    case "permanent":
      return judged({ kind: "refused", answer });
    case "temporary":
      return judged(later(retryAfterMs ?? backOffMs(context.attempt), context, { fault: "message", answer }));
    case "throttled":
      return {
        outcome: decideTurnedAway(answer, context),
        name: "throttled",
        pausesLink: !isThrottledAlone(context),
      };
    case "bindFatal": {
      const outcome = decideTurnedAway(answer, context);
      return { outcome, name: outcome.kind, pausesLink: true };
    }
  }
}

// Not judged by the number of attempts, which also grows with temporary refusals.
const steppedAside = ({ turnedAwayBefore }: SubmitContext): boolean => turnedAwayBefore >= turnedAwayTooOften;

// A message that is throttled each time it is tried, on a link that takes the others, must not slow
// them.
function isThrottledAlone(context: SubmitContext): boolean {
  return steppedAside(context) && context.takenBetween >= takesTheOthers;
}

// One that stepped aside before does so at once.
function decideTurnedAway(answer: string, context: SubmitContext): Deferred {
  const isInTheWay = context.turnedAwayInARow >= (steppedAside(context) ? 1 : turnedAwayTooOften);
  if (!isInTheWay) return atOldPlace(context, answer);
  return later(backOffMs(context.attempt), context, { fault: "message", answer });
}

// After its validity the message is not submitted again. Its outcome is unknown, because the
// operator may have taken it. On a link that is gone no answer can arrive any more.
function decideUnknown(context: SubmitContext): SubmitOutcome {
  const { policy, unanswered, now, validUntil, isBound, responseTimeoutMs } = context;
  if (policy === "fail" || now >= validUntil) return { kind: "failedUnknown" };
  if (policy === "hold" || isSubmittedTooOften(unanswered)) return { kind: "held" };
  return later(isBound ? resendDelayMs(unanswered, responseTimeoutMs) : 0, context, { fault: "silence" });
}

/**
 * Whether this unanswered submission was one too many. `unanswered`: earlier submissions without an
 * answer.
 */
export function isSubmittedTooOften(unanswered: number): boolean {
  return unanswered + 1 >= maximumUnansweredSubmissions;
}

type Deferred = Extract<SubmitOutcome, { kind: "deferred" | "expired" }>;

function atOldPlace({ now, validUntil }: SubmitContext, answer?: string): Deferred {
  if (now >= validUntil) return { kind: "expired" };
  return { kind: "deferred", delayMs: undefined, fault: "link", ...(answer === undefined ? {} : { answer }) };
}

// Not beyond the end of validity, so that the message expires on time and not one back-off later.
function later(
  delayMs: number,
  { now, validUntil }: SubmitContext,
  why: { readonly fault: Culprit; readonly answer?: string },
): Deferred {
  if (now >= validUntil) return { kind: "expired" };
  return { kind: "deferred", delayMs: delayMs > 0 ? Math.min(delayMs, validUntil - now) : undefined, ...why };
}

/**
 * How long an unanswered part waits on an open link before it is submitted again: first the
 * response timeout, then six times as long each time. A slow SMSC is late with all its answers, and
 * each may still arrive. `unanswered`: earlier submissions without an answer.
 */
function resendDelayMs(unanswered: number, responseTimeoutMs: number): number {
  return responseTimeoutMs * 6 ** unanswered;
}

/** 1 s after the first attempt, doubling up to 60 s. */
export function backOffMs(attempt: number): number {
  return Math.min(firstBackOffMs * 2 ** Math.max(0, attempt - 1), longestBackOffMs);
}
