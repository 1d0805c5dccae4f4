import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { ParkedLimit } from "../../src/inbound/limit-parked.ts";
import { ReceiptReceiver } from "../../src/inbound/receive-receipts.ts";
import { messageIdKey } from "../../src/sms/message-id-match.ts";
import { Database } from "../../src/store/database.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { clear, mci, readMessage, storeMessage, useWorld } from "../support/factories.ts";

const world = useWorld({ connectors: [{ name: "one" }, { name: "two" }] });
let told: { connector: string; count: number }[];

beforeAll(async () => {
  world.telemetry.on("receipt.dropped", (event) => told.push(event));
});

beforeEach(async () => {
  await clear(world);
  told = [];
});

afterEach(() => vi.useRealTimers());

const limitOf = (limit: number, db = world.db): ParkedLimit =>
  new ParkedLimit({ db, telemetry: world.telemetry, directory: world.directory, limit });

async function park(connectorId: number, from: number, to: number): Promise<void> {
  await world.rows(
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
     select $1, 'n' || n, array['n' || n], true, '', 'delivered', 'DELIVRD' from generate_series($2::int, $3::int) n`,
    [connectorId, from, to],
  );
}

async function parkedOf(connectorId: number): Promise<string[]> {
  const rows = await world.rows<{ id: string }>(
    "select r.smsc_message_id as id from unmatched_receipt r where r.connector_id = $1 order by r.id",
    [connectorId],
  );
  return rows.map(({ id }) => id);
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `n${from + index}`);

it("drops the oldest receipts of a connector that has too many, and none of another", async () => {
  const [one, two] = [world.connector("one").id, world.connector("two").id];
  await park(one, 1, 130);
  await park(two, 1, 95);
  expect(await limitOf(100).keep()).toBe(35);
  expect(await parkedOf(one)).toEqual(numbered(36, 130));
  expect(await parkedOf(two)).toEqual(numbered(1, 95));
  expect(told).toEqual([{ connector: "one", count: 35 }]);
});

it("finds receipts of connectors that staff have removed", async () => {
  await park(987_654, 1, 130);
  await limitOf(100).keep();
  expect(await parkedOf(987_654)).toEqual(numbered(36, 130));
  expect(told).toEqual([{ connector: "connector 987654", count: 35 }]);
});

it("drops in several rounds what does not go in one", async () => {
  const { id } = world.connector("one");
  await park(id, 1, 60_000);
  const limit = limitOf(100);
  expect(await limit.keep()).toBe(50_000);
  expect(await limit.keep()).toBe(9_905);
  expect(await limit.keep()).toBe(0);
  expect(await parkedOf(id)).toEqual(numbered(59_906, 60_000));
});

it("stays due where the database fails", async () => {
  const { id } = world.connector("one");
  await park(id, 1, 130);
  const limit = limitOf(100);
  expect(await limit.keep()).toBe(35);
  limit.note(id);
  await park(id, 131, 135);
  await world.rows("alter table unmatched_receipt rename to away");
  await expect(limit.keep()).rejects.toThrow("unmatched_receipt");
  await world.rows("alter table away rename to unmatched_receipt");
  expect(await limit.keep()).toBe(5);
  expect(await parkedOf(id)).toEqual(numbered(41, 135));
});

it("two nodes at once keep the newest, and drop no receipt beyond the bound", async () => {
  const { id } = world.connector("one");
  const other = Database.open({ url: world.url, telemetry: world.telemetry });
  try {
    const nodes = [limitOf(1000), limitOf(1000, other)];
    let last = 0;
    for (let round = 0; round < 5; round += 1) {
      await park(id, last + 1, last + 5000);
      last += 5000;
      for (const node of nodes) for (let n = 0; n < 10; n += 1) node.note(id);
      await Promise.all(nodes.map((node) => node.keep()));
      expect(await parkedOf(id)).toEqual(numbered(last - 949, last));
    }
  } finally {
    await other.close();
  }
});

it("tells what it dropped once a minute, and all of it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { id } = world.connector("one");
  const limit = limitOf(100);
  let last = 0;
  for (const steps of [1, 1, 1]) {
    await park(id, last + 1, last + 95 * steps);
    last += 95 * steps;
    limit.note(id);
    await limit.keep();
  }
  expect(told).toEqual([{ connector: "one", count: 95 }]);
  vi.advanceTimersByTime(60_000);
  await limit.keep();
  expect(told).toEqual([
    { connector: "one", count: 95 },
    { connector: "one", count: 95 },
  ]);
});

it("receipts that operators send are counted, and the newest still find their message", async () => {
  const recorder = new OutcomeRecorder(world);
  const connector = world.connector("one");
  const { db, telemetry, directory } = world;
  const receiver = new ReceiptReceiver({ db, telemetry, directory, submissions: recorder, parkedLimit: 20 });
  // The first look comes before all receipts: from here on only what is counted makes one due.
  await receiver.limitParked();
  const send = (from: number, to: number): Promise<unknown> =>
    Promise.all(
      numbered(from, to).map((smscMessageId) =>
        receiver.receive(connector, {
          smscMessageId,
          recipient: mci,
          state: "DELIVRD",
          verdict: "delivered" as const,
          error: undefined,
        }),
      ),
    );
  await send(1, 40);
  expect(await receiver.limitParked()).toBe(21);
  const id = await storeMessage(world);
  const newest = (await parkedOf(connector.id)).at(-1) ?? "";
  await recordProgress(db, {
    taken: [
      {
        accountId: world.account().id,
        messageId: id,
        part: 1,
        connectorId: connector.id,
        recipient: mci,
        smscIdKey: messageIdKey(newest),
        smscMessageId: newest,
      },
    ],
  });
  expect(await receiver.applyParked()).toBe(1);
  expect((await readMessage(world, id)).status).toBe(2);
});
