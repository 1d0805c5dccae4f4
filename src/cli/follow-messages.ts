// Follows messages of a gateway until each has a final status, for `send --wait` and `status
// --wait`.
import { setTimeout as delay } from "node:timers/promises";
import { CommandFailed } from "../platform/command-failed.ts";
import { note, type CommandContext } from "./command-context.ts";
import { hasEnded, messageLine, messagesOf, type AnsweredMessage, type GatewayClient } from "./gateway-client.ts";

/** Short pauses first, for messages delivered at once, then longer ones. */
const firstPauseMs = 200;
const longestPauseMs = 2_000;

/** Body of a call of messages/status: a batch, or messages by their ids. */
export type StatusRequest = { readonly batchId: string } | { readonly sentMessageIds: readonly string[] };

export async function askStatus(client: GatewayClient, request: StatusRequest): Promise<readonly AnsweredMessage[]> {
  return messagesOf(await client.post("messages/status", request));
}

/** Returns the messages with their final status and prints each change. Throws on timeout. */
export async function followMessages(
  context: CommandContext,
  client: GatewayClient,
  request: StatusRequest,
  timeoutSeconds: number,
): Promise<readonly AnsweredMessage[]> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  const told = new Map<string, string>();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    const messages = await askStatus(client, request);
    for (const message of messages) {
      const line = messageLine(message);
      const id = message.sentMessageId ?? "";
      if (told.get(id) !== line) note(context, line);
      told.set(id, line);
    }
    if (messages.every(hasEnded)) return messages;
    if (Date.now() + pauseMs > deadline) {
      const open = messages.filter((message) => !hasEnded(message)).length;
      throw new CommandFailed(`${open} of ${messages.length} messages have no final status after ${timeoutSeconds} s`, {
        hint: "they are still being processed; check again with hodhod status",
      });
    }
    await delay(pauseMs);
  }
}
