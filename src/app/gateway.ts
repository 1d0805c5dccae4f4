// The composition root: builds every service, starts them in order and stops them in reverse order.
import type { AddressInfo } from "node:net";
import { Authenticator } from "../credentials/authenticator.ts";
import { saveKeyUses } from "../credentials/api-keys.ts";
import { recordSignIns, SignIns } from "../credentials/sign-ins.ts";
import { tokenKeyRotation } from "../credentials/access-token.ts";
import type { Config, NodeRole } from "../platform/config.ts";
import { DirectoryService } from "../directory/directory-service.ts";
import { ConnectorSupervisor } from "../dispatch/connector-supervisor.ts";
import { DirectDispatch } from "../dispatch/direct-dispatch.ts";
import { Membership } from "../dispatch/membership.ts";
import { OutcomeRecorder } from "../dispatch/outcome-recorder.ts";
import { WakeUp } from "../dispatch/wake-up.ts";
import { FiguresReporter } from "../figures/report-figures.ts";
import { productVersion } from "../http/openapi.ts";
import { RateShares } from "../http/limits/rate-shares.ts";
import { buildOperationServer, buildServer } from "../http/server.ts";
import type { DemoTicket, ExampleLogin } from "../http/server-parts.ts";
import { openWebhookParts } from "../http/webhooks/endpoint-call.ts";
import { InboundReceiver } from "../inbound/receive-messages.ts";
import { ReceiptReceiver } from "../inbound/receive-receipts.ts";
import { Intake } from "../intake/accept-batch.ts";
import { feedCampaigns } from "../intake/feed-campaigns.ts";
import { sendReplies } from "../intake/send-replies.ts";
import { watchDueWork } from "../maintenance/due-work.ts";
import { maintenanceTasks } from "../maintenance/tasks.ts";
import type { Metrics } from "../platform/metrics.ts";
import { prepareDatabase, untilReachable } from "./prepare-database.ts";
import { PeriodicService, type Service, startAll, stopAll } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import { LimitedDatabase } from "../store/limited-database.ts";
import { checkSchema, readMigrations } from "../store/migrate.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { WebhookService } from "../webhooks/webhook-service.ts";

/**
 * Length of the queue of connections that the server has not accepted yet. Linux also limits it
 * (net.core.somaxconn). A client that finds the queue full tries again after seconds.
 */
const connectionsWaiting = 4096;

export interface GatewayOptions {
  readonly config: Config;
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  /** No other process can share this database (the embedded one, without workers). */
  readonly alone: boolean;
  /** The parent of this worker has prepared the database. */
  readonly isPrepared?: boolean;
  readonly progress?: (line: string) => void;
  /** Runs after the migration of the database and before anything else starts. */
  readonly prepare?: (db: Database) => Promise<void>;
  /** Ends the wait for an unreachable database; the start then throws. */
  readonly abort?: AbortSignal;
  /** Shown at /docs/api; for the demo. */
  readonly exampleLogin?: ExampleLogin;
  /** They open the console; for the demo. */
  readonly demoTickets?: readonly DemoTicket[];
}

export interface Gateway {
  /**
   * The address on which it accepts calls or, on a node that only dispatches, health probes and
   * metrics requests.
   */
  readonly address: string;
  readonly directory: DirectoryService;
  /** Runs one round of a background service by name, for tests. */
  runNow(serviceName: string): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/** What people look at in the console never takes more of the database than this. */
const consoleSessions = 2;
const consoleStatementTimeoutMs = 5_000;

/** While so many messages of calls wait for their commit, campaigns wait. */
const campaignsYieldTo = 200;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { db } = options;
  if (options.isPrepared !== true) await prepareDatabase(options);
  else await untilReachable(db, options);
  await options.prepare?.(db);
  const parts = buildParts(options, readinessOf(db));
  await startAll(parts.services);
  return {
    address: parts.http.address(),
    directory: parts.directory,
    runNow: (serviceName) => runNow(parts.services, serviceName),
    stop: () => stopAll(parts.services),
  };
}

type Readiness = () => Promise<Record<string, boolean>>;

interface Parts {
  readonly services: readonly Service[];
  readonly directory: DirectoryService;
  readonly http: HttpServices;
}

