// hodhod status: asks a running gateway for the status of a batch or of single messages.
import { Command } from "commander";
import { exitCode } from "../platform/command-failed.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { setResult, withExamples } from "./command-parts.ts";
import { askStatus, followMessages, type StatusRequest } from "./follow-messages.ts";
import {
  GatewayClient,
  isDelivered,
  isThere,
  messageLine,
  type AnsweredMessage,
  type ClientFlags,
} from "./gateway-client.ts";
import { readSeconds } from "./send.ts";

interface StatusFlags extends ClientFlags {
  readonly message?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
  readonly json?: boolean;
}

const description = `Shows the status of the messages of a batch, or of single messages with --message. With --wait it follows the messages
until they have a final status, and fails unless all are delivered.`;

export function statusCommand(context: CommandContext): Command {
  const command = new Command("status")
    .description(description)
    .argument("<id...>", "batchIds; with --message, sentMessageIds")
    .option("--message", "the ids are sentMessageIds")
    .option("--wait", "follow the messages until they are delivered or have failed")
    .option("--timeout <seconds>", "time limit of --wait", "60")
    .option("--url <url>", "address of the gateway (default: HODHOD_URL, else this machine)")
    .option("--key <key>", "API key (HODHOD_API_KEY is safer: other users of the machine cannot see it)")
    .option("--json", "print the messages as JSON");
  command.action(async (ids: readonly string[], flags: StatusFlags) => {
    const messages = await status(context, ids, flags);
    if (!messages.every(flags.wait === true ? isDelivered : isThere)) setResult(command, exitCode.failed);
  });
  return withExamples(
    command,
    "HODHOD_API_KEY=… hodhod status 0199a7c2-5b1e-7c3a-9d4e-0123456789ab",
    "hodhod status --wait --json 0199a7c2-5b1e-7c3a-9d4e-0123456789ab",
  );
}

async function status(
  context: CommandContext,
  ids: readonly string[],
  flags: StatusFlags,
): Promise<readonly AnsweredMessage[]> {
  const timeoutSeconds = readSeconds(flags.timeout);
  const client = new GatewayClient(flags);
  const requests: readonly StatusRequest[] =
    flags.message === true ? [{ sentMessageIds: ids }] : ids.map((batchId) => ({ batchId }));
  const messages: AnsweredMessage[] = [];
  for (const request of requests) {
    const asked =
      flags.wait === true ? followMessages(context, client, request, timeoutSeconds) : askStatus(client, request);
    messages.push(...(await asked));
  }
  if (flags.json === true) printJson(context, { messages });
  else for (const message of messages) print(context, messageLine(message));
  return messages;
}
