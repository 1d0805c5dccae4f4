import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { ReceiptReceiver } from "../../src/inbound/receive-receipts.ts";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import type { DeliveryReceipt } from "../../src/connectors/connector.ts";
import { endUnreportedMessages } from "../../src/maintenance/expire-waiting.ts";
import { findMessageState } from "../../src/smpp/constants.ts";
import { messageIdKey } from "../../src/sms/message-id-match.ts";
import { type AskedStatement, statementOf, type Transactional } from "../../src/store/database.ts";
import { endUnsent, holdParts } from "../../src/store/outcomes.ts";
import { type PartTaken, recordProgress } from "../../src/store/progress.ts";
import { matchReceiptsExactly } from "../../src/store/receipts.ts";
import { deleteObjects } from "../../src/store/configured-objects.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import {
  clear,
  count,
  eventually,
  found,
  irancell,
  longText,
  mci,
  readMessage,
  readMessages,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";
import { statement } from "../support/database.ts";
import { rowsReadBy } from "../support/rows-read.ts";
import { type DatabaseWire, openDatabaseWire } from "../support/database-wire.ts";
import { changeObjects } from "../support/object-sql.ts";

const world = useWorld({
  connectors: [
    { name: "auto" },
    { name: "decimal", settings: { messageIdFormat: "decimal" } },
    { name: "other" },
    { name: "coded", settings: { receiptErrors: { "012": "unknownNumber", "255": { kind: "other", en: "Own" } } } },
    { name: "old", enabled: false, settings: { systemId: "shared", host: "SMSC.example" } },
    { name: "new", settings: { systemId: "shared", host: "smsc.example" } },
    { name: "grouped", settings: { receiptGroup: "one" } },
    { name: "companion", settings: { receiptGroup: "one" } },
  ],
});
let receiver: ReceiptReceiver;
let recorder: OutcomeRecorder;

beforeEach(async () => {
  await clear(world);
  recorder = new OutcomeRecorder(world);
  receiver = openReceiver();
});

interface ReceiverParts {
  readonly db?: Transactional;
  readonly submissions?: OutcomeRecorder;
}

const openReceiver = ({ db = world.db, submissions = recorder }: ReceiverParts = {}): ReceiptReceiver =>
  new ReceiptReceiver({ db, telemetry: world.telemetry, directory: world.directory, submissions });

/** Of the test only. */
async function openWire(): Promise<DatabaseWire> {
  const wire = await openDatabaseWire(world.url);
  onTestFinished(() => wire.close());
  return wire;
}

/** Breaks the wire, and resolves when that a part was taken could not be recorded. */
async function failToRecord(wire: DatabaseWire, submissions: OutcomeRecorder, taken: PartTaken): Promise<void> {
  wire.break();
  const failed = world.telemetry.next("service.failed", ({ service }) => service === submissions.name);
  void submissions.record({ taken });
  await failed;
}

/** A node is submitting the message. */
const claim = (messageId: string, connector = "auto"): Promise<unknown> =>
  world.rows(
    `insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids)
     values (gen_random_uuid(), gen_random_uuid(), $1, 1, array[$2::int], array[$3::uuid])`,
    [world.connector(connector).id, world.account().id, messageId],
  );

const partTaken = (
  messageId: string,
  smscMessageId: string,
  { part = 1, connector = "auto", recipient = mci } = {},
): PartTaken => ({
  accountId: world.account().id,
  messageId,
  part,
  connectorId: world.connector(connector).id,
  recipient,
  smscIdKey: messageIdKey(smscMessageId),
  smscMessageId,
});

/** By another process, or long ago: this one does not remember it. */
async function taken(...of: Parameters<typeof partTaken>): Promise<void> {
  await recordProgress(world.db, { taken: [partTaken(...of)] });
}

const receive = (
  smscMessageId: string,
  { state = "DELIVRD", connector = "auto", recipient = mci, error = undefined as string | undefined } = {},
): Promise<unknown> => {
  const verdict = findMessageState(state)?.outcome ?? "none";
  return receiver.receive(world.connector(connector), { smscMessageId, recipient, state, verdict, error });
};

async function sent(smscMessageId: string, options: Parameters<typeof partTaken>[2] = {}): Promise<string> {
  const id = await storeMessage(world, { recipient: options.recipient ?? mci });
  await taken(id, smscMessageId, options);
  return id;
}

