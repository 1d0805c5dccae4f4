// Cases in which the database goes away while everything else lives on: restarted, closed to us, or
// out of disk.
import { spawnSync } from "node:child_process";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CaseContext, type FaultCase, inWords, longestOf, Skipped, underLoad, untilBack } from "./case.ts";
import { uuidv7 } from "../src/platform/uuid.ts";
import { execute, OwnServer } from "./servers.ts";
import type { World } from "./world.ts";

/** Longer than the lease of a node: it loses its binds, and must come back by itself. */
const longerThanLeaseMs = 14_000;

interface Outage {
  readonly awayMs: number;
  readonly times: number;
  readonly cuts: number;
}

async function outage(context: CaseContext, { awayMs, times, cuts }: Outage) {
  const server = new OwnServer();
  await server.start();
  try {
    return await underLoad(context, { policy: "hold", server }, async (world) => {
      const backMs = await longestOf(times, async () => {
        await server.halt();
        await delay(awayMs);
        const begunAt = performance.now();
        await server.start();
        await untilBack(world);
        return performance.now() - begunAt;
      });
      return { cuts, backMs, note: `${inWords(times)}, away ${awayMs / 1000} s` };
    });
  } finally {
    await server.stop();
  }
}

/** The role may have so many sessions, where the gateway wants ten. */
const fewSessions = 2;
const scarceMs = 4000;

async function fewConnections(context: CaseContext) {
  const { server } = context;
  return underLoad(context, { policy: "hold", server }, async (world) => {
    const role = world.role ?? "";
    await execute(server, `alter role ${role} connection limit ${fewSessions}`);
    await execute(server, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    await world.load.accepts(50);
    await delay(context.full ? scarceMs * 4 : scarceMs);
    const begunAt = performance.now();
    await execute(server, `alter role ${role} connection limit -1`);
    await untilBack(world);
    return { backMs: performance.now() - begunAt, note: `${fewSessions} sessions for ${scarceMs / 1000} s` };
  });
}

const poolSize = 4;

/**
 * Another session holds a lock that everything needs: each of a node's sessions ends up waiting for
 * it, and none is left.
 */
async function exhaustedPool(context: CaseContext) {
  const env = { HODHOD_DATABASE_POOL_SIZE: String(poolSize) };
  return underLoad(context, { policy: "hold", server: context.server, env }, async (world) => {
    // Longer than the lease; in the long form longer than a statement may take.
    const lockedMs = context.full ? 20_000 : 11_000;
    const most = await world.db.dedicatedSession(async (client) => {
      await client.query("begin; lock table message in access exclusive mode");
      // The node's own work may be in need of fewer: none of a full window is claimed while the
      // answers to it wait.
      const asked = Array.from({ length: poolSize }, () => askAnything(world));
      let most = 0;
      const until = performance.now() + lockedMs;
      while (performance.now() < until) {
        await delay(200);
        const { rows } = await client.query<{ count: number }>(
          "select count(*)::int as count from pg_locks where not granted and relation = 'message'::regclass",
        );
        most = Math.max(most, rows[0]?.count ?? 0);
      }
      await client.query("commit");
      await Promise.all(asked);
      return most;
    });
    const begunAt = performance.now();
    await untilBack(world);
    const problems = most < poolSize ? [`only ${most} of ${poolSize} sessions waited`] : [];
    const note = `${most} of ${poolSize} sessions wait, ${lockedMs / 1000} s`;
    return { cuts: 1, backMs: performance.now() - begunAt, note, problems };
  });
}

/** A call that needs a session and the messages, whatever its answer is. */
async function askAnything(world: World): Promise<void> {
  const response = await world.fetch("GET", `/messages/status/${uuidv7()}`).catch(() => undefined);
  await response?.text().catch(() => undefined);
}

const diskMegabytes = 220;
const fullDiskMs = 4000;

/** How a program can be given a small file system of its own here. */
function namespaceOptions(): readonly string[] {
  for (const options of [["-m"], ["-Urm"]]) {
    const { status } = spawnSync("unshare", [...options, "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]);
    if (status === 0) return options;
  }
  throw new Skipped("a small file system cannot be mounted here (unshare, mount)");
}

async function fullDisk(context: CaseContext) {
  const options = namespaceOptions();
  const script = `mount -t tmpfs -o size=${diskMegabytes}m,mode=755 tmpfs "$0" && exec "$@"`;
  const prefix = (dataDir: string): readonly string[] => ["unshare", ...options, "sh", "-c", script, dataDir];
  return underLoad(context, { policy: "hold", prefix, callTimeoutMs: 3000 }, async (world) => {
    const filler = world.seenByNode(path.join(world.dataDir ?? "", "filler"));
    const { calls } = world.load;
    await fill(filler);
    const refusedBefore = world.load.retries;
    const until = performance.now() + 60_000;
    // What PostgreSQL has laid out ahead must be used up first.
    while (world.load.retries === refusedBefore && performance.now() < until) await delay(100);
    const wasFelt = world.load.retries > refusedBefore;
    await delay(fullDiskMs);
    const begunAt = performance.now();
    await rm(filler);
    await untilBack(world);
    const note = wasFelt ? `noticed after ${world.load.calls - calls} calls` : "not noticed";
    return { cuts: 1, backMs: performance.now() - begunAt, note };
  });
}

/** Writes until nothing more fits. */
async function fill(file: string): Promise<void> {
  const handle = await open(file, "w");
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const block = Buffer.alloc(size);
      try {
        for (;;) if ((await handle.write(block)).bytesWritten < size) break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
  } finally {
    await handle.close();
  }
}

export const databaseCases: readonly FaultCase[] = [
  {
    name: "database-restart",
    title: "database stopped and started, hold",
    run: (context) => outage(context, { awayMs: 3000, times: context.full ? 4 : 1, cuts: 0 }),
  },
  {
    name: "database-outage",
    title: "database away longer than a lease, hold",
    run: (context) => outage(context, { awayMs: longerThanLeaseMs, times: 1, cuts: 1 }),
  },
  { name: "few-connections", title: "role limited to two sessions, hold", run: fewConnections },
  { name: "pool-exhausted", title: "every session of the pool waits for a lock, hold", run: exhaustedPool },
  { name: "disk-full", title: "disk full, hold", run: fullDisk },
];
