// What the reply to one submit_sm, or its absence, means for the message (decisions §4 "Waiting",
// §6 `uncertain`). Pure: the clock and the attempt number are arguments. A message ends only by a
// refusal, the end of its validity, or the policy for unknown outcomes; link problems never end it.

/** The kind of refusal that a command_status means. */
export type AnswerClass = "permanent" | "temporary" | "throttled" | "bindFatal";

export type SubmitReply =
  | { readonly kind: "accepted"; readonly smscMessageId: string }
  | {
      readonly kind: "refused";
      readonly commandStatus: number;
      readonly answerClass: AnswerClass;
      readonly retryAfterMs?: number | undefined;
    }
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
  readonly now: number;
  readonly validUntil: number;
  readonly policy: UncertainPolicy;
}

export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly smscMessageId: string }
  /** Try again at `until`. `commandStatus`: the operator's temporary refusal. */
  | { readonly kind: "deferred"; readonly until: number; readonly commandStatus?: number }
  | { readonly kind: "refused"; readonly commandStatus: number }
  | { readonly kind: "expired" }
  /** Wait for a receipt until validity ends. Never submit again. */
  | { readonly kind: "held" }
  | { readonly kind: "failedUnknown" };

export const firstBackOffMs = 1_000;
export const longestBackOffMs = 60_000;

/** Pause of a link that is throttled or has to bind again. */
export const linkPauseMs = 1_000;

export function decideSubmitOutcome(reply: SubmitReply, context: SubmitContext): SubmitOutcome {
  switch (reply.kind) {
    case "accepted":
      return { kind: "accepted", smscMessageId: reply.smscMessageId };
    case "refused":
      return decideRefused(reply, context);
    case "unknown":
      return decideUnknown(context);
    case "notWritten":
      return deferred(0, context);
  }
}

function decideRefused(reply: Extract<SubmitReply, { kind: "refused" }>, context: SubmitContext): SubmitOutcome {
  switch (reply.answerClass) {
    case "permanent":
      return { kind: "refused", commandStatus: reply.commandStatus };
    case "temporary":
      return deferred(reply.retryAfterMs ?? backOffMs(context.attempt), context, reply.commandStatus);
    case "throttled": // short and constant, so that messages keep their order while the link slows down
    case "bindFatal":
      return deferred(reply.retryAfterMs ?? linkPauseMs, context, reply.commandStatus);
  }
}

// After its validity the message is not submitted again. Its outcome is unknown, because the
// operator may have taken it.
function decideUnknown(context: SubmitContext): SubmitOutcome {
  if (context.policy === "fail" || context.now >= context.validUntil) return { kind: "failedUnknown" };
  const isTriedEnough = context.unanswered + 1 >= maximumUnansweredSubmissions;
  return context.policy === "hold" || isTriedEnough ? { kind: "held" } : { kind: "deferred", until: context.now };
}

/**
 * After this many unanswered submissions a message is held even under the policy `resend`: an SMSC
 * that takes everything and answers nothing would deliver it again and again.
 */
export const maximumUnansweredSubmissions = 4;

/**
 * How long an unanswered part waits on an open link before it is submitted again: first the
 * response timeout, then six times as long each time. A slow SMSC is late with all its answers, and
 * each may still arrive. `unanswered`: earlier submissions without an answer.
 */
export function resendDelayMs(unanswered: number, responseTimeoutMs: number): number {
  return responseTimeoutMs * 6 ** unanswered;
}

// Not beyond the end of validity, so that the message expires on time and not one back-off later.
function deferred(delayMs: number, { now, validUntil }: SubmitContext, commandStatus?: number): SubmitOutcome {
  if (now >= validUntil) return { kind: "expired" };
  const until = Math.min(now + delayMs, validUntil);
  return commandStatus === undefined ? { kind: "deferred", until } : { kind: "deferred", until, commandStatus };
}

/** 1 s after the first attempt, doubling up to 60 s. */
export function backOffMs(attempt: number): number {
  return Math.min(firstBackOffMs * 2 ** Math.max(0, attempt - 1), longestBackOffMs);
}
