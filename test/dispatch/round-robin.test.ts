// Turns among accounts: the order of one bind's claims, and over any interleaving of several binds
// on a real queue.
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RoundRobin } from "../../src/dispatch/bind-window.ts";
import { claimDueMessages, type ClaimedMessage, requeueMessages } from "../../src/store/message-queue.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, found, openWorld, seedNode, storeCall, type World } from "../support/factories.ts";

const most = 2 ** 31 - 1;
/** So long after each other that each claim begins at the front. */
let looks = 0;
const ofPriority = (turns: RoundRobin, priority: number, routeIds: readonly number[], now = (looks += 1000)): unknown =>
  turns
    .ranges(routeIds, now)
    .filter((range) => range.priority === priority)
    .map(({ routeId, after, until, since }) => [routeId, after, until, ...(since === undefined ? [] : [since])]);

describe("the ranges of a claim", () => {
  const message = (accountId: number, routeId = 5) => ({ priority: 2, routeId, accountId, dueAt });
  const dueAt = new Date(5_000);

  it("begin with the account whose share the end of the room cut off", () => {
    const turns = new RoundRobin();
    turns.served([message(3), message(3), message(7), message(7), message(8)]);
    expect(ofPriority(turns, 2, [5])).toEqual([
      [5, 7, most],
      [5, 0, 7],
    ]);
    turns.served([message(8), message(8)]);
    turns.served([message(3), message(3), message(8), message(8), message(8)]);
    expect(ofPriority(turns, 2, [5])).toEqual([
      [5, 8, most],
      [5, 0, 8],
    ]);
  });

  it("go on in the account served last where the claim before ended, but for codes and after a while", () => {
    const turns = new RoundRobin();
    turns.ranges([5], 10_000);
    const fromTheFront = [
      [5, 7, most],
      [5, 0, 7],
    ];
    turns.served([{ ...message(7), priority: 0 }, ...Array.from({ length: 998 }, () => message(7))]);
    expect(ofPriority(turns, 2, [5], 10_100)).toEqual(fromTheFront);
    turns.served([message(7)]);
    expect(ofPriority(turns, 2, [5], 10_100)).toEqual([
      [5, 7, most],
      [5, 0, 6],
      [5, 6, 7, dueAt],
    ]);
    expect(ofPriority(turns, 0, [5], 10_100)).toEqual(fromTheFront);
    expect(ofPriority(turns, 2, [5], 10_300)).toEqual(fromTheFront);
    turns.startOver();
    expect(ofPriority(turns, 2, [5], 10_301)).toEqual(fromTheFront);
  });
});

