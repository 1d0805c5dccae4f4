import { beforeEach, describe, expect, it } from "vitest";
import { type ErasedOfPerson, erasePerson } from "../../src/maintenance/erase-person.ts";
import { eraseMessagesOfPerson } from "../../src/store/erasure.ts";
import { ensureWeeks, weekName, weekStart } from "../../src/store/partitions.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { matchReceiptsByNumber, matchReceiptsExactly, type ReceiptToApply } from "../../src/store/receipts.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, emptyTables, partTaken, readMessage, storeMessage, useWorld } from "../support/factories.ts";
import { amid } from "../support/messages-to-number.ts";

const world = useWorld();
beforeEach(async () => {
  await clear(world);
  await emptyTables(world.db, ["receipt", "campaign_row", "campaign", "event", "audit_entry"]);
});

const person = "989121230000";
const other = "989121239999";
const nothing: ErasedOfPerson = {
  messages: 0,
  received: 0,
  receipts: 0,
  parts: 0,
  events: 0,
  campaignRows: 0,
  traces: 0,
  waiting: 0,
};

function erase(progress: (erased: ErasedOfPerson, at: string) => void = () => undefined): Promise<ErasedOfPerson> {
  return erasePerson(world.db, { number: person, by: { who: "command:test" }, progress });
}

const kept = (state: string) => ({ connectorId: world.connector().id, state, error: "000", content: `stat:${state}` });

async function sent(
  recipient = person,
): Promise<{ readonly id: string; readonly taken: ReturnType<typeof partTaken> }> {
  const id = await storeMessage(world, { recipient, content: "secret" });
  const taken = { ...partTaken(world, id, 1), recipient };
  await recordProgress(world.db, { taken: [taken] });
  return { id, taken };
}

async function delivered(recipient = person) {
  const message = await sent(recipient);
  const { accountId, messageId, part } = message.taken;
  const report = {
    accountId,
    messageId,
    part,
    verdict: "delivered",
    detail: "DELIVRD",
    receipt: kept("DELIVRD"),
  } as const;
  await recordProgress(world.db, { reports: [report] });
  await recordProgress(world.db, { reports: [report] });
  return message;
}

const messages = () =>
  world.rows<{ id: string; recipient: string; content: string }>(
    "select id, recipient, content from message order by id",
  );

