// What reads the log, sends events and replies, and keeps messages for review reads as much with a
// hundred thousand rows as with a hundred.
import { beforeAll, expect, it } from "vitest";
import { everyEvent, maskOf } from "../../src/sms/event-types.ts";
import type { Queryable } from "../../src/store/database.ts";
import { findLogRows, listFirstEventTimes, logBeginning, readLogOf } from "../../src/store/event-log.ts";
import { countReplies, lockDueReplies } from "../../src/store/inbound-replies.ts";
import { listAttempts } from "../../src/store/webhook-attempts.ts";
import { listEndpointsOf } from "../../src/store/webhook-endpoints.ts";
import { claimDelivery, findDueEndpoints, readDueRetries, saveRound } from "../../src/store/webhook-deliveries.ts";
import { found, useWorld } from "../support/factories.ts";
import { fillQuickly } from "../support/fill-quickly.ts";
import { rowsReadBy } from "../support/rows-read.ts";

const world = useWorld();
let accountId: number;
let endpointId: string;
const number = "989120000007";

async function fill(): Promise<void> {
  await world.rows(
    `insert into event (at, position, subject_id, account_id, type)
     select now(), 3 + n / 200, ('0' || substr(gen_random_uuid()::text, 2, 13) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
            10000 + n % 1000, 1 + n % 2 from generate_series(1, 100000) n`,
  );
  // An account that has as many events as all the others together.
  await world.rows(
    `insert into event (at, position, subject_id, account_id, type)
     select now(), 3 + n / 200, ('0' || substr(gen_random_uuid()::text, 2, 13) || '7' || substr(gen_random_uuid()::text, 16))::uuid,
            11000, 1 + n % 2 from generate_series(1, 100000) n`,
  );
  await world.rows(
    `insert into webhook_retry (endpoint_id, request_id, event_ids, happened_at, tries, due_at)
     select e.id, gen_random_uuid(), '{}', now(), 1, now() + n * interval '1 minute'
       from webhook_endpoint e, generate_series(1, 100) n`,
  );
  await world.rows(
    `insert into webhook_attempt (id, endpoint_id, event_ids, started_at, duration_ms)
     select gen_random_uuid(), e.id, '{}', now(), 1 from webhook_endpoint e, generate_series(1, 100) n`,
  );
  await world.rows(
    `insert into inbound_reply (id, account_id, line, number, digest, content, part_ids, expires_at, sent_at)
     select gen_random_uuid(), 10000, '10001234', '98912' || lpad(n::text, 7, '0'), '', case when n <= 50 then 'x' end, '{}', now() + interval '5 minutes',
            case when n > 50 then now() end from generate_series(1, 100000) n`,
  );
}

beforeAll(async () => {
  accountId = world.account().id;
  await world.rows(
    `insert into account (id, name, domain, tariff) overriding system value
     select 10000 + n, 'a' || n, 'a' || n, 'standard' from generate_series(0, 999) n`,
  );
  await world.rows(
    `insert into webhook_endpoint (id, account_id, name, url, events, secret)
     select gen_random_uuid(), 10000 + n, 'e', 'https://e.example', '{*}', 'whsec_' from generate_series(0, 999) n`,
  );
  await world.rows(
    "insert into webhook_progress (endpoint_id, position, event_id) select id, 0, id from webhook_endpoint",
  );
  await fillQuickly(world, ["event", "webhook_retry", "webhook_attempt", "inbound_reply"], fill);
  await world.rows("analyze event, webhook_endpoint, webhook_progress, webhook_retry, webhook_attempt, inbound_reply");
  const ids = await world.rows<{ id: string }>("select id from webhook_endpoint where account_id = 10000");
  endpointId = found(ids[0]).id;
});