describe("claims of several binds, codes and bulk of several accounts, some put back", () => {
  let world: World;
  let nodeId: string;
  const names = ["a", "b", "c", "d", "e"];

  beforeAll(async () => {
    world = await openWorld({
      accounts: names.map((name) => ({ name })),
      connectors: [{ name: "sim" }],
      routes: [{ connectors: ["sim"] }],
    });
  });
  beforeEach(async () => {
    await clear(world);
    nodeId = await seedNode(world, 600);
  });
  afterAll(async () => {
    await world.close();
  });

  const largestRoom = 8;

  /** A bind with the counts of what it got of each account since it last lacked messages. */
  class Bind {
    readonly turns = new RoundRobin();
    readonly got = new Map<number, number>();

    async claim(room: number, now = (looks += 1000)): Promise<ClaimedMessage[]> {
      const messages = await claimDueMessages(world.db, {
        claimId: uuidv7(),
        nodeId,
        connectorId: world.connector().id,
        bindNumber: 1,
        partsLimit: room,
        ranges: this.turns.ranges(world.routeIds, now),
      });
      this.turns.served(messages);
      for (const { accountId, priority } of messages) {
        if (priority === 2) this.got.set(accountId, (this.got.get(accountId) ?? 0) + 1);
      }
      return messages;
    }
  }

  it("go on behind what was put back, and find it when they begin at the front", async () => {
    const account = world.account("a");
    const [first, second, third, fourth] = await storeCall(world, { account, priority: 2, messages: [{}, {}, {}, {}] });
    // As calls after each other would be due.
    for (const [index, id] of [first, second, third, fourth].entries())
      await world.rows("update message_queue set due_at = due_at - make_interval(secs => $1) where message_id = $2", [
        4 - index,
        id,
      ]);
    const bind = new Bind();
    const now = (looks += 1000);
    const idsOf = (messages: readonly ClaimedMessage[]) => messages.map(({ messageId }) => messageId);
    bind.turns.served(
      Array.from({ length: 1000 }, () => ({ priority: 2, routeId: 1, accountId: 1, dueAt: new Date() })),
    );
    const claimed = await bind.claim(2, now);
    expect(idsOf(claimed)).toEqual([first, second]);
    await requeueMessages(world.db, [{ ...found(claimed[0]), delayMs: undefined }]);
    expect(idsOf(await bind.claim(1, now + 1))).toEqual([third]);
    expect(idsOf(await bind.claim(3, now + 1000))).toEqual([first, fourth]);
  });

  const key = ({ accountId, priority }: { accountId: number; priority: number }) => `${accountId} ${priority}`;

  /** What waits, in the order of each account and priority. */
  async function waiting(): Promise<Map<string, string[]>> {
    const lanes = new Map<string, string[]>();
    const rows = await world.rows<{ accountId: number; priority: number; messageId: string }>(
      `select account_id as "accountId", priority, message_id as "messageId" from message_queue order by due_at, message_id`,
    );
    for (const row of rows) lanes.set(key(row), [...(lanes.get(key(row)) ?? []), row.messageId]);
    return lanes;
  }

  const step = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("code" as const), account: fc.nat(4), count: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("bulk" as const), account: fc.nat(4), count: fc.nat(30) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("claim" as const),
        bind: fc.nat(2),
        room: fc.integer({ min: 1, max: largestRoom }),
        putBack: fc.nat(4),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("all" as const), room: fc.integer({ min: 1, max: 5 }) }) },
  );

  it("give each account that waits its share less one burst, keep its order, codes first, and leave nothing", async () => {
    const steps = fc.array(step, { minLength: 50, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        await world.rows("truncate message_queue, claim");
        const binds = [new Bind(), new Bind(), new Bind()];
        const stored = new Set<string>();
        const settled = new Set<string>();
        const store = async (account: number, priority: 0 | 2, count: number): Promise<void> => {
          const messages = Array.from({ length: count + 1 }, () => ({}));
          const ids = await storeCall(world, { account: world.account(names[account] ?? ""), priority, messages });
          for (const id of ids) stored.add(id);
        };
        // Who waits all the time, with so much that no bind can take it all.
        const patient = names.slice(0, 3).map((name) => world.account(name).id);
        for (const [account] of patient.entries()) for (let n = 0; n < 2; n += 1) await store(account, 2, 149);
        const settle = async (messages: readonly ClaimedMessage[], putBack: number): Promise<void> => {
          const back = messages.slice(0, putBack).map((message) => ({ ...message, delayMs: undefined }));
          if (back.length > 0) await requeueMessages(world.db, back);
          for (const { messageId } of messages.slice(putBack)) settled.add(messageId);
        };
        const expectFair = ({ got }: Bind): void => {
          const total = [...got.values()].reduce((sum, count) => sum + count, 0);
          for (const account of patient) {
            expect((got.get(account) ?? 0) + largestRoom).toBeGreaterThanOrEqual(total / names.length);
          }
          // Among those that wait all the time, nobody gets ahead of another by more than a burst.
          const counts = patient.map((account) => got.get(account) ?? 0);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(largestRoom);
        };
        for (const each of script) {
          if (each.kind === "code" || each.kind === "bulk") {
            await store(each.account, each.kind === "code" ? 0 : 2, each.count);
          } else if (each.kind === "all") {
            const claims = await Promise.all(binds.map((bind) => bind.claim(each.room)));
            expect(new Set(claims.flat().map(({ messageId }) => messageId)).size).toBe(claims.flat().length);
            for (const messages of claims) await settle(messages, 0);
          } else {
            const bind = found(binds[each.bind]);
            const lanes = await waiting();
            const messages = await bind.claim(each.room);
            expect(messages).toHaveLength(each.room);
            const codes = names.flatMap((name) => lanes.get(`${world.account(name).id} 0`) ?? []);
            const taken = messages.filter(({ priority }) => priority === 0).map(({ messageId }) => messageId);
            expect(taken).toHaveLength(Math.min(codes.length, each.room));
            for (const [lane, ids] of lanes) {
              const ofLane = messages.filter((message) => key(message) === lane).map(({ messageId }) => messageId);
              expect(ofLane).toEqual(ids.slice(0, ofLane.length));
            }
            await settle(messages, each.putBack);
          }
          for (const bind of binds) expectFair(bind);
        }
        // Nothing waits for ever.
        while (settled.size < stored.size) {
          const messages = await found(binds[0]).claim(100);
          expect(messages.length).toBeGreaterThan(0);
          await settle(messages, 0);
        }
        expect(await waiting()).toEqual(new Map());
      }),
      { numRuns: 5 },
    );
  });
});