const delivered = (smscMessageId: string, recipient = mci): DeliveryReceipt => ({
  ...{ smscMessageId, recipient, state: "DELIVRD", verdict: "delivered", error: undefined },
});

/** As if a scheduled message had waited so long: its id carries the time of acceptance. */
async function acceptedDaysAgo(id: string, days: number): Promise<string[]> {
  const older = uuidv7(Date.now() - days * 24 * 3600 * 1000);
  await world.rows("update message set id = $2 where id = $1", [id, older]);
  await world.rows("update submission set message_id = $2 where message_id = $1", [id, older]);
  return [older];
}

it("finds the submission of a receipt by its key, however few there were when the statement was planned", async () => {
  const connectorId = world.connector().id;
  const receipt = { ...{ connectorId, smscMessageId: "7", keys: ["7"], exact: true, recipient: mci, group: [] } };
  const report = { ...receipt, verdict: "delivered", state: "DELIVRD", error: null, content: null } as const;
  const read = () =>
    rowsReadBy(world.db, { plans: "force_generic_plan", tables: "relname like 'submission%'" }, (tx) =>
      matchReceiptsExactly(tx, [report]),
    );
  await read();
  await world.rows(
    `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
     select now(), $1, n::text, 1, gen_random_uuid(), 1, $2 from generate_series(1, 5000) n`,
    [connectorId, mci],
  );
  expect(await read()).toBeLessThan(10);
});

const statusOf = async (id: string): Promise<number> => (await readMessage(world, id)).status;

const hold = (messageId: string, parts = [1], recipient = mci, connector = "auto"): Promise<void> =>
  holdParts(
    world.db,
    parts.map((part) => ({
      accountId: world.account().id,
      messageId,
      connectorId: world.connector(connector).id,
      recipient,
      part,
    })),
  );

it("keeps with a message what its operator's code means, however the receipt finds it, and nothing of other codes", async () => {
  const failures = async (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await readMessage(world, id)).failure));
  const stored: string[] = [];
  for (const [id, error, state, connector] of [
    ["c1", "012", "UNDELIV", "coded"],
    ["c2", "255", "UNDELIV", "coded"],
    ["c3", "999", "UNDELIV", "coded"],
    ["c4", "012", "DELIVRD", "coded"],
    ["c5", "012", "UNDELIV", "other"],
  ] as const) {
    stored.push(await sent(id, { connector }));
    await receive(id, { state, connector, error });
  }
  expect(await failures(stored)).toEqual([{ kind: "unknownNumber" }, { kind: "other", en: "Own" }, null, null, null]);

  // Of this process's own submissions.
  const own = await storeMessage(world);
  await recorder.record({ taken: partTaken(own, "c6", { connector: "coded" }) });
  await receive("c6", { state: "UNDELIV", connector: "coded", error: "12" });
  // Before its submission is recorded.
  await receive("c7", { state: "UNDELIV", connector: "coded", error: "012" });
  const parked = await sent("c7", { connector: "coded" });
  expect(await receiver.applyParked()).toBe(1);
  expect(await failures([own, parked])).toEqual([{ kind: "unknownNumber" }, { kind: "unknownNumber" }]);
});

