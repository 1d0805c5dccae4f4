import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import { recoverClaims } from "../../src/maintenance/recover-claims.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { type DatabaseWire, openDatabaseWire } from "../support/database-wire.ts";
import {
  count,
  eventually,
  openWorld,
  readMessage,
  readMessages,
  seedNode,
  storeCall,
  storeMessage,
  type World,
  type WorldPlan,
} from "../support/factories.ts";
import { startBoundNode, startNode, type TestNode } from "../support/node.ts";
import { changeObjects } from "../support/object-sql.ts";

let world: World;
let smsc: SimulatedSmsc;
const nodes: TestNode[] = [];
let openedWire: DatabaseWire | undefined;

beforeEach(async () => {
  smsc = await startSimulatedSmsc({ behaviours: [] });
});

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  await openedWire?.close();
  openedWire = undefined;
  await smsc.stop();
  await world.close();
});

async function setUp(settings: Partial<ConnectorSettings> = {}, plan: WorldPlan = {}): Promise<void> {
  world = await openWorld({ connectors: [{ name: "sim", settings: { port: smsc.port, ...settings } }], ...plan });
}

async function start(alone = false): Promise<TestNode> {
  const node = await startNode(world, { alone });
  nodes.push(node);
  return node;
}

async function startBound(...given: Parameters<typeof startBoundNode>): Promise<TestNode> {
  const node = await startBoundNode(...given);
  nodes.push(node);
  return node;
}

async function startOverWire(options: Parameters<typeof startBoundNode>[1] = {}) {
  const wire = await openDatabaseWire(world.url);
  openedWire = wire;
  return { wire, node: await startBound({ ...world, url: wire.url }, options) };
}

const bindsOf = async (node: TestNode): Promise<number> =>
  count(world, `bind_lease where node_id = '${node.membership.nodeId}' and bound`);

const recover = ({ db, telemetry, membership, recorder, wakeUp }: TestNode): Promise<Record<string, number>> =>
  recoverClaims({
    db,
    telemetry,
    directory: world.directory,
    membership,
    alone: true,
    outcomesFlushed: () => recorder.flushed(),
    onQueued: () => wakeUp.announce({ urgent: false }),
  });

/** The most sessions that stood at the SMSC at one time, from now on. */
function watchSessions(): () => number {
  let most = smsc.sessions.length;
  smsc.on("bind", () => (most = Math.max(most, smsc.sessions.length)));
  return () => most;
}

describe("a claim that is stored, and of which its node knows nothing", () => {
  it("goes back to the queue while the node works", async () => {
    await setUp();
    const node = await start();
    await eventually(async () => (await bindsOf(node)) === 1);
    // Not due, so that nobody claims it before or afterwards.
    const id = await storeMessage(world, {}, { sendAt: new Date(Date.now() + 3_600_000) });
    await world.rows(
      `with taken as (delete from message_queue where message_id = $4 returning account_id, message_id)
       insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids, claimed_at)
       select $1, $2, $3, 1, array_agg(account_id), array_agg(message_id), now() - interval '1 minute' from taken`,
      [uuidv7(), node.membership.nodeId, world.connector().id, id],
    );
    await eventually(async () => (await count(world, "claim")) === 0, 60_000);
    expect(await world.rows("select message_id as id from message_queue")).toEqual([{ id }]);
  });
});

