// The command line: a table of commands. Each command has its own file, which is loaded only when
// the command is used.
//
// To add a command, write a file that exports `function xCommand(context: CommandContext): Command`
// (commander) and add a row to the table below. The function describes the arguments, gives an
// example with `withExamples` (command-parts.ts), and does its work in `.action`. It throws
// CommandFailed with a hint for a known problem; failure-text.ts reports other errors in one line.
// It sets another exit code than 0 with `setResult`.
import { Command, CommanderError } from "commander";
import { findUnknownVariables, knownVariables, loadEnvironmentFile } from "../platform/config.ts";
import { didYouMean } from "../setup/fault.ts";
import { CommandFailed, exitCode } from "../platform/command-failed.ts";
import { note, type CommandContext } from "./command-context.ts";
import { resultOf } from "./command-parts.ts";

type MakeCommand = (context: CommandContext) => Command;

interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<MakeCommand>;
}

const table: readonly CommandRow[] = [
  {
    name: "serve",
    summary: "run the gateway",
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    name: "demo",
    summary: "run the whole service on this machine with a simulated operator and demo data",
    load: async () => (await import("./demo.ts")).demoCommand,
  },
  {
    name: "apply",
    summary: "apply a setup file",
    load: async () => (await import("./apply.ts")).applyCommand,
  },
  {
    name: "credit",
    summary: "add credit to an account or take it back",
    load: async () => (await import("./credit.ts")).creditCommand,
  },
  {
    name: "statement",
    summary: "show the credit movements and balance of an account",
    load: async () => (await import("./statement.ts")).statementCommand,
  },
  {
    name: "accounts",
    summary: "list the accounts with their credit",
    load: async () => (await import("./accounts.ts")).accountsCommand,
  },
  {
    name: "export",
    summary: "write the setup as YAML for apply, without secrets",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "ported-numbers",
    summary: "import and show ported numbers",
    load: async () => (await import("./ported-numbers.ts")).portedNumbersCommand,
  },
  {
    name: "block-list",
    summary: "import, change and show lists of blocked numbers",
    load: async () => (await import("./block-list.ts")).blockListCommand,
  },
  {
    name: "opt-outs",
    summary: "list, add, remove, import and export the numbers that opted out of a line",
    load: async () => (await import("./opt-outs.ts")).optOutsCommand,
  },
  {
    name: "webhooks",
    summary: "list, enable and disable the endpoints that events are sent to, show secrets, replay",
    load: async () => (await import("./webhooks.ts")).webhooksCommand,
  },
  {
    name: "staff",
    summary: "manage the people who use the console for the service",
    load: async () => (await import("./people.ts")).staffCommand,
  },
  {
    name: "user",
    summary: "help a user of an account who cannot sign in",
    load: async () => (await import("./people.ts")).userCommand,
  },
  {
    name: "send",
    summary: "send messages through a running gateway",
    load: async () => (await import("./send.ts")).sendCommand,
  },
  {
    name: "status",
    summary: "show the status of messages",
    load: async () => (await import("./status.ts")).statusCommand,
  },
  {
    name: "message",
    summary: "show the history of one message, part by part",
    load: async () => (await import("./message.ts")).messageCommand,
  },
  {
    name: "find",
    summary: "list the messages to a number, across all accounts",
    load: async () => (await import("./find.ts")).findCommand,
  },
  {
    name: "cancel",
    summary: "cancel waiting messages of any account",
    load: async () => (await import("./cancel.ts")).cancelCommand,
  },
  {
    name: "review",
    summary: "allow or refuse messages that a content rule holds for review",
    load: async () => (await import("./review.ts")).reviewCommand,
  },
  {
    name: "erase",
    summary: "erase the number and the texts of one person",
    load: async () => (await import("./erase.ts")).eraseCommand,
  },
  {
    name: "links",
    summary: "show the links to the operators and their queues",
    load: async () => (await import("./links.ts")).linksCommand,
  },
  {
    name: "migrate",
    summary: "update the database to the schema of this version",
    load: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "backup",
    summary: "write the whole database to one file",
    load: async () => (await import("./backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "restore a backup into an empty database",
    load: async () => (await import("./restore.ts")).restoreCommand,
  },
  {
    name: "simulate",
    summary: "run a simulated operator (SMSC) to test against",
    load: async () => (await import("./simulate.ts")).simulateCommand,
  },
  {
    name: "token-key",
    summary: "manage the keys that sign access tokens",
    load: async () => (await import("./token-key.ts")).tokenKeyCommand,
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
  const { tellFailure } = await import("./failure-text.ts");
  return tellFailure(context, failure);
}

async function runProgram(argv: readonly string[], context: CommandContext): Promise<number> {
  loadEnvironmentFile(".env", (line) => note(context, line));
  warnOfUnknownVariables(context);
  const program = await buildProgram(argv, context);
  if (argv.length === 0) {
    program.outputHelp({ error: true });
    return exitCode.usage;
  }
  let result: unknown = 0;
  program.hook("postAction", (_, command) => void (result = resultOf(command)));
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : exitCode.usage;
  }
  return typeof result === "number" ? result : 0;
}

async function buildProgram(argv: readonly string[], context: CommandContext): Promise<Command> {
  const wanted = argv[0] === "help" ? argv[1] : argv[0];
  const program = new Command("hodhod")
    .description("Hodhod, a self-hosted SMS gateway.")
    .usage("<command> [options]")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show help for a command")
    .showHelpAfterError("(hodhod --help lists the commands)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text.replace(/^error: /, "hodhod: ")),
    })
    .addHelpText(
      "after",
      "\nExample:\n  hodhod demo\n\nRun hodhod <command> --help for the options and examples of a command.",
    );
  if (wanted === "-V" || wanted === "--version")
    program.version(await readVersion(), "-V, --version", "show the version");
  else program.option("-V, --version", "show the version");
  for (const { name, summary, load } of table) {
    const command = name === wanted ? (await load())(context) : new Command(name);
    command.summary(summary);
    if (command.description() === "") command.description(summary);
    inherit(command, program);
    program.addCommand(command);
  }
  return program;
}

function inherit(command: Command, parent: Command, name = `hodhod ${command.name()}`): void {
  // Commander wraps the text to the width of the terminal, so line breaks of the source are
  // removed.
  command.description(command.description().replaceAll("\n", " "));
  command.copyInheritedSettings(parent).helpOption("-h, --help", "show this help");
  command.showHelpAfterError(`(see ${name} --help)`);
  for (const child of command.commands) inherit(child, command, `${name} ${child.name()}`);
}

function warnOfUnknownVariables(context: CommandContext): void {
  for (const name of findUnknownVariables()) {
    const hint = didYouMean(name, knownVariables);
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