describe("erasing a person", () => {
  it("empties messages with their submissions and receipts, and leaves the others and what waits", async () => {
    const theirs = await delivered();
    const foreign = await delivered(other);
    const waiting = await storeMessage(world, { recipient: person, content: "secret" });
    expect(await erase()).toEqual({ ...nothing, messages: 1, receipts: 2, waiting: 1 });
    expect(await messages()).toEqual([
      { id: theirs.id, recipient: "", content: "" },
      { id: foreign.id, recipient: other, content: "secret" },
      { id: waiting, recipient: person, content: "secret" },
    ]);
    expect(await world.rows("select message_id as id, recipient from submission order by message_id")).toEqual([
      { id: theirs.id, recipient: "" },
      { id: foreign.id, recipient: other },
    ]);
    expect(await world.rows("select message_id as id, content from receipt order by message_id, received_at")).toEqual([
      { id: theirs.id, content: "" },
      { id: theirs.id, content: "" },
      { id: foreign.id, content: "stat:DELIVRD" },
      { id: foreign.id, content: "stat:DELIVRD" },
    ]);
    expect(await erase()).toEqual({ ...nothing, waiting: 1 });
  });

  it("leaves a message that waits, also where it is named among the others", async () => {
    const id = await storeMessage(world, { recipient: person, content: "secret" });
    const named = { number: person, accountIds: [world.account().id], ids: [id], leastId: id, greatestId: id };
    const times = { since: new Date(0), until: new Date() };
    const erased = await world.db.transaction((tx) => eraseMessagesOfPerson(tx, { ...named, ...times }));
    expect(erased).toEqual({ messages: 0, receipts: 0 });
    expect(await messages()).toEqual([{ id, recipient: person, content: "secret" }]);
  });

  it("changes nothing else of a message", async () => {
    const { id } = await delivered();
    await world.rows("update message set given_recipient = '0912 123 0000' where id = $1", [id]);
    const [before] = await world.rows<object>("select * from message where id = $1", [id]);
    await erase();
    const after = await world.rows("select * from message where id = $1", [id]);
    expect(after).toEqual([{ ...before, recipient: "", given_recipient: null, content: "" }]);
  });

  it("lets a later receipt find its part, also by a connector of its group, and keeps no text of it", async () => {
    const { id, taken } = await sent();
    await erase();
    const receipt: ReceiptToApply = {
      connectorId: taken.connectorId,
      smscMessageId: taken.smscMessageId,
      keys: [taken.smscIdKey],
      exact: true,
      recipient: person,
      group: [],
      verdict: "delivered",
      state: "DELIVRD",
      error: null,
      content: "text:secret",
    };
    const ofGroup = { ...receipt, connectorId: 999, group: [taken.connectorId] };
    const found = { accountId: taken.accountId, messageId: id, part: 1 };
    const exact = await matchReceiptsExactly(world.db, [receipt, ofGroup]);
    expect([exact.get(0), exact.get(1)]).toMatchObject([[found], [found]]);
    const byNumber = await matchReceiptsByNumber(world.db, [receipt, ofGroup]);
    expect([byNumber.get(0), byNumber.get(1)]).toMatchObject([[found], [found]]);
    const { accountId, messageId, part } = taken;
    const report = { accountId, messageId, part, verdict: "delivered", detail: "DELIVRD", receipt: kept("x") } as const;
    await recordProgress(world.db, { reports: [report] });
    await recordProgress(world.db, { reports: [report] });
    expect(await readMessage(world, id)).toMatchObject({ status: 2 });
    expect(await world.rows("select content, repeated from receipt order by repeated")).toEqual([
      { content: "", repeated: false },
      { content: "", repeated: true },
    ]);
  });

  it("empties what came in, whole and in parts, and marks its text as erased", async () => {
    const { id: account } = world.account();
    for (const [sequence, accountId, sender] of [
      [1, account, person],
      [2, account, other],
      [3, 0, person],
    ])
      await world.rows(
        "insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at) values ($1, $2, $3, $4, '10001234', 'secret', now())",
        [accountId, sequence, uuidv7(), sender],
      );
    for (const [joined, confirmed] of [
      [true, true],
      [true, false],
      [false, true],
    ])
      await world.rows(
        `insert into inbound_part (connector_id, fingerprint, confirmed, sender, recipient, text_utf16, joined)
         values (1, '\\x01', $2, $3, '10001234', '\\x0041', $1)`,
        [joined, confirmed, person],
      );
    expect(await erase()).toEqual({ ...nothing, received: 2, parts: 1 });
    expect(
      await world.rows(
        "select sequence::int, sender, content, content_erased as erased from inbound_message order by 1",
      ),
    ).toEqual([
      { sequence: 1, sender: "", content: "", erased: true },
      { sequence: 2, sender: other, content: "secret", erased: false },
      { sequence: 3, sender: "", content: "", erased: true },
    ]);
    expect(await world.rows("select joined, confirmed from inbound_part where sender = ''")).toEqual([
      { joined: true, confirmed: true },
    ]);
  });

  it("empties parked receipts, unless one may belong to a part whose answer is open", async () => {
    const park = (recipient: string) =>
      world.rows(
        `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state, content)
         values (1, 'x', '{x}', true, $1, 'delivered', 'DELIVRD', 'text:secret')`,
        [recipient],
      );
    await park(person);
    await park(other);
    await world.rows("insert into held_message values ($1, $2, 1, $3, 1, now())", [
      world.account().id,
      uuidv7(),
      person,
    ]);
    expect(await erase()).toEqual(nothing);
    await world.rows("delete from held_message");
    expect(await erase()).toEqual({ ...nothing, receipts: 1 });
    expect(await world.rows("select recipient, content from unmatched_receipt order by id")).toEqual([
      { recipient: "", content: "" },
      { recipient: other, content: "text:secret" },
    ]);
  });

  it("empties the number in events, and keeps the order of their keys", async () => {
    const detail = (number: string) => `{"lineNumber":"10001234","recipientNumber":"${number}","how":"message"}`;
    for (const [position, number] of [person, other].entries())
      await world.rows(
        "insert into event (at, position, subject_id, account_id, type, detail) values (now(), $1, $2, 1, 7, $3::json)",
        [position, uuidv7(), detail(number)],
      );
    expect(await erase()).toEqual({ ...nothing, events: 1 });
    expect(await world.rows("select detail::text from event order by position")).toEqual([
      { detail: detail("") },
      { detail: detail(other) },
    ]);
  });

  it("empties rows of campaigns that are fed or over, and those of no message that waits", async () => {
    const { id: ended } = await delivered();
    const waiting = await storeMessage(world, { recipient: person });
    const [running, stopped, draft] = [uuidv7(), uuidv7(), uuidv7()];
    for (const [id, state, fed] of [
      [running, "sending", 3],
      [stopped, "stopped", 0],
      [draft, "draft", 0],
    ])
      await world.rows(
        `insert into campaign (id, account_id, name, state, created_by, columns, skip_duplicates, fed) values ($1, $2, 'c', $3, 'x', '{a}', true, $4)`,
        [id, world.account().id, state, fed],
      );
    const row = (campaign: string, number: number, message: string | null, recipient = person) =>
      world.rows(
        `insert into campaign_row (campaign_id, number, recipient, given, message_id) values ($1, $2, $3, '["Ali"]', $4)`,
        [campaign, number, recipient, message],
      );
    await row(running, 1, ended);
    await row(running, 2, waiting);
    await row(running, 3, null, other);
    await row(running, 4, null);
    await row(stopped, 1, null);
    await row(draft, 1, null);
    expect(await erase()).toEqual({ ...nothing, messages: 1, receipts: 2, waiting: 1, campaignRows: 2 });
    const left = await world.rows(
      "select c.state, r.number from campaign_row r join campaign c on c.id = r.campaign_id where recipient <> '' or given <> '[]' order by c.state desc, r.number",
    );
    expect(left).toEqual([
      { state: "sending", number: 2 },
      { state: "sending", number: 3 },
      { state: "sending", number: 4 },
      { state: "draft", number: 1 },
    ]);
  });

  it("leaves opt-outs, and counts its work in the audit without the number", async () => {
    await delivered();
    await world.rows("insert into opt_out (line, number, how) values ('10001234', $1, 'staff')", [person]);
    const trace = { senderNumber: "10001234", recipientNumber: person, sentMessageId: "x" };
    await world.rows(
      "insert into audit_entry (who, action, kind, name, after) values ('x', 'use', 'test message', 'sim', $1)",
      [JSON.stringify(trace)],
    );
    expect(await erase()).toMatchObject({ messages: 1, traces: 1 });
    expect(await count(world, "opt_out")).toBe(1);
    const audited = await world.rows<object>("select action, kind, name, after from audit_entry order by id");
    expect(audited).toMatchObject([
      { kind: "test message", after: { ...trace, recipientNumber: "" } },
      { action: "remove", kind: "personalData", after: { begun: true } },
      { action: "remove", kind: "personalData", after: { messages: 1, receipts: 2 } },
    ]);
    expect(JSON.stringify(audited)).not.toContain(person);
    await world.rows("delete from opt_out");
  });

  it("forgets the reference that a message still holds which has ended", async () => {
    const { id: ended } = await delivered();
    const waiting = await storeMessage(world, { recipient: other });
    for (const [recipient, message] of [
      [person, ended],
      [other, waiting],
    ])
      await world.rows(
        "insert into concatenation_reference (recipient, last, numbers, account_ids, message_ids) values ($1, 7, '{7}', array[$2::int], array[$3::uuid])",
        [recipient, world.account().id, message],
      );
    await erase();
    await erasePerson(world.db, { number: other, by: { who: "command:test" }, progress: () => undefined });
    expect(await world.rows("select recipient, numbers from concatenation_reference")).toEqual([
      { recipient: other, numbers: [7] },
    ]);
    await world.rows("delete from concatenation_reference");
  });

  it("forgets the replies that were sent to the number, and leaves those that are due", async () => {
    for (const [number, content] of [
      [person, null],
      [person, "thanks"],
      [other, null],
    ])
      await world.rows(
        `insert into inbound_reply (id, account_id, line, number, digest, content, part_ids, expires_at)
         values ($1, $2, '10001234', $3, '', $4, '{}', now())`,
        [uuidv7(), world.account().id, number, content],
      );
    await erase();
    expect(await world.rows("select number, content from inbound_reply order by number")).toEqual(
      [
        { number: person, content: "thanks" },
        { number: other, content: null },
      ].sort((one, two) => (one.number < two.number ? -1 : 1)),
    );
    await world.rows("delete from inbound_reply");
  });

  it("erases what came in also when a week of messages is dropped meanwhile", async () => {
    const lastWeek = weekStart(new Date(Date.now() - 7 * 24 * 3_600_000));
    await ensureWeeks(world.db, [lastWeek]);
    await world.rows(
      `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
       values ($1, 1, gen_random_uuid(), $2, '10001234', 'secret', now())`,
      [world.account().id, person],
    );
    const erased = await amid(world.url, `drop table message_${weekName(lastWeek)}`, erase);
    expect(erased).toEqual({ ...nothing, received: 1 });
  });
});
