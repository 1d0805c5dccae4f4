// Decides whether an equal deliver_sm repeats the previous one or is another message with the same
// text (decisions §3). Pure.

/**
 * SMSCs send a deliver_sm again, under a new sequence number, when it was not answered for this
 * long.
 */
export const repeatedAfterMs = 5000;

/** What is known about an unconfirmed part when an equal one arrives. */
export interface UnconfirmedPart {
  /** The session that brought it has ended, so its answer can no longer be sent. */
  readonly hasSessionEnded: boolean;
  /** It arrived on the same session with the same sequence number. */
  readonly isSameRequest: boolean;
  readonly owedForMs: number;
}

export function isRepetition({ hasSessionEnded, isSameRequest, owedForMs }: UnconfirmedPart): boolean {
  return hasSessionEnded || isSameRequest || owedForMs >= repeatedAfterMs;
}