const soon = new Date(Date.now() + 600_000);
const early = { transaction: 3n, eventId: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
const late = { transaction: 502n, eventId: "00000000-0000-0000-0000-000000000000" };

const sender = "0190a0a0-0000-7000-8000-000000000000";
const round = {
  sender,
  keepsClaim: false,
  position: late,
  health: {},
  isMore: false,
  makesAllDue: true,
  replay: undefined,
  pausedUntil: undefined,
  failingSince: undefined,
  lastSuccessAt: new Date(),
  lastFailureAt: undefined,
  keptSuccessAt: undefined,
  settled: [sender],
  retries: [],
  attempts: [],
};

const works = (): readonly [string, number, (tx: Queryable) => Promise<unknown>][] => [
  // 100 events each: those of the others are not read.
  [
    "an account's log",
    60,
    (tx) => readLogOf(tx, { accountId: 10_007, mask: everyEvent, after: logBeginning, limit: 20 }),
  ],
  [
    "the log of an account that has many",
    260,
    (tx) => readLogOf(tx, { accountId: 11_000, mask: everyEvent, after: logBeginning, limit: 20 }),
  ],
  // As many as a page looks at.
  [
    "the log of an account of which nothing is wanted",
    5600,
    (tx) => readLogOf(tx, { accountId: 11_000, mask: maskOf(["credit.low"]), after: logBeginning, limit: 20 }),
  ],
  [
    "the log of a time that is far in",
    5600,
    (tx) => readLogOf(tx, { accountId: 11_000, mask: everyEvent, after: logBeginning, from: soon, limit: 20 }),
  ],
  [
    "the log up to a place",
    260,
    (tx) =>
      readLogOf(tx, { accountId: 11_000, mask: maskOf(["credit.low"]), after: logBeginning, until: early, limit: 20 }),
  ],
  [
    "the first of an endpoint that many wait for",
    260,
    (tx) => listFirstEventTimes(tx, [{ accountId: 11_000, mask: everyEvent, after: logBeginning }]),
  ],
  [
    "an account without events",
    10,
    (tx) => readLogOf(tx, { accountId, mask: everyEvent, after: logBeginning, limit: 20 }),
  ],
  [
    "the first of an endpoint",
    10,
    (tx) => listFirstEventTimes(tx, [{ accountId: 10_007, mask: everyEvent, after: logBeginning }]),
  ],
  ["named events", 10, (tx) => findLogRows(tx, { accountId: 10_007, ids: ["11a207c8-a6b5-8000-aa6f-ead69997e2be"] })],
  ["endpoints of accounts with new events", 2600, (tx) => findDueEndpoints(tx, { after: 501n, byTime: false, sender })],
  ["retries that are due first", 60, (tx) => readDueRetries(tx, { endpointId, underWay: [], limit: 20 })],
  [
    "a round of an endpoint with 100 retries, all of which become due",
    1200,
    async (tx) => {
      await claimDelivery(tx, { endpointId, sender });
      expect(await saveRound(tx, { ...round, endpointId })).toBe(true);
    },
  ],
  ["attempts of an endpoint", 40, (tx) => listAttempts(tx, { endpointId, after: undefined, limit: 20 })],
  ["endpoints of an account", 10, (tx) => listEndpointsOf(tx, [10_007])],
  ["replies that are due", 100, (tx) => lockDueReplies(tx, 20)],
];

const tables = "relname ~ '^(event_|webhook_|inbound_reply|review)' and relname <> 'event_log'";

it.each(["force_custom_plan", "force_generic_plan"])("by index, in few rows (%s)", async (plans) => {
  for (const [name, most, work] of works())
    expect(await rowsReadBy(world.db, { plans, tables }, work), `${name}, ${plans}`).toBeLessThanOrEqual(most);
});

it("counts the replies of a number by what that number got", async () => {
  const read = await rowsReadBy(world.db, { plans: "auto", tables }, async (tx) => {
    const asked = await world.rows<{ id: string }>("select id from inbound_reply where number = $1", [number]);
    const counts = await countReplies(
      tx,
      asked.map(({ id }) => id),
    );
    expect(counts).toHaveLength(1);
  });
  expect(read).toBeLessThan(20);
});
