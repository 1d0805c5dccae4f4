// Follows messages of a gateway until each has come to its end, for `send --wait` and `status --wait`.
import { setTimeout as delay } from "node:timers/promises";
import { CommandFailed, note, type CommandContext } from "./command-context.ts";
import { isFinal, messageLine, messagesOf, type AnsweredMessage, type GatewayClient } from "./gateway-client.ts";

/** Quick at first, for what is delivered at once; then sparing. */
const firstPauseMs = 200;
const longestPauseMs = 2_000;

/** Body of a call of messages/status: a batch, or messages by their ids. */
export type StatusRequest = { readonly batchId: string } | { readonly sentMessageIds: readonly string[] };

export async function askStatus(client: GatewayClient, request: StatusRequest): Promise<readonly AnsweredMessage[]> {
  return messagesOf(await client.post("messages/status", request));
}

/** Answers the messages at their ends; notes each change on the way. Throws when the time is over. */
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
    if (messages.every(isFinal)) return messages;
    if (Date.now() + pauseMs > deadline) {
      const open = messages.filter((message) => !isFinal(message)).length;
      throw new CommandFailed(`${open} of ${messages.length} messages are not at their end after ${timeoutSeconds} s`, {
        hint: "they go on; ask again with hodhod status",
      });
    }
    await delay(pauseMs);
  }
}
