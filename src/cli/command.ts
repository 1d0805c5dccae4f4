// What a command is. Each is declared once: name, arguments, options, help, and what it does.
import { parseArgs } from "node:util";
import type { Readable, Writable } from "node:stream";
import { wrongUsage } from "../platform/command-failed.ts";
import { didYouMean } from "../setup/fault.ts";

/** The standard streams of the process. Commands never use process.stdout or process.exit directly. */
export interface CommandContext {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface Command {
  /** `review list` belongs to the group `review`. */
  readonly name: string;
  /** In order: `<file>`, `[number]` where it is optional, `<id...>` for several. */
  readonly arguments?: string;
  /** `since <time>` takes a value, `json` takes none. */
  readonly options?: Readonly<Record<string, string>>;
  readonly help: string;
  readonly examples: readonly string[];
  /** Shown at the end of the help. */
  readonly more?: readonly string[];
  /** Returns another exit code than 0 where it finished, but not well. */
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- most commands are ordinary async functions
  run(context: CommandContext, given: CommandLine): Promise<number | void>;
}

type Values = ReturnType<typeof parseArgs>["values"];

/** The arguments and options of one command line. */
export class CommandLine {
  readonly args: readonly string[];
  readonly #values: Values;

  constructor(args: readonly string[], values: Values) {
    this.args = args;
    this.#values = values;
  }

  has(option: string): boolean {
    return this.#values[option] !== undefined;
  }

  /** Of several, the last one. */
  text(option: string): string | undefined {
    return this.list(option).at(-1);
  }

  required(option: string): string {
    const text = this.text(option);
    if (text === undefined) throw wrongUsage(`the option --${option} is required`);
    return text;
  }

  list(option: string): readonly string[] {
    const values = this.#values[option];
    return Array.isArray(values) ? values.map((value) => unmarked(String(value))) : [];
  }
}

/** Before a negative amount, which parseArgs would read as options. No argument contains it. */
const mark = "\u0000";

export function readCommandLine(
  { name, arguments: names = "", options = {} }: Command,
  argv: readonly string[],
): CommandLine {
  const wrong = (message: string, hint = `hodhod ${name} --help`) => wrongUsage(message, hint);
  const known = new Map(Object.keys(options).map((option) => [option.replace(/ .*/, ""), option.includes(" ")]));
  const { values, positionals, tokens } = parseArgs({
    args: argv.map((arg) => arg.replace(/^-(?=\d)/, `${mark}-`)),
    options: Object.fromEntries(
      Array.from(known, ([option, takesValue]) => [
        option,
        takesValue ? { type: "string" as const, multiple: true } : { type: "boolean" as const },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { rawName, value } = token;
    const takesValue = known.get(token.name);
    const allNames = Array.from(known.keys(), (option) => `--${option}`);
    if (takesValue === undefined) throw wrong(`unknown option '${rawName}'`, didYouMean(rawName, allNames));
    if (takesValue !== (value !== undefined)) throw wrong(`${rawName} takes ${takesValue ? "a" : "no"} value`);
  }
  const args = positionals.map(unmarked);
  const wanted = names === "" ? [] : names.split(" ");
  const missing = wanted.find((argument, index) => argument.startsWith("<") && args[index] === undefined);
  if (missing !== undefined) throw wrong(`missing required argument ${missing}`);
  const isMore = args.length > wanted.length && !names.includes("...");
  if (isMore) throw wrong(`too many arguments: ${args.slice(wanted.length).join(" ")}`);
  return new CommandLine(args, values);
}

function unmarked(arg: string): string {
  return arg.replace(mark, "");
}

export function helpOf({ name, arguments: names = "", options = {}, help, examples, more = [] }: Command): string {
  const entries = Object.entries({ ...options, help: "show this help" });
  const width = Math.max(...entries.map(([option]) => option.length));
  return [
    `Usage: hodhod ${[name, "[options]", names].join(" ").trimEnd()}`,
    "",
    help,
    "",
    "Options:",
    ...entries.map(([option, text]) => `  --${option.padEnd(width)}  ${text}`),
    "",
    ...more,
    examples.length === 1 ? "Example:" : "Examples:",
    ...examples.map((line) => `  ${line}`),
    "",
  ].join("\n");
}
