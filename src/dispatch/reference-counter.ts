// Gives references to long messages before their parts are submitted. A message whose phone has no
// free reference waits in line; no other message waits for it.
import type { ReferenceSpace } from "../sms/concatenation.ts";
import { backOffMs } from "../sms/submit-outcome.ts";
import {
  freeReferences,
  type ReferenceAnswer,
  type ReferenceHolder,
  takeReferences,
} from "../store/concatenation-references.ts";
import type { Database } from "../store/database.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";
import type { ActiveMessage, MessageOutcome } from "./active-message.ts";

/** Messages per statement at most. */
const atATime = 256;
/**
 * A phone's list is searched for holders that no longer need their reference each time it has grown
 * by this many.
 */
const tidyEvery = 32;

export interface NumberedMessages {
  readonly ready: readonly ActiveMessage[];
  readonly others: readonly { readonly active: ActiveMessage; readonly outcome: MessageOutcome }[];
  /** Why no reference could be given. */
  readonly error?: unknown;
}

/**
 * Gives messages their references, and decides the outcome of those that cannot be submitted now.
 */
export async function numberMessages(
  db: Database,
  messages: readonly ActiveMessage[],
  space: ReferenceSpace,
): Promise<NumberedMessages> {
  const asked = messages.map(({ message }) => message);
  try {
    const numbers = await giveReferences(db, asked, space);
    for (const active of messages) active.giveReference(numbers.get(active.message.messageId) ?? 0);
    const hasNumber = ({ message }: ActiveMessage): boolean => numbers.has(message.messageId);
    const unnumbered = messages.filter((active) => !hasNumber(active));
    return {
      ready: messages.filter(hasNumber),
      others: unnumbered.map((active) => ({ active, outcome: { kind: "heldBack" } })),
    };
  } catch (error) {
    const later = ({ attempt }: ClaimedMessage): MessageOutcome => ({
      kind: "deferred",
      delayMs: backOffMs(attempt + 1),
      fault: "link",
      unanswered: [],
    });
    return { ready: [], others: messages.map((active) => ({ active, outcome: later(active.message) })), error };
  }
}

/** The references by message id; a message without one has to wait. */
async function giveReferences(
  db: Database,
  messages: readonly ReferenceHolder[],
  space: ReferenceSpace,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (let first = 0; first < messages.length; first += atATime) {
    const chunk = messages.slice(first, first + atATime);
    const answers = note(numbers, await takeReferences(db, chunk, { space, fromLine: false }));
    const full = chunk.filter(({ messageId }) => answers.get(messageId)?.number === null);
    const retried = full.filter(({ messageId }) => answers.get(messageId)?.hasLine === false);
    const grown = chunk.filter(({ messageId }) => isTidyTime(answers.get(messageId), chunk.length));
    const phones = [...new Set([...retried, ...grown].map(({ recipient }) => recipient))];
    if (phones.length > 0) await freeReferences(db, phones);
    if (retried.length > 0) note(numbers, await takeReferences(db, retried, { space, fromLine: false }));
  }
  return numbers;
}

function note(numbers: Map<string, number>, answers: readonly ReferenceAnswer[]): Map<string, ReferenceAnswer> {
  for (const { messageId, number } of answers) if (number !== null) numbers.set(messageId, number);
  return new Map(answers.map((answer) => [answer.messageId, answer]));
}

// A full phone is searched only when a message needs a reference.
function isTidyTime(answer: ReferenceAnswer | undefined, added: number): boolean {
  if (answer === undefined || answer.hasLine || answer.number === null) return false;
  return answer.holders >= tidyEvery && answer.holders % tidyEvery < added;
}
