// What is kept of a part that was written to a link: bind, node, time, and milliseconds to the
// answer.
import type { PartToSubmit } from "../connectors/connector.ts";
import type { NotTaken } from "../sms/not-taken.ts";
import type { SubmitReply } from "../sms/submit-outcome.ts";
import type { LateAnswer } from "../store/kept-of-message.ts";
import type { PartTaken } from "../store/progress.ts";
import type { ActiveMessage } from "./active-message.ts";
import { partTaken } from "./settlement.ts";

/** Travels with a part and comes back with its answer. */
export interface PartContext {
  readonly active: ActiveMessage;
  /** Milliseconds of the monotonic clock. */
  readonly writtenAt: number;
  /** The run number of this node then: after a lost lease it has another. */
  readonly node: number;
}

export interface WrittenPart extends PartContext {
  readonly part: PartToSubmit["part"];
  readonly connectorId: number;
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
 * The SMSC refused it, or never answered: the message keeps that until it is settled. Other replies
 * were never written.
 */
export function keepNotTaken(
  written: WrittenPart,
  reply: SubmitReply,
  describeStatus: (commandStatus: number) => string,
): void {
  if (reply.kind === "unknown") written.active.notTaken.push({ ...placeOf(written), answer: null, answerMs: null });
  if (reply.kind === "refused") written.active.notTaken.push(refusalOf(written, reply, describeStatus));
}

/** The message was settled without it: it may have been claimed again, or have ended. */
export function lateAnswer(
  written: WrittenPart,
  reply: Refusal,
  describeStatus: (commandStatus: number) => string,
): LateAnswer {
  const { accountId, messageId } = written.active.message;
  return { accountId, messageId, ...refusalOf(written, reply, describeStatus) };
}

type Refusal = Extract<SubmitReply, { readonly kind: "refused" }>;

function refusalOf(
  written: WrittenPart,
  { commandStatus }: Refusal,
  describeStatus: (commandStatus: number) => string,
): NotTaken & { readonly answer: string } {
  const answerMs = performance.now() - written.writtenAt;
  return { ...placeOf(written), answer: describeStatus(commandStatus), answerMs };
}

function placeOf({ part, active, writtenAt, connectorId, node }: WrittenPart) {
  return { part, connectorId, bindNumber: active.bindNumber, writtenAt, node };
}
