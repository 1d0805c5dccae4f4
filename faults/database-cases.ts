// Cases in which the database goes away while everything else lives on: restarted, closed to us, or
// out of disk.
import { spawnSync } from "node:child_process";
import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "../src/platform/uuid.ts";
import { type CaseContext, type FaultCase, longestOf, Skipped, timed, underLoad, untilBack } from "./case.ts";
import { holdsWithin } from "../bench/look.ts";
import { embedded } from "./process-cases.ts";
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
        return timed(async () => {
          await server.start();
          await untilBack(world);
        });
      });
      return { cuts, backMs, note: `${times} ×, away ${awayMs / 1000} s` };
    });
  } finally {
    await server.stop();
  }
}

/** The database may have so many beside those of the case itself, where the gateway wants ten. */
const fewSessions = 2;
const ownSessions = 2;

function fewConnections(context: CaseContext) {
  return underLoad(context, { policy: "hold" }, async (world) => {
    const { server, full } = context;
    const { databaseName: name } = world;
    const limit = (sessions: number) => execute(server.url, `alter database ${name} connection limit ${sessions}`);
    await limit(fewSessions + ownSessions);
    await execute(server.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await world.load.accepts(50);
    const scarceMs = full ? 16_000 : 4000;
    await delay(scarceMs);
    const backMs = await timed(async () => {
      await limit(-1);
      await untilBack(world);
    });
    return { backMs, note: `${fewSessions} sessions for ${scarceMs / 1000} s` };
  });
}

const poolSize = 4;

/**
 * Another session holds a lock that everything needs: each of a node's sessions ends up waiting for
 * it, and none is left.
 */
function exhaustedPool(context: CaseContext) {
  const env = { HODHOD_DATABASE_POOL_SIZE: String(poolSize) };
  return underLoad(context, { policy: "hold", env }, async (world) => {
    // Longer than the lease; in the long form longer than a statement may take.
    const lockedMs = context.full ? 20_000 : 11_000;
    const most = await world.db.dedicatedSession(async (client) => {
      await client.query("begin; lock table message in access exclusive mode");
      // The node's own work may be in need of fewer: none of a full window is claimed while the
      // answers to it wait.
      const asked = Array.from({ length: poolSize }, () => askAnything(world));
      let most = 0;
      await holdsWithin(lockedMs, async () => {
        const text = "select from pg_locks where not granted and relation = 'message'::regclass";
        most = Math.max(most, (await client.query(text)).rowCount ?? 0);
        return false;
      });
      await client.query("commit");
      await Promise.all(asked);
      return most;
    });
    world.check(most >= poolSize, `only ${most} of ${poolSize} sessions waited`);
    const note = `${most} of ${poolSize} sessions wait, ${lockedMs / 1000} s`;
    return { cuts: 1, backMs: await untilBack(world), note };
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
  return underLoad(context, { ...embedded, policy: "hold", prefix, callTimeoutMs: 3000 }, async (world) => {
    const { load } = world;
    const filler = world.seenByNode(path.join(world.dataDir ?? "", "filler"));
    const { calls } = load;
    await fill(filler);
    const { retries } = load;
    // What PostgreSQL has laid out ahead must be used up first.
    const isFelt = await holdsWithin(60_000, () => load.retries > retries);
    await delay(fullDiskMs);
    const backMs = await timed(async () => {
      await rm(filler);
      await untilBack(world);
    });
    return { cuts: 1, backMs, note: isFelt ? `noticed after ${load.calls - calls} calls` : "not noticed" };
  });
}

/** Writes until nothing more fits. */
async function fill(file: string): Promise<void> {
  for (const size of [1 << 20, 1 << 12]) {
    const block = Buffer.alloc(size);
    try {
      for (;;) await appendFile(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
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
  { name: "few-connections", title: "database limited to two sessions, hold", run: fewConnections },
  { name: "pool-exhausted", title: "every session of the pool waits for a lock, hold", run: exhaustedPool },
  { name: "disk-full", title: "disk full, hold", run: fullDisk },
];