describe("a receipt", () => {
  it("case 27: is on disk when it is acknowledged, after all answers that came in before it", async () => {
    const id = await sent("17");
    const other = await storeMessage(world);
    void recorder.record({ taken: partTaken(other, "18") });
    await receive("17");
    expect(await statusOf(id)).toBe(2);
    expect(await statusOf(other)).toBe(1);
  });

  it.each([
    ["DELIVRD", 2, null],
    ["UNDELIV", 3, 1306],
    ["ENROUTE", 1, null],
  ])("case 37: that says %s makes status %i", async (state, status, reason) => {
    const id = await sent("18");
    await receive("18", { state, error: "027" });
    expect(await readMessage(world, id)).toMatchObject({
      status,
      reason,
      detail: status === 3 ? `${state} 027` : null,
    });
    expect(await count(world, "unmatched_receipt")).toBe(0);
  });

  it("is left to the SMSC while the database does not accept outcomes", async () => {
    const wire = await openWire();
    const submissions = new OutcomeRecorder({ db: wire.db, telemetry: world.telemetry });
    const taken = partTaken(await storeMessage(world), "19");
    await submissions.record({ taken });
    await failToRecord(wire, submissions, taken);
    const answer = openReceiver({ db: wire.db, submissions }).receive(world.connector(), delivered("19"));
    const refused = expect(answer).rejects.toThrow();
    wire.mend();
    await refused;
    await submissions.flushed();
  });

  it("is matched when what was learnt before it is on disk, not sooner", async () => {
    const wire = await openWire();
    const id = await storeMessage(world);
    const submissions = new OutcomeRecorder({ db: wire.db, telemetry: world.telemetry });
    await failToRecord(wire, submissions, partTaken(id, "23"));
    // To a number as the operator writes it: only the database may say whose it is.
    const taken = openReceiver({ submissions }).receive(world.connector(), delivered("23", "9890000"));
    wire.mend();
    await taken;
    expect([await statusOf(id), await count(world, "unmatched_receipt")]).toEqual([2, 0]);
  });

  it("is refused while twenty thousand wait for the database", async () => {
    const wire = await openWire();
    wire.break();
    const crowded = openReceiver({ db: wire.db });
    const receipt = delivered("1");
    const answers = await Promise.all(
      Array.from({ length: 20_001 }, () => crowded.receive(world.connector(), receipt).then(String, String)),
    );
    expect(answers.filter((answer) => answer.includes("too many receipts wait"))).toHaveLength(1);
    await crowded.stop();
  });

  it.each([false, true])(
    "case 36: of two that come together and disagree the first counts (long accepted: %s)",
    async (isOld) => {
      const id = await sent("20");
      const [movedId = id] = isOld ? await acceptedDaysAgo(id, 5) : [];
      await Promise.all([receive("20"), receive("20", { state: "UNDELIV" })]);
      expect(await statusOf(movedId)).toBe(2);
    },
  );

  it("case 32: goes to its recipient's part, though this process remembers another one under that id", async () => {
    const theirs = await sent("2a", { recipient: irancell });
    const ours = await storeMessage(world);
    await recorder.record({ taken: partTaken(ours, "2a") });
    await receive("2a", { recipient: irancell });
    expect([await statusOf(theirs), await statusOf(ours)]).toEqual([2, 1]);
  });

  it("case 21: without an id speaks of none of the parts that were taken without one", async () => {
    const id = await sent("");
    await receive("");
    expect(await statusOf(id)).toBe(1);
  });

  it("is told of once its group is on disk, though the group had to be stored twice", async () => {
    const id = await sent("19");
    await world.rows("create sequence tried");
    await world.rows(
      `create function conflict_once() returns trigger language plpgsql as $$
       begin if nextval('tried') = 1 then raise exception 'in each other''s way' using errcode = '40001'; end if; return new; end $$`,
    );
    await world.rows(
      "create trigger conflict_once before insert on unmatched_receipt for each row when (new.smsc_message_id = '404') execute function conflict_once()",
    );
    let delivered = 0;
    world.telemetry.on("message.ended", ({ count: ended }) => (delivered += ended));
    // The first one goes alone, the others wait for it and share a group.
    await Promise.all([receive("403"), receive("19"), receive("404")]);
    expect([await statusOf(id), await world.rows("select last_value::int as tries from tried")]).toEqual([
      2,
      [{ tries: 2 }],
    ]);
    expect(delivered).toBe(1);
  });

  it("case 30: that overtakes its answer is kept, and matched when the answer has come", async () => {
    const id = await storeMessage(world);
    const applied = world.telemetry.next("receipt.applied");
    await receive("20");
    expect(await applied).toEqual({ matched: 0, unmatched: 1, late: 0 });
    expect(await receiver.applyParked()).toBe(0);
    await taken(id, "20");
    expect(await statusOf(id)).toBe(1);
    expect(await receiver.applyParked()).toBe(1);
    expect(await statusOf(id)).toBe(2);
    expect(await count(world, "unmatched_receipt")).toBe(0);
  });

  it.each([
    ["the same text", "00aB-1", "00aB-1"],
    ["other case and zeros", "00ABCDEF", "abcdef"],
    ["hex for decimal", "1000000000000001", "38d7ea4c68001"],
  ])("case 31: finds its part by %s", async (_, answered, receipted) => {
    const id = await sent(answered);
    await receive(receipted);
    expect(await statusOf(id)).toBe(2);
  });

  it("case 31: of another base prefers the part that went to its recipient, and guesses at none", async () => {
    const first = await sent("1f4", { recipient: irancell });
    const second = await sent("500", { connector: "decimal" });
    const third = await sent("1f4", { connector: "decimal" });
    await receive("500", { connector: "decimal" });
    expect(
      [await statusOf(first), await statusOf(second), await statusOf(third)].filter((status) => status === 2),
    ).toHaveLength(0);
    expect(await count(world, "unmatched_receipt")).toBe(1);
  });

  it("case 31: of another base is of the part that is still open, not of one whose message has ended", async () => {
    const ended = await sent("1f6", { connector: "decimal", recipient: irancell });
    await world.rows("update message set status = 4, reason = 1303 where id = $1", [ended]);
    const open = await sent("1f6", { connector: "decimal", recipient: irancell });
    await receive("502", { connector: "decimal", recipient: irancell });
    expect([await statusOf(ended), await statusOf(open)]).toEqual([4, 2]);
  });

  it("case 31: of another base is of an open part rather than of one that was reported on", async () => {
    const reported = await sent("1f7", { connector: "decimal" });
    await receive("503", { connector: "decimal" });
    const open = await sent("1f7", { connector: "decimal" });
    await receive("503", { connector: "decimal", state: "UNDELIV" });
    expect([await statusOf(reported), await statusOf(open)]).toEqual([2, 3]);
  });

  it("case 12: of one part leaves a message at 4 with 1302 until the last part has its own", async () => {
    const id = await storeMessage(world, { content: longText(2) });
    await taken(id, "1f8", { part: 1 });
    await hold(id, [2]);
    await endUnsent(world.db, [{ accountId: world.account().id, messageId: id, reason: 1302, detail: null }]);
    await recordProgress(world.db, {
      taken: [partTaken(id, "1f9", { part: 2 })],
      reports: [{ accountId: world.account().id, messageId: id, part: 2, verdict: "delivered", detail: "" }],
    });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    await receive("1f8");
    expect(await statusOf(id)).toBe(2);
  });

  it.each([
    ["its id, from before the SMSC began to count anew", "500"],
    ["its id as a number in another writing", "1280"],
  ])("cases 30 and 32: that overtakes its answer is not of a part to another phone under %s", async (_, known) => {
    const theirs = await sent(known, { recipient: irancell });
    await receive("500");
    expect(await receiver.applyParked()).toBe(0);
    expect(await statusOf(theirs)).toBe(1);
    const mine = await sent("500");
    expect(await receiver.applyParked()).toBe(1);
    expect([await statusOf(theirs), await statusOf(mine)]).toEqual([1, 2]);
  });

  it("case 32: is of the part with its id where both of its addresses may be the subscriber's", async () => {
    const id = await sent("24", { recipient: irancell });
    const receipt = delivered("24");
    await receiver.receive(world.connector(), { ...receipt, isRecipientUnsure: true });
    expect(await statusOf(id)).toBe(2);
  });

  it.each([
    ["it", true],
    ["only it, which an SMSC sends without a source,", false],
  ])(
    "case 32: that overtakes its answer finds its part where %s names the line, which is a phone",
    async (_, isUnsure) => {
      const line = "989981234567";
      const receipt = delivered("25", line);
      await receiver.receive(world.connector(), { ...receipt, isRecipientUnsure: isUnsure });
      expect(await count(world, "unmatched_receipt")).toBe(1);
      const id = await sent("25");
      await world.rows("update message set sender = '09981234567' where id = $1", [id]);
      expect(await receiver.applyParked()).toBe(1);
      expect(await statusOf(id)).toBe(2);
    },
  );

  it("case 32: of one SMSC is never another's, and of several equal ids takes its recipient's, then the latest", async () => {
    const foreign = await sent("77", { connector: "other" });
    const old = await sent("77");
    await world.rows("update submission set submitted_at = now() - interval '1 hour' where message_id = $1", [old]);
    const mine = await sent("77", { recipient: irancell });
    const latest = await sent("77");
    await receive("77", { recipient: irancell });
    expect(await readMessages(world, [foreign, old, mine, latest])).toMatchObject([
      { status: 1 },
      { status: 1 },
      { status: 2 },
      { status: 1 },
    ]);
    await receive("77", { recipient: "" });
    expect([await statusOf(old), await statusOf(latest)]).toEqual([1, 2]);
  });

  it("case 32: is not of a submission so old that the SMSC has begun to count anew", async () => {
    const id = await sent("78");
    await world.rows("update submission set submitted_at = now() - interval '11 days'");
    await receive("78");
    expect(await statusOf(id)).toBe(1);
  });

  it.each([
    { of: "remembered parts", connector: "auto", isRemembered: true, receiptId: "904" },
    { of: "parts of another node", connector: "auto", isRemembered: false, receiptId: "904" },
    {
      of: "parts whose receipts write ids in another base",
      connector: "decimal",
      isRemembered: false,
      receiptId: "2308",
    },
  ])("case 34: with the one id that the SMSC gave all parts speaks of them all: $of", async (given) => {
    const { connector, isRemembered, receiptId } = given;
    const [other = "", id = ""] = await storeCall(world, { messages: [{}, { content: longText(3) }] });
    await taken(other, "904", { connector, recipient: irancell });
    for (const part of [1, 2, 3]) {
      if (isRemembered) await recorder.record({ taken: partTaken(id, "904", { part, connector }) });
      else await taken(id, "904", { part, connector });
    }
    await receive(receiptId, { connector });
    await receive(receiptId, { connector, state: "UNDELIV" });
    expect([await statusOf(id), await statusOf(other)]).toEqual([2, 1]);
    expect(await count(world, "unmatched_receipt")).toBe(0);
  });

  it("case 34: with an id of some parts leaves the others to theirs", async () => {
    const id = await storeMessage(world, { content: longText(3) });
    for (const [part, given] of [
      [1, "905"],
      [2, "906"],
      [3, "905"],
    ] as const)
      await taken(id, given, { part });
    await receive("905");
    expect(await readMessage(world, id)).toMatchObject({ status: 1, delivered: 5 });
    await receive("906", { state: "UNDELIV" });
    expect(await statusOf(id)).toBe(3);
  });

  it("that the database will not have (an octet 0) is refused by itself, and harms no other", async () => {
    const id = await sent("95");
    const results = await Promise.allSettled([receive("95"), receive("96", { state: "DELIVRD", error: "0\0" })]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await statusOf(id)).toBe(2);
  });
});

