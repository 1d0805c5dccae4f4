// A database of schema 0032, the last one before endpoints, limits, block lists and replies, filled
// as a gateway of then left it: this program reads all of it and goes on with it.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { everyEvent } from "../../src/sms/event-types.ts";
import { listCampaigns, pauseCampaign, resumeCampaign } from "../../src/store/campaigns.ts";
import { findConfigurationChanges } from "../../src/store/configuration-changes.ts";
import { eraseEventsOfPerson } from "../../src/store/erase-person.ts";
import { findLogRows, logBeginning, readLogOf } from "../../src/store/event-log.ts";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { listNodes } from "../../src/store/nodes.ts";
import { ensurePartitions } from "../../src/store/partitions.ts";
import { listReceivedAfter } from "../../src/store/received-messages.ts";
import { listReview } from "../../src/store/review.ts";
import { listEndpointsOf } from "../../src/store/webhook-endpoints.ts";
import { readSlotHolders } from "../../src/store/webhook-leases.ts";
import { uuidCeiling, uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { createEmptyDatabase, statement, type TestDatabase } from "../support/database.ts";
import { eventually, found } from "../support/factories.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

/** The last migration of before. */
const formerMigrations = 32;

let database: TestDatabase;
let gateway: TestGateway | undefined;
let accountId: number;
/** Of the configuration, as a node of before had read it. */
let mark: string;

const [waiting, scheduled, sent, reviewed] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
const [received, notice, oldNode] = [uuidv7(), uuidv7(), uuidv7()];
const reasons = ["person", "credit", "permission", "restored"] as const;
const sending = uuidv7();
const number = "989121230000";
/** As the database of then had been restored once. */
const shift = 1_000_000n;

const run = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  database.db.query<Row>(statement(text, values));

async function storeConfiguration(): Promise<void> {
  await run("insert into operator (name) values ('MCI')");
  await run("insert into number_prefix select '912', id from operator");
  await run("insert into tariff (name) values ('standard')");
  await run("insert into tariff_price select id, '*', '*', '*', 1390 from tariff");
  await run("insert into sender_line (number, kind) values ('10001234', 'dedicated')");
  await run(
    "insert into account (name, domain, tariff_id, low_credit) select 'demo', 'demo.example', id, 5000 from tariff",
  );
  await run("insert into account_line select a.id, l.id from account a, sender_line l");
  await run("insert into account_balance (account_id, balance) select id, 1000000 from account");
  await run(
    "insert into ledger_entry (account_id, id, kind, amount) select id, $1, 'opening', 1000000 + 4 * 1390 from account",
    [uuidFloor(1)],
  );
  const settings = { type: "smpp", host: "127.0.0.1", port: 1, systemId: "hodhod", password: "secret-7", binds: 1 };
  await run("insert into connector (name, settings) values ('smsc-1', $1)", [JSON.stringify(settings)]);
  await run("insert into route (position, operator, line) values (0, '*', '*')");
  await run("insert into route_connector select r.id, 0, c.id from route r, connector c");
  const scope = { accounts: ["*"], lines: ["*"] };
  const rule = { ...scope, name: "links", words: [], links: "listed", domains: ["example.com"], action: "review" };
  await run("insert into rule (section, position, body) values ('contentRules', 0, $1)", [JSON.stringify(rule)]);
  // Two versions, whose changes are noted by the triggers of then.
  await run("update configuration set version = version + 1");
  [{ mark }] = (await run<{ mark: string }>("select mark from configuration")) as [{ mark: string }];
  await run("update account set requests_per_second = 300");
  await run("insert into opt_out (line, number, how) values ('10001234', '989121239999', 'message')");
  await run("update configuration set version = version + 1");
}

async function storeMessage(
  id: string,
  { status = 0, reason = null as number | null, sendAt = null as string | null },
) {
  await run(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, reason, route_id,
       priority, send_at, valid_until, connector_id, parts_taken, sent_at)
     select a.id, $1, $1, '10001234', $2, 'سلام', 'fa', 'MCI', 'ucs2', 1, 1390, $3::smallint, $4, r.id, 1, $5::timestamptz,
            coalesce($5::timestamptz, now()) + interval '1 hour', c.id, $3::int, case when $3::smallint = 1 then now() end
       from account a, route r, connector c`,
    [id, number, status, reason, sendAt],
  );
  await run(
    "insert into ledger_entry (account_id, id, kind, amount, messages) select id, $1, 'charge', -1390, 1 from account",
    [id],
  );
}

async function storeTraffic(): Promise<void> {
  await storeMessage(waiting, {});
  await storeMessage(scheduled, { sendAt: "2099-01-01" });
  await run(
    `insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
     select route_id, case when send_at is null then 1 else 9 end, account_id, coalesce(send_at, now()), id, valid_until, parts from message`,
  );
  await storeMessage(sent, { status: 1 });
  await storeMessage(reviewed, { reason: 1308 });
  await run(
    "insert into review (account_id, message_id, rule, valid_until) select account_id, id, 'links', valid_until from message where id = $1",
    [reviewed],
  );
  await run(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
     select id, 1, $1, $2, '10001234', 'بله', now() from account`,
    [received, number],
  );
  await run("insert into inbound_counter (account_id, last) select id, 1 from account");
}

