import { beforeEach, describe, expect, it } from "vitest";
import { RoundRobin } from "../../src/dispatch/bind-window.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { type AskedStatement, type Queryable, statementOf } from "../../src/store/database.ts";
import {
  claimDueMessages,
  type ClaimedMessage,
  findStrayRoutes,
  requeueMessages,
} from "../../src/store/message-queue.ts";
import { takeBackLostClaims, takeOverOrphanedClaims } from "../../src/store/claims.ts";
import { groupWaiting, measureQueue, releaseDue } from "../../src/store/queue-times.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { countAsAnswered, endUnsent, holdParts, releaseHeldParts } from "../../src/store/outcomes.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import {
  callOf,
  clear,
  count,
  found,
  longText,
  mci,
  readMessage,
  readMessages,
  seedNode,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";
import { rowsReadBy } from "../support/rows-read.ts";

const world = useWorld({
  accounts: [{ name: "a" }, { name: "b" }, { name: "c" }],
  connectors: [{ name: "sim" }, { name: "other" }],
  routes: [{ connectors: ["sim"] }, { operator: "none", connectors: ["other"] }],
});
let node: string;

beforeEach(async () => {
  await clear(world);
  node = await seedNode(world, 60);
});

function claim(
  partsLimit = 100,
  { db = world.db, nodeId = node, routeIds = world.routeIds } = {},
): Promise<ClaimedMessage[]> {
  return claimFrom(db, partsLimit, nodeId, routeIds);
}

function claimFrom(
  db: Queryable,
  partsLimit: number,
  nodeId: string,
  routeIds: readonly number[],
): Promise<ClaimedMessage[]> {
  const connectorId = world.connector().id;
  const ranges = new RoundRobin().ranges(routeIds, 0);
  return claimDueMessages(db, { claimId: uuidv7(), nodeId, connectorId, bindNumber: 1, ranges, partsLimit });
}

const contents = (messages: readonly ClaimedMessage[]): string[] => messages.map(({ content }) => content);

describe("claimDueMessages", () => {
  it("case 8: gives each message to one claimant, however many ask at once, and writes down what it gave", async () => {
    const ids = await storeCall(world, { messages: Array.from({ length: 200 }, () => ({})) });
    const claims: ClaimedMessage[][] = [];
    while (claims.flat().length < 200) claims.push(...(await Promise.all(Array.from({ length: 8 }, () => claim(10)))));
    const claimed = claims.flat().map(({ messageId }) => messageId);
    expect(claimed.sort()).toEqual([...ids].sort());
    const written = await world.rows<{ id: string }>("select unnest(message_ids) as id from claim");
    expect(written.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await count(world, "message_queue")).toBe(0);
  });

  it("gives nothing to a node whose lease has ended, and only the routes that were asked for", async () => {
    await storeCall(world);
    expect(await claim(100, { nodeId: await seedNode(world, -1) })).toEqual([]);
    expect(await claim(100, { nodeId: uuidv7() })).toEqual([]);
    expect(await claim(100, { routeIds: world.routeIds.slice(1) })).toEqual([]);
    expect(await count(world, "claim")).toBe(0);
    expect(await count(world, "message_queue")).toBe(1);
    expect(await claim()).toHaveLength(1);
  });

  it("leaves out a message that has ended meanwhile", async () => {
    const id = await storeMessage(world);
    await world.rows("update message set status = 2 where id = $1", [id]);
    expect(await claim()).toEqual([]);
    expect(await count(world, "message_queue")).toBe(0);
    // Nobody would ever settle it.
    expect(await count(world, "claim")).toBe(0);
  });
});

const requeueOf = (message: ClaimedMessage) => ({ ...message, delayMs: undefined });

describe("requeueMessages", () => {
  it("case 9: puts a message back once, at its old place, however often it is told", async () => {
    await storeCall(world, { messages: [{ content: "first" }, { content: "second" }] });
    const [first] = await claim(1);
    const back = requeueOf(found(first));
    await requeueMessages(world.db, [back]);
    await requeueMessages(world.db, [back]);
    expect(await count(world, "message_queue")).toBe(2);
    expect(contents(await claim())).toEqual(["first", "second"]);
    await requeueMessages(world.db, [back]);
    expect(await count(world, "message_queue")).toBe(0);
  });

  it("delays by the database's clock, and counts the attempt", async () => {
    await storeCall(world);
    const [message] = await claim();
    await requeueMessages(world.db, [{ ...requeueOf(found(message)), delayMs: 60_000, attempt: 1 }]);
    expect(await claim()).toEqual([]);
    const [row] = await world.rows<{ delay: number; attempt: number }>(
      "select extract(epoch from due_at - now())::float8 as delay, attempt from message_queue",
    );
    expect(found(row).attempt).toBe(1);
    expect(found(row).delay).toBeGreaterThan(50);
  });

  it("leaves out what has ended, and says of an unanswered one that its outcome is open", async () => {
    const [ended = "", open = ""] = await storeCall(world, { messages: [{}, {}] });
    const claimed = await claim();
    await world.rows("update message set status = 1 where id = $1", [ended]);
    await requeueMessages(
      world.db,
      claimed.map((message) => ({ ...requeueOf(message), open: { connectorId: world.connector().id, parts: [1] } })),
    );
    expect((await claim()).map(({ messageId }) => messageId)).toEqual([open]);
    expect(await readMessage(world, open)).toMatchObject({ status: 0, reason: 1302, tries: 1 });
    expect(await readMessage(world, ended)).toMatchObject({ status: 1, reason: null, tries: 0 });
  });
});

describe("held parts that were turned away after all", () => {
  const held = async (): Promise<{ message: ClaimedMessage; release: () => Promise<unknown> }> => {
    await storeCall(world, { messages: [{ content: longText(2) }] });
    const message = found((await claim())[0]);
    await holdParts(world.db, [{ ...message, connectorId: world.connector().id, part: 1 }]);
    return { message, release: () => releaseHeldParts(world.db, [{ ...message, part: 1 }]) };
  };

  it("leave nothing open of their message when they were the last", async () => {
    const { message, release } = await held();
    await holdParts(world.db, [{ ...message, connectorId: world.connector().id, part: 2 }]);
    await release();
    expect((await readMessage(world, message.messageId)).reason).toBe(1302);
    await releaseHeldParts(world.db, [{ ...message, part: 2 }]);
    expect((await readMessage(world, message.messageId)).reason).toBeNull();
  });

  it("leave open what another submission of their message left open", async () => {
    const { message, release } = await held();
    const open = { connectorId: world.connector().id, parts: [2] };
    await requeueMessages(world.db, [{ ...requeueOf(message), unanswered: 2, open }]);
    await release();
    expect(await count(world, "held_message")).toBe(0);
    expect((await readMessage(world, message.messageId)).reason).toBe(1302);
  });

  it("stay held while their message is claimed without them, and when it has ended", async () => {
    const claimed = await held();
    await requeueMessages(world.db, [requeueOf(claimed.message)]);
    expect((await claim()).map(({ partsTaken }) => partsTaken)).toEqual([1]);
    expect(await claimed.release()).toEqual([]);
    const ended = await held();
    await world.rows("update message set status = 4 where id = $1", [ended.message.messageId]);
    expect(await ended.release()).toEqual([]);
    expect(await count(world, "held_message")).toBe(2);
  });
});

describe("unanswered parts that were turned away after all", () => {
  it("make their message wait no longer than that answer asks, once all of them are known", async () => {
    await storeCall(world, { messages: [{ content: longText(2) }] });
    const message = found((await claim())[0]);
    const open = { connectorId: world.connector().id, parts: [1, 2] };
    await requeueMessages(world.db, [{ ...requeueOf(message), delayMs: 60_000, unanswered: 1, open }]);
    const windowEnd = new Date(Date.now() + 3_600_000);
    const answered = (part: number): Promise<void> =>
      countAsAnswered(world.db, [{ ...message, part, delayMs: 0, windowEnd }]);
    await answered(1);
    await answered(1);
    expect(await world.rows("select unanswered, due_at > now() as apart from message_queue")).toEqual([
      { unanswered: 1, apart: true },
    ]);
    expect((await readMessage(world, message.messageId)).reason).toBe(1302);
    await answered(2);
    expect((await readMessage(world, message.messageId)).reason).toBeNull();
    expect(await claim()).toMatchObject([{ unanswered: 0, windowEnd }]);
  });

  it.each([
    ["never before", []],
    ["nor before, which was known later", [1, 2]],
  ])("do not count for a message with held parts, none of which is to be submitted again: %s", async (_, before) => {
    await storeCall(world, { messages: [{ content: longText(3) }] });
    let message = found((await claim())[0]);
    const connectorId = world.connector().id;
    if (before.length > 0) {
      await requeueMessages(world.db, [{ ...requeueOf(message), unanswered: 1, open: { connectorId, parts: before } }]);
      const answers = before.map((part) => ({ ...found(message), part, delayMs: 0 }));
      await countAsAnswered(world.db, answers);
      message = found((await claim())[0]);
    }
    await holdParts(
      world.db,
      [1, 2].map((part) => ({ ...message, connectorId, part })),
    );
    await requeueMessages(world.db, [{ ...requeueOf(message), unanswered: 1 }]);
    await countAsAnswered(world.db, [{ ...message, part: 1, delayMs: 0 }]);
    expect(await readMessage(world, message.messageId)).toMatchObject({ status: 0, reason: 1302 });
    expect(await claim()).toMatchObject([{ unanswered: 1, partsTaken: 0b011 }]);
  });

  it("do not count for a message that was put back once more since", async () => {
    await storeCall(world);
    const message = found((await claim())[0]);
    const open = { connectorId: world.connector().id, parts: [1] };
    await requeueMessages(world.db, [{ ...requeueOf(message), unanswered: 1, open }]);
    const again = found((await claim())[0]);
    await countAsAnswered(world.db, [{ ...message, part: 1, delayMs: 0 }]);
    await requeueMessages(world.db, [{ ...requeueOf(again), unanswered: 2, open }]);
    await countAsAnswered(world.db, [{ ...message, part: 1, delayMs: 0 }]);
    expect(await world.rows("select unanswered from message_queue")).toEqual([{ unanswered: 2 }]);
  });
});

const takeOver = (standingSeconds = 5, asking = node) =>
  world.db.transaction((tx) => takeOverOrphanedClaims(tx, { nodeId: asking, standingSeconds, limit: 50 }));

describe("a message of a claim", () => {
  it.each([
    [
      "its node knows nothing of",
      (nodeId: string) => takeBackLostClaims(world.db, { nodeId, knownIds: [], ageSeconds: 0 }),
    ],
    [
      "a dead node had",
      async () => {
        const taken = await takeOver();
        await requeueMessages(
          world.db,
          taken.map((message) => ({ ...message, attempt: 0, delayMs: undefined })),
        );
      },
    ],
  ])("that %s goes before those of its account that were accepted after it", async (_, takeBack) => {
    const dead = await seedNode(world, 60);
    const [first] = await storeCall(world);
    await claim(1, { nodeId: dead });
    const [later] = await storeCall(world);
    await world.rows("update claim set claimed_at = now() - interval '1 second'");
    await world.rows("update node set lease_until = now() - interval '1 second' where id = $1", [dead]);
    await takeBack(dead);
    const ids = (await claim()).map(({ messageId }) => messageId);
    expect(ids).toEqual([first, later]);
  });
});

describe("many at once", () => {
  it("case 55: claiming, putting back and ending the same messages leaves each in one place, and refunds each once", async () => {
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const calls = [callOf(world, { messages: Array.from({ length: 10 }, () => ({ recipient: mci })) })];
      await storeCalls(world.db, calls);
      ids.push(...calls.flatMap((call) => call.messages.map(({ id }) => id)));
    }
    const end = (messages: readonly ClaimedMessage[]): Promise<readonly number[]> =>
      endUnsent(
        world.db,
        messages.map((message) => ({ ...message, reason: 1303, detail: null })),
      );
    const settle = async (): Promise<void> => {
      for (let messages = await claim(7); messages.length > 0; messages = await claim(7)) {
        const half = Math.floor(messages.length / 2);
        await Promise.all([
          requeueMessages(world.db, messages.slice(0, half).map(requeueOf)),
          requeueMessages(world.db, messages.slice(0, half).map(requeueOf)),
          end(messages.slice(half)),
          end(messages.slice(half)),
        ]);
      }
    };
    await Promise.all([settle(), settle(), settle()]);
    const rows = await readMessages(world, ids);
    expect(rows.every(({ status }) => status === 4)).toBe(true);
    expect(await count(world, "message_queue")).toBe(0);
    expect(await count(world, "ledger_entry where kind = 'refund'")).toBe(100);
    const [claims] = await world.rows<{ ids: string[] }>("select array_agg(id) as ids from claim");
    await recordProgress(world.db, { finishedClaims: found(claims).ids });
    expect(await count(world, "claim")).toBe(0);
  });
});

