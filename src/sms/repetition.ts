// Whether an equal deliver_sm is the one before it, sent again, or another message with the same text (decisions §3). Pure.

/** SMSCs send a deliver_sm again, under a new sequence number, when its answer is owed for so long. */
export const repeatedAfterMs = 5000;

/** What is known of a part that is not confirmed when an equal one comes. */
export interface UnconfirmedPart {
  /** The session that brought it is over: its answer can no longer leave. */
  readonly hasSessionEnded: boolean;
  /** It came by the same session under the same sequence number. */
  readonly isSameRequest: boolean;
  readonly owedForMs: number;
}

export function isRepetition({ hasSessionEnded, isSameRequest, owedForMs }: UnconfirmedPart): boolean {
  return hasSessionEnded || isSameRequest || owedForMs >= repeatedAfterMs;
}