describe("a receipt for a part that was never answered", () => {
  it("case 12: proves that the part was taken", async () => {
    const id = await storeMessage(world);
    await hold(id);
    await receive("unheard-of");
    expect(await readMessage(world, id)).toMatchObject({ status: 2, reason: null, taken: 1 });
  });

  it.each([
    ["to its connector", "auto", "auto", "17"],
    ["in another base than answers", "decimal", "decimal", "171"],
    ["to another connector of its group", "grouped", "companion", "17"],
  ])("case 36: that is repeated %s counts for one part", async (_, submittedOn, repeatedOn, smscId) => {
    const id = await storeMessage(world, { content: longText(3) });
    await hold(id, [1, 2, 3], mci, submittedOn);
    await receive(smscId, { connector: submittedOn });
    for (const state of ["DELIVRD", "UNDELIV"]) await receive(smscId, { state, connector: repeatedOn });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    await receive("18", { connector: submittedOn });
    expect(await statusOf(id)).toBe(0);
    await receive("19", { connector: submittedOn });
    expect(await statusOf(id)).toBe(2);
    expect(await count(world, "unmatched_receipt")).toBe(0);
  });

  it("case 36: that comes several times at once counts for one part", async () => {
    const id = await storeMessage(world, { content: longText(2) });
    await hold(id, [1, 2]);
    // The others are stored together, after this one.
    const first = receive("of-another", { recipient: irancell });
    await Promise.all([first, receive("x1"), receive("x1"), receive("x1", { state: "UNDELIV" })]);
    await receiver.applyParked();
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    await receive("x2");
    expect(await statusOf(id)).toBe(2);
    expect(await count(world, "unmatched_receipt")).toBe(1);
  });

  it("brings the number of a person who was erased meanwhile back to nothing", async () => {
    const id = await storeMessage(world, { content: longText(2) });
    await hold(id, [1, 2]);
    await world.rows("update message set recipient = '', content = '' where id = $1", [id]);
    await receive("x1");
    await receive("x1");
    expect(await world.rows("select recipient from submission")).toEqual([{ recipient: "" }]);
    expect(await world.rows("select part from receipt where message_id = $1", [id])).toHaveLength(2);
  });

  it("is given to none of several messages that it could speak of", async () => {
    const [first = "", second = ""] = await storeCall(world, { messages: [{}, {}] });
    await hold(first);
    await hold(second);
    await receive("z1");
    expect([await statusOf(first), await statusOf(second)]).toEqual([0, 0]);
    expect(await count(world, "unmatched_receipt")).toBe(1);
  });

  it("case 30: waits while another message to the same phone is on its way: it may have overtaken that one's answer", async () => {
    const [open = "", next = ""] = await storeCall(world, { messages: [{}, {}] });
    await hold(open);
    await claim(next);
    await receive("w1");
    expect([await statusOf(open), await statusOf(next)]).toEqual([0, 0]);
    await taken(next, "w1");
    await world.rows("delete from claim");
    expect(await receiver.applyParked()).toBe(1);
    expect([await statusOf(open), await statusOf(next)]).toEqual([0, 2]);
  });

  it.each([
    ["its connector", "auto", "auto"],
    ["another connector of its group", "grouped", "companion"],
  ])(
    "case 30: waits where the answer of another message is recorded while its id is looked up, on %s",
    async (_, submittedOn, reportedOn) => {
      const [open = "", next = ""] = await storeCall(world, { messages: [{}, {}] });
      await hold(open, [1], mci, submittedOn);
      const { db } = world;
      const duringLookUp: Transactional = {
        query: (...asked) => db.query(...asked),
        transaction: (work) =>
          db.transaction((tx) =>
            work({
              query: async <Row>(...asked: AskedStatement): Promise<Row[]> => {
                const rows = await tx.query<Row>(...asked);
                if (statementOf(asked).name === "matchReceiptsByNumber")
                  await taken(next, "v1", { connector: submittedOn });
                return rows;
              },
            }),
          ),
      };
      await openReceiver({ db: duringLookUp }).receive(world.connector(reportedOn), delivered("v1"));
      expect([await statusOf(open), await statusOf(next)]).toEqual([0, 1]);
      expect(await receiver.applyParked()).toBe(1);
      expect([await statusOf(open), await statusOf(next)]).toEqual([0, 2]);
    },
  );
});