async function storeEvents(): Promise<void> {
  await run("update event_log set shift = $1", [shift]);
  await run(
    "insert into wanted_events (account_id, by_reader, read_until) select id, $1, now() + interval '9 days' from account",
    [everyEvent],
  );
  const write = (subjectId: string, type: number, detail: object | null): Promise<unknown> =>
    run(
      `insert into event (at, position, subject_id, account_id, type, detail)
       select now(), pg_current_xact_id()::text::bigint + $4, $1, id, $2, $3::json from account`,
      [subjectId, type, detail && JSON.stringify(detail), shift],
    );
  await write(sent, 1, null);
  await write(received, 6, null);
  await write(notice, 7, { lineNumber: "10001234", recipientNumber: number, how: "message" });
}

async function storeCampaigns(): Promise<void> {
  const store = (id: string, state: string, reason: string | null): Promise<unknown> =>
    run(
      `insert into campaign (id, account_id, name, state, pause_reason, created_by, started_at, sender, content, columns, skip_duplicates, rows)
       select $1, id, $2, $2, $3, 'sara', now(), '10001234', 'Hello', '{}', false, 1 from account`,
      [id, state, reason],
    );
  for (const [order, reason] of reasons.entries()) await store(uuidv7(1_700_000_000_000, order), "paused", reason);
  await store(sending, "sending", null);
  await run("insert into campaign_row (campaign_id, number, recipient, given) values ($1, 1, $2, '[]')", [
    sending,
    number,
  ]);
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  await migrate(database.db, { migrations: readMigrations().slice(0, formerMigrations) });
  await ensurePartitions(database.db, new Date());
  await storeConfiguration();
  await storeTraffic();
  await storeEvents();
  await storeCampaigns();
  // A node of then, which goes on until it is replaced.
  await run(
    "insert into node (id, host, pid, lease_until, configuration_version, dispatches) values ($1, 'old', 7, now() + interval '1 hour', 2, false)",
    [oldNode],
  );
  [{ id: accountId }] = (await run<{ id: number }>("select id from account")) as [{ id: number }];
  await migrate(database.db);
});
afterAll(async () => {
  await gateway?.stop();
  await database.drop();
});

const readEvents = () =>
  database.db.transaction((tx) => readLogOf(tx, { accountId, mask: everyEvent, after: logBeginning, limit: 100 }));

/** Other tests of the cluster may write at the time, and hold the readers back. */
async function readSoManyEvents(most: number) {
  let page = await readEvents();
  await eventually(async () => (page = await readEvents()).rows.length >= most);
  return page.rows.map(({ type, subjectId, detail }) => [type, subjectId, detail]);
}

const optedOut = (recipientNumber: string) => ({ lineNumber: "10001234", recipientNumber, how: "message" });
const formerEvents = [
  ["message.sent", sent, null],
  ["message.received", received, null],
  ["recipient.optedOut", notice, optedOut(number)],
];

