// hodhod simulate: runs a simulated operator (SMSC) for testing a gateway or any other SMPP client.
import { Command, Option } from "commander";
import { behaviours } from "../simulator/behaviours.ts";
import type { WrittenIdFormat } from "../simulator/message-id.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../simulator/simulator-options.ts";
import { commandStatusName, commandStatusOf } from "../smpp/constants.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";

interface SimulateFlags {
  readonly host: string;
  readonly port: string;
  readonly systemId?: string;
  readonly password?: string;
  readonly delay: string;
  readonly receiptDelay: string;
  readonly faults: string;
  readonly seed?: string;
  readonly submitsPerSecond: string;
  readonly maxBinds?: string;
  readonly bindStatus?: string;
  readonly requireTlv?: readonly string[];
  readonly early?: string;
  readonly packed?: boolean;
  readonly messageId: WrittenIdFormat;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const idFormats: readonly WrittenIdFormat[] = [
  ...(["decimal", "leading-zeros", "hex", "upper-case-hex", "uuid", "upper-case-uuid"] as const),
];

const description = `Runs a simulated operator that speaks SMPP 3.4, until Ctrl-C stops it. It accepts every message and reports it as
delivered. The last four digits of the recipient select another behaviour; see the table below.`;

export function simulateCommand(context: CommandContext): Command {
  const command = new Command("simulate")
    .description(description)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on; 0: any free port", "2775")
    .option("--system-id <id>", "the only system id that may bind (default: any)")
    .option("--password <password>", "its password (default: any)")
    .option("--delay <ms>", "delay before a submit_sm is answered", "0")
    .option("--receipt-delay <ms>", "time from the answer to the receipt", "500")
    .option("--faults <share>", "share of messages, 0 to 1, with a random behaviour", "0")
    .option("--seed <number>", "seed that makes the random behaviours repeatable (default: 1)")
    .option("--submits-per-second <number>", "limit above which messages are throttled; 0: no limit", "0")
    .option("--max-binds <number>", "limit above which binds are refused (default: no limit)")
    .option("--bind-status <code>", "status that refuses every bind, such as ESME_RINVPASWD or 14 (default: none)")
    .option("--require-tlv <tags...>", "tags without which messages are refused, such as 0x1400 (default: none)")
    .option("--early <hex>", "a PDU to send 50 ms before each answer to a bind, in hexadecimal (default: none)")
    .option("--packed", "texts in the GSM alphabet are packed septets, in both directions")
    .addOption(new Option("--message-id <format>", "format of message ids").choices(idFormats).default("decimal"))
    .option("--quiet", "print no line per message")
    .option("--json", "print each event as one line of JSON")
    .action((flags: SimulateFlags) => simulate(context, flags));
  const rows = behaviours.map(({ suffix, name, summary }) => `  …${suffix}  ${name.padEnd(26)}  ${summary}`);
  command.addHelpText("after", ["", "Recipients that end in:", ...rows, "  others  delivered"].join("\n"));
  return withExamples(
    command,
    "hodhod simulate --port 2775 --system-id hodhod --password secret",
    "hodhod simulate --faults 0.1 --receipt-delay 2000 --json",
  );
}

async function simulate(context: CommandContext, flags: SimulateFlags): Promise<void> {
  const options = readOptions(flags);
  const smsc = await listen(options, flags);
  if (flags.quiet !== true) announce(context, smsc, flags.json);
  const { host } = flags;
  // Before the line that reports the address, because a reader of that line may stop us.
  const signal = untilSignal();
  if (flags.json === true) printJson(context, { event: "listening", host, port: smsc.port });
  else print(context, `The simulated operator listens on ${host}:${smsc.port}. Ctrl-C stops it.`);
  await signal;
  await smsc.stop("unbind");
  const { submits, accepted, refused, receiptsAcknowledged } = smsc.counters;
  if (flags.json === true) printJson(context, { event: "stopped", ...smsc.counters });
  else
    print(
      context,
      `${submits} submitted, ${accepted} accepted, ${refused} refused, ${receiptsAcknowledged} receipts confirmed`,
    );
}

function readOptions(flags: SimulateFlags): SimulatedSmscOptions {
  return {
    host: flags.host,
    port: readNumber("--port", flags.port, 65_535),
    submitDelayMs: readNumber("--delay", flags.delay, 3_600_000),
    receiptDelayMs: readNumber("--receipt-delay", flags.receiptDelay, 86_400_000),
    faultShare: readNumber("--faults", flags.faults, 1),
    submitsPerSecond: readNumber("--submits-per-second", flags.submitsPerSecond, 1_000_000),
    messageIdFormat: flags.messageId,
    ...(flags.systemId !== undefined && { systemId: flags.systemId }),
    ...(flags.password !== undefined && { password: flags.password }),
    ...(flags.seed !== undefined && { seed: readNumber("--seed", flags.seed, 2 ** 32) }),
    ...(flags.maxBinds !== undefined && { maxBinds: readNumber("--max-binds", flags.maxBinds, 100_000) }),
    ...(flags.bindStatus !== undefined && { bindStatus: readStatus(flags.bindStatus) }),
    ...(flags.requireTlv && { requiredTlvs: flags.requireTlv.map(readTag) }),
    ...(flags.early !== undefined && { early: readOctets(flags.early) }),
    ...(flags.packed === true && { packed: true }),
  };
}

function readStatus(text: string): number {
  const status = commandStatusOf(text);
  if (status !== undefined) return status;
  throw new CommandFailed(`--bind-status ${text} is no command_status`, { usage: true });
}

function readTag(text: string): number {
  const tag = /^(?:0x[\da-f]{1,4}|\d{1,5})$/i.test(text) ? Number(text) : Number.NaN;
  if (tag <= 0xffff) return tag;
  throw new CommandFailed(`--require-tlv ${text} is no tag, such as 0x1400`, { usage: true });
}

function readOctets(text: string): Buffer {
  if (/^(?:[\da-f]{2})+$/i.test(text)) return Buffer.from(text, "hex");
  throw new CommandFailed(`--early ${text} is not hexadecimal`, { usage: true });
}

function readNumber(option: string, text: string, most: number): number {
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number <= most) return number;
  throw new CommandFailed(`${option} ${text} is not a number from 0 to ${most}`, { usage: true });
}

