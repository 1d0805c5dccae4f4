// One bind as its dispatcher keeps account of it.
import type { ActiveMessage } from "./active-message.ts";

/** Room at a bind that is kept for messages which are being accepted. */
export interface Place {
  readonly bindNumber: number;
}

/** What is on its way over one bind. */
export interface BindLane extends Place {
  /** Claimed messages with parts still to be written, in order. */
  readonly waiting: ActiveMessage[];
  /** Parts claimed and not yet recorded as settled: what would be uncertain after a crash. Never more than a window. */
  unsettled: number;
  claiming: boolean;
  /** Parts that a claim on its way may bring. */
  asked: number;
  /** Something fell due while a claim was on its way, which may have looked before. */
  claimAgain: boolean;
  /** Parts in a row that were written and never answered. */
  unanswered: number;
  /** A one-time code is due: any free place is worth a claim. */
  urgent: boolean;
  writing: boolean;
}

export function openLane(bindNumber: number): BindLane {
  return {
    bindNumber,
    waiting: [],
    unsettled: 0,
    claiming: false,
    asked: 0,
    claimAgain: false,
    unanswered: 0,
    urgent: false,
    writing: false,
  };
}
