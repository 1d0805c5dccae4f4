/**
 * The timers of SMPP 3.4 §7.2 as one pure decision: what a session has to do at `now`, and when to
 * ask again. All times are milliseconds of one monotonic clock.
 */

/** A period of 0 disables that timer. */
export interface TimerSettings {
  /** From connect to bind, on the side that waits for the bind. */
  readonly sessionInitMs: number;
  readonly enquireLinkMs: number;
  /** How long nothing at all may be received. */
  readonly inactivityMs: number;
  readonly responseTimeoutMs: number;
}

export interface LinkTimes {
  openedAt: number;
  boundAt: number | undefined;
  lastReceivedAt: number;
  lastResponseAt: number;
  enquirySentAt: number | undefined;
  /**
   * A request timed out, and no response has been received since it was written: the link may be
   * half open. Any response clears this.
   */
  isDoubted: boolean;
}

export function startTimes(now: number): LinkTimes {
  return {
    openedAt: now,
    boundAt: undefined,
    lastReceivedAt: now,
    lastResponseAt: now,
    enquirySentAt: undefined,
    isDoubted: false,
  };
}

/**
 * Whether requests that timed out cast doubt on the link. Applies only if enquiries are made,
 * because on an idle link only their answers can clear the doubt.
 */
export function isDoubtful(
  { enquireLinkMs, responseTimeoutMs }: TimerSettings,
  { lastResponseAt }: Readonly<LinkTimes>,
  timedOut: readonly { readonly deadline: number }[],
): boolean {
  return enquireLinkMs > 0 && timedOut.some(({ deadline }) => deadline - responseTimeoutMs > lastResponseAt);
}

export type TimerAction =
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "enquire" }
  | { readonly kind: "close"; readonly reason: "session_init" | "enquire_link" | "inactivity" };

export function dueAction(settings: TimerSettings, times: Readonly<LinkTimes>, now: number): TimerAction {
  const { boundAt, enquirySentAt } = times;
  if (boundAt === undefined) {
    const initEndsAt = after(times.openedAt, settings.sessionInitMs);
    return now >= initEndsAt ? { kind: "close", reason: "session_init" } : { kind: "wait", until: initEndsAt };
  }
  // Any response proves that the peer is alive. A busy SMSC may answer enquire_link late, after
  // other answers.
  const isEnquiring = enquirySentAt !== undefined && times.lastResponseAt < enquirySentAt;
  const deadAt = isEnquiring ? enquirySentAt + settings.responseTimeoutMs : Infinity;
  if (now >= deadAt) return { kind: "close", reason: "enquire_link" };
  const mayAsk = settings.enquireLinkMs > 0 && !isEnquiring;
  const quietAt = after(times.lastReceivedAt, settings.inactivityMs);
  // If enquiries are made on a link, it is asked before it is closed as inactive, however rare they
  // are. It then has the time of inactivity again for its answer.
  const askedUntil = isEnquiring ? after(enquirySentAt, settings.inactivityMs) : quietAt;
  const inactiveAt = mayAsk ? Infinity : Math.max(quietAt, askedUntil);
  if (now >= inactiveAt) return { kind: "close", reason: "inactivity" };
  if (times.isDoubted && mayAsk) return { kind: "enquire" };
  const enquiryDueAt = mayAsk ? Math.min(nextEnquiryAt(settings, times), quietAt) : Infinity;
  if (now >= enquiryDueAt) return { kind: "enquire" };
  return { kind: "wait", until: Math.min(deadAt, inactiveAt, enquiryDueAt) };
}

/** When the next enquiry is due, after the previous one is answered. */
export function nextEnquiryAt(
  { enquireLinkMs }: TimerSettings,
  { boundAt, enquirySentAt }: Readonly<LinkTimes>,
): number {
  return after(enquirySentAt ?? boundAt ?? Infinity, enquireLinkMs);
}

function after(start: number, periodMs: number): number {
  return periodMs > 0 ? start + periodMs : Infinity;
}
