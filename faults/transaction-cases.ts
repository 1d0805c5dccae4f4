// Cases of a transaction that somebody else holds open while events are written: readers of the
// log wait for it, and nothing that commits late is passed over or comes out of order.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type AskedStatement, type Queryable, statementOf } from "../src/store/database.ts";
import { writeEvents } from "../src/store/event-log.ts";
import { type CaseContext, type CaseCounts, type FaultCase, must, underLoad } from "./case.ts";
import { EventReceiver, idsInLog, receiverSecret } from "./event-receiver.ts";
import type { DatabaseServer } from "./servers.ts";
import { holdsWithin } from "./look.ts";
import type { World } from "./world.ts";

/** The gateway measures every 10 s how far its readers are behind. */
const heldMs = 12_000;
const longHeldMs = 60_000;
const measuredEveryMs = 10_000;
const fewestEvents = 100;
const toldMs = 30_000;
const pollMs = 50;
const env = { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" };

/** Sessions with a transaction each, which has an id of its own. */
class Holders {
  readonly #clients: readonly pg.Client[];

  /** One whose event shall count, one whose event never happened, one in another database. */
  static async open(world: World, server: DatabaseServer): Promise<Holders> {
    // The age of a transaction of another role would count from when the gateway first saw it.
    const own = new URL(world.db.url);
    own.username = world.role ?? own.username;
    const urls = [own.href, own.href, server.url];
    const clients = urls.map((connectionString) => new pg.Client({ connectionString }));
    for (const client of clients) {
      await client.connect();
      await client.query("begin");
      await client.query("select pg_current_xact_id()");
    }
    const [committed, rolledBack] = clients;
    if (!committed || !rolledBack) throw new Error("no session to hold a transaction");
    await decide(committed, "committed");
    await decide(rolledBack, "rolledBack");
    return new Holders(clients);
  }

  private constructor(clients: readonly pg.Client[]) {
    this.#clients = clients;
  }

  async end(): Promise<void> {
    const [committed, rolledBack, elsewhere] = this.#clients;
    await rolledBack?.query("rollback");
    await committed?.query("commit");
    await elsewhere?.query("commit");
    await this.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end()));
  }
}

/** Writes what staff's decision on a template writes. */
async function decide(client: pg.Client, templateId: string): Promise<void> {
  const tx: Queryable = {
    query: async <Row>(...asked: AskedStatement) => {
      const { text, values } = statementOf(asked);
      return (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
    },
  };
  const [account] = await tx.query<{ id: number }>({ name: "", text: "select id from account limit 1", values: [] });
  if (!account) throw new Error("there is no account");
  await writeEvents(tx, [{ accountId: account.id, type: "template.decided", detail: { templateId, approved: true } }]);
}

interface ToldEvent {
  readonly id: string;
  readonly data: { readonly templateId?: string };
}

/** A customer who reads the log by `GET webhooks/events` as it grows. */
class LogReader {
  readonly events: ToldEvent[] = [];
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
      const page = (await response.json()) as { events: readonly ToldEvent[]; nextCursor?: string };
      this.events.push(...page.events);
      this.#cursor = page.nextCursor ?? this.#cursor;
      if (page.events.length === 0) return;
    }
  }

  /** Goes on reading until `isOver`. */
  async readUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.read();
      await delay(pollMs);
    }
  }

  async untilRead(ids: ReadonlySet<string>, deadlineMs: number): Promise<void> {
    const areRead = async (): Promise<boolean> => {
      await this.read();
      const read = new Set(this.events.map(({ id }) => id));
      return [...ids].every((id) => read.has(id));
    };
    await holdsWithin(deadlineMs, areRead, pollMs);
  }
}

interface Hold {
  readonly committedMeanwhile: number;
  readonly toldMeanwhile: number;
  /** What the metric said at the end. */
  readonly behindSeconds: number;
  readonly heldSeconds: number;
  /** From its end until all that had been written was read. */
  readonly backMs: number;
}

async function holdOpen(world: World, reader: LogReader, context: CaseContext): Promise<Hold> {
  const holders = await Holders.open(world, context.server);
  const begunAt = performance.now();
  try {
    // What was complete when they began may still be on its way to the reader.
    await reader.read();
    const [before, toldBefore] = [(await idsInLog(world)).size, reader.events.length];
    const until = begunAt + (context.full ? longHeldMs : heldMs);
    await reader.readUntil(() => performance.now() > until);
    while ((await idsInLog(world)).size - before < fewestEvents) await reader.read();
    const heldSeconds = (performance.now() - begunAt) / 1000;
    const behindSeconds = await world.node.metric("hodhod_events_behind_seconds");
    const written = await idsInLog(world);
    const toldMeanwhile = reader.events.length - toldBefore;
    const endedAt = performance.now();
    await holders.end();
    await reader.untilRead(written, toldMs);
    const backMs = performance.now() - endedAt;
    return { committedMeanwhile: written.size - before, toldMeanwhile, behindSeconds, heldSeconds, backMs };
  } catch (error) {
    await holders.close().catch(() => undefined);
    throw error;
  }
}

