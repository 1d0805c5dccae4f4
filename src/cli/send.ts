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
import { note, print, printJson, parseTime } from "./output.ts";

const clientOptions = {
  wait: "follow the messages until they are delivered or have failed",
  "timeout <seconds>": "time limit of --wait (default: 60)",
  "url <url>": "address of the gateway (default: HODHOD_URL, else this machine)",
  "key <key>": "API key (HODHOD_API_KEY is safer: other users of the machine cannot see it)",
};

const sendCommand: Command = {
  name: "send",
  arguments: "[text]",
  options: {
    "to <number>": "a recipient, required; repeat the option for more",
    "from <line>": "the sender line",
    "template <id>": "send this approved template, without a text",
    "param <name=value>": "a parameter of the template; repeat the option for more",
    "at <time>": "send later: 2026-11-30T08:00:00+03:30, or Unix seconds",
    "idempotency-key <key>": "key that makes it safe to repeat the same command",
    ...clientOptions,
    json: "print the response of the gateway as JSON",
  },
  help: `Sends a text to one or more recipients through a running gateway. With --wait it follows the messages until they have a
final status, and fails unless all are delivered.`,
  examples: [
    'HODHOD_API_KEY=… hodhod send --from 10001234 --to 09121112233 --wait "سلام"',
    "hodhod send --to 09121112233 --template TydSt1skQE --param code=1234",
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
  const template = given.text("template");
  const { path, body } = template === undefined ? textCall(given) : templateCall(template, given);
  const timeoutSeconds = readSeconds(given);
  const client = new GatewayClient(given);
  const key = given.text("idempotency-key");
  const answer = await client.post(path, body, key === undefined ? {} : { "idempotency-key": key });
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

function textCall(given: CommandLine): Call {
  const [text] = given.args;
  if (text === undefined) {
    throw wrongUsage("there is no text to send", "give the text or --template ID");
  }
  const [senderNumber, to, later] = [given.text("from"), given.list("to"), readSendTime(given)];
  const [recipientNumber] = to;
  if (to.length === 1)
    return { path: "messages/send", body: { senderNumber, recipientNumber, content: text, ...later } };
  const lists = {
    senderNumbers: senderNumber === undefined ? [] : [senderNumber],
    recipientNumbers: to,
    contents: [text],
  };
  return { path: "messages/send/bulk", body: { ...lists, ...later } };
}

function templateCall(templateId: string, given: CommandLine): Call {
  if (given.args[0] !== undefined) {
    throw wrongUsage("a template has its own text", "omit the text or --template");
  }
  const to = given.list("to");
  if (to.length > 1) {
    throw wrongUsage("a template can be sent to only one recipient per call", "run the command once per recipient");
  }
  const parameters = given.list("param").map((pair) => {
    const equals = pair.indexOf("=");
    if (equals > 0) return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    throw wrongUsage(`--param ${pair} is not of the form name=value`, "for example --param code=1234");
  });
  const body = {
    senderNumber: given.text("from"),
    recipientNumber: to[0],
    templateId,
    parameters,
    ...readSendTime(given),
  };
  return { path: "messages/send/template", body };
}

/** Unix seconds. A time needs its offset: people and machines may be in different zones. */
function readSendTime(given: CommandLine): { readonly sendTimestamp?: number } {
  const text = given.text("at");
  if (text === undefined) return {};
  const isComplete = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const seconds = /^\d+$/.test(text) ? Number(text) : isComplete ? Math.floor(parseTime(text) / 1000) : 0;
  if (seconds > 0) return { sendTimestamp: seconds };
  throw wrongUsage(`--at ${text} is not a time with its offset`, "write it as 2026-11-30T08:00:00+03:30");
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
