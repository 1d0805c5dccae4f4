// hodhod restore: restores a backup into an empty database, or replaces the contents of one.
import { statSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { readConfig } from "../platform/config.ts";
import { readOwner } from "../postgres/owner-lock.ts";
import { checkBackup, restore } from "../store/restore.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { note, print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { openDatabase } from "./open-database.ts";
import { closingAfter } from "./with-database.ts";

const description = `Restores a backup into an empty database. The whole file is checked first, and the restore succeeds completely or changes
nothing. No gateway may run on the database meanwhile.`;

export function restoreCommand(context: CommandContext): Command {
  const command = new Command("restore")
    .description(description)
    .argument("<file>", "a file written by hodhod backup")
    .option("--force", "replace everything in the database");
  command.action(async (file: string, flags: { readonly force?: boolean }) => {
    const config = readConfig();
    expectFile(file);
    if (config.databaseUrl === undefined && readOwner(config.dataDir)?.purpose === "serve") {
      throw new CommandFailed("a gateway is running on this data folder", {
        hint: "stop it, restore, and start it again",
      });
    }
    const progress = (line: string) => note(context, line);
    progress("checking the backup");
    // Before a database is created.
    const header = await checkBackup(path.resolve(file));
    const result = await closingAfter(
      () => openDatabase(config, { create: true, migrate: false, progress }),
      ({ db }) =>
        restore(db, path.resolve(file), {
          force: flags.force === true,
          header,
          progress,
          by: commandActor(),
        }),
    );
    print(context, `${result.rows} rows of ${result.tables} tables restored.`);
  });
  return withExamples(command, "hodhod restore hodhod-2026-11-20.backup");
}

function expectFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailed(`there is no file ${file}`, { usage: true });
  if (!found.isFile()) throw new CommandFailed(`${file} is not a file`, { usage: true });
}
