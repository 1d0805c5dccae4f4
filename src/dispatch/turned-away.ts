// Counts the answers in a row that turned messages away because of their link: those to one
// message, and those to any. `judgeReply` says what follows from the counts. Pure.
import { isLinkAnswer, type SubmitReply } from "../sms/submit-outcome.ts";

/** This reply counts. 0 if it does not concern the link. */
export interface InARow {
  readonly ofMessage: number;
  readonly ofLink: number;
}

export class TurnedAway {
  #messageId = "";
  #ofMessage = 0;
  #ofLink = 0;

  note(messageId: string, reply: SubmitReply): InARow {
    const isAgain = this.#messageId === messageId;
    const concernsLink = isLinkAnswer(reply);
    this.#messageId = concernsLink ? messageId : "";
    this.#ofMessage = concernsLink ? (isAgain ? this.#ofMessage : 0) + 1 : 0;
    this.#ofLink = concernsLink ? this.#ofLink + 1 : 0;
    return { ofMessage: this.#ofMessage, ofLink: this.#ofLink };
  }
}