function buildParts(options: GatewayOptions, readiness: Readiness): Parts {
  const { config, db, telemetry, metrics, alone } = options;
  const directory = new DirectoryService({ database: db, telemetry, maximumParts: config.maximumParts });
  const wakeUp = new WakeUp(db, () => !alone);
  const has = (role: NodeRole): boolean => config.only === undefined || config.only.includes(role);
  const drainMs = Math.floor(config.shutdownSeconds * 500);
  // A node that only takes calls holds no binds and gets no share of them.
  const sending = { allow: config.webhookAllow, version: productVersion() };
  const dispatch = has("dispatch")
    ? buildDispatchServices({ db, telemetry, directory, wakeUp, alone, drainMs })
    : undefined;
  const membership = dispatch?.membership ?? new Membership({ db, telemetry, directory, alone, dispatches: false });
  const http = has("http")
    ? buildHttpServices(options, { directory, wakeUp, directDispatch: dispatch?.directDispatch, readiness })
    : openServer(config, buildOperationServer({ config, telemetry, metrics, readiness }));
  // Stopped in reverse order: the HTTP server closes, then the connectors drain, then their results
  // are written.
  const services: Service[] = [
    directory,
    tokenKeyRotation({ database: db, telemetry, tokenLifetimeSeconds: config.tokenLifetimeSeconds }),
    wakeUp,
    new FiguresReporter({ db, telemetry, heldBinds: dispatch && (() => dispatch.connectors.heldBinds) }),
    ...(dispatch ? dispatchServices(options, { directory, wakeUp, dispatch }) : [membership]),
    ...(has("webhooks") ? [new WebhookService({ db, telemetry, drainMs, ...sending })] : []),
    ...http.services,
  ];
  services.push(watchDueWork({ db, telemetry, services }), membership.announcement);
  return { services, directory, http };
}

export interface DispatchOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly directory: DirectoryService;
  readonly wakeUp: WakeUp;
  readonly alone: boolean;
  /** How long closing binds wait for outstanding answers. */
  readonly drainMs: number;
}

/** All services between the queue and the operators, in start order. */
export interface DispatchServices {
  readonly membership: Membership;
  readonly recorder: OutcomeRecorder;
  readonly receipts: ReceiptReceiver;
  readonly inbound: InboundReceiver;
  readonly replies: PeriodicService;
  readonly connectors: ConnectorSupervisor;
  /** Where the HTTP server of the same process hands messages over. */
  readonly directDispatch: DirectDispatch;
}

export function buildDispatchServices(options: DispatchOptions): DispatchServices {
  const { db, telemetry, directory, wakeUp, alone, drainMs } = options;
  const membership = new Membership({ db, telemetry, directory, alone, dispatches: true });
  const recorder = new OutcomeRecorder({ db, telemetry, directory });
  // Inbound traffic of operators cannot use up the connections that calls and submissions need.
  const incoming = new LimitedDatabase(db, { total: Math.max(1, Math.floor(db.poolSize / 2)) });
  const receipts = new ReceiptReceiver({ db: incoming, telemetry, directory, submissions: recorder });
  const replies = sendReplies({
    db: new LimitedDatabase(db, { total: 1 }),
    ...{ telemetry, directory },
    announceDue: () => wakeUp.announce({ urgent: false }),
  });
  const onReplyDue = (): void => replies.wake();
  const inbound = new InboundReceiver({ db: incoming, telemetry, directory, membership, onReplyDue });
  const connectors = new ConnectorSupervisor({
    db,
    telemetry,
    membership,
    recorder,
    wakeUp,
    directory,
    receipts,
    inbound,
    drainMs,
  });
  const directDispatch = new DirectDispatch({ connectors, membership });
  return { membership, recorder, receipts, inbound, replies, connectors, directDispatch };
}

function dispatchServices(
  { config, db, telemetry, alone }: GatewayOptions,
  { directory, wakeUp, dispatch }: { directory: DirectoryService; wakeUp: WakeUp; dispatch: DispatchServices },
): Service[] {
  const { membership, recorder, receipts, inbound, replies, connectors } = dispatch;
  return [
    ...[membership, recorder, receipts, inbound, replies, connectors],
    ...maintenanceTasks({
      ...{ db, telemetry, directory, membership, alone, receipts, inbound },
      idempotencyHours: config.idempotencyHours,
      outcomesFlushed: () => recorder.flushed(),
      announceDue: (due) => wakeUp.announce(due),
    }),
  ];
}

