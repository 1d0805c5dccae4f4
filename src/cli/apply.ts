// hodhod apply: brings the stored configuration to what a file describes, and tells what it changed (decisions §6).
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { Command } from "commander";
import { applySetup, type AppliedSetup } from "../setup/apply-setup.ts";
import { formatFault, formatPath, SetupFaults, type LocatedFault } from "../setup/fault.ts";
import type { SetupChange } from "../setup/setup-changes.ts";
import { CommandFailed, exitCode, note, print, printJson, type CommandContext } from "./command-context.ts";
import { setResult, withExamples } from "./command-parts.ts";
import { withDatabase } from "./with-database.ts";

interface ApplyFlags {
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const description = `Brings the service to what a YAML or JSON file describes, and prints what it changed. Works while gateways
run (they follow within a second) and while none does. Changes nothing when the file is wrong. Objects that the
file does not name stay; a key that it gives replaces the old value.`;

export function applyCommand(context: CommandContext): Command {
  const command = new Command("apply")
    .description(description)
    .argument("<file>", "the setup file; - for standard input")
    .option("--prune", "remove the objects that the file does not name")
    .option("--dry-run", "only print what would change")
    .option("--json", "print the changes as JSON");
  command.action(async (file: string, flags: ApplyFlags) => {
    try {
      await apply(context, file, flags);
    } catch (error) {
      if (flags.json !== true || !(error instanceof SetupFaults)) throw error;
      printJson(context, { error: error.message, faults: error.faults.map(faultJson) });
      setResult(command, exitCode.usage);
    }
  });
  return withExamples(
    command,
    "hodhod apply setup.yaml",
    "hodhod apply --dry-run --prune setup.yaml",
    "cat setup.json | hodhod apply -",
  );
}

async function apply(context: CommandContext, file: string, flags: ApplyFlags): Promise<void> {
  const text = file === "-" ? await readAll(context.stdin) : await readSetupFile(file);
  const folder = file === "-" ? process.cwd() : path.dirname(path.resolve(file));
  const { prune = false, dryRun = false, json = false } = flags;
  const applied = await withDatabase(context, { create: true }, (db) =>
    applySetup(db, { text, folder, prune, dryRun }),
  );
  if (json) printJson(context, toJsonAnswer(applied, dryRun));
  else printApplied(context, applied, dryRun);
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString("utf8");
}

async function readSetupFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new CommandFailed(missing ? `there is no file ${file}` : `${file} cannot be read`, { usage: true });
  }
}

function toJsonAnswer({ changes, warnings, version }: AppliedSetup, dryRun: boolean): object {
  return {
    changed: changes.length > 0,
    dryRun,
    ...(version && { version }),
    changes,
    warnings: warnings.map(faultJson),
  };
}

function faultJson({ path: place, ...fault }: LocatedFault): object {
  return { path: formatPath(place), ...fault };
}

const signs = { create: "+", change: "~", remove: "-" } as const;
const words: Readonly<Record<SetupChange["kind"], string>> = {
  operator: "operator",
  portedNumber: "ported number",
  connector: "connector",
  route: "routes",
  line: "line",
  tariff: "tariff",
  account: "account",
  template: "template",
  settings: "settings",
};
/** Beyond that many of one kind they are counted, not listed. */
const mostListed = 50;

function printApplied(context: CommandContext, { changes, warnings }: AppliedSetup, dryRun: boolean): void {
  for (const warning of warnings) note(context, `warning: ${formatFault(warning)}`);
  if (changes.length === 0) {
    print(context, "Nothing to change.");
    return;
  }
  const groups = new Map<string, SetupChange[]>();
  for (const change of changes) {
    const key = `${signs[change.action]} ${words[change.kind]}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  for (const [title, group] of groups) {
    if (group.length > mostListed) print(context, `${title}: ${group.length} of them`);
    else for (const change of group) printChange(context, title, change);
  }
  const count = (action: SetupChange["action"]): number => changes.filter((change) => change.action === action).length;
  const summary = `${count("create")} created, ${count("change")} changed, ${count("remove")} removed`;
  print(
    context,
    dryRun
      ? `${summary} if it were applied; nothing was stored.`
      : `${summary}. Running gateways follow within a second.`,
  );
}

function printChange(context: CommandContext, title: string, { kind, name, details }: SetupChange): void {
  print(context, kind === "route" || kind === "settings" ? title : `${title} ${name}`);
  for (const detail of details) print(context, `    ${detail}`);
}
