// Cases of a transaction that somebody else holds open while events are written: readers of the
// log wait for it, and nothing that commits late is passed over or comes out of order.
import { setTimeout as delay } from "node:timers/promises";
import { Database, type Queryable } from "../src/store/database.ts";
import { writeEvents } from "../src/store/event-log.ts";
import { type CaseContext, type CaseCounts, type FaultCase, underLoad } from "./case.ts";
import { EventReceiver, idsInLog, receiverSecret } from "./event-receiver.ts";
import { holdsWithin } from "../bench/look.ts";
import type { World } from "./world.ts";

/** The gateway measures every 10 s how far its readers are behind. */
const heldAtLeastMs = 12_000;
const longHeldMs = 60_000;
const measuredEveryMs = 10_000;
const fewestEvents = 100;
/** Until the transactions are open. */
const settleMs = 500;
const timeoutMs = 120_000;
const readMs = 30_000;
const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };

class RolledBack extends Error {}

/**
 * Holds a transaction open that writes what staff's decision on a template writes, until `isOver`;
 * in another database it writes nothing. Resolves with its end.
 */
async function hold(
  url: string,
  templateId: "committed" | "rolledBack" | undefined,
  isOver: Promise<void>,
): Promise<void> {
  const db = Database.open({ url, poolSize: 1 });
  const work = async (tx: Queryable): Promise<void> => {
    await tx.query(
      "holdTransaction",
      "select pg_current_xact_id(), set_config('idle_in_transaction_session_timeout', '0', true)",
    );
    const [account] = templateId === undefined ? [] : await tx.query<{ id: number }>("anyAccount", anyAccount);
    if (account !== undefined && templateId !== undefined)
      await writeEvents(tx, [
        { accountId: account.id, type: "template.decided", detail: { templateId, approved: true } },
      ]);
    await isOver;
    if (templateId === "rolledBack") throw new RolledBack();
  };
  try {
    await db.transaction(work).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  } finally {
    await db.close();
  }
}

const anyAccount = "select id from account limit 1";

interface ReadEvent {
  readonly id: string;
  readonly data: { readonly templateId?: string };
}

/** A customer who reads the log by `GET webhooks/events` as it grows. */
class LogReader {
  readonly events: ReadEvent[] = [];
  #cursor: string | undefined;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Reads up to what is complete now. */
  async read(): Promise<void> {
    for (;;) {
      const after = this.#cursor === undefined ? "" : `&after=${encodeURIComponent(this.#cursor)}`;
      const response = await this.#world.fetch("GET", `/webhooks/events?count=100${after}`);
      if (!response.ok) throw new Error(`webhooks/events is answered ${response.status} ${await response.text()}`);
      const page = (await response.json()) as { events: readonly ReadEvent[]; nextCursor?: string };
      this.events.push(...page.events);
      this.#cursor = page.nextCursor ?? this.#cursor;
      if (page.events.length === 0) return;
    }
  }

  async untilRead(ids: ReadonlySet<string>): Promise<void> {
    const areRead = async (): Promise<boolean> => {
      await this.read();
      const read = new Set(this.events.map(({ id }) => id));
      return [...ids].every((id) => read.has(id));
    };
    await holdsWithin(readMs, areRead);
  }
}

/** Holds three transactions; answers how long reading was back after them. */
async function holdOpen(world: World, reader: LogReader, { server, full }: CaseContext): Promise<number> {
  // What was complete when they began may still be on its way to the reader.
  await reader.read();
  let end: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => (end = resolve));
  const { url } = world.db;
  const held: Promise<void>[] = [];
  try {
    held.push(hold(url, "committed", isOver), hold(url, "rolledBack", isOver));
    await delay(settleMs);
    // It is not the oldest: the gateway may not see the age of a transaction of another role.
    held.push(hold(server.url, undefined, isOver));
    await delay(settleMs);
    await reader.read();
    const [before, readBefore] = [(await idsInLog(world)).size, reader.events.length];
    const heldMs = full ? longHeldMs : heldAtLeastMs;
    const begunAt = performance.now();
    let written = new Set<string>() as ReadonlySet<string>;
    await holdsWithin(timeoutMs, async () => {
      await reader.read();
      written = await idsInLog(world);
      return performance.now() - begunAt > heldMs && written.size - before >= fewestEvents;
    });
    const meanwhile = reader.events.length - readBefore;
    const behind = await world.node().metric("hodhod_events_behind_seconds");
    world.check(meanwhile === 0, `${meanwhile} events were read behind a transaction that is not over`);
    world.check(
      behind >= (heldMs - measuredEveryMs) / 1000 - 1 && behind > 0,
      `hodhod_events_behind_seconds is ${behind}`,
    );
    world.notes.push(`3 transactions held for ${heldMs / 1000} s, ${written.size - before} events meanwhile`);
    const endedAt = performance.now();
    end();
    await reader.untilRead(written);
    return performance.now() - endedAt;
  } finally {
    end();
    await Promise.all(held);
  }
}

async function longTransaction(context: CaseContext): Promise<CaseCounts> {
  const receiver = await EventReceiver.start();
  try {
    const beside = {
      name: "beside",
      url: `${receiver.url}/hook`,
      events: ["*"],
      batchSize: 20,
      secret: receiverSecret,
    };
    const options = { policy: "hold", account: { webhooks: [beside] }, env } as const;
    return await underLoad(context, options, async (world) => {
      const reader = new LogReader(world);
      const backMs = await holdOpen(world, reader, context);
      return { backMs, atRest: () => checkReadings(world, reader, receiver) };
    });
  } finally {
    await receiver.stop();
  }
}

/** What was read as it grew, against the whole log in its order. */
async function checkReadings(world: World, reader: LogReader, receiver: EventReceiver): Promise<void> {
  const inTable = await idsInLog(world);
  await reader.untilRead(inTable);
  const again = new LogReader(world);
  await again.read();
  const [read, log] = [reader, again].map(({ events }) => events.map(({ id }) => id)) as [string[], string[]];
  const unread = [...inTable].filter((id) => !log.includes(id)).length;
  const decisions = reader.events.flatMap(({ data }) => data.templateId ?? []).join();
  world.check(unread === 0, `${unread} events that the log has and nobody can read`);
  world.check(read.join() === log.join(), "events were skipped, read twice or out of order");
  world.check(decisions === "committed", `the held transactions made the events ${decisions || "none"}`);
  world.notes.push(`read ${read.length}`, await receiver.checkEvents(world, "the endpoint"));
}

export const transactionCases: readonly FaultCase[] = [
  {
    name: "long-transaction",
    title: "foreign transactions held open while events are written, hold",
    needsQuiet: true,
    run: longTransaction,
  },
];
