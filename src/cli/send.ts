// hodhod send: sends messages through the public interface of a running gateway, like any client.
import { Command } from "commander";
import { CommandFailed, exitCode } from "../platform/command-failed.ts";
import { note, print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples, setResult } from "./command-parts.ts";
import { followMessages } from "./follow-messages.ts";
import {
  GatewayClient,
  isDelivered,
  messageLine,
  messagesOf,
  type Answer,
  type AnsweredMessage,
  type ClientFlags,
} from "./gateway-client.ts";
import { parseTime } from "./read-time.ts";

interface SendFlags extends ClientFlags {
  readonly from?: string;
  readonly to: readonly string[];
  readonly template?: string;
  readonly param?: readonly string[];
  readonly at?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
  readonly timeout: string;
  readonly json?: boolean;
}

const description = `Sends a text to one or more recipients through a running gateway. With --wait it follows the messages until they have a
final status, and fails unless all are delivered.`;

export function sendCommand(context: CommandContext): Command {
  const command = new Command("send")
    .description(description)
    .argument("[text]", "the text; omit it with --template")
    .requiredOption("-t, --to <number>", "a recipient; repeat the option for more", collect)
    .option("-f, --from <line>", "the sender line")
    .option("--template <id>", "send this approved template")
    .option("-p, --param <name=value>", "a parameter of the template; repeat the option for more", collect)
    .option("--at <time>", "send later: 2026-11-30T08:00:00+03:30, or Unix seconds")
    .option("--idempotency-key <key>", "key that makes it safe to repeat the same command")
    .option("--wait", "follow the messages until they are delivered or have failed")
    .option("--timeout <seconds>", "time limit of --wait", "60")
    .option("--url <url>", "address of the gateway (default: HODHOD_URL, else this machine)")
    .option("--key <key>", "API key (HODHOD_API_KEY is safer: other users of the machine cannot see it)")
    .option("--json", "print the gateway's answer as JSON");
  command.action(async (text: string | undefined, flags: SendFlags) => {
    const isWell = await send(context, text, flags);
    if (!isWell) setResult(command, exitCode.failed);
  });
  return withExamples(
    command,
    'HODHOD_API_KEY=… hodhod send --from 10001234 --to 09121112233 --wait "سلام"',
    "hodhod send --to 09121112233 --template TydSt1skQE --param code=1234",
  );
}

// One value per option: a list would also take the text that follows it.
function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

interface Call {
  readonly path: string;
  readonly body: object;
}

/** True if all messages were accepted, and with --wait delivered. */
async function send(context: CommandContext, text: string | undefined, flags: SendFlags): Promise<boolean> {
  const { path, body } =
    flags.template === undefined ? textCall(text, flags) : templateCall(text, flags.template, flags);
  const timeoutSeconds = readSeconds(flags.timeout);
  const client = new GatewayClient(flags);
  const key = flags.idempotencyKey;
  const answer = await client.post(path, body, key === undefined ? {} : { "idempotency-key": key });
  const messages = messagesOf(answer);
  const refused = messages.filter(({ sentMessageId }) => sentMessageId === undefined);
  if (flags.wait !== true || answer.batchId === undefined) {
    printAnswer(context, answer, flags.json);
    return refused.length === 0;
  }
  note(context, `batch ${answer.batchId}`);
  const request = { batchId: answer.batchId };
  const accepted = await followMessages(context, client, request, timeoutSeconds);
  const ended: readonly AnsweredMessage[] = [...accepted, ...refused];
  printAnswer(context, { ...request, messages: ended }, flags.json);
  return ended.every(isDelivered);
}

function printAnswer(context: CommandContext, answer: Answer, json = false): void {
  if (json) {
    printJson(context, answer);
    return;
  }
  print(context, `batch ${answer.batchId ?? "-"}`);
  for (const message of messagesOf(answer)) print(context, messageLine(message));
}

function textCall(text: string | undefined, flags: SendFlags): Call {
  if (text === undefined) {
    throw new CommandFailed("there is no text to send", { hint: "give the text or --template ID", usage: true });
  }
  const { from: senderNumber, to } = flags;
  const later = flags.at === undefined ? {} : { sendTimestamp: readTimestamp(flags.at) };
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

function templateCall(text: string | undefined, templateId: string, { from, to, param = [], at }: SendFlags): Call {
  if (text !== undefined) {
    throw new CommandFailed("a template has its own text", {
      hint: "omit the text or --template",
      usage: true,
    });
  }
  if (to.length > 1) {
    throw new CommandFailed("a template can be sent to only one recipient per call", {
      hint: "run the command once per recipient",
      usage: true,
    });
  }
  const parameters = param.map((pair) => {
    const equals = pair.indexOf("=");
    if (equals > 0) return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
    throw new CommandFailed(`--param ${pair} is not of the form name=value`, {
      hint: "for example --param code=1234",
      usage: true,
    });
  });
  const later = at === undefined ? {} : { sendTimestamp: readTimestamp(at) };
  const body = { senderNumber: from, recipientNumber: to[0], templateId, parameters, ...later };
  return { path: "messages/send/template", body };
}

/** Unix seconds. A time needs its offset: people and machines may be in different zones. */
function readTimestamp(text: string): number {
  const isComplete = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const seconds = /^\d+$/.test(text) ? Number(text) : isComplete ? Math.floor(parseTime(text) / 1000) : 0;
  if (seconds > 0) return seconds;
  throw new CommandFailed(`--at ${text} is not a time with its offset`, {
    hint: "write it as 2026-11-30T08:00:00+03:30",
    usage: true,
  });
}

export function readSeconds(text: string): number {
  const seconds = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds;
  throw new CommandFailed(`--timeout ${text} is not a number of seconds`, { usage: true });
}
