// A whole gateway in this process on a database of its own, with the accounts, lines and templates
// that the flows of the tests have.
import { readConfig } from "../src/platform/config.ts";
import { type Gateway, startGateway } from "../src/app/gateway.ts";
import { createMetrics } from "../src/platform/metrics.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import type { Database } from "../src/store/database.ts";
import type { Telemetry } from "../src/platform/telemetry.ts";
import { baseSetup, type SetupDocument } from "../test/support/gateway-setup.ts";
import { createDatabase } from "./database.ts";
import { describeError } from "./target.ts";

export interface RunningGateway {
  readonly gateway: Gateway;
  readonly port: number;
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** What its services told as failed, since it was last asked. */
  takeFailures(): readonly string[];
  close(): Promise<void>;
}

export interface GatewaySettings {
  readonly databaseServer: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
  /** Keys of the setup file that replace those of the base setup, for operators on these ports. */
  readonly operatorPorts: readonly number[];
  readonly setup?: SetupDocument;
}

/** Longer than a busy machine takes for anything. */
const responseTimeoutMs = 20_000;

export async function openGateway(settings: GatewaySettings): Promise<RunningGateway> {
  const { databaseServer, environment = {}, operatorPorts, setup = {} } = settings;
  const { db, telemetry, drop } = await createDatabase(databaseServer);
  const failures: string[] = [];
  telemetry.on("http.failed", ({ error }) => failures.push(describeError(error)));
  telemetry.on("service.failed", ({ service, error }) => failures.push(`${service}: ${describeError(error)}`));
  const text = JSON.stringify({ ...baseSetup(operatorPorts, { responseTimeoutMs }), ...setup });
  const gateway = await startGateway({
    config: readConfig({ HODHOD_PORT: "0", HODHOD_SHUTDOWN_SECONDS: "1", ...environment }),
    db,
    telemetry,
    metrics: createMetrics(telemetry),
    alone: false,
    prepare: async () => {
      await applySetup(db, { text, folder: ".", prune: false, dryRun: false });
    },
  });
  return {
    gateway,
    port: Number(new URL(gateway.address).port),
    db,
    telemetry,
    takeFailures: () => failures.splice(0),
    close: async () => {
      await gateway.stop();
      await drop();
    },
  };
}
