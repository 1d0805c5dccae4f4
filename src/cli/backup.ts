// hodhod migrate, backup and restore: the database as a whole.
import { statSync } from "node:fs";
import path from "node:path";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import { readConfig } from "../platform/config.ts";
import { readOwner } from "../postgres/owner-lock.ts";
import { backup } from "../store/backup.ts";
import { migrate } from "../store/migrate.ts";
import { ensurePartitions, readDatabaseTime } from "../store/partitions.ts";
import { checkBackup, restore } from "../store/restore.ts";
import type { Command } from "./command.ts";
import { closingAfter, commandActor, openDatabase, withDatabase, awaitChange, waitForNodesMs } from "./database.ts";
import { note, print } from "./output.ts";
import { replaceTokenKey } from "../credentials/access-token.ts";

const migrateCommand: Command = {
  name: "migrate",
  help: `Updates the database to the schema of this version and prints the migrations it applied. A gateway does this by itself
when it starts. Run it before an upgrade of several nodes.`,
  examples: ["hodhod migrate", "DATABASE_URL=postgres://hodhod@db/hodhod hodhod migrate"],
  run: async (context) => {
    const progress = (line: string) => note(context, line);
    const applied = await closingAfter(
      () => openDatabase(readConfig(), { create: true, migrate: false, progress }),
      async ({ db }) => {
        const names = await migrate(db);
        await ensurePartitions(db, await readDatabaseTime(db));
        return names;
      },
    );
    for (const name of applied) print(context, `applied ${name}`);
    if (applied.length === 0) print(context, "The schema is up to date.");
  },
};

const backupCommand: Command = {
  name: "backup",
  arguments: "<file>",
  options: { force: "overwrite an existing file" },
  help: `Writes everything stored (accounts, secrets, messages, money) to one compressed file, as a consistent snapshot.
Gateways can keep running. The file contains secrets, so only its owner can read it. The database must have the schema
of this version.`,
  examples: ["hodhod backup hodhod-$(date +%F).backup"],
  run: async (context, given) => {
    const [file = ""] = given.args;
    const replace = given.has("force");
    expectPlaceFor(file, replace);
    const progress = (line: string): void => note(context, line);
    const { rows, tables } = await withDatabase(context, { mode: "read" }, (db) =>
      backup(db, path.resolve(file), { replace, progress }),
    );
    print(context, `${rows} rows of ${tables} tables written to ${file}.`);
  },
};

/** Checks the path before the database is opened. */
function expectPlaceFor(file: string, force: boolean): void {
  // A file of this name would be taken for a backup that went on through a pipe.
  if (file === "" || file === "-") {
    throw wrongUsage("a backup is written to a file, not to the output", "give the name of a file");
  }
  const existing = statSync(file, { throwIfNoEntry: false });
  // Such as /dev/null: the backup would take its place.
  if (existing?.isFile() === false) throw wrongUsage(`${file} is not a regular file`);
  if (existing !== undefined && !force) {
    throw new CommandFailed(`the file ${file} already exists`, {
      hint: "choose another name, or overwrite it with --force",
    });
  }
}

const restoreCommand: Command = {
  name: "restore",
  arguments: "<file>",
  options: { force: "replace everything in the database" },
  help: `Restores a backup into an empty database. The whole file is checked first, and the restore succeeds completely or
changes nothing. No gateway may run on the database meanwhile.`,
  examples: ["hodhod restore hodhod-2026-11-20.backup"],
  run: async (context, given) => {
    const [file = ""] = given.args;
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
      ({ db }) => restore(db, path.resolve(file), { force: given.has("force"), header, progress, by: commandActor() }),
    );
    print(context, `${result.rows} rows of ${result.tables} tables restored.`);
  },
};

function expectFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw wrongUsage(`there is no file ${file}`);
  if (!found.isFile()) throw wrongUsage(`${file} is not a file`);
}

// hodhod token-key: manages the keys that sign access tokens. The database stores them; they rotate
// every 90 days.

const tokenKeyCommands: readonly Command[] = [
  {
    name: "token-key rotate",
    options: { now: "make all issued tokens invalid, after a theft of tokens or of a key" },
    help: `Creates a new key for signing access tokens. Tokens signed with the previous key stay valid until they expire; with
--now they become invalid at once, and users must log in again. Keys rotate automatically every 90 days.`,
    examples: ["hodhod token-key rotate", "hodhod token-key rotate --now"],
    run: async (context, given) => {
      const isNow = given.has("now");
      await withDatabase(context, { mode: "write" }, async (database, { config: { tokenLifetimeSeconds }, alone }) => {
        const options = { database, tokenLifetimeSeconds };
        const version = await replaceTokenKey(options, commandActor(), { endsTokens: isNow });
        if (isNow) await awaitChange(context, database, { alone, version, waitMs: waitForNodesMs.change });
      });
      print(
        context,
        isNow
          ? "Tokens issued before are no longer accepted. New tokens are signed with a new key."
          : "New tokens are signed with a new key within seconds. Tokens issued before stay valid until they expire.",
      );
    },
  },
];

export const commands: readonly Command[] = [migrateCommand, backupCommand, restoreCommand, ...tokenKeyCommands];