describe("the binds of a connector", () => {
  it("are shared by the nodes that have the local address; a node without it says so", async () => {
    await setUp({ binds: 2, localAddress: "127.0.0.1" });
    await world.rows(
      `insert into node (id, host, pid, configuration_version, lease_until, without_address)
       values ($1, 'elsewhere', 1, 0, now() + interval '1 hour', array[$2::int])`,
      [uuidv7(), world.connector().id],
    );
    const first = await start();
    await eventually(async () => (await bindsOf(first)) === 2);
    const second = await start();
    await eventually(async () => (await bindsOf(first)) === 1 && (await bindsOf(second)) === 1);
    const missing = second.telemetry.next("address.missing");
    await world.reconfigure(changeObjects("connectors", `'{"localAddress": "192.0.2.7"}'`));
    expect(await missing).toEqual({ connector: "sim", address: "192.0.2.7" });
    await eventually(async () => (await count(world, "bind_lease")) === 0);
    await world.reconfigure(changeObjects("connectors", `'{"localAddress": "127.0.0.1"}'`));
    await eventually(async () => (await bindsOf(first)) === 1 && (await bindsOf(second)) === 1);
  });

  it("are as even as they can be whoever comes and goes, and each moves once: 4 on 3 nodes stand 2, 1 and 1", async () => {
    await setUp({ binds: 4 });
    const most = watchSessions();
    let opened = 0;
    smsc.on("bind", () => (opened += 1));
    const shares = async (): Promise<number[]> =>
      (await Promise.all(nodes.map(bindsOf))).sort((one, other) => other - one);
    const untilShares = (...wanted: number[]): Promise<void> =>
      eventually(async () => JSON.stringify(await shares()) === JSON.stringify(wanted));
    await start();
    await untilShares(4);
    await start();
    await untilShares(2, 2);
    await start();
    await untilShares(2, 1, 1);
    // Three nodes' rounds later everything is where it was.
    for (let round = 0; round < 3; round += 1) for (const { supervisor } of nodes) await supervisor.review();
    expect(opened).toBe(4 + 2 + 1);
    await nodes.shift()?.stop();
    await untilShares(2, 2);
    expect(most()).toBe(4);
    expect(opened).toBeLessThanOrEqual(4 + 2 + 1 + 2);
  });

  it("stay open with a rate limit when another node comes: each has the share of the rate that its binds are", async () => {
    await setUp({ binds: 3, partsPerSecond: 60 });
    let opened = 0;
    smsc.on("bind", () => (opened += 1));
    const first = await start();
    await eventually(async () => (await bindsOf(first)) === 3);
    const second = await start();
    await eventually(async () => (await bindsOf(first)) === 2 && (await bindsOf(second)) === 1);
    expect(opened).toBe(4);
    const times: number[] = [];
    smsc.on("submit", () => times.push(performance.now()));
    const parts = 480;
    for (let stored = 0; stored < parts; stored += 80)
      await storeCall(world, { messages: Array.from({ length: 80 }, () => ({})) });
    await eventually(() => times.length === parts);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    // A short burst aside, 60 a second.
    expect(parts / seconds).toBeLessThan(72);
    expect(parts / seconds).toBeGreaterThan(30);
  });

  it("stand again after they were closed while the database was away for a moment", async () => {
    await setUp();
    const { wire, node } = await startOverWire({ alone: false });
    const unbound = smsc.next("unbind");
    const failed = node.telemetry.next("service.failed", ({ service }) => service === "connectors");
    wire.break();
    await world.reconfigure(changeObjects("connectors", `'{"enabled": false}'`));
    await unbound;
    await failed;
    expect(await count(world, "bind_lease")).toBe(1);
    const bound = smsc.next("bind");
    wire.mend();
    await world.reconfigure(changeObjects("connectors", `'{"enabled": true}'`));
    await bound;
  });

  it("are told to be given up when the connector is disabled, and when another node takes one over", async () => {
    await setUp({ binds: 2 });
    const first = await start();
    await eventually(async () => (await bindsOf(first)) === 2);
    const moved = first.telemetry.next("bind.released");
    const second = await start();
    const { bindNumber } = await moved;
    await eventually(async () => (await bindsOf(first)) === 1 && (await bindsOf(second)) === 1);
    const released = [first, second].map(({ telemetry }) => telemetry.next("bind.released"));
    const retired = [first, second].map(({ telemetry }) => telemetry.next("connector.retired"));
    await world.reconfigure(changeObjects("connectors", `'{"enabled": false}'`));
    expect(await Promise.all(retired)).toEqual([{ connector: "sim" }, { connector: "sim" }]);
    expect(await Promise.all(released)).toEqual([
      { connector: "sim", bindNumber: 3 - bindNumber },
      { connector: "sim", bindNumber },
    ]);
  });

  it("move to the others when a node leaves, and when one has died", async () => {
    await setUp({ binds: 2 });
    const most = watchSessions();
    const dead = await seedNode(world, 60);
    await world.rows("insert into bind_lease values ($1, 1, $2, true, now())", [world.connector().id, dead]);
    const [first, second] = [await start(), await start()];
    await eventually(async () => (await bindsOf(first)) + (await bindsOf(second)) === 1);
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    await eventually(async () => (await bindsOf(first)) === 1 && (await bindsOf(second)) === 1);
    await first.stop();
    await eventually(async () => (await bindsOf(second)) === 2);
    expect(most()).toBe(2);
  });

  it("are closed by a node that has lost its lease, and opened again under the new one", async () => {
    await setUp();
    const node = await startBound(world, { alone: false });
    const before = node.membership.nodeId;
    const unbound = smsc.next("unbind");
    const again = smsc.next("bind");
    await world.rows("update node set lease_until = now() - interval '1 second'");
    await node.membership.renew();
    await unbound;
    await again;
    expect(node.membership.nodeId).not.toBe(before);
    const id = await storeMessage(world);
    await eventually(async () => (await readMessage(world, id)).status === 2);
  });

  it("follow the configuration: other settings, disabled, removed", async () => {
    await setUp();
    await startBound(world);
    const rebound = smsc.next("bind", ({ system_id }) => system_id === "changed");
    await world.reconfigure(changeObjects("connectors", `'{"systemId": "changed"}'`));
    await rebound;
    const disabled = smsc.next("unbind");
    await world.reconfigure(changeObjects("connectors", `'{"enabled": false}'`));
    await disabled;
    await eventually(async () => (await count(world, "bind_lease")) === 0);
    const enabled = smsc.next("bind");
    await world.reconfigure(changeObjects("connectors", `'{"enabled": true}'`));
    await enabled;
  });

  it("case 29: end together: the answers that one operator owes are waited for, and hold up no other's", async () => {
    const connectors = ["silent", "other"].map((name) => ({ name, settings: { port: smsc.port, systemId: name } }));
    await setUp({}, { connectors });
    await startBound(world, { drainMs: 10_000 }, ["silent", "other"]);
    smsc.pauseAnswers();
    const submitted = smsc.next("submit");
    await storeCall(world);
    await submitted;
    const ended = smsc.next("unbind", ({ systemId }) => systemId === "other");
    await world.reconfigure(changeObjects("connectors", `'{"enabled": false}'`));
    await ended;
    expect(smsc.sessions.map(({ bound }) => bound?.system_id)).toEqual(["silent"]);
    smsc.resumeAnswers();
  });

  it("stay open when only the wait for receipts, or their group, changes", async () => {
    await setUp();
    let opened = 0;
    smsc.on("bind", () => (opened += 1));
    const node = await startBound(world);
    await world.reconfigure(changeObjects("connectors", `'{"receiptDeadlineHours": 5, "receiptGroup": "other"}'`));
    await node.supervisor.review();
    expect([opened, smsc.sessions.length]).toEqual([1, 1]);
    const rebound = smsc.next("bind");
    await world.reconfigure(changeObjects("connectors", `'{"window": 7}'`));
    await rebound;
    expect(opened).toBe(2);
  });

  it("case 29: a stop while the configuration changes leaves no bind open", async () => {
    await setUp({ binds: 3 });
    const node = await startBoundNode(world);
    const changed = world.reconfigure(changeObjects("connectors", `'{"window": 7}'`));
    const stopped = node.stop();
    await changed;
    await stopped;
    await eventually(() => smsc.sessions.length === 0);
    expect(await count(world, "bind_lease")).toBe(0);
  });
});

