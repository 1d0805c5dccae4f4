// hodhod migrate: updates the schema without starting a gateway. `serve` does the same when it
// starts.
import { Command } from "commander";
import { readConfig } from "../platform/config.ts";
import { migrate } from "../store/migrate.ts";
import { ensurePartitions, readDatabaseTime } from "../store/partitions.ts";
import { note, print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { openDatabase } from "./open-database.ts";
import { closingAfter } from "./with-database.ts";

const description = `Updates the database to the schema of this version and prints the migrations it applied. A gateway does this by itself
when it starts. Run it before an upgrade of several nodes.`;

export function migrateCommand(context: CommandContext): Command {
  const command = new Command("migrate").description(description);
  command.action(async () => {
    const progress = (line: string) => note(context, line);
    const applied = await closingAfter(
      () => openDatabase(readConfig(), { create: true, migrate: false, progress }),
      async ({ db }) => {
        const names = await migrate(db, { onWait: progress });
        await ensurePartitions(db, await readDatabaseTime(db));
        return names;
      },
    );
    for (const name of applied) print(context, `applied ${name}`);
    if (applied.length === 0) print(context, "The schema is up to date.");
  });
  return withExamples(command, "hodhod migrate", "DATABASE_URL=postgres://hodhod@db/hodhod hodhod migrate");
}