// What runs at every claim, or every few seconds, reads as much with a hundred thousand rows as
// with a hundred.
describe("a queue of a hundred thousand rows and ten thousand accounts", () => {
  const half = (priority: number, sign: 1 | -1): Promise<unknown> =>
    world.rows(
      `insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
       select $1, $2, 1000 + n % 10000, now() + $3 * (600 + n) * interval '1 second', gen_random_uuid(), now() + interval '3 days', 1
         from generate_series(1, 50000) n`,
      [found(world.routeIds[1]), priority, sign],
    );
  const due = () => half(2, -1);
  const scheduled = () => half(10, 1);
  const analyze = () => world.rows("analyze message_queue");

  const works: readonly [string, (tx: Queryable) => Promise<unknown>][] = [
    ["a claim that takes 20", (tx) => claimFrom(tx, 20, node, world.routeIds)],
    ["a claim of a route without messages", (tx) => claimFrom(tx, 20, node, world.routeIds.slice(0, 1))],
    ["the look for what falls due", (tx) => releaseDue(tx, 20)],
    ["the look for removed routes", (tx) => findStrayRoutes(tx, world.routeIds)],
  ];

  it.each([
    ["now", [due, scheduled, analyze]],
    ["while nothing was due", [scheduled, analyze, due]],
    ["while nothing was scheduled", [due, analyze, scheduled]],
  ])("costs few rows, by statistics of %s", async (_, preparation) => {
    for (const step of preparation) await step();
    expect(await measureQueue(world.db)).toMatchObject({ waiting: 50_000, scheduled: 50_000 });
    for (const plans of ["force_custom_plan", "force_generic_plan"]) {
      for (const [name, work] of works) {
        const measured = { plans, tables: "relname = 'message_queue'" };
        const read = await rowsReadBy(world.db, measured, async (tx) => {
          expect(await planOf(tx, work), name).not.toContain("Seq Scan on message_queue");
          await work(tx);
        });
        expect(read, `${name}, ${plans}`).toBeLessThan(150);
      }
    }
  });
});