describe("a route with several connectors", () => {
  it("case 16: fails over to the next when the preferred one is down, and back when it is up again", async () => {
    const backup = await startSimulatedSmsc({ behaviours: [] });
    await setUp(
      {},
      {
        connectors: [
          { name: "sim", settings: { port: smsc.port } },
          { name: "backup", settings: { port: backup.port } },
        ],
        routes: [{ connectors: ["sim", "backup"] }],
      },
    );
    const node = await startBound(world, {}, ["sim", "backup"]);
    await storeCall(world);
    await eventually(() => smsc.counters.accepted === 1);
    smsc.refuseBinds(13);
    smsc.cutLinks();
    const waiting = await storeMessage(world);
    await eventually(async () => (await readMessage(world, waiting)).status === 2);
    expect(backup.counters.accepted).toBe(1);
    const again = node.telemetry.next(
      "bind.changed",
      ({ connector, state }) => connector === "sim" && state === "bound",
    );
    smsc.refuseBinds(undefined);
    await again;
    const later = await storeMessage(world);
    await eventually(async () => (await readMessage(world, later)).status === 2);
    expect([smsc.counters.accepted, backup.counters.accepted]).toEqual([2, 1]);
    await backup.stop();
  });
});

describe("case 5: a database that goes away and comes back", () => {
  it("all binds are down before the lease ends, though the database says nothing and a claim waits for its answer", async () => {
    await setUp({ binds: 2 });
    const { wire, node } = await startOverWire({ alone: false });
    await eventually(async () => (await bindsOf(node)) === 2);
    wire.silence();
    await storeCall(world, { messages: [{}, {}] });
    node.wakeUp.announce({ urgent: true });
    await eventually(() => smsc.sessions.length === 0);
    const downAt = new Date();
    expect(await world.rows("select from node where lease_until > $1", [downAt])).toHaveLength(1);
    expect(smsc.counters.submits).toBe(0);
    wire.break();
    wire.mend();
  });

  it("sends what was in a claim whose answer was lost as soon as it is back, and not half a minute later", async () => {
    await setUp();
    const { wire } = await startOverWire();
    // The cut may hit a claim that finds nothing.
    for (let tries = 0; tries === 0;) {
      wire.cutAt("claimDueMessages", "after the server");
      const id = await storeMessage(world);
      await eventually(async () => (await readMessage(world, id)).status === 2, 15_000);
      ({ tries } = await readMessage(world, id));
    }
  }, 120_000);

  it("loses no message and sends none twice: what was answered meanwhile is written down before anything is taken over", async () => {
    await setUp({ window: 20 });
    const { wire, node } = await startOverWire();
    smsc.pauseAnswers();
    const ids = await storeCall(world, { messages: Array.from({ length: 20 }, () => ({})) });
    await eventually(() => smsc.submitted.length === 20);
    const failed = node.telemetry.next("service.failed", ({ service }) => service === "outcome-recorder");
    wire.break();
    smsc.resumeAnswers();
    await failed;
    // As if the outage had outlasted the lease.
    await world.rows("update node set lease_until = now() - interval '1 second'");
    wire.mend();
    await node.membership.renew();
    const recovered = await recover(node);
    expect(recovered).toEqual({ resent: 0, held: 0, failed: 0 });
    await eventually(async () => {
      await node.receipts.applyParked();
      return (await readMessages(world, ids)).every(({ status }) => status === 2);
    });
    expect(smsc.counters.submits).toBe(20);
  });
});