describe("a parked receipt that two nodes match at the same moment", () => {
  it("is applied by one of them, and not kept as if the operator had repeated it", async () => {
    await receive("early");
    const id = await storeMessage(world);
    await taken(id, "early");
    const other = openReceiver();
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const { applied } = await world.db.transaction(async (tx) => {
      await tx.query(statement("select from message where id = $1 for update", [id]));
      const begun = { applied: Promise.all([receiver.applyParked(), other.applyParked()]) };
      await eventually(async () => (await world.rows(waiting)).length === 2);
      return begun;
    });
    expect((await applied).sort()).toEqual([0, 1]);
    expect(await statusOf(id)).toBe(2);
    expect(await count(world, `receipt where message_id = '${id}'`)).toBe(1);
  });
});

describe("receipts that nothing fits", () => {
  it("case 39: never keep those waiting that something does fit, however many they are", async () => {
    await world.rows(
      `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
       select $1, 'n' || n, array['n' || n], true, '', 'delivered', 'DELIVRD' from generate_series(1, 3500) n`,
      [world.connector().id],
    );
    const [latest = "", middle = ""] = await storeCall(world, { messages: [{}, {}] });
    await taken(middle, "n100");
    await receive("late-1");
    await taken(latest, "late-1");
    expect(await receiver.applyParked()).toBe(1);
    expect(await statusOf(latest)).toBe(2);
    for (let round = 0; round < 4 && (await statusOf(middle)) !== 2; round += 1) await receiver.applyParked();
    expect(await statusOf(middle)).toBe(2);
  });

  it("case 36: a repetition in another base is no such receipt", async () => {
    const id = await sent("1f5", { connector: "decimal" });
    for (let time = 0; time < 3; time += 1) await receive("501", { connector: "decimal" });
    expect(await statusOf(id)).toBe(2);
    expect(await count(world, "unmatched_receipt")).toBe(0);
  });
});

