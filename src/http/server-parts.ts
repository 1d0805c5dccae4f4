// What the front door is built of: the other rooms' values that endpoints use, handed in by the composition root.
import type { Config } from "../config.ts";
import type { Authenticator } from "../credentials/authenticator.ts";
import type { DirectoryService } from "../directory/directory-service.ts";
import type { Intake } from "../intake/accept-batch.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../telemetry.ts";
import type { DoorLimits } from "./limits/door-limits.ts";

/** What the door of any node is built of, whether or not it takes calls. */
export interface OperationParts {
  readonly config: ServerConfig;
  readonly telemetry: Telemetry;
  readonly metrics: MetricsText;
  /** Asked by GET /health/ready. */
  readonly readiness: () => Promise<Readiness>;
  /** Other limits than the usual ones, for tests. */
  readonly limits?: Partial<DoorLimits>;
}

export interface ServerParts extends OperationParts {
  readonly directory: Pick<DirectoryService, "current">;
  readonly authenticator: Authenticator;
  readonly intake: Pick<Intake, "accept" | "preview">;
  readonly db: Database;
  /** What the example of POST auth/token holds, where it shall work as it stands: in the demo. */
  readonly exampleLogin?: ExampleLogin;
}

export interface ExampleLogin {
  readonly userName: string;
  readonly password: string;
  readonly domain: string;
}

export type ServerConfig = Pick<
  Config,
  "trustProxy" | "metricsAllow" | "maximumBodyBytes" | "idempotencyHours" | "tokenLifetimeSeconds" | "shutdownSeconds"
>;

export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Each check by name, such as `database` and `migrated`. Ready when all hold. */
export type Readiness = Readonly<Record<string, boolean>>;
