// The search by number: what it answers, and that it reads by the indexes by recipient whatever the
// statistics of the tables say.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AskedStatement, type Database, type Queryable, statementOf } from "../../src/store/database.ts";
import { listMessagesOfPerson } from "../../src/store/erasure.ts";
import { listMessagesTo } from "../../src/store/message-lists.ts";
import { listRanges, type TimeRange, walkPages } from "../../src/store/message-reads.ts";
import { ensureWeeks, indexClosedWeeks, weekName, weekStart } from "../../src/store/partitions.ts";
import { findMessagesTo, type FoundMessage } from "../../src/store/staff-lookups.ts";
import { latestUuidMs, uuidCeiling, uuidFloor } from "../../src/platform/uuid.ts";
import { amid, findAll } from "../support/messages-to-number.ts";
import { mci, openWorld, storeMessage, type World } from "../support/factories.ts";

const weekMs = 7 * 24 * 3_600_000;
const monday = weekStart(new Date());
const lastWeek = new Date(monday.getTime() - weekMs);
const end = uuidCeiling(latestUuidMs);
const partOf = (week: Date): string => `message_${weekName(week)}`;

const nineAhead = new Date(monday.getTime() + 9 * weekMs);
const longAgo = new Date(Date.UTC(2020, 1, 3));

/** A message as if it had been accepted at that time; its id. */
async function copyTo(world: World, id: string, time: Date): Promise<string> {
  const copy = `${uuidFloor(time.getTime()).slice(0, 13)}${id.slice(13)}`;
  await world.rows(
    "insert into message select (m).* from (select json_populate_record(m, json_build_object('id', $2::uuid)) as m from message m where id = $1) one",
    [id, copy],
  );
  return copy;
}

describe("finding the messages to a number", () => {
  it("also answers those of weeks that have no part, and those ahead", async () => {
    const world = await openWorld();
    const id = await storeMessage(world);
    const old = await copyTo(world, id, longAgo);
    const ahead = await copyTo(world, id, new Date(monday.getTime() + 2 * weekMs));
    const ids = (await findAll(world.db, { recipient: mci })).map(({ sentMessageId }) => sentMessageId);
    expect(ids).toEqual([ahead, id, old]);
    await world.close();
  });
});

describe("finding the messages to a number while weeks change", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  async function walkAll(): Promise<readonly string[]> {
    const ids: string[] = [];
    const idOf = ({ sentMessageId }: FoundMessage): string => sentMessageId;
    const read = (tx: Queryable, range: TimeRange, limit: number) =>
      findMessagesTo(tx, { recipient: mci, range, limit });
    for await (const { page } of walkPages(world.db, { fromMs: 0, limit: 1, read, idOf })) ids.push(...page.map(idOf));
    return ids;
  }

  it("finds those that a new week takes from the default partition", async () => {
    const id = await storeMessage(world);
    const weeks = [nineAhead, longAgo];
    for (const week of weeks) await copyTo(world, id, week);
    const held = "lock table message_default in access exclusive mode";
    const found = await amid(world.url, held, () => ensureWeeks(world.db, weeks), walkAll);
    expect(found).toEqual((await findAll(world.db, { recipient: mci })).map(({ sentMessageId }) => sentMessageId));
    expect(found).toHaveLength(3);
  });
});

describe("reading by number", () => {
  const rowsAWeek = 20_000;
  let world: World;
  /** As the console reads. */
  let pipelined: Database;
  let ranges: readonly TimeRange[];

  // Two weeks in the order of time, to numbers without an order.
  beforeAll(async () => {
    world = await openWorld();
    await ensureWeeks(world.db, [lastWeek, monday]);
    for (const week of [lastWeek, monday]) {
      await world.rows(
        `insert into ${partOf(week)} (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, route_id, priority, valid_until)
         select $2, (lpad(to_hex($1::bigint + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, gen_random_uuid(), '10001234',
                '98912' || lpad((n * 7919::bigint * 104729 % 10000000)::text, 7, '0'), 'x', 'en', 'MCI', 'gsm7', 1, 0, 2, 1, 1, now()
           from generate_series(1, ${rowsAWeek}) n`,
        [week.getTime(), world.account().id],
      );
    }
    await indexClosedWeeks(world.db, [partOf(lastWeek)]);
    for (const week of [lastWeek, monday]) await world.rows(`vacuum analyze ${partOf(week)}`);
    ranges = await listRanges(world.db, { fromMs: lastWeek.getTime(), before: end });
    pipelined = world.db.openApart({ isPipelined: true });
  });
  afterAll(async () => {
    await pipelined.close();
    await world.close();
  });

  const recipient = "989127919000";
  const search = { recipient, limit: 10, withText: false, filter: {} };
  const reads: readonly [string, (db: Queryable, range: TimeRange) => Promise<unknown>][] = [
    ["staff in the console", (db, range) => listMessagesTo(db, { ...search, ranges: [range], accountId: undefined })],
    ["a customer", (db, range) => listMessagesTo(db, { ...search, ranges: [range], accountId: world.account().id })],
    ["the command find", (db, range) => findMessagesTo(db, { recipient, range, limit: 10 })],
    ["the command erase", (db, range) => listMessagesOfPerson(db, { number: recipient, range, limit: 10 })],
  ];

  async function explain(
    read: (db: Queryable, range: TimeRange) => Promise<unknown>,
    range: TimeRange,
  ): Promise<string> {
    const plan: string[] = [];
    await pipelined.transaction(async (tx) => {
      const query = async <Row>(...asked: AskedStatement): Promise<Row[]> => {
        const { name, text, values } = statementOf(asked);
        if (name === "preferIndexes") return tx.query<Row>(...asked);
        const explained = { name, text: `explain (analyze, costs off, timing off) ${text}`, values };
        plan.push(...(await tx.query<{ "QUERY PLAN": string }>(explained)).map((line) => line["QUERY PLAN"]));
        return [];
      };
      await read({ query }, range);
    });
    return plan.join("\n");
  }

  it.each(reads)("by %s reads few blocks of the week that fills", async (_, read) => {
    const [current] = ranges;
    if (current === undefined) throw new Error("there is no range");
    const plan = await explain(read, current);
    expect(plan).toMatch(new RegExp(`Bitmap Index Scan on ${partOf(monday)}_recipient`));
    const [, blocks] = /Heap Blocks: lossy=(\d+)/.exec(plan) ?? [];
    const [all] = await world.rows<{ pages: number }>("select (pg_relation_size($1::regclass) / 8192)::int as pages", [
      partOf(monday),
    ]);
    expect(Number(blocks)).toBeLessThan((all?.pages ?? 0) / 4);
  });

  it.each(reads)("by %s reads the tree of a week that is over", async (_, read) => {
    const [, closed] = ranges;
    if (closed === undefined) throw new Error("there is no second range");
    expect(await explain(read, closed)).toContain(`using ${partOf(lastWeek)}_to_number`);
  });
});
