// hodhod backup: everything stored, to one file, while the gateway runs.
import path from "node:path";
import { Command } from "commander";
import { readConfig } from "../config.ts";
import { backup } from "../store/backup.ts";
import { note, print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { openDatabase } from "./open-database.ts";
import { closeOnSignal } from "./with-database.ts";

const description = `Writes everything stored (accounts, secrets, messages, money) to one compressed file, as of one moment.
Gateways may go on working. The file holds secrets: only its owner may read it.`;

export function backupCommand(context: CommandContext): Command {
  const command = new Command("backup").description(description).argument("<file>", "the file to write");
  command.action(async (file: string) => {
    const progress = (line: string) => note(context, line);
    const { db, close } = await openDatabase(readConfig(), { purpose: "command", migrate: false, progress });
    const forgetSignals = closeOnSignal(close);
    try {
      const { rows, tables } = await backup(db, path.resolve(file), progress);
      print(context, `${rows} rows of ${tables} tables written to ${file}.`);
    } finally {
      forgetSignals();
      await close();
    }
  });
  return withExamples(command, "hodhod backup hodhod-$(date +%F).backup");
}