describe("case 38: the end of the wait for receipts", () => {
  const end = async (): Promise<number> => found((await endUnreportedMessages(world))["ended"]);
  const ageSubmissions = (hours: number): Promise<unknown> =>
    world.rows("update submission set submitted_at = submitted_at - make_interval(hours => $1)", [hours]);

  it("gives 1301 to what was sent and not reported on in time, each once, and to nothing else", async () => {
    const early = await sent("a1");
    const delivered = await sent("a2");
    await receive("a2");
    await ageSubmissions(80);
    const recent = await sent("a3");
    expect(await end()).toBe(1);
    expect(await end()).toBe(0);
    expect(await readMessages(world, [early, delivered, recent])).toMatchObject([
      { status: 1, reason: 1301 },
      { status: 2, reason: null },
      { status: 1, reason: null, finalAt: null },
    ]);
    expect((await readMessage(world, early)).finalAt).not.toBeNull();
    await ageSubmissions(80);
    expect(await end()).toBe(0);
    await world.rows("update receipt_deadline set done_until = now() - interval '100 hours'");
    expect(await end()).toBe(1);
  });

  it("goes by the deadline of the connector, also after staff have changed it", async () => {
    const id = await sent("b1", { connector: "other" });
    await ageSubmissions(50);
    expect(await end()).toBe(0);
    const settings: Partial<ConnectorSettings> = { receiptDeadlineHours: 48 };
    await world.reconfigure(changeObjects("connectors", "$1", "'other'"), [JSON.stringify(settings)]);
    expect(await end()).toBe(1);
    expect((await readMessage(world, id)).reason).toBe(1301);
  });

  it("reaches what was sent through a connector that staff have removed since", async () => {
    const id = await sent("d1", { connector: "decimal" });
    expect(await end()).toBe(0);
    await world.reconfigure("delete from configured_object where name = 'decimal'", []);
    await world.rows("update submission set submitted_at = now() - interval '73 hours'");
    await world.rows("update receipt_deadline set done_until = now() - interval '100 hours'");
    expect(await end()).toBe(1);
    expect((await readMessage(world, id)).reason).toBe(1301);
  });
});

