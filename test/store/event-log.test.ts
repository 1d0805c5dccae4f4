import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { everyEvent, maskOf } from "../../src/sms/event-types.ts";
import { Database, type Queryable } from "../../src/store/database.ts";
import {
  comparePositions,
  currentPosition,
  type EventsOfAccount,
  logBeginning,
  type LogPage,
  type Position,
  readLogOf,
  readPosition,
  writeEvents,
  writePosition,
} from "../../src/store/event-log.ts";
import {
  beginNextEra,
  forgetFormerReaders,
  noteWantedByEndpoints,
  wantAllForReader,
} from "../../src/store/wanted-events.ts";
import { emptyTables, eventually, useWorld } from "../support/factories.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";

const world = useWorld();
let accountId: number;

beforeAll(async () => {
  accountId = world.account().id;
});

beforeEach(async () => {
  await emptyTables(world.db, ["event"]);
  await world.rows("update event_log set shift = 0");
  await noteWantedByEndpoints(world.db, [{ accountId, mask: everyEvent }]);
});

const readLog = (asked: { after: Position; limit: number }): Promise<LogPage> =>
  world.db.transaction((tx) => readLogOf(tx, { accountId, mask: everyEvent, ...asked }));

const write = (tx: Queryable, ...names: string[]): Promise<void> =>
  writeEvents(
    tx,
    names.map((name) => ({ accountId, type: "credit.low" as const, detail: { name } })),
  );

const namesOf = ({ rows }: Pick<LogPage, "rows">): string[] =>
  rows.map(({ detail }) => (detail as { name: string }).name);

/** What a reader gets that reads until it has so many, page by page, each after the one before. */
async function readOn(
  total: number,
  read: (after: Position) => Promise<LogPage>,
  from: Position = logBeginning,
): Promise<string[]> {
  const names: string[] = [];
  let after = from;
  await eventually(async () => {
    const page = await read(after);
    expect(comparePositions(page.position, after)).toBeGreaterThanOrEqual(0);
    after = page.position;
    names.push(...namesOf(page));
    return names.length >= total;
  });
  return names;
}

const lastPosition = async (): Promise<Position> => {
  const { rows } = await readLog({ after: logBeginning, limit: 100 });
  const last = rows.at(-1);
  if (last === undefined) throw new Error("the log is empty");
  return last.position;
};
const readAll = (limit: number) => (after: Position) => readLog({ after, limit });
const readOwn = (limit: number) => (after: Position) => readOf({ accountId, mask: everyEvent, after, limit });
const readOf = (asked: EventsOfAccount) => world.db.transaction((tx) => readLogOf(tx, asked));

describe("a position", () => {
  it("is read as it was written, and nothing else is", () => {
    const position = { transaction: 12345678901234567n, eventId: "91a1fa75-6310-8000-bbee-9570117c4f6c" };
    expect(readPosition(writePosition(position))).toEqual(position);
    for (const text of [
      "",
      "1",
      "1.2",
      `-${writePosition(position)}`,
      `${writePosition(position)} `,
      `9${writePosition({ ...position, transaction: 2n ** 63n - 1n })}`,
    ])
      expect(readPosition(text)).toBeUndefined();
    expect(readPosition(writePosition({ ...position, transaction: 2n ** 63n }))).toBeUndefined();
  });
});

describe("a reader of the log", () => {
  it("passes over events of a type that only a later version knows, and over nothing behind them", async () => {
    await world.db.transaction((tx) => write(tx, "before"));
    for (let unknown = 0; unknown < 5; unknown += 1)
      await world.rows(
        `insert into event (at, position, subject_id, account_id, type)
         select now(), pg_current_xact_id()::text::bigint + shift, $1, $2, 15 from event_log`,
        [`0${uuidv7().slice(1)}`, accountId],
      );
    await world.db.transaction((tx) => write(tx, "behind"));
    expect(await readOn(2, (after) => readLog({ after, limit: 2 }))).toEqual(["before", "behind"]);
  });

  // After a crash of the server their ids are given out again.
  it("comes no further than to the last event, whatever transactions came to nothing behind it", async () => {
    await write(world.db, "kept");
    await readOn(1, readAll(100));
    const { transaction } = await lastPosition();
    for (let failed = 0; failed < 3; failed += 1)
      await world.db
        .transaction(async (tx) => {
          await write(tx, "undone");
          throw new Error("it is undone");
        })
        .catch(() => undefined);
    const positions = [await currentPosition(world.db)];
    for (const read of [readAll(100), readOwn(100)]) positions.push((await read(logBeginning)).position);
    expect(positions.map((position) => position.transaction)).toEqual([transaction, transaction, transaction]);
  });

  it("skips nothing while a transaction is open and others commit, on two nodes", async () => {
    const node = Database.open({ url: world.url });
    const before = await currentPosition(world.db);
    let close = (): void => undefined;
    const closing = new Promise<void>((resolve) => (close = resolve));
    let late: Promise<void> | undefined;
    await new Promise<void>((opened) => {
      late = node.transaction(async (tx) => {
        await write(tx, "late");
        opened();
        await closing;
      });
    });
    for (let index = 0; index < 5; index += 1) await write(index % 2 === 0 ? world.db : node, `early${index}`);
    // Readers stand before the open transaction, and go on standing there.
    let [one, two] = [before, before];
    for (let round = 0; round < 3; round += 1) {
      const all = await readAll(2)(one);
      const own = await node.transaction((tx) =>
        readLogOf(tx, { accountId, mask: everyEvent, after: two, limit: 100 }),
      );
      expect([namesOf(all), namesOf(own)]).toEqual([[], []]);
      [one, two] = [all.position, own.position];
    }
    close();
    await late;
    await node.close();
    const names = ["early0", "early1", "early2", "early3", "early4", "late"];
    expect((await readOn(6, readAll(2), one)).sort()).toEqual(names);
    expect((await readOn(6, readOwn(100), two)).sort()).toEqual(names);
  });

  it("gets every event once while many transactions of different length write, among them those that fail", async () => {
    const from = await currentPosition(world.db);
    const written: string[] = [];
    const writers = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < 15; round += 1) {
          const name = `${writer}-${round}`;
          await world.db
            .transaction(async (tx) => {
              await write(tx, name);
              await tx.query(statement(`select pg_sleep(${(writer * round) % 3 === 0 ? 0.02 : 0})`));
              if (round % 5 === 4) throw new Error("fails");
            })
            .then(
              () => written.push(name),
              () => undefined,
            );
        }
      }),
    );
    const read = await readOn(8 * 12, readAll(5), from);
    await writers;
    expect(read.sort()).toEqual(written.sort());
    expect((await readOn(8 * 12, readOwn(9), from)).sort()).toEqual(written);
  });
});

