// hodhod export: writes the stored setup as a file for hodhod apply, without secrets.
import { Command } from "commander";
import { exportSetup } from "../setup/describe-object.ts";
import { stateOf } from "../setup/load-state.ts";
import { loadConfiguration } from "../store/configuration.ts";
import type { CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { withDatabase } from "./with-database.ts";

const description = `Writes the setup as YAML for hodhod apply: all sections except staff. Passwords, users, API keys, secrets of webhooks, credit
and imported numbers are not included. Applying the unchanged file changes nothing.`;

export function exportCommand(context: CommandContext): Command {
  const command = new Command("export").description(description).action(async () => {
    const rows = await withDatabase(context, { mode: "read" }, (db) => db.transaction(loadConfiguration));
    context.stdout.write(exportSetup(stateOf(rows)));
  });
  return withExamples(command, "hodhod export > setup.yaml");
}
