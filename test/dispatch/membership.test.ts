import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Membership } from "../../src/dispatch/membership.ts";
import { Database } from "../../src/store/database.ts";
import { readBindHolders } from "../../src/store/nodes.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import { clear, count, eventually, seedNode, useWorld } from "../support/factories.ts";

const world = useWorld();
const started: Membership[] = [];

beforeEach(async () => {
  await clear(world);
});

afterEach(async () => {
  for (const membership of started.splice(0)) await membership.stop();
});

/** A directory whose version the test raises. */
class Configuration {
  current = { version: 1n };
  readonly #listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  raise(version: bigint): void {
    this.current = { version };
    for (const listener of this.#listeners) listener();
  }
}

async function join({
  alone = false,
  db = world.db,
  telemetry = new Telemetry(),
  directory = new Configuration(),
  dispatches = true,
} = {}): Promise<Membership> {
  const membership = new Membership({ db, telemetry, directory, alone, dispatches });
  started.push(membership);
  await membership.start();
  return membership;
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Nodes among which the binds are shared out. */
async function sharers(): Promise<number> {
  return (await readBindHolders(world.db)).nodeIds.length;
}

function leaseOf({ nodeId }: Membership): Promise<{ until: number }[]> {
  return world.rows("select extract(epoch from lease_until)::float8 as until from node where id = $1", [nodeId]);
}

describe("Membership", () => {
  it("is among those that share the binds while it lives", async () => {
    const first = await join();
    expect([await sharers(), first.isLeaseHeld]).toEqual([1, true]);
    const second = await join();
    expect(await sharers()).toBe(2);
    await second.stop();
    expect(await sharers()).toBe(1);
    expect([first.isLeaseHeld, second.isLeaseHeld]).toEqual([true, false]);
  });

  it("tells at once that it works by another configuration, and with each renewal", async () => {
    const directory = new Configuration();
    const membership = await join({ directory });
    const versions = (): Promise<unknown> => world.rows("select configuration_version::int as version from node");
    // Not before calls are answered: a command that waits for this node would return too early.
    expect(await versions()).toEqual([{ version: 0 }]);
    await membership.renew();
    expect(await versions()).toEqual([{ version: 0 }]);
    await membership.announcement.start?.();
    expect(await versions()).toEqual([{ version: 1 }]);
    directory.raise(2n);
    await eventually(async () => JSON.stringify(await versions()) === '[{"version":2}]');
    directory.current = { version: 3n };
    await membership.renew();
    expect(await versions()).toEqual([{ version: 3 }]);
  });

  it("tells the database's clock, whatever the wall clock of this machine shows", async () => {
    const db = Database.open({ url: world.db.url });
    try {
      db.clock.heard(new Date(0), performance.now());
      expect(db.clock.now()).toBeLessThan(60_000);
      const askedAt = performance.now();
      await join({ db });
      const [row] = await world.rows<{ now: Date }>("select clock_timestamp() as now");
      const slackMs = performance.now() - askedAt;
      expect(Math.abs(db.clock.now() - (row?.now.getTime() ?? 0))).toBeLessThanOrEqual(slackMs + 1);
    } finally {
      await db.close();
    }
  });

  it("is entered without a share in the binds where it only takes calls", async () => {
    await join();
    await join({ dispatches: false });
    expect(await sharers()).toBe(1);
    expect(await count(world, "node")).toBe(2);
  });

  it("takes everybody else for dead where it owns the database", async () => {
    await seedNode(world, 60);
    await join({ alone: true });
    expect(await sharers()).toBe(1);
    expect(await count(world, "node")).toBe(1);
  });

  it("comes back under another name when its lease had run out, and tells it: what the old one held is not its own any more", async () => {
    const telemetry = new Telemetry();
    const told: boolean[] = [];
    telemetry.on("node.lease", ({ held }) => told.push(held));
    const membership = await join({ telemetry });
    const before = membership.nodeId;
    let held: boolean | undefined;
    membership.onLeaseLost(() => (held = membership.isLeaseHeld));
    await world.rows("update node set lease_until = now() - interval '1 second'");
    await membership.renew();
    expect([held, membership.isLeaseHeld]).toEqual([false, true]);
    expect(told).toEqual([true, false, true]);
    expect(membership.nodeId).not.toBe(before);
    expect(await world.rows("select id from node")).toEqual([{ id: membership.nodeId }]);
  });

  it("knows a connector as up from the moment that it is bound somewhere", async () => {
    const membership = await join();
    const { id } = world.connector();
    expect(membership.isConnectorUp(id)).toBe(false);
    await world.rows("insert into bind_lease values ($1, 1, $2, true, now())", [id, await seedNode(world, 60)]);
    await membership.renew();
    expect(membership.isConnectorUp(id)).toBe(true);
  });

  it("keeps its lease while every session of the pool is at work", async () => {
    const small = Database.open({ url: world.url, poolSize: 1 });
    const membership = await join({ db: small });
    const isTaken = deferred();
    const end = deferred();
    const working = small.transaction(async () => {
      isTaken.resolve();
      await end.promise;
    });
    await isTaken.promise;
    const [{ until: before } = { until: 0 }] = await leaseOf(membership);
    await membership.renew();
    const [{ until: after } = { until: 0 }] = await leaseOf(membership);
    expect(after).toBeGreaterThan(before);
    expect(membership.isLeaseHeld).toBe(true);
    end.resolve();
    await working;
    await membership.stop();
    await small.close();
  });

  it("counts its lease as over before the database does: what it has written by then is its own", async () => {
    const membership = await join();
    await membership.renew();
    // Both on this machine: what the database says is left of the lease, and when this node stops.
    const [{ leftMs } = { leftMs: 0 }] = await world.rows<{ leftMs: number }>(
      `select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as "leftMs" from node where id = $1`,
      [membership.nodeId],
    );
    const endsForTheDatabaseAt = performance.now() + leftMs;
    // The clock that leases are counted by stands at the moment in question.
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    const isHeldBefore = (ms: number): boolean => {
      clock.mockReturnValue(endsForTheDatabaseAt - ms);
      return membership.isLeaseHeld;
    };
    expect([isHeldBefore(1900), isHeldBefore(9000)]).toEqual([false, true]);
  });

  it("case 5: keeps asking without growing pauses while the database is away, reports it once, and tells that its lease has ended", async () => {
    const telemetry = new Telemetry();
    const wire = await openDatabaseWire(world.url, telemetry);
    const failures: unknown[] = [];
    telemetry.on("service.failed", (event) => failures.push(event));
    const membership = await join({ db: wire.db, telemetry });
    const lost = telemetry.next("node.lease", ({ held }) => !held);
    wire.break();
    await lost;
    expect(membership.isLeaseHeld).toBe(false);
    const again = [telemetry.next("service.recovered"), telemetry.next("node.lease", ({ held }) => held)];
    wire.mend();
    await Promise.all(again);
    expect(failures).toHaveLength(1);
    expect(membership.isLeaseHeld).toBe(true);
    await membership.stop();
    await wire.close();
  });
});
