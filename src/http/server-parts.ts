// The parts that the HTTP server is built from: values of other folders that endpoints use, passed
// in by the composition root.
import type { Config } from "../platform/config.ts";
import type { Authenticator } from "../credentials/authenticator.ts";
import type { DirectoryService } from "../directory/directory-service.ts";
import type { Intake } from "../intake/accept-batch.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { AddressRules } from "../webhooks/address-rules.ts";
import type { RequestPoster } from "../webhooks/request-poster.ts";
import type { RequestLimits } from "./limits/request-limits.ts";
import type { RateShares } from "./limits/rate-shares.ts";

/** Parts of the HTTP server of every node, whether or not it takes calls. */
export interface OperationParts {
  readonly config: ServerConfig;
  readonly telemetry: Telemetry;
  readonly metrics: MetricsText;
  /** Used by GET /health/ready. */
  readonly readiness: () => Promise<Readiness>;
  /** Overrides of limits, for tests. */
  readonly limits?: Partial<RequestLimits>;
}

export interface ServerParts extends OperationParts {
  readonly directory: Pick<DirectoryService, "current" | "refresh">;
  readonly authenticator: Authenticator;
  readonly intake: Pick<Intake, "accept" | "preview" | "replay">;
  readonly db: Database;
  /**
   * For what people look at in the console: few sessions, and statements that take long are ended.
   */
  readonly consoleReads: Database;
  readonly webhooks: WebhookParts;
  /** The credentials in the example of POST auth/token, so that it works in the demo. */
  readonly exampleLogin?: ExampleLogin;
  /** Absent: limits of accounts hold for this server alone. */
  readonly rateShares?: RateShares;
  /** They open the console of the demo; none elsewhere. */
  readonly demoTickets?: readonly DemoTicket[];
  /** The folder of the built console, where it is not the usual one; for tests. */
  readonly consoleFolder?: string;
}

export interface WebhookParts {
  /** Where events may be sent to. */
  readonly rules: AddressRules;
  /** For tests of endpoints. */
  readonly poster: Pick<RequestPoster, "post">;
}

export interface ExampleLogin {
  readonly userName: string;
  readonly password: string;
  readonly domain: string;
}

/** Whoever knows the ticket is signed in as this person. */
export interface DemoTicket {
  readonly ticket: string;
  readonly username: string;
  /** The domain of an account; absent for staff. */
  readonly organisation?: string;
}

export type ServerConfig = Pick<
  Config,
  | "trustProxy"
  | "metricsAllow"
  | "console"
  | "staffAllow"
  | "maximumBodyBytes"
  | "idempotencyHours"
  | "tokenLifetimeSeconds"
  | "shutdownSeconds"
  | "workers"
>;

export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** Checks by name, such as `database` and `migrated`. Ready if all are true. */
export type Readiness = Readonly<Record<string, boolean>>;
