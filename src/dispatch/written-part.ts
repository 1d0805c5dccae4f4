// What is kept of a part that was written to a link: bind, node, time, and milliseconds to the
// answer.
import type { PartToSubmit } from "../connectors/connector.ts";
import type { SubmitReply } from "../sms/submit-outcome.ts";
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
  { part, active, writtenAt, connectorId, node }: WrittenPart,
  reply: SubmitReply,
  describeStatus: (commandStatus: number) => string,
): void {
  if (reply.kind !== "refused" && reply.kind !== "unknown") return;
  const isRefused = reply.kind === "refused";
  active.notTaken.push({
    ...{ part, connectorId, bindNumber: active.bindNumber, writtenAt, node },
    answer: isRefused ? describeStatus(reply.commandStatus) : null,
    answerMs: isRefused ? performance.now() - writtenAt : null,
  });
}
