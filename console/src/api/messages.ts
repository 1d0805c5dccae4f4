// Messages as the API tells them, and in which of the six states one is.
import type { MessageState } from "../parts/state.tsx";

export interface Message {
  readonly sentMessageId: string;
  readonly batchId: string;
  readonly account: string;
  readonly senderNumber: string;
  /** 989… */
  readonly recipientNumber: string;
  readonly operator: string;
  readonly parts: number;
  /** Rials. */
  readonly cost: number;
  /** 0 waiting, 1 sent, 2 delivered, 3 not delivered, 4 not sent */
  readonly messageStatus: number;
  /** 1301… of the clients' API, with its wording. */
  readonly errorCode?: number;
  readonly errorMessage?: string;
  readonly acceptedAt: string;
  readonly sendAt?: string;
  readonly sentAt?: string;
  readonly finalAt?: string;
  /** For customers only. */
  readonly content?: string;
  readonly contentErased?: boolean;
}

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