describe("a receipt by another connector of its group", () => {
  it.each([
    ["of equal host, port and systemId, one of them disabled", "old", "new"],
    ["of one receiptGroup", "grouped", "companion"],
  ])("finds what a connector %s has submitted, when the subscriber agrees", async (_what, from, by) => {
    const id = await sent("a7", { connector: from });
    await receive("a7", { connector: by, recipient: irancell });
    expect([await statusOf(id), await count(world, "unmatched_receipt")]).toEqual([1, 1]);
    await receive("a7", { connector: by });
    expect(await statusOf(id)).toBe(2);
  });

  it("finds nothing of a connector that shares neither", async () => {
    const id = await sent("a7", { connector: "other" });
    await receive("a7", { connector: "new" });
    expect(await statusOf(id)).toBe(1);
  });

  it("finds the id as a number in another writing, again only with the subscriber's number", async () => {
    const id = await sent("1f", { connector: "old" });
    await receive("31", { connector: "new", recipient: irancell });
    expect(await statusOf(id)).toBe(1);
    await receive("31", { connector: "new" });
    expect(await statusOf(id)).toBe(2);
  });

  it("goes to an older part of its own connector, though this process remembers one of another", async () => {
    const own = await sent("a7", { connector: "new" });
    const group = await storeMessage(world);
    await recorder.record({ taken: partTaken(group, "a7", { connector: "old" }) });
    await receive("a7", { connector: "new" });
    expect([await statusOf(own), await statusOf(group)]).toEqual([2, 1]);
  });

  it("finds the part that was never answered, unless another message to the subscriber is on its way in the group", async () => {
    const [id = "", other = ""] = await storeCall(world, { messages: [{}, {}] });
    await hold(id, [1], mci, "old");
    await claim(other, "new");
    await receive("unknown", { connector: "new" });
    expect((await readMessage(world, id)).status).toBe(0);
    await world.rows("delete from claim");
    expect(await receiver.applyParked()).toBe(1);
    expect(await statusOf(id)).toBe(2);
  });

  it("that came before its submission was recorded is applied when it is", async () => {
    await receive("a7", { connector: "new" });
    expect(await receiver.applyParked()).toBe(0);
    const id = await sent("a7", { connector: "old" });
    expect(await receiver.applyParked()).toBe(1);
    expect(await statusOf(id)).toBe(2);
  });

  it("finds what a connector has submitted that is removed since", async () => {
    const id = await sent("a7", { connector: "grouped" });
    const removed = world.connector("grouped").id;
    await deleteObjects(world.db, "connectors", ["grouped"]);
    await world.reconfigure("select 1");
    expect(world.directory.current.receiptGroups.get(world.connector("companion").id)).toEqual([removed]);
    expect(await world.rows("select settings ? 'password' as secret from removed_connector")).toEqual([
      { secret: false },
    ]);
    await receive("a7", { connector: "companion" });
    expect(await statusOf(id)).toBe(2);
  });
});
