// hodhod send and status: messages through the public interface of a running gateway, as any client
// uses it.
import { exitCode, wrongUsage } from "../platform/command-failed.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import {
  askStatus,
  followMessages,
  GatewayClient,
  isDelivered,
  isThere,
  messageLine,
  messagesOf,
  type Answer,
  type AnsweredMessage,
  type StatusRequest,
} from "./gateway-client.ts";
import { note, print, printJson } from "./output.ts";

const clientOptions = {
  wait: "follow the messages until they are delivered or have failed",
  "timeout <seconds>": "time limit of --wait (default: 60)",
  "url <url>": "address of the gateway (default: HODHOD_URL, else this machine)",
  "key <key>": "API key (HODHOD_API_KEY is safer: other users of the machine cannot see it)",
};

const sendCommand: Command = {
  name: "send",
  arguments: "<text>",
  options: {
    "to <number>": "a recipient, required; repeat the option for more",
    "from <line>": "the sender line",
    ...clientOptions,
    json: "print the response of the gateway as JSON",
  },
  help: `Sends a text to one or more recipients through a running gateway. With --wait it follows the messages until they have a
final status, and fails unless all are delivered.`,
  examples: [
    'HODHOD_API_KEY=… hodhod send --from 10001234 --to 09121112233 --wait "سلام"',
    "hodhod send --from 10001234 --to 09121112233 --to 09121112244 --json test",
  ],
  run: async (context, given) => ((await send(context, given)) ? 0 : exitCode.failed),
};

const statusCommand: Command = {
  name: "status",
  arguments: "<id...>",
  options: { message: "the ids are sentMessageIds", ...clientOptions, json: "print the messages as JSON" },
  help: `Shows the status of the messages of batches, or of single messages with --message. With --wait it follows the messages
until they have a final status, and fails unless all are delivered.`,
  examples: [
    "HODHOD_API_KEY=… hodhod status 0199a7c2-5b1e-7c3a-9d4e-0123456789ab",
    "hodhod status --wait --json 0199a7c2-5b1e-7c3a-9d4e-0123456789ab",
  ],
  run: async (context, given) => {
    const messages = await status(context, given);
    return messages.every(given.has("wait") ? isDelivered : isThere) ? 0 : exitCode.failed;
  },
};

interface Call {
  readonly path: string;
  readonly body: object;
}

/** True if all messages were accepted, and with --wait delivered. */
async function send(context: CommandContext, given: CommandLine): Promise<boolean> {
  if (given.required("to").includes(",")) throw wrongUsage("--to takes one number: repeat --to for more recipients");
  const { path, body } = callOf(given);
  const timeoutSeconds = readSeconds(given);
  const client = new GatewayClient(given);
  const answer = await client.post(path, body);
  const messages = messagesOf(answer);
  const refused = messages.filter(({ sentMessageId }) => sentMessageId === undefined);
  if (!given.has("wait") || answer.batchId === undefined) {
    printAnswer(context, answer, given.has("json"));
    return refused.length === 0;
  }
  note(context, `batch ${answer.batchId}`);
  const request = { batchId: answer.batchId };
  const accepted = await followMessages(context, client, request, timeoutSeconds);
  const ended: readonly AnsweredMessage[] = [...accepted, ...refused];
  printAnswer(context, { ...request, messages: ended }, given.has("json"));
  return ended.every(isDelivered);
}

function printAnswer(context: CommandContext, answer: Answer, json: boolean): void {
  if (json) {
    printJson(context, answer);
    return;
  }
  print(context, `batch ${answer.batchId ?? "-"}`);
  for (const message of messagesOf(answer)) print(context, messageLine(message));
}

function callOf(given: CommandLine): Call {
  const [content = ""] = given.args;
  const [senderNumber, to] = [given.text("from"), given.list("to")];
  const [recipientNumber] = to;
  if (to.length === 1) return { path: "messages/send", body: { senderNumber, recipientNumber, content } };
  const senderNumbers = senderNumber === undefined ? [] : [senderNumber];
  return { path: "messages/send/bulk", body: { senderNumbers, recipientNumbers: to, contents: [content] } };
}

function readSeconds(given: CommandLine): number {
  const text = given.text("timeout") ?? "60";
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw wrongUsage(`--timeout ${text} is not a number of seconds`);
}

async function status(context: CommandContext, given: CommandLine): Promise<readonly AnsweredMessage[]> {
  const ids = given.args;
  const timeoutSeconds = readSeconds(given);
  const client = new GatewayClient(given);
  const requests: readonly StatusRequest[] = given.has("message")
    ? [{ sentMessageIds: ids }]
    : ids.map((batchId) => ({ batchId }));
  const messages: AnsweredMessage[] = [];
  for (const request of requests) {
    const asked = given.has("wait")
      ? followMessages(context, client, request, timeoutSeconds)
      : askStatus(client, request);
    messages.push(...(await asked));
  }
  if (given.has("json")) printJson(context, { messages });
  else for (const message of messages) print(context, messageLine(message));
  return messages;
}

export const commands: readonly Command[] = [sendCommand, statusCommand];
