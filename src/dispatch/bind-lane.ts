// The state of one bind in its dispatcher.
import type { ActiveMessage } from "./active-message.ts";
import { ClaimTurns } from "./claim-turns.ts";

/** Room at a bind, reserved for messages that are being accepted. */
export interface Place {
  readonly bindNumber: number;
}

/** What is in progress on one bind. */
export interface BindLane extends Place {
  /** Claimed messages with parts still to write, in order. */
  readonly waiting: ActiveMessage[];
  /**
   * Parts claimed and not yet recorded as settled: what a crash would leave uncertain. At most one
   * window, and the further parts of a long message that begins within it.
   */
  unsettled: number;
  claiming: boolean;
  /** Parts that a claim in progress may bring. */
  asked: number;
  /** A message fell due during a claim that may have read the queue before it. */
  claimAgain: boolean;
  /** Consecutive parts that were written and never answered. */
  unanswered: number;
  /** A one-time code is due: a single free place is worth a claim. */
  urgent: boolean;
  writing: boolean;
  /** Each bind has turns of its own, and one claim at a time: so every account has its turn. */
  readonly turns: ClaimTurns;
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
    turns: new ClaimTurns(),
  };
}