async function listen(options: SimulatedSmscOptions, { host, port }: SimulateFlags): Promise<SimulatedSmsc> {
  try {
    return await startSimulatedSmsc(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") throw error;
    throw new CommandFailed(`cannot listen on ${host}:${port} (${code})`, { hint: "choose another --port" });
  }
}

function announce(context: CommandContext, smsc: SimulatedSmsc, json = false): void {
  const tell = (event: Readonly<Record<string, unknown>>, line: string): void => {
    if (json) printJson(context, event);
    else print(context, line);
  };
  smsc.on("bind", ({ system_id: systemId, command }) => {
    tell({ event: "bind", systemId, command }, `bound      ${systemId} (${command})`);
  });
  smsc.on("bindRefused", ({ system_id: systemId }) => {
    tell({ event: "bindRefused", systemId }, `refused    bind of ${systemId}`);
  });
  smsc.on("unbind", ({ systemId }) => {
    tell({ event: "unbind", systemId }, `unbound    ${systemId}`);
  });
  smsc.on("submit", ({ sender, recipient, part, text, messageId, commandStatus }) => {
    const route = `${sender.address} to ${recipient.address}`;
    const of = part.total > 1 ? ` part ${part.number}/${part.total}` : "";
    const outcome = commandStatus === 0 ? messageId : `refused with ${commandStatusName(commandStatus)}`;
    const facts = { from: sender.address, to: recipient.address, part: part.number, parts: part.total, text };
    tell({ event: "submit", ...facts, messageId, commandStatus }, `submitted  ${route}${of} ${outcome}: ${text}`);
  });
  smsc.on("receiptAnswered", ({ message, state, commandStatus }) => {
    const { messageId, recipient } = message;
    const outcome =
      commandStatus === undefined ? "no answer" : commandStatus === 0 ? "confirmed" : commandStatusName(commandStatus);
    tell(
      { event: "receipt", messageId, state, commandStatus },
      `receipt    ${state} for ${messageId} to ${recipient.address}: ${outcome}`,
    );
  });
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
