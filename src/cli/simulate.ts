// hodhod simulate: runs a simulated operator (SMSC) for testing a gateway or any other SMPP client.
import { behaviours, type WrittenIdFormat } from "../simulator/behaviours.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../simulator/simulator-options.ts";
import { wrongUsage } from "../platform/command-failed.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { print, printJson } from "./output.ts";

const idFormats: readonly WrittenIdFormat[] = [
  ...(["decimal", "leading-zeros", "hex", "upper-case-hex", "uuid", "upper-case-uuid"] as const),
];

export const commands: readonly Command[] = [
  {
    name: "simulate",
    options: {
      "host <address>": "address to listen on (default: 127.0.0.1)",
      "port <port>": "port to listen on; 0: any free port (default: 2775)",
      "system-id <id>": "the only system id that may bind (default: any)",
      "password <password>": "its password (default: any)",
      "delay <ms>": "delay before a submit_sm is answered (default: 0)",
      "receipt-delay <ms>": "time from the answer to the receipt (default: 500)",
      "submits-per-second <number>": "limit above which messages are throttled; 0: no limit (default: 0)",
      packed: "texts in the GSM alphabet are packed septets, in both directions",
      "message-id <format>": `format of message ids: ${idFormats.join(", ")} (default: decimal)`,
      quiet: "print no line per message",
      json: "print each event as one line of JSON",
    },
    help: `Runs a simulated operator that speaks SMPP 3.4, until Ctrl-C stops it. It accepts every message and reports it as
delivered. The last four digits of the recipient select another behaviour; see the table below.`,
    examples: [
      "hodhod simulate --port 2775 --system-id hodhod --password secret",
      "hodhod simulate --receipt-delay 2000 --json",
    ],
    more: [
      "Recipients that end in:",
      ...behaviours.map(({ suffix, name, summary }) => `  …${suffix}  ${name.padEnd(26)}  ${summary}`),
      "  others  delivered",
      "",
    ],
    run: simulate,
  },
];

async function simulate(context: CommandContext, given: CommandLine): Promise<void> {
  const options = readOptions(given);
  const { host } = options;
  const smsc = await startSimulatedSmsc(options);
  const json = given.has("json");
  if (!given.has("quiet")) announce(context, smsc, json);
  // Before the line that reports the address, because a reader of that line may stop us.
  const signal = untilSignal();
  if (json) printJson(context, { event: "listening", host, port: smsc.port });
  else print(context, `The simulated operator listens on ${host}:${smsc.port}. Ctrl-C stops it.`);
  await signal;
  await smsc.stop("unbind");
  const { submits, accepted, refused, receiptsAcknowledged } = smsc.counters;
  if (json) printJson(context, { event: "stopped", ...smsc.counters });
  else
    print(
      context,
      `${submits} submitted, ${accepted} accepted, ${refused} refused, ${receiptsAcknowledged} receipts confirmed`,
    );
}

function readOptions(given: CommandLine): SimulatedSmscOptions & { readonly host: string } {
  const number = (option: string, most: number): number | undefined => readNumber(option, given.text(option), most);
  const [systemId, password] = [given.text("system-id"), given.text("password")];
  return {
    host: given.text("host") ?? "127.0.0.1",
    port: number("port", 65_535) ?? 2775,
    submitDelayMs: number("delay", 3_600_000) ?? 0,
    receiptDelayMs: number("receipt-delay", 86_400_000) ?? 500,
    submitsPerSecond: number("submits-per-second", 1_000_000) ?? 0,
    messageIdFormat: readIdFormat(given.text("message-id") ?? "decimal"),
    ...(systemId !== undefined && { systemId }),
    ...(password !== undefined && { password }),
    ...(given.has("packed") && { packed: true }),
  };
}

function readNumber(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number <= most) return number;
  throw wrongUsage(`--${option} ${text} is not a number from 0 to ${most}`);
}

function readIdFormat(text: string): WrittenIdFormat {
  const format = idFormats.find((each) => each === text);
  if (format !== undefined) return format;
  throw wrongUsage(`--message-id ${text} is not a known format`, idFormats.join(", "));
}

function announce(context: CommandContext, smsc: SimulatedSmsc, json: boolean): void {
  const report = (event: Readonly<Record<string, unknown>>): void => {
    if (json) printJson(context, event);
    else print(context, Object.values(event).join("  "));
  };
  smsc.on("bind", ({ system_id: systemId, command }) => report({ event: "bind", systemId, command }));
  smsc.on("bindRefused", ({ system_id: systemId }) => report({ event: "bindRefused", systemId }));
  smsc.on("unbind", ({ systemId }) => report({ event: "unbind", systemId }));
  smsc.on("submit", ({ sender, recipient, part, text, messageId, commandStatus }) => {
    const facts = { from: sender.address, to: recipient.address, part: part.number, parts: part.total, text };
    report({ event: "submit", ...facts, messageId, commandStatus });
  });
  smsc.on("receiptAnswered", ({ message: { messageId }, state, commandStatus }) =>
    report({ event: "receipt", messageId, state, commandStatus }),
  );
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