it("reads the log in its order, with what is told of events", async () => {
  expect(await readSoManyEvents(3)).toEqual(formerEvents);
  const [first] = (await readEvents()).rows;
  expect(await findLogRows(database.db, { accountId, ids: [found(first).id] })).toEqual([first]);
});

it("follows the configuration from where a node of before has read it", async () => {
  const changes = await database.db.transaction((tx) => findConfigurationChanges(tx, mark));
  expect(changes).toMatchObject({ network: false, accounts: [accountId], portedBlocks: [], listedBlocks: [] });
});

it("reads campaigns, nodes, received messages and the review", async () => {
  const before = uuidCeiling(2 ** 48 - 1);
  const list = () =>
    database.db.transaction((tx) => listCampaigns(tx, { accountId, state: "paused", before, limit: 10 }));
  const paused = await list();
  expect(paused.map(({ pauseReason }) => pauseReason).reverse()).toEqual(reasons);
  // A reason of now, and on with it.
  const { id } = found(paused[0]);
  await resumeCampaign(database.db, id);
  await pauseCampaign(database.db, id, "ceiling");
  expect((await list()).map(({ pauseReason }) => pauseReason).reverse()).toEqual([...reasons.slice(0, 3), "ceiling"]);

  expect((await listNodes(database.db)).map(({ host }) => host)).toEqual(["old"]);
  // It sends no webhooks.
  expect(await readSlotHolders(database.db, oldNode)).toEqual({ nodes: 0, own: [], free: 64 });
  expect(await listEndpointsOf(database.db, [accountId])).toEqual([]);
  const inbound = await listReceivedAfter(database.db, { accountId, after: 0n, count: 10 });
  expect(inbound).toMatchObject([{ id: received, sender: number, content: "بله" }]);
  const page = { after: logBeginning.eventId, limit: 10 };
  expect(await database.db.transaction((tx) => listReview(tx, {}, page))).toMatchObject([
    { messageId: reviewed, rule: "links" },
  ]);
});

it("goes on: sends what waits, feeds the campaign, writes events behind those of before", async () => {
  gateway = await startTestGateway({ databaseUrl: database.url });

  const wanted = { [waiting]: 2, [sent]: 1, [scheduled]: 0, [reviewed]: 0 };
  let last: unknown;
  await gateway.until(
    () => `the old messages; last: ${JSON.stringify(last)}`,
    async () => {
      const rows = await run<{ id: string; status: number }>("select id, status from message where id = any ($1)", [
        Object.keys(wanted),
      ]);
      last = Object.fromEntries(rows.map(({ id, status }) => [id, status]));
      return isDeepStrictEqual(last, wanted) ? true : undefined;
    },
  );
  await eventually(async () => {
    const [row] = await run<{ state: string; accepted: number }>("select state, accepted from campaign where id = $1", [
      sending,
    ]);
    return row?.state === "done" && row.accepted === 1;
  });
  let events = await readSoManyEvents(3);
  await eventually(async () => {
    events = await readSoManyEvents(3);
    return events.some(([type, subject]) => type === "message.delivered" && subject === waiting);
  });
  expect(events.slice(0, 3)).toEqual(formerEvents);
  await run("update message_queue set due_at = now(), priority = 1 where message_id = $1", [scheduled]);
  await gateway.until("the scheduled message", async () => {
    const [row] = await run<{ status: number }>("select status from message where id = $1", [scheduled]);
    return row?.status === 2 ? true : undefined;
  });
});

it("erases a person from the events of before", async () => {
  expect(await eraseEventsOfPerson(database.db, number, 10)).toBe(1);
  expect((await readSoManyEvents(3))[2]).toEqual(["recipient.optedOut", notice, optedOut("")]);
});

it("keeps its money to the rial", async () => {
  const [row] = await run<{ balance: bigint; sum: bigint }>(
    `select balance, (select sum(amount)::bigint from ledger_entry e where e.account_id = b.account_id) as sum from account_balance b where account_id = $1`,
    [accountId],
  );
  expect(found(row).sum).toBe(found(row).balance);
});