async function longTransaction(context: CaseContext): Promise<CaseCounts> {
  const receiver = await EventReceiver.start();
  try {
    const webhooks = [
      { name: "beside", url: `${receiver.url}/hook`, events: ["*"], batchSize: 20, secret: receiverSecret },
    ];
    const options = { policy: "hold", server: context.server, webhooks, env } as const;
    return await underLoad(context, options, async (world) => {
      const reader = new LogReader(world);
      await reader.read();
      const hold = await holdOpen(world, reader, context);
      let counts = "";
      const atRest = async (): Promise<readonly string[]> => {
        const judged = await judge(world, { reader, receiver, hold });
        counts = judged.note;
        return judged.problems;
      };
      const { heldSeconds, behindSeconds, committedMeanwhile } = hold;
      const note = (): string =>
        `3 transactions held for ${heldSeconds.toFixed(0)} s, ${committedMeanwhile} events meanwhile, ` +
        `told to be behind by ${behindSeconds.toFixed(0)} s; ${counts}`;
      return { backMs: hold.backMs, note, atRest };
    });
  } finally {
    await receiver.stop();
  }
}

interface Compared {
  readonly skipped: number;
  readonly disordered: number;
  readonly repeated: number;
}

/** What was read as it grew, against the whole log in its order. */
export function compareReadings(read: readonly string[], log: readonly string[]): Compared {
  const places = new Map(log.map((id, place) => [id, place]));
  const known = new Set(read);
  const disordered = read.filter((id, index) => {
    const previous = places.get(read[index - 1] ?? "") ?? -1;
    return index > 0 && (places.get(id) ?? -1) < previous;
  });
  return {
    skipped: log.filter((id) => !known.has(id)).length,
    disordered: disordered.length,
    repeated: read.length - known.size,
  };
}

async function judge(
  world: World,
  { reader, receiver, hold }: { reader: LogReader; receiver: EventReceiver; hold: Hold },
): Promise<{ note: string; problems: readonly string[] }> {
  const inTable = await idsInLog(world);
  await reader.untilRead(inTable, toldMs);
  const again = new LogReader(world);
  await again.read();
  const idsOf = ({ events }: LogReader): readonly string[] => events.map(({ id }) => id);
  const { skipped, disordered, repeated } = compareReadings(idsOf(reader), idsOf(again));
  const unread = [...inTable].filter((id) => !idsOf(again).includes(id)).length;
  const sent = await receiver.count(world, toldMs);
  const decisions = reader.events.flatMap(({ data }) => data.templateId ?? []);
  const note =
    `read ${reader.events.length}: ${skipped} skipped, ${disordered} out of order, ` +
    `${repeated} repeated; sent ${sent.happened}: ${sent.missing} missing`;
  const behindAtLeast = hold.heldSeconds - measuredEveryMs / 1000 - 1;
  return {
    note,
    problems: [
      ...must(skipped === 0, `${skipped} events skipped`),
      ...must(unread === 0, `${unread} events that the log has and nobody can read`),
      ...must(disordered === 0, `${disordered} events out of order`),
      ...must(repeated === 0, `${repeated} events read twice`),
      ...must(sent.missing === 0, `${sent.missing} events missing at the endpoint`),
      ...must(sent.untrue === 0, `${sent.untrue} events sent that did not happen`),
      ...must(hold.toldMeanwhile === 0, `${hold.toldMeanwhile} events told behind a transaction that is not over`),
      ...must(decisions.join() === "committed", `the held transactions made the events ${decisions.join() || "none"}`),
      ...must(
        hold.behindSeconds > 0 && hold.behindSeconds >= behindAtLeast,
        `hodhod_events_behind_seconds told ${hold.behindSeconds} after ${hold.heldSeconds.toFixed(0)} s`,
      ),
    ],
  };
}

export const transactionCases: readonly FaultCase[] = [
  {
    name: "long-transaction",
    title: "foreign transactions held open while events are written, hold",
    needsQuiet: true,
    run: longTransaction,
  },
];
