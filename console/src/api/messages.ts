// Messages as the API tells them, and in which of the six states one is.
import type { Answers } from "./endpoints.ts";
import type { MessageState } from "../parts/state.tsx";

export type Message = Answers["GET /messages"]["items"][number];

/** Opted out after it was accepted; waits for staff; not allowed by staff. */
const decidedByPeople: readonly (number | undefined)[] = [1307, 1308, 1309];

/** In a list, the reason of what people have decided, or have to: no state says it. */
export function decisionNote({ errorCode, errorMessage }: Message): string | undefined {
  return decidedByPeople.includes(errorCode) ? errorMessage : undefined;
}

const outcomeUnknown = 1302;
const states: readonly MessageState[] = ["waiting", "sent", "delivered", "undelivered", "unsent"];

/**
 * Submitted and never answered: nobody knows what became of it, whether it still waits or was given
 * up.
 */
export function stateOf({ messageStatus, errorCode }: Pick<Message, "messageStatus" | "errorCode">): MessageState {
  if (errorCode === outcomeUnknown && (messageStatus === 0 || messageStatus === 4)) return "open";
  return states[messageStatus] ?? "waiting";
}
