// A part that was written to a link, and what is kept of it: bind, node, time, and milliseconds to
// the answer.
import type { PartToSubmit, Submitter } from "../connectors/connector.ts";
import { answersInARow, type NotTaken } from "../sms/not-taken.ts";
import type { Refusal, SubmitReply } from "../sms/submit-outcome.ts";
import type { LateAnswer } from "../store/kept-of-message.ts";
import type { PartTaken } from "../store/progress.ts";
import type { ActiveMessage } from "./active-message.ts";
import type { BindWindow } from "./bind-window.ts";
import { partTaken } from "./settlement.ts";

export interface WrittenPart {
  readonly window: BindWindow;
  readonly active: ActiveMessage;
  readonly part: PartToSubmit["part"];
  readonly connectorId: number;
  /** Milliseconds of the monotonic clock. */
  readonly writtenAt: number;
  /** The run number of this node then: after a lost lease it has another. */
  readonly node: number;
}

export interface ReplyListener {
  answered(written: WrittenPart, reply: SubmitReply): void;
  answeredLate(written: WrittenPart, reply: SubmitReply): void;
}

/** Travels with the part, and brings its answer back, however late. */
export class PartSubmitter implements Submitter {
  readonly #written: WrittenPart;
  readonly #listener: ReplyListener;

  constructor(written: WrittenPart, listener: ReplyListener) {
    this.#written = written;
    this.#listener = listener;
  }

  onReply(reply: SubmitReply): void {
    this.#listener.answered(this.#written, reply);
  }

  onLateReply(reply: SubmitReply): void {
    this.#listener.answeredLate(this.#written, reply);
  }
}

/** The SMSC took it, just now. */
export function partTakenBy(
  { part, active, writtenAt, connectorId, node }: WrittenPart,
  smscMessageId: string,
): PartTaken {
  const { bindNumber, message } = active;
  const submission = { bindNumber, node, writtenAt, answerMs: performance.now() - writtenAt };
  return partTaken(message, { part, connectorId, smscMessageId, submission });
}

/**
 * Remembers in the message that the SMSC refused the part or never answered. Other replies add
 * nothing.
 */
export function keepNotTaken(written: WrittenPart, reply: SubmitReply): void {
  if (reply.kind === "unknown") written.active.notTaken.push({ ...placeOf(written), answer: null, answerMs: null });
  if (reply.kind === "refused") written.active.notTaken.push(refusalOf(written, reply));
}

/** How many times in a row the message got this answer under earlier claims. */
export function turnedAwayBefore({ active, connectorId }: WrittenPart, reply: SubmitReply): number {
  if (reply.kind !== "refused") return 0;
  return answersInARow(active.message.earlierNotTaken, { connectorId, answer: reply.answer });
}

/**
 * An answer that came after the message was settled without it. The message may have been claimed
 * again, or have ended.
 */
export function lateAnswer(written: WrittenPart, reply: Refusal): LateAnswer {
  const { accountId, messageId } = written.active.message;
  return { accountId, messageId, ...refusalOf(written, reply) };
}

function refusalOf(written: WrittenPart, { answer }: Refusal): NotTaken & { readonly answer: string } {
  return { ...placeOf(written), answer, answerMs: performance.now() - written.writtenAt };
}

function placeOf({ part, active, writtenAt, connectorId, node }: WrittenPart) {
  return { part, connectorId, bindNumber: active.bindNumber, writtenAt, node };
}