interface HttpServices {
  /** Started last and stopped first. */
  readonly services: readonly Service[];
  /** Known after the start. */
  address(): string;
}

interface HttpServiceParts {
  readonly directory: DirectoryService;
  readonly wakeUp: WakeUp;
  readonly directDispatch: DirectDispatch | undefined;
  readonly readiness: Readiness;
}

function buildHttpServices(
  { config, db, telemetry, metrics, alone, exampleLogin, demoTickets }: GatewayOptions,
  { directory, wakeUp, directDispatch, readiness }: HttpServiceParts,
): HttpServices {
  const intake = new Intake({
    db,
    telemetry,
    queueLimit: config.acceptQueueLimit,
    idempotencyHours: config.idempotencyHours,
    validitySeconds: config.validityHours * 3600,
    announceDue: (due) => wakeUp.announce(due),
    directDispatch,
  });
  const signIns = new SignIns({ telemetry });
  const keyUses = new Set<string>();
  const { tokenLifetimeSeconds } = config;
  const { workers } = config;
  const authenticator = new Authenticator({ directory, tokenLifetimeSeconds, signIns, keyUses, workers });
  const consoleReads = openConsoleReads(db, config.workers);
  const webhooks = openWebhookParts(config.webhookAllow);
  const rateShares = new RateShares({ db, telemetry, alone });
  const server = buildServer({
    config,
    directory,
    authenticator,
    intake,
    db,
    consoleReads,
    telemetry,
    metrics,
    readiness,
    rateShares,
    webhooks: webhooks.parts,
    ...(exampleLogin && { exampleLogin }),
    ...(demoTickets && { demoTickets }),
  });
  const http = openServer(config, server);
  const closeReads = { name: "console", stop: () => consoleReads.close() };
  const saveSignIns = recordSignIns({ database: db, signIns, telemetry });
  const saveUses = saveKeyUses({ database: db, uses: keyUses, telemetry });
  const campaigns = feedCampaigns({
    db: new LimitedDatabase(db, { total: 1 }),
    telemetry,
    directory,
    validitySeconds: config.validityHours * 3600,
    announceDue: (due) => wakeUp.announce(due),
    isBusy: () => intake.backlog > campaignsYieldTo,
  });
  return {
    ...http,
    services: [intake, campaigns, saveSignIns, saveUses, rateShares, closeReads, webhooks.service, ...http.services],
  };
}

function openConsoleReads(db: Database, workers: number): Database {
  return db.openApart({
    poolSize: Math.max(1, Math.floor(consoleSessions / workers)),
    statementTimeoutMs: consoleStatementTimeoutMs,
    isPipelined: true,
  });
}

function openServer({ host, port }: Config, server: ReturnType<typeof buildOperationServer>): HttpServices {
  let address = "";
  const http: Service = {
    name: "http",
    start: async () => {
      await server.listen({ host, port, backlog: connectionsWaiting });
      const { port: given } = server.server.address() as AddressInfo;
      address = `http://${host.includes(":") ? `[${host}]` : host}:${given}`;
    },
    stop: () => server.close(),
  };
  return { services: [http], address: () => address };
}

/** The migrations of this program are read once: they do not change while it runs. */
function readinessOf(db: Database): Readiness {
  const migrations = readMigrations();
  return () => readiness(db, migrations);
}

async function readiness(
  db: Database,
  migrations: ReturnType<typeof readMigrations>,
): Promise<Record<string, boolean>> {
  try {
    await db.ping();
  } catch {
    return { database: false, migrated: false };
  }
  const migrated = await checkSchema(db, migrations).then(
    () => true,
    () => false,
  );
  return { database: true, migrated };
}

function runNow(services: readonly Service[], serviceName: string): Promise<Record<string, number>> {
  const service = services.find(({ name }) => name === serviceName);
  if (!(service instanceof PeriodicService)) throw new Error(`there is no background service ${serviceName}`);
  return service.runNow();
}
