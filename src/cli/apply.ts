// hodhod apply and export: the stored configuration and a setup file.
import path from "node:path";
import { environmentWith } from "../platform/config.ts";
import { groupBy } from "../platform/group-by.ts";
import { ApplyDeclined, applySetup, type AppliedChange, type AppliedSetup } from "../setup/change-setup.ts";
import type { NodesAtVersion } from "../setup/await-nodes.ts";
import { exportSetup } from "../setup/describe-object.ts";
import { formatFault, formatPath, SetupFaults, type LocatedFault } from "../setup/fault.ts";
import { stateOf } from "../setup/load-state.ts";
import type { SetupChange } from "../setup/setup-changes.ts";
import { expectSound, readSetupFile } from "../setup/read-setup.ts";
import { loadConfiguration } from "../store/configuration.ts";
import type { NodeState } from "../store/nodes.ts";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { awaitChange, commandActor, noNodeUses, waitForNodesMs, withDatabase } from "./database.ts";
import { openFile, unreadableFile } from "./number-files.ts";
import { note, print, printJson } from "./output.ts";
import { ask, isTerminal } from "./terminal.ts";

/** A gateway that has just started may still be creating the database of the data folder. */
const waitForGatewayMs = 5000;

const exportCommand: Command = {
  name: "export",
  help: `Writes the setup as YAML for hodhod apply: all sections except staff. Passwords, users, API keys, secrets of
webhooks, credit and imported numbers are not included. Applying the unchanged file changes nothing.`,
  examples: ["hodhod export > setup.yaml"],
  run: async (context) => {
    const rows = await withDatabase(context, { mode: "read" }, (db) => db.transaction(loadConfiguration));
    context.stdout.write(exportSetup(stateOf(rows)));
  },
};

const applyCommand: Command = {
  name: "apply",
  arguments: "<file>",
  options: {
    prune: "remove the objects that the file does not name",
    "dry-run": "print what would change, and change nothing",
    create: "create the database if the data folder has none",
    yes: "remove objects without asking",
    json: "print the changes as JSON",
  },
  help: `Applies a setup file in YAML or JSON (- for standard input) and prints what it changed. If gateways are running, the
command returns when they use the new setup. If the file has an error, nothing is changed. Objects that the file does
not name are kept; a value in the file replaces the stored value. On a terminal the command asks before it removes
objects.`,
  examples: ["hodhod apply setup.yaml", "hodhod apply --dry-run --prune setup.yaml", "cat setup.json | hodhod apply -"],
  run: async (context, given) => {
    try {
      await apply(context, given);
    } catch (error) {
      if (given.has("json") && error instanceof SetupFaults) {
        printJson(context, { error: error.message, faults: error.faults.map(faultJson) });
      }
      throw error instanceof ApplyDeclined ? new CommandFailed(error.message) : error;
    }
  },
};

async function apply(context: CommandContext, given: CommandLine): Promise<void> {
  const [file = ""] = given.args;
  const text = await readText(context, file);
  const folder = file === "-" ? process.cwd() : path.dirname(path.resolve(file));
  const setup = readSetupFile({ text, folder, environment: environmentWith({}) });
  const [prune, dryRun] = [given.has("prune"), given.has("dry-run")];
  // Nobody may be there to ask.
  if (prune && setup.document.value === null) {
    throw wrongUsage(
      `${file} is empty, and --prune would remove everything: nothing was changed`,
      "to remove everything, apply the file {}",
    );
  }
  // All faults are listed together, also those that only the stored objects show; no database is made for that.
  const isSound = setup.faults.length === 0;
  const mode = dryRun || !isSound ? "read" : given.has("create") ? "create" : "write";
  const asks = !given.has("yes") && file !== "-" && isTerminal(context.stdin);
  const confirm = (changes: readonly SetupChange[]): Promise<boolean> => {
    for (const line of describeChanges(changes)) note(context, line);
    return ask(context, "This removes stored objects. Apply?");
  };
  await withDatabase(
    context,
    { mode, waitForGatewayMs: isSound ? waitForGatewayMs : 0 },
    async (db, { alone, isServed }) => {
      const applied = await applySetup(db, {
        file: setup,
        prune,
        dryRun,
        by: commandActor(),
        ...(asks && { confirm }),
      });
      const { version } = applied;
      const nodes = await awaitChange(context, db, { alone, version, waitMs: waitForNodesMs.change, isServed });
      if (given.has("json")) printJson(context, toJsonAnswer(applied, nodes, dryRun));
      else printApplied(context, applied, { ...nodes, isServed }, dryRun);
    },
  ).catch((error: unknown) => {
    if (!(error instanceof SetupFaults)) expectSound(setup);
    throw error;
  });
}