// Of 400 messages, each compared with each, this is all that the claim costs.
it("a claim joins what it took with what it chose by a hash", async () => {
  for (const plans of ["force_custom_plan", "force_generic_plan"]) {
    await world.db.transaction(async (tx) => {
      await tx.query(statement(`set local plan_cache_mode = ${plans}`));
      expect(await planOf(tx, (at) => claimFrom(at, 400, node, world.routeIds)), plans).toMatch(
        /Hash Cond: .*\bplace\b/,
      );
    });
  }
});

/** The plan of the statement that the work runs, with its parameters. */
async function planOf(tx: Queryable, work: (tx: Queryable) => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const explained: Queryable = {
    query: async <Row>(...asked: AskedStatement) => {
      const { text, values } = statementOf(asked);
      const rows = await tx.query<{ "QUERY PLAN": string }>(statement(`explain ${text}`, values));
      lines.push(...rows.map((row) => row["QUERY PLAN"]));
      return [] as Row[];
    },
  };
  await work(explained);
  expect(lines.length).toBeGreaterThan(0);
  return lines.join("\n");
}

describe("groupWaiting", () => {
  it("looks at few messages for the operator's answer, though very many fall due at once", async () => {
    await storeCall(world, { messages: Array.from({ length: 3_000 }, () => ({})) });
    await world.rows(
      "update message_queue set due_at = date_trunc('day', now()) + interval '1 day', priority = priority | 8",
    );
    await world.db.transaction(async (tx) => {
      await tx.query(statement("set local enable_seqscan = off"));
      expect(await groupWaiting(tx)).toMatchObject([{ messages: 3_000, isDue: false, turnedAwayAt: null }]);
      const [row] = await tx.query<{ read: bigint }>(
        statement(
          "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as read from pg_stat_xact_user_tables where relname like 'message%' and relname <> 'message_queue'",
        ),
      );
      expect(Number(found(row).read)).toBeLessThanOrEqual(100);
    });
  });
});
