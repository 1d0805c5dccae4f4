// Statements on the rows of one account read a bounded number of them, by index, where one account
// has as much as a thousand others together and another has nothing: averages mislead the planner.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { beginCounting, dropOldTexts, endCounting, firstText, readUsage } from "../../src/store/account-usage.ts";
import { findRowsToCancel, findRowsToFeed, listRows } from "../../src/store/campaign-rows.ts";
import { listCampaigns } from "../../src/store/campaigns.ts";
import type { Database, Queryable } from "../../src/store/database.ts";
import {
  beforeAllReceived,
  eraseEventsOfPerson,
  eraseMessagesOfPerson,
  eraseReceived,
  eraseReceivedOfPerson,
  eraseReferencesOfPerson,
  eraseRepliesOfPerson,
  eraseRowsOfPerson,
  eraseSent,
  eraseTracesOfPerson,
  findReceivedOfPerson,
  listBegunCampaigns,
  listMessagesOfPerson,
} from "../../src/store/erasure.ts";
import { measureLogHolder } from "../../src/store/event-log.ts";
import { findOpeningCredits, listStatement } from "../../src/store/ledger.ts";
import { listMessagesOfBatch, walkMessages, walkMessagesOfCampaign } from "../../src/store/message-lists.ts";
import { listRanges, summarizeBatch } from "../../src/store/message-reads.ts";
import {
  findOptOutChanges,
  findOptOutPosition,
  listOptOutPage,
  listOptOuts,
  putOwnOptOut,
  removeOwnOptOut,
} from "../../src/store/opt-outs.ts";
import { parseRecipient } from "../../src/sms/msisdn.ts";
import { listReceivedMessages, walkReceivedOf } from "../../src/store/received-lists.ts";
import { listReview, lockExpiredInReview, takeFromReview } from "../../src/store/review.ts";
import { uuidCeiling, uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { callOf, found, line, useWorld } from "../support/factories.ts";
import { fillQuickly } from "../support/fill-quickly.ts";
import { rowsReadBy } from "../support/rows-read.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";
import { keepRepliesSeconds } from "../../src/store/inbound-replies.ts";
import { findBlockList, listedNumbers } from "../../src/store/number-lists.ts";
import { findCampaignsByName } from "../../src/store/staff-lookups.ts";

const world = useWorld();
/** As the console reads. */
let reads: Database;
/** Has nothing. */
let accountId: number;
const [many, few] = [11_000, 10_007];
const now = Date.now();
const first = uuidFloor(0);
const range = { from: uuidFloor(now - 9001), to: uuidFloor(now - 9000), most: 2000 };
const last = uuidCeiling(2 ** 48 - 1);
const number = found(parseRecipient("989120000007"));
/** In the order of n, 20 in each millisecond before now. */
const id = `(lpad(to_hex(${now - 10_000} + n / 20), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || substr(md5(n::text), 1, 15))::uuid`;
/** Half is that of a thousand accounts, the other half that of one. */
const ownerOf = "case when n % 2 = 0 then 11000 else 10000 + n / 2 % 1000 end";
const numberOf = "'98912' || lpad((n % 100000)::text, 7, '0')";
const campaign = uuidv7();
const nodeId = uuidv7();

/** What many tables have, worked out once. The table goes before anything is measured. */
const makeGiven = (): Promise<unknown> =>
  rows(
    `create unlogged table given as
     select n, ${id} as id, ${ownerOf} as owner, ${numberOf} as number from generate_series(1, 100000) n`,
  );

const rows = (text: string, values?: readonly unknown[]): Promise<unknown> => world.rows(text, values);

async function fillAccounts(): Promise<void> {
  await rows(
    `insert into account (id, name, domain, tariff, daily_messages, duplicate_seconds) overriding system value
     select 10000 + n, 'a' || n, 'a' || n, 'standard', 1000000, 60 from generate_series(0, 1000) n`,
  );
  await rows("insert into account_balance select id, 1000000000 from account where id >= 10000");
  await rows(
    "insert into account_usage (account_id, day_from, day_until, month_from, month_until) select id, $1, $2, $1, $2 from account",
    [day.from, day.until],
  );
  await rows(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, route_id, priority, valid_until, final_at)
     select owner, id, id, '10001234', number, 'x', 'en', 'MCI', 'gsm7', 1, 1, case when n % 4 < 2 then 2 else 0 end, 1, 1, now(),
            case when n % 4 < 2 then now() end
       from given`,
  );
  await rows(
    `insert into ledger_entry (account_id, id, kind, amount, messages) select owner, id, 'charge', -1, 1 from given`,
  );
  await rows(`insert into recent_text select owner, sha256(n::text::bytea), id, now() from given`);
}

async function fillWaiting(): Promise<void> {
  await rows(
    `insert into review select owner, id, case when n % 100 = 0 then 'rare' else 'links' end, now() + n * interval '1 second' - interval '30 seconds'
       from given`,
  );
  await rows(
    `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
     select owner, n, id, number, '10001234', 'x', now() from given`,
  );
  await rows(
    `insert into inbound_reply (id, account_id, line, number, digest, part_ids, expires_at, asked_at)
     select id, owner, '10001234', number, '', '{}', now(), now() - interval '30 minutes' from given`,
  );
  await rows(
    `insert into event (at, position, subject_id, account_id, type, detail)
     select now(), n, id, owner, 7, json_build_object('recipientNumber', number) from given`,
  );
}

async function fillLists(): Promise<void> {
  await rows(
    `insert into opt_out (line, number, account_id, how)
     select '10001234', number, case when n % 10 = 0 then null else owner end, case when n % 10 = 0 then 'message' else 'api' end
       from given`,
  );
  await rows("insert into block_list (name) select 'l' || n from generate_series(1, 51) n");
  await rows(
    `insert into listed_block select n / 50, case when n % 2 = 0 then 51 else 1 + n % 50 end, '\\x0100' from given on conflict do nothing`,
  );
  await rows(
    `insert into campaign (id, account_id, name, state, created_by, columns, skip_duplicates, fed)
     select id, owner, 'c', 'done', 'sara', '{}', false, 10 from given where n <= 20000`,
  );
  await rows(
    `insert into campaign (id, account_id, name, state, created_by, columns, skip_duplicates, fed, rows) values ($1, 11000, 'c', 'done', 'sara', '{}', false, 100000, 100000)`,
    [campaign],
  );
  await rows(
    `insert into campaign_row (campaign_id, number, recipient, given, message_id) select $1, n, number, '[]', id from given`,
    [campaign],
  );
  await rows(
    `insert into audit_entry (who, action, kind, name, account) select 'staff:sara', 'change', 'account', 'a' || (owner - 10000), 'a' || (owner - 10000)
       from given`,
  );
  await rows(
    "insert into node (id, host, pid, configuration_version, lease_until) values ($1, 'h', 1, 1, now() + interval '1 hour')",
    [nodeId],
  );
}

const filled = [
  "message",
  "ledger_entry",
  "recent_text",
  "review",
  "inbound_message",
  "inbound_reply",
  "event",
  "opt_out",
  "listed_block",
  "campaign",
  "campaign_row",
  "audit_entry",
];

beforeAll(async () => {
  reads = world.db.openApart({ isPipelined: true });
  accountId = world.account().id;
  await makeGiven();
  await fillQuickly(world, filled, async () => {
    await fillAccounts();
    await fillWaiting();
    await fillLists();
  });
  await rows("drop table given");
  await rows("vacuum analyze");
}, 120_000);

const day = { from: new Date(now - 3600_000), until: new Date(now + 3600_000) };
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const whole = { from: first, before: last, limit: 20, withText: true, scan: 500 };
const page = { after: first, limit: 20 };
const owners = (): readonly (readonly [string, number])[] => [
  ["that has nothing", accountId],
  ["that has little", few],
  ["that has much", many],
];

const batch = { ...whole, filter: {}, batchId: uuidFloor(now - 9000), recipient: undefined };
const ofCampaign = { ...whole, filter: {}, campaignId: campaign, accountId: many, recipient: undefined, scan: 20 };
const nameOf = (owner: number): string => (owner === accountId ? "demo" : `a${owner - 10_000}`);

type Work = readonly [string, number, (tx: Queryable) => Promise<unknown>];

const worksOf = (): readonly Work[] =>
  owners().flatMap(([name, owner]): readonly Work[] => [
    [`accepting for an account ${name}`, 30, (tx) => storeCalls(tx, [{ ...callOf(world), accountId: owner }])],
    [
      `usage of an account ${name}`,
      20,
      (tx) => readUsage(tx, [{ accountId: owner, duplicateSeconds: 60 }], [{ accountId: owner, hash: hash("2") }]),
    ],
    [`messages ${name}`, 560, (tx) => walkMessages(tx, { ...whole, filter: {}, accountId: owner })],
    [
      `messages to a number ${name}`,
      560,
      (tx) => walkMessages(tx, { ...whole, filter: { line: "none" }, accountId: owner }),
    ],
    [
      `received ${name}`,
      560,
      (tx) =>
        walkReceivedOf(
          tx,
          { accountId: owner, before: 2n ** 62n, withText: true },
          { limit: 20, scan: 500, filter: {} },
        ),
    ],
    // Each of its entries looks at its messages and at up to 20 campaigns.
    [`the statement ${name}`, 1100, (tx) => listStatement(tx, { accountId: owner, limit: 20 })],
    [`the opening credit ${name}`, 50, (tx) => findOpeningCredits(tx, [nameOf(owner)])],
    [`messages of a batch ${name}`, 60, (tx) => listMessagesOfBatch(tx, { ...batch, accountId: owner })],
    [`a batch ${name}`, 30, (tx) => summarizeBatch(tx, { batchId: batch.batchId, accountId: owner })],
    // It looks through 10,000 campaigns at most.
    [
      `found campaigns ${name}`,
      10_100,
      (tx) => findCampaignsByName(tx, { words: "none", accountId: owner, limit: 20 }),
    ],
    [`recent received ${name}`, 30, (tx) => listReceivedMessages(tx, { accountId: owner, count: 20 })],
    [`received after ${name}`, 30, (tx) => listReceivedMessages(tx, { accountId: owner, after: 100n, count: 20 })],
    [`review ${name}`, 90, (tx) => listReview(tx, { accountId: owner }, page)],
    // Of the account that has much, one of fifty is of the rule.
    [`review of a rule ${name}`, 1100, (tx) => listReview(tx, { accountId: owner, rule: "rare" }, page)],
    [
      `campaigns ${name}`,
      60,
      (tx) => listCampaigns(tx, { accountId: owner, state: undefined, before: last, limit: 20 }),
    ],
    // All of the account that are of another state.
    [
      `drafts ${name}`,
      10_100,
      (tx) => listCampaigns(tx, { accountId: owner, state: "draft", before: last, limit: 20 }),
    ],
    // Those that other accounts have made for themselves are read, too.
    [`opt-outs ${name}`, 250, (tx) => listOptOuts(tx, { accountId: owner, lines: [line], limit: 20 })],
    [`an own opt-out ${name}`, 20, (tx) => putOwnOptOut(tx, { accountId: owner, line, number })],
    [`no opt-out ${name}`, 20, (tx) => removeOwnOptOut(tx, { accountId: owner, line, number })],
    [
      `a count begun ${name}`,
      20,
      (tx) =>
        beginCounting(tx, owner, {
          day: { from: new Date(), until: day.until },
          month: { from: new Date(), until: day.until },
        }),
    ],
  ]);

const works = (): readonly Work[] => [
  ...worksOf(),
  // As many as there are accounts.
  ["the end of counting", 1100, (tx) => endCounting(tx)],
  ["old texts", 1100, (tx) => dropOldTexts(tx, { after: firstText, limit: 20 })],
  ["all in review", 90, (tx) => listReview(tx, {}, page)],
  ["review of a rule", 90, (tx) => listReview(tx, { rule: "rare" }, page)],
  ["the end of a review", 60, (tx) => lockExpiredInReview(tx, 20)],
  ["a rule decided", 60, (tx) => takeFromReview(tx, { rule: "rare" }, 20)],
  ["messages decided", 60, (tx) => takeFromReview(tx, { messageIds: [first, last] }, 20)],
  ["a batch decided", 60, (tx) => takeFromReview(tx, { batchId: uuidFloor(now - 9000) }, 20)],
  [
    "rows of a campaign",
    60,
    (tx) => listRows(tx, { id: campaign, accountId: many, after: 10, limit: 20, filter: undefined }),
  ],
  // All of the campaign, which has 100,000 at most.
  ["messages of a campaign", 100_100, (tx) => walkMessagesOfCampaign(tx, ofCampaign)],
  [
    "messages of a campaign to a number",
    100_100,
    (tx) => walkMessagesOfCampaign(tx, { ...ofCampaign, recipient: number }),
  ],
  ["opt-outs of a line", 60, (tx) => listOptOuts(tx, { lines: [line], limit: 20 })],
  ["opt-outs of lines", 60, (tx) => listOptOuts(tx, { limit: 20 })],
  ["a page of opt-outs", 20100, (tx) => listOptOutPage(tx, { line, number, accountId: 0 })],
  ["changed opt-outs", 60, async (tx) => findOptOutChanges(tx, await findOptOutPosition(tx))],
  ["a block list", 5000, (tx) => findBlockList(tx, "l3")],
  ["numbers of a list", 250, (tx) => listedNumbers.listNumbers(tx, { owner: 51, limit: 20 })],
  ["numbers of a small list", 120, (tx) => listedNumbers.listNumbers(tx, { owner: 3, limit: 20 })],
  ["blocks by number", 120, (tx) => listedNumbers.listIn(tx, [7])],
  ["a page of blocks", 320, (tx) => listedNumbers.listPage(tx, { block: 3, ownerId: 2 })],
  [
    "saved blocks",
    30,
    (tx) => listedNumbers.saveBlocks(tx, [{ block: 7, sets: [{ value: 51, numbers: Buffer.from([9, 0]) }] }], 51),
  ],
  // By ranges of blocks.
  [
    "messages of a person",
    10_000,
    async (tx) => {
      for (const range of await listRanges(tx, { fromMs: 0, before: last }))
        await listMessagesOfPerson(tx, { number, range, limit: 20 });
    },
  ],
  [
    "erased messages",
    30,
    (tx) =>
      eraseMessagesOfPerson(tx, {
        number,
        accountIds: [many],
        ids: [last],
        leastId: last,
        greatestId: last,
        since: day.from,
        until: day.until,
      }),
  ],
  ["received of a person", 520, (tx) => findReceivedOfPerson(tx, { number, after: beforeAllReceived, scan: 500 })],
  ["erased received", 20, (tx) => eraseReceivedOfPerson(tx, number, [{ accountId: few, sequence: 15n }])],
  ["events of a person", 60, (tx) => eraseEventsOfPerson(tx, number, 20)],
  ["replies of a person", 60, (tx) => eraseRepliesOfPerson(tx, number, 20)],
  ["traces of a person", 60, (tx) => eraseTracesOfPerson(tx, number, 20)],
  ["references of a person", 60, (tx) => eraseReferencesOfPerson(tx, number, 20)],
  ["begun campaigns", 60, (tx) => listBegunCampaigns(tx, first, 20)],
  ["rows to cancel", 60, (tx) => findRowsToCancel(tx, { id: campaign, accountId: many, after: 10, limit: 20 })],
  ["rows to feed", 60, (tx) => findRowsToFeed(tx, { id: campaign, after: 10, limit: 20 })],
  ["rows of a person", 60, (tx) => eraseRowsOfPerson(tx, { number, campaignIds: [campaign], limit: 20 })],
  ["texts of a time", 10_000, (tx) => eraseSent(tx, { ...range, isCode: false, endedBy: new Date() })],
  ["received of a time", 10_000, (tx) => eraseReceived(tx, range)],
  ["the holder of the log", 10, (tx) => measureLogHolder(tx)],
  ["old replies", 60, (tx) => dropOldRows(tx, "settledReplies", keepRepliesSeconds)],
];

afterAll(() => reads.close());

class Rollback extends Error {}

it.each(["force_custom_plan", "force_generic_plan"])(
  "by index, in few rows (%s)",
  async (plans) => {
    const wrong: string[] = [];
    for (const [name, most, work] of works()) {
      const read = await rowsReadBy(reads, { plans }, work).catch(String);
      if (typeof read === "string" || read > most) wrong.push(`${name}: ${read}`);
    }
    expect(wrong).toEqual([]);
  },
  120_000,
);

it("lists and takes what waits for review in the order of acceptance, whatever rules keep it", async () => {
  const ordered = async (where: string): Promise<string[]> => {
    const ids = await world.rows<{ id: string }>(
      `select message_id as id from review where ${where} order by message_id limit 120`,
    );
    return ids.map((row) => row.id);
  };
  await world.db
    .transaction(async (tx) => {
      const listed = await listReview(tx, {}, { after: first, limit: 120 });
      expect(new Set(listed.map(({ rule }) => rule))).toEqual(new Set(["links", "rare"]));
      expect(listed.map(({ messageId }) => messageId)).toEqual(await ordered("true"));
      const [one = "", two = ""] = await ordered("rule = 'rare'");
      const rare = await takeFromReview(tx, { rule: "rare" }, 1);
      expect(rare.map(({ messageId }) => messageId)).toEqual([one]);
      expect(await takeFromReview(tx, { messageIds: [one, two] }, 5)).toEqual([
        { accountId: many, messageId: two, wantedAt: null },
      ]);
      // Each of these messages is a batch of its own.
      const [other = ""] = await ordered("rule = 'links'");
      const batch = await takeFromReview(tx, { batchId: other }, 5);
      expect(batch.map(({ messageId }) => messageId)).toEqual([other]);
      throw new Rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
});
