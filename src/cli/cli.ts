// The command line: a table of commands. The file of a command is loaded only when it is used.
//
// To add a command, write a file that exports its `commands` (command.ts), and add a row for each of
// them, or for their group, to the table below. It throws CommandFailed with a hint for a known problem;
// failure-text.ts reports other errors in one line.
import { findUnknownVariables, knownVariables, loadEnvironmentFile } from "../platform/config.ts";
import { didYouMean } from "../setup/fault.ts";
import { CommandFailed, exitCode, wrongUsage } from "../platform/command-failed.ts";
import { type Command, type CommandContext, helpOf, readCommandLine } from "./command.ts";
import { note, print } from "./output.ts";

interface CommandRow {
  /** Of the command, or of a group of commands. */
  readonly name: string;
  readonly summary: string;
  /** Those of the group are among the commands of the file. */
  readonly load: () => Promise<{ readonly commands: readonly Command[] }>;
}

const table: readonly CommandRow[] = [
  {
    name: "serve",
    summary: "run the gateway",
    load: () => import("./serve.ts"),
  },
  {
    name: "demo",
    summary: "run the whole service on this machine with a simulated operator and demo data",
    load: () => import("./demo.ts"),
  },
  {
    name: "apply",
    summary: "apply a setup file",
    load: () => import("./apply.ts"),
  },
  {
    name: "export",
    summary: "write the setup as YAML for apply, without secrets",
    load: () => import("./apply.ts"),
  },
  {
    name: "accounts",
    summary: "list the accounts with their credit",
    load: () => import("./accounts.ts"),
  },
  {
    name: "credit",
    summary: "add credit to an account or take it back",
    load: () => import("./accounts.ts"),
  },
  {
    name: "statement",
    summary: "show the credit movements and balance of an account",
    load: () => import("./accounts.ts"),
  },
  {
    name: "ported-numbers",
    summary: "import and show ported numbers",
    load: () => import("./ported-numbers.ts"),
  },
  {
    name: "block-list",
    summary: "import, change and show lists of blocked numbers",
    load: () => import("./block-list.ts"),
  },
  {
    name: "opt-outs",
    summary: "list, add, remove, import and export the numbers that opted out of a line",
    load: () => import("./opt-outs.ts"),
  },
  {
    name: "webhooks",
    summary: "list, enable and disable the endpoints that events are sent to, show secrets, replay",
    load: () => import("./webhooks.ts"),
  },
  {
    name: "people",
    summary: "manage the staff and the users of accounts",
    load: () => import("./people.ts"),
  },
  {
    name: "send",
    summary: "send messages through a running gateway",
    load: () => import("./send.ts"),
  },
  {
    name: "status",
    summary: "show the status of messages",
    load: () => import("./send.ts"),
  },
  {
    name: "message",
    summary: "show the history of one message, part by part",
    load: () => import("./message.ts"),
  },
  {
    name: "find",
    summary: "list the messages to a number, across all accounts",
    load: () => import("./find.ts"),
  },
  {
    name: "cancel",
    summary: "cancel waiting messages of any account",
    load: () => import("./find.ts"),
  },
  {
    name: "review",
    summary: "allow or refuse messages that a content rule holds for review",
    load: () => import("./review.ts"),
  },
  {
    name: "erase",
    summary: "erase the number and the texts of one person",
    load: () => import("./erase.ts"),
  },
  {
    name: "links",
    summary: "show the links to the operators and their queues",
    load: () => import("./links.ts"),
  },
  {
    name: "migrate",
    summary: "update the database to the schema of this version",
    load: () => import("./backup.ts"),
  },
  {
    name: "backup",
    summary: "write the whole database to one file",
    load: () => import("./backup.ts"),
  },
  {
    name: "restore",
    summary: "restore a backup into an empty database",
    load: () => import("./backup.ts"),
  },
  {
    name: "simulate",
    summary: "run a simulated operator (SMSC) to test against",
    load: () => import("./simulate.ts"),
  },
  {
    name: "token-key",
    summary: "manage the keys that sign access tokens",
    load: () => import("./backup.ts"),
  },
];

/**
 * Runs one command line. Returns the exit code: 0 success, 1 failure, 2 wrong command line or
 * input.
 */
export async function runCli(argv: readonly string[], context: CommandContext): Promise<number> {
  const output = watchOutput(context);
  let code = 0;
  let failure: unknown;
  try {
    code = await runProgram(argv, context);
  } catch (error) {
    failure = error;
  }
  await new Promise((resolve) => context.stdout.write("", resolve));
  // A command that waits for its output ends with what became of it.
  if (failure === undefined || isOf(output, failure)) failure = lossOf(output);
  if (failure === undefined) return code;
  const { reportFailure } = await import("./failure-text.ts");
  return reportFailure(context, failure);
}

