// hodhod serve: runs the gateway until a signal stops it.
import { Command, Option } from "commander";
import { environmentWith, readConfig } from "../config.ts";
import { hasStaff } from "../store/staff.ts";
import { withExamples } from "./command-parts.ts";
import { note, type CommandContext } from "./command-context.ts";
import { runAsProcess, startGatewayProcess } from "../gateway-process.ts";

const firstStaff = "nobody of staff can use the console yet: hodhod staff add NAME --role administrator";

const description = `Runs the gateway: HTTP API, SMPP connectors and maintenance. Without DATABASE_URL it runs its own PostgreSQL in
HODHOD_DATA_DIR. Log lines (JSON) go to standard output. SIGTERM or Ctrl-C stops it cleanly. All settings are environment
variables; .env.example lists them.`;

export function serveCommand(context: CommandContext): Command {
  const command = new Command("serve")
    .description(description)
    .addOption(
      new Option("--only <roles>", "run only these parts of the gateway: http, dispatch, or both separated by a comma"),
    );
  command.action(async ({ only }: { only?: string }) => {
    const config = readConfig(environmentWith(only === undefined ? {} : { HODHOD_ONLY: only }));
    const say = (line: string): void => note(context, line);
    await runAsProcess({
      start: (abort) => startGatewayProcess({ config, progress: say, abort }),
      work: async ({ gateway: { address }, db }) => {
        const takesCalls = config.only?.includes("http") ?? true;
        say(takesCalls ? `listening on ${address}` : `dispatching; health and metrics on ${address}`);
        if (!takesCalls || !config.console) return undefined;
        // Only a hint: a database that is away for a moment must not end the gateway.
        if (!(await hasStaff(db).catch(() => true))) say(firstStaff);
        return undefined;
      },
      shutdownSeconds: config.shutdownSeconds,
      say,
    });
  });
  return withExamples(
    command,
    "hodhod serve",
    "HODHOD_PORT=9000 HODHOD_DATA_DIR=/var/lib/hodhod hodhod serve",
    "DATABASE_URL=postgres://hodhod@db/hodhod hodhod serve --only dispatch",
  );
}