it("a reader of a time, or up to a place, is given no others", async () => {
  const own = { accountId, limit: 100, after: logBeginning, mask: everyEvent };
  await write(world.db, "early");
  await write(world.db, "late");
  await readOn(2, readOwn(10));
  await world.rows("update event set at = at - interval '1 minute' where detail ->> 'name' = 'early'");
  const { rows } = await readOf(own);
  const [early] = rows;
  const at = early?.at ?? new Date(0);
  const soon = new Date(at.getTime() + 1);
  expect(namesOf(await readOf({ ...own, until: early?.position ?? logBeginning }))).toEqual(["early"]);
  expect(namesOf(await readOf({ ...own, from: at, to: soon }))).toEqual(["early"]);
  expect(namesOf(await readOf({ ...own, from: soon }))).toEqual(["late"]);
});

describe("the eras of the log", () => {
  it("put what happens after a restore behind all that was given out, in a cluster with lower or higher ids", async () => {
    for (const [shift, lowerBy] of [
      ["0", 0],
      ["5000000000", 0],
      ["0", 5_000_000_000],
      ["4000000000000000000", 1_000_000],
    ] as const) {
      await world.rows("update event_log set shift = $1", [shift]);
      await emptyTables(world.db, ["event"]);
      await write(world.db, "old");
      await readOn(1, readAll(10));
      // With a shift ahead of the clock only the log says how far it was: other tests of the
      // cluster have taken ids meanwhile.
      const isAhead = BigInt(shift) > BigInt(Date.now()) << 20n;
      const { transaction, eventId } = isAhead ? await lastPosition() : await currentPosition(world.db);
      await world.rows("update event set position = position + $1", [lowerBy]);
      const given = { transaction: transaction + BigInt(lowerBy), eventId };
      await world.db.transaction((tx) => beginNextEra(tx));
      await write(world.db, "new");
      expect(await readOn(1, readAll(10), given)).toEqual(["new"]);
      expect((await readOn(2, readAll(10))).sort()).toEqual(["new", "old"]);
    }
  });

  it("begin by themselves where the log is ahead of the cluster, and only there", async () => {
    const shift = async () => (await world.rows<{ shift: bigint }>("select shift from event_log"))[0]?.shift;
    await write(world.db, "old");
    await beginNextEra(world.db, { ifBehind: true });
    expect(await shift()).toBe(0n);
    await world.rows("update event set position = position + 1000000000");
    await beginNextEra(world.db, { ifBehind: true });
    expect(await shift()).not.toBe(0n);
    await write(world.db, "new");
    expect(await readOn(2, readAll(10))).toEqual(["old", "new"]);
  });
});

describe("what is wanted", () => {
  const wanted = async () =>
    (await world.rows<{ mask: number }>("select by_endpoints | by_reader as mask from wanted_events"))[0]?.mask;

  it("is what endpoints name, and everything while somebody reads the log", async () => {
    const mask = maskOf(["credit.low"]);
    expect(await noteWantedByEndpoints(world.db, [{ accountId, mask }])).toBe(true);
    expect(await noteWantedByEndpoints(world.db, [{ accountId, mask }])).toBe(false);
    await world.directory.refresh();
    expect(await wantAllForReader(world.db, accountId)).toBe(true);
    expect(await wantAllForReader(world.db, accountId)).toBe(false);
    expect(await wanted()).toBe(everyEvent);
    expect(await forgetFormerReaders(world.db)).toBe(0);
    await world.rows("update wanted_events set read_until = now() + interval '29 days'");
    // It reads again: not new, and kept longer.
    expect(await wantAllForReader(world.db, accountId)).toBe(false);
    expect(await world.rows("select from wanted_events where read_until > now() + interval '30 days'")).toHaveLength(1);
    await world.rows("update wanted_events set read_until = now() - interval '1 second'");
    expect(await forgetFormerReaders(world.db)).toBe(1);
    expect(await wanted()).toBe(mask);
  });
});
