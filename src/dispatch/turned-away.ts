// Counts the answers that turned messages away because of their link, and what was taken between
// them. `judgeReply` says what follows from the counts. Pure.
import { isLinkAnswer, type SubmitReply } from "../sms/submit-outcome.ts";

/** As in `SubmitContext`. */
export interface TurnedAwayCounts {
  /** This reply counts. 0 if it does not concern the link. */
  readonly inARow: number;
  readonly takenBetween: number;
}

export class TurnedAway {
  #messageId = "";
  #inARow = 0;
  readonly #binds = new Map<number, TakenBetween>();

  note(messageId: string, bindNumber: number, reply: SubmitReply): TurnedAwayCounts {
    const isAgain = this.#messageId === messageId;
    const concernsLink = isLinkAnswer(reply);
    this.#messageId = concernsLink ? messageId : "";
    this.#inARow = concernsLink ? (isAgain ? this.#inARow : 0) + 1 : 0;
    const bind = this.#binds.get(bindNumber) ?? new TakenBetween();
    this.#binds.set(bindNumber, bind);
    if (reply.kind === "accepted") bind.taken();
    if (concernsLink) bind.turnedAway(messageId);
    return { inARow: this.#inARow, takenBetween: bind.count };
  }
}

/** Of one bind. Its start counts as if it had turned away a message. */
class TakenBetween {
  #lastTurnedAway = "";
  /** Parts taken since it turned away another message than the last one. */
  #count = 0;
  /** And since it turned away any. */
  #countSince = 0;

  get count(): number {
    return this.#count;
  }

  taken(): void {
    this.#count += 1;
    this.#countSince += 1;
  }

  turnedAway(messageId: string): void {
    if (messageId !== this.#lastTurnedAway) this.#count = this.#countSince;
    this.#countSince = 0;
    this.#lastTurnedAway = messageId;
  }
}
