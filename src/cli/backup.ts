// hodhod backup: writes the whole database to one file while the gateway runs.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { backup } from "../store/backup.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { note, print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { withDatabase } from "./with-database.ts";

const description = `Writes everything stored (accounts, secrets, messages, money) to one compressed file, as a consistent snapshot.
Gateways can keep running. The file contains secrets, so only its owner can read it. The database must have the schema of
this version.`;

export function backupCommand(context: CommandContext): Command {
  const command = new Command("backup")
    .description(description)
    .argument("<file>", "the file to write")
    .option("--force", "overwrite an existing file");
  command.action(async (file: string, { force = false }: { readonly force?: boolean }) => {
    expectPlaceFor(file, force);
    const progress = (line: string): void => note(context, line);
    const { rows, tables } = await withDatabase(context, { mode: "read" }, (db) =>
      backup(db, path.resolve(file), { replace: force, progress }),
    );
    print(context, `${rows} rows of ${tables} tables written to ${file}.`);
  });
  return withExamples(command, "hodhod backup hodhod-$(date +%F).backup");
}

/** Checks the path before the database is opened. */
function expectPlaceFor(file: string, force: boolean): void {
  // A file of this name would be taken for a backup that went on through a pipe.
  if (file === "" || file === "-") {
    throw new CommandFailed("a backup is written to a file, not to the output", {
      hint: "give the name of a file",
      usage: true,
    });
  }
  const folder = path.dirname(path.resolve(file));
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailed(`there is no folder ${folder}`, { usage: true });
  if (!found.isDirectory()) throw new CommandFailed(`${folder} is not a folder`, { usage: true });
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    throw new CommandFailed(`cannot write to the folder ${folder}`, {
      hint: "choose a folder that this user can write to",
    });
  }
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing?.isDirectory()) throw new CommandFailed(`${file} is a folder`, { usage: true });
  // Such as /dev/null: the backup would take its place.
  if (existing?.isFile() === false) throw new CommandFailed(`${file} is not a regular file`, { usage: true });
  if (existing !== undefined && !force) {
    throw new CommandFailed(`the file ${file} already exists`, {
      hint: "choose another name, or overwrite it with --force",
    });
  }
}
