// hodhod serve: runs the gateway until a signal stops it.
import { environmentWith, readConfig } from "../platform/config.ts";
import { hasStaff } from "../store/people.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { note } from "./output.ts";
import { type GatewayProcess, runAsProcess, startGatewayProcess } from "../app/gateway-process.ts";
import type { Parent, ParentOptions } from "../app/workers-parent.ts";

const firstStaff = "no staff member can use the console yet: hodhod people add NAME --role administrator";

export const commands: readonly Command[] = [
  {
    name: "serve",
    options: {
      "only <roles>": "run only these parts of the gateway, separated by commas: http, dispatch, webhooks",
      "workers <number>": "processes that share the work on this machine, or auto: one per core",
    },
    help: `Runs the gateway: HTTP API, SMPP connectors and maintenance. Without DATABASE_URL it runs its own PostgreSQL in
HODHOD_DATA_DIR. Log lines (JSON) go to standard output. SIGTERM or Ctrl-C stops it cleanly. All settings are
environment variables; .env.example lists them.`,
    examples: [
      "hodhod serve",
      "HODHOD_PORT=9000 HODHOD_DATA_DIR=/var/lib/hodhod hodhod serve",
      "DATABASE_URL=postgres://hodhod@db/hodhod hodhod serve --only dispatch",
      "hodhod serve --workers auto",
    ],
    run: serve,
  },
];

async function serve(context: CommandContext, given: CommandLine): Promise<void> {
  const [only, workers] = [given.text("only"), given.text("workers")];
  const config = readConfig(
    environmentWith({
      ...(only !== undefined && { HODHOD_ONLY: only }),
      ...(workers !== undefined && { HODHOD_WORKERS: workers }),
    }),
  );
  const say = (line: string): void => note(context, line);
  await runAsProcess({
    start: (abort): Promise<GatewayProcess | Parent> =>
      config.workers === 1
        ? startGatewayProcess({ config, progress: say, abort })
        : startWorkers({ config, progress: say, abort }),
    work: async ({ gateway: { address }, db }) => {
      const takesCalls = config.only?.includes("http") ?? true;
      const by = config.workers === 1 ? "" : ` with ${config.workers} workers`;
      const work = config.only?.includes("dispatch") === true ? "dispatching" : "sending webhooks";
      say(takesCalls ? `listening on ${address}${by}` : `${work}${by}; health and metrics on ${address}`);
      if (!takesCalls || !config.console) return undefined;
      // Only a hint: a database that is away for a moment must not end the gateway.
      if (!(await hasStaff(db).catch(() => true))) say(firstStaff);
      return undefined;
    },
    shutdownSeconds: config.shutdownSeconds,
    say,
  });
}

/** Loaded only for more than one worker. */
async function startWorkers(options: ParentOptions): Promise<Parent> {
  const { startParent } = await import("../app/workers-parent.ts");
  return startParent(options);
}
