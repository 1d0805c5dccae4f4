// A message as a claim brings it, without a database.
import type { ClaimedMessage } from "../../src/store/message-queue.ts";
import { longText, mci } from "./factories.ts";

/** Of so many parts in the GSM alphabet, never tried before, and valid for a minute. */
export function claimedMessage(parts: number, changes: Partial<ClaimedMessage> = {}): ClaimedMessage {
  return {
    accountId: 1,
    messageId: "01900000-0000-7000-8000-000000000001",
    routeId: 1,
    priority: 1,
    dueAt: new Date(0),
    validForMs: 60_000,
    attempt: 0,
    unanswered: 0,
    tries: 0,
    sender: "1000",
    recipient: mci,
    content: longText(parts),
    encoding: "gsm7",
    parts,
    partsTaken: 0,
    isFree: false,
    ...changes,
  };
}
