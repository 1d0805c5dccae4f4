// Messages as the API tells them, and in which of the six states one is.
import type { MessageState } from "../parts/state.tsx";

export interface Message {
  readonly id: string;
  readonly batchId: string;
  /** For staff. */
  readonly account?: string;
  readonly sender: string;
  readonly recipient: string;
  readonly operator: string;
  readonly parts: number;
  readonly cost: number;
  /** 0 waiting, 1 sent, 2 delivered, 3 not delivered, 4 not sent */
  readonly status: number;
  /** 1301… of the clients' API. */
  readonly reason?: number;
  readonly reasonText?: string;
  readonly acceptedAt: string;
  readonly finalAt?: string;
}

const outcomeUnknown = 1302;
const states: readonly MessageState[] = ["waiting", "sent", "delivered", "undelivered", "unsent"];

/** Submitted and never answered: nobody knows what became of it, whether it still waits or was given up. */
export function stateOf({ status, reason }: Pick<Message, "status" | "reason">): MessageState {
  if (reason === outcomeUnknown && (status === 0 || status === 4)) return "open";
  return states[status] ?? "waiting";
}
