// Counts the answers in a row that turned one message away because of its link. `judgeReply` says
// from which number on the message itself is the cause. Pure.
import { isLinkAnswer, type SubmitReply } from "../sms/submit-outcome.ts";

export class TurnedAway {
  #messageId = "";
  #times = 0;

  /** Returns how many there are, with this reply; 0 if it does not concern the link. */
  note(messageId: string, reply: SubmitReply): number {
    const isAgain = this.#messageId === messageId;
    this.#messageId = isLinkAnswer(reply) ? messageId : "";
    this.#times = isLinkAnswer(reply) ? (isAgain ? this.#times : 0) + 1 : 0;
    return this.#times;
  }
}
