// How the commands for those who work on the program (bench, faults, soak, fuzz) read what they are
// told.
import { parseArgs, type ParseArgsConfig } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Read<Given extends Options> = ReturnType<typeof parseArgs<{ options: Given; allowPositionals: true }>>;

// By process.exit, so that children and folders of a command that is broken off go with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

/**
 * Ends the process: with `usage` and 0 where --help was asked for, with 2 and what is wrong where
 * an option is unknown.
 */
export function readCommandLine<const Given extends Options>(
  usage: string,
  options: Given,
  { allowPositionals = false } = {},
): Read<Given> {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ options, allowPositionals });
  } catch (error) {
    return endWith(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

/** Ends the process with 2 where the text is no whole number in the range, both ends included. */
export function wholeNumberOf(option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return endWith(`${option} is a whole number ${range}, not "${text}"`);
}

/** Those that are named, or all. Ends the process where all are to be listed, or a name is unknown. */
export function choose<Named extends { readonly name: string; readonly title: string }>(
  all: readonly Named[],
  names: readonly string[],
  isListed: boolean,
): readonly Named[] {
  if (isListed) {
    for (const { name, title } of all) console.log(`${name.padEnd(22)} ${title}`);
    process.exit(0);
  }
  const unknown = names.filter((name) => !all.some((each) => each.name === name));
  if (unknown.length > 0) endWith(`nothing is called ${unknown.join(", ")}; --list names all`);
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

export function endWith(message: string, code = 2): never {
  console.error(message);
  process.exit(code);
}
