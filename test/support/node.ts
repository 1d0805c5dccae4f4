// One node's dispatch services on a world's database: everything between the queue and the operator, wired
// by the gateway, with the intake beside it. Several of them on one world are a cluster in one
// process.
import type { ConnectorSupervisor } from "../../src/dispatch/connector-supervisor.ts";
import { WakeUp } from "../../src/dispatch/wake-up.ts";
import { type DispatchServices, buildDispatchServices } from "../../src/app/gateway.ts";
import { Intake } from "../../src/intake/accept-batch.ts";
import { watchDueWork } from "../../src/maintenance/due-work.ts";
import { releaseDueMessages } from "../../src/maintenance/move-waiting.ts";
import { PeriodicService, type Service, startAll, stopAll } from "../../src/platform/service.ts";
import { Database } from "../../src/store/database.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import type { World } from "./factories.ts";

export interface TestNode extends Omit<DispatchServices, "connectors"> {
  readonly telemetry: Telemetry;
  readonly db: Database;
  readonly supervisor: ConnectorSupervisor;
  readonly intake: Intake;
  readonly wakeUp: WakeUp;
  stop(): Promise<void>;
}

export interface TestNodeOptions {
  readonly alone?: boolean;
  readonly drainMs?: number;
}

/** Starts without waiting for its binds: ask its telemetry for "bind.changed". */
export async function startNode(
  world: World,
  { alone = true, drainMs = 2000 }: TestNodeOptions = {},
): Promise<TestNode> {
  const node = buildNode(world, { alone, drainMs });
  await startAll(node.services);
  return node;
}

/**
 * Starts, and waits until a bind of each connector named stands (the first one's, when none is).
 */
export async function startBoundNode(
  world: World,
  options: TestNodeOptions = {},
  connectors: readonly string[] = [world.connector().name],
): Promise<TestNode> {
  const node = buildNode(world, { alone: true, drainMs: 2000, ...options });
  const bound = connectors.map((name) =>
    node.telemetry.next("bind.changed", ({ connector, state }) => connector === name && state === "bound"),
  );
  await startAll(node.services);
  await Promise.all(bound);
  return node;
}

function buildNode(world: World, { alone, drainMs }: Required<TestNodeOptions>): TestNode & { services: Service[] } {
  const telemetry = new Telemetry();
  const db = Database.open({ url: world.url, poolSize: 8, telemetry });
  const { directory } = world;
  const wakeUp = new WakeUp(db, () => !alone);
  const { connectors, ...dispatch } = buildDispatchServices({ db, telemetry, directory, wakeUp, alone, drainMs });
  const { membership, recorder, receipts, inbound } = dispatch;
  const releaseDue = new PeriodicService({
    ...{ name: "release-due", everyMs: 250, telemetry },
    runOnce: (signal) => releaseDueMessages({ db, announceDue: (due) => wakeUp.announce(due) }, signal),
  });
  const intake = new Intake({
    db,
    telemetry,
    queueLimit: 20_000,
    idempotencyHours: 24,
    validitySeconds: 86_400,
    announceDue: (due) => wakeUp.announce(due),
    directDispatch: dispatch.directDispatch,
  });
  const dueWork = watchDueWork({ db, telemetry, services: [connectors] });
  const services = [membership, wakeUp, recorder, receipts, inbound, connectors, releaseDue, intake, dueWork];
  let stopped: Promise<void> | undefined;
  return {
    telemetry,
    db,
    ...dispatch,
    supervisor: connectors,
    intake,
    wakeUp,
    services,
    stop: () => (stopped ??= stopAll(services).finally(() => db.close())),
  };
}