async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  loadEnvironmentFile(".env", (line) => note(context, line));
  warnOfUnknownVariables(context);
  const [first, ...others] = argv;
  if (first === undefined) {
    note(context, programHelp());
    return exitCode.usage;
  }
  if (first === "-V" || first === "--version") {
    print(context, await readVersion());
    return 0;
  }
  const asksHelp = (arg: string | undefined): boolean => arg === "--help" || arg === "-h" || arg === "help";
  if (asksHelp(first) && others[0] === undefined) {
    print(context, programHelp());
    return 0;
  }
  const [name, second, ...rest] = asksHelp(first) ? [...others, "--help"] : argv;
  const row = table.find((each) => each.name === name);
  if (row === undefined) throw unknownCommand(name, table);
  const { commands: all } = await row.load();
  const only = all.find((each) => each.name === row.name);
  if (only !== undefined) {
    const args = second === undefined ? rest : [second, ...rest];
    return runCommand(context, only, args);
  }
  const commands = all.filter((each) => each.name.startsWith(`${row.name} `));
  if (second === undefined || asksHelp(second)) {
    const help = groupHelp(row, commands);
    if (second === undefined) note(context, help);
    else print(context, help);
    return second === undefined ? exitCode.usage : 0;
  }
  const command = commands.find((each) => each.name === `${row.name} ${second}`);
  if (command === undefined) throw unknownCommand(`${row.name} ${second}`, commands);
  return runCommand(context, command, rest);
}

async function runCommand(context: CommandContext, command: Command, args: readonly string[]): Promise<number> {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  if (options.includes("--help") || options.includes("-h")) {
    context.stdout.write(helpOf(command));
    return 0;
  }
  return (await command.run(context, readCommandLine(command, args))) ?? 0;
}

function unknownCommand(name = "", known: readonly { readonly name: string }[]): CommandFailed {
  const names = known.map((each) => each.name);
  const hint = didYouMean(name, names) ?? "hodhod --help lists the commands";
  return wrongUsage(`unknown command '${name}'`, hint);
}

function programHelp(): string {
  return [
    "Usage: hodhod <command> [options]",
    "",
    "Hodhod, a self-hosted SMS gateway.",
    "",
    "Commands:",
    ...summaryLines(table),
    "",
    "Example:",
    "  hodhod demo",
    "",
    "hodhod --version shows the version, hodhod <command> --help the options and examples of a command.",
  ].join("\n");
}

function groupHelp({ name, summary }: CommandRow, commands: readonly Command[]): string {
  return [
    `Usage: hodhod ${name} <command> [options]`,
    "",
    `Commands to ${summary}:`,
    ...summaryLines(
      commands.map((command) => ({ name: command.name, summary: command.help.split(/[.:]\s/)[0] ?? "" })),
    ),
    "",
    "Examples:",
    ...commands.flatMap(({ examples }) => examples.slice(0, 1).map((line) => `  ${line}`)),
  ].join("\n");
}

function summaryLines(rows: readonly { readonly name: string; readonly summary: string }[]): readonly string[] {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary.replaceAll("\n", " ")}`);
}

function warnOfUnknownVariables(context: CommandContext): void {
  for (const name of findUnknownVariables()) {
    const hint = didYouMean(name, knownVariables());
    note(context, `warning: unknown variable ${name}${hint === undefined ? "" : ` (${hint})`}`);
  }
}

async function readVersion(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

interface Output {
  /** The first error of the standard output. */
  failure?: NodeJS.ErrnoException;
}

/** What cannot be written to the error output is for nobody. */
function watchOutput({ stdout, stderr }: CommandContext): Output {
  const output: Output = {};
  stderr.on("error", () => undefined);
  stdout.on("error", (error: NodeJS.ErrnoException) => (output.failure ??= error));
  return output;
}

/** Each write of an output that takes no more fails with an error of its own. */
function isOf({ failure }: Output, error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException; // any value can be thrown
  return failure !== undefined && code === failure.code && syscall === failure.syscall;
}

/** `hodhod … | head` closes our output early, which is not an error; a full disk is. */
function lossOf({ failure }: Output): CommandFailed | undefined {
  if (failure === undefined || failure.code === "EPIPE") return undefined;
  return new CommandFailed(`cannot write the output: ${failure.message}`);
}