/**
 * Ten times what a service of 100,000 accounts needs. The file may be a pipe, for example from a
 * program that decrypts it.
 */
const longestSetup = 128 * 1_048_576;

async function readText(context: CommandContext, file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of openFile(context, file)) {
      length += chunk.length;
      if (length > longestSetup) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreadableFile(file, error);
  }
  if (length > longestSetup) throw wrongUsage("the setup file is larger than 128 MiB");
  return Buffer.concat(chunks).toString("utf8");
}

function toJsonAnswer(
  { changes, warnings, version }: AppliedSetup,
  { following, behind }: NodesAtVersion,
  dryRun: boolean,
): object {
  const nodeJson = ({ id, host, pid }: NodeState): object => ({ id, host, pid });
  return {
    changed: changes.length > 0,
    dryRun,
    ...(version && { version }),
    changes,
    warnings: warnings.map(faultJson),
    ...(version && { nodes: { following: following.map(nodeJson), behind: behind.map(nodeJson) } }),
  };
}

function faultJson({ path: place, ...fault }: LocatedFault): object {
  return { path: formatPath(place), ...fault };
}

const signs = { create: "+", change: "~", remove: "-" } as const;
/** A longer list of one kind is shown as a count. Removed objects are always listed. */
const mostListed = 50;

function printApplied(
  context: CommandContext,
  { changes, warnings }: AppliedSetup,
  { following, behind, isServed }: NodesAtVersion & { readonly isServed: boolean },
  dryRun: boolean,
): void {
  for (const warning of warnings) note(context, `warning: ${formatFault(warning)}`);
  if (changes.length === 0) {
    print(context, "Nothing to change.");
    return;
  }
  for (const line of describeChanges(changes)) print(context, line);
  const count = (action: SetupChange["action"]): number => changes.filter((change) => change.action === action).length;
  const summary = `${count("create")} created, ${count("change")} changed, ${count("remove")} removed`;
  if (dryRun) {
    print(context, `Dry run: ${summary}. Nothing was stored.`);
    return;
  }
  const nodes = following.length + behind.length;
  const followed = `${following.length} of ${nodes} gateways use the new setup.`;
  print(context, `${summary}. ${nodes === 0 ? noNodeUses("the new setup", isServed) : followed}`);
}

/** Changes that undo one from the console are always listed. */
function describeChanges(changes: readonly AppliedChange[]): string[] {
  const groups = groupBy(changes, ({ action, kind }) => `${signs[action]} ${kind}`);
  return [...groups].flatMap(([title, group]) => {
    const isShort = group.length <= mostListed || title.startsWith(signs.remove);
    const listed = isShort ? group : group.filter(({ lastChange }) => lastChange !== undefined);
    const lines = listed.flatMap(describeChange);
    return isShort ? lines : [`${title}: ${group.length} of them`, ...lines];
  });
}

function describeChange({ action, section, kind, name, details, lastChange }: AppliedChange): string[] {
  const undone = lastChange && `last changed in the console by ${lastChange.who} at ${lastChange.at.toISOString()}`;
  return [
    `${signs[action]} ${name === section ? section : `${kind} ${name}`}`,
    ...details.map((detail) => `    ${detail}`),
    ...(undone === undefined ? [] : [`    ${undone}`]),
  ];
}

export const commands: readonly Command[] = [applyCommand, exportCommand];
