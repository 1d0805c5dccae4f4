import { createHash, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { InboundPart, InboundSession } from "../../src/connectors/connector.ts";
import { InboundReceiver } from "../../src/inbound/receive-messages.ts";
import { AssignReceived } from "../../src/maintenance/assign-received.ts";
import { splitMessages } from "../../src/sms/concatenation.ts";
import { clear, count, emptyTables, eventually, found, useWorld } from "../support/factories.ts";
import { isIdOfNow, setClockWrong } from "../support/wrong-clock.ts";
import { listReceivedMessages } from "../../src/store/received-lists.ts";
import { addObject, allowConnectors, changeObjects, dropRules } from "../support/object-sql.ts";

const shared = "20001111";
const own = "10001234";
const reserved = "30001111";

const world = useWorld({
  accounts: [
    { name: "first", lines: [own, shared, reserved] },
    { name: "second", lines: [shared, reserved] },
  ],
  connectors: [
    { name: "sim", settings: { receiptGroup: "one account" } },
    { name: "twin", settings: { receiptGroup: "one account" } },
    { name: "other" },
  ],
  lines: { [own]: "dedicated", [shared]: "service", [reserved]: "service", "02188001122": "dedicated" },
});
let receiver: InboundReceiver;
let session: TestSession;
/** A node that lives, as the database sees it. */
let nodeId: string;

interface TestSession extends InboundSession {
  /** The link is gone; resolves when whoever waits for that has been told. */
  end(): Promise<void>;
}

function openSession(): TestSession {
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (close = resolve));
  return { closed, end: () => (close(), closed) };
}

/** A node's receiver; another node's, where it is called again. */
async function startReceiver(): Promise<{ nodeId: string; receiver: InboundReceiver }> {
  const id = randomUUID();
  await world.rows(
    "insert into node (id, host, pid, configuration_version, lease_until) values ($1, 'test', 1, 1, now() + interval '1 hour')",
    [id],
  );
  return { nodeId: id, receiver: new InboundReceiver({ ...world, membership: { nodeId: id } }) };
}

beforeAll(async () => {
  await world.reconfigure(changeObjects("lines", `'{"inbound": "second"}'`, "$1"), [reserved]);
});

beforeEach(async () => {
  await clear(world);
  await world.rows("delete from node");
  ({ nodeId, receiver } = await startReceiver());
  session = openSession();
});

interface PartPlan {
  readonly text?: string;
  readonly recipient?: string;
  readonly concatenation?: InboundPart["concatenation"];
  /** What tells apart equal texts that are not the same deliver_sm. */
  readonly nonce?: string;
}

function part({ text = "hi", recipient = own, concatenation, nonce = "" }: PartPlan = {}): InboundPart {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([text, recipient, concatenation, nonce]))
    .digest();
  return { sender: "989121112233", recipient, text, concatenation, fingerprint };
}

interface Coming {
  readonly by?: InboundReceiver;
  readonly session?: InboundSession;
  readonly sequenceNumber?: number;
  readonly connector?: string;
}

let lastSequenceNumber = 0;

/** Under a new sequence number unless told. */
function receive(
  plan?: PartPlan,
  { by = receiver, session: link = session, sequenceNumber = (lastSequenceNumber += 1), connector }: Coming = {},
): Promise<bigint> {
  return by.receive(world.connector(connector), part(plan), { session: link, sequenceNumber });
}

/** The answer leaves, and nobody has written that down yet. */
const receiveConfirmed = async (plan?: PartPlan, coming?: Coming): Promise<void> =>
  (coming?.by ?? receiver).confirm(await receive(plan, coming));

interface Received {
  readonly account: string | null;
  readonly sequence: bigint;
  readonly content: string;
  readonly recipient: string;
  readonly complete: boolean;
}

const received = (): Promise<Received[]> =>
  world.rows(
    `select a.name as account, sequence, content, recipient, complete from inbound_message m left join account a on a.id = m.account_id
      order by m.account_id, sequence`,
  );

const contents = async (): Promise<string[]> => (await received()).map(({ content }) => content);

describe("a message from a subscriber", () => {
  it("case 27: is on disk when it is acknowledged", async () => {
    const told = world.telemetry.next("inbound.received");
    await receive({ text: "سلام" });
    expect(await told).toEqual({ connector: "sim", kind: "new" });
    expect(await received()).toMatchObject([{ account: "first", sequence: 1n, content: "سلام", complete: true }]);
  });

  it("has the time of the database at a node whose clock is a year off", async () => {
    onTestFinished(() => void vi.useRealTimers());
    await setClockWrong(world.db, { days: 400 });
    await receive();
    const text = "select id, abs(extract(epoch from now() - received_at)) < 60 as fresh from inbound_message";
    const [message = { id: "", fresh: false }] = await world.rows<{ id: string; fresh: boolean }>(text);
    expect([message.fresh, await isIdOfNow(world.db, message.id)]).toEqual([true, true]);
  });

  it("goes to the account named for the line, to its only account, or stays unassigned; nothing is refused", async () => {
    for (const recipient of [own, reserved, shared, "99999"]) await receive({ recipient });
    expect((await received()).map(({ account, recipient, sequence }) => [account, recipient, sequence])).toEqual([
      [null, shared, 1n],
      [null, "99999", 2n],
      ["first", own, 1n],
      ["second", reserved, 1n],
    ]);
  });

  it.each([own, `98${own}`, `+98${own}`, `0098${own}`])("knows its line written as %s", async (recipient) => {
    await receive({ recipient });
    expect(await received()).toMatchObject([{ account: "first", recipient: own }]);
  });

  it("goes to the account of the first rule of its line that fits, else to that of the line", async () => {
    const rules = [
      { line: shared, words: ["عضويت", "join"], account: "first" },
      { line: shared, prefix: "vote", account: "second" },
      { line: reserved, any: true, account: "first" },
    ];
    for (const [position, body] of rules.entries()) {
      await world.reconfigure(addObject("inboundRules", "$1::text", "$2", "$1::int"), [position, JSON.stringify(body)]);
    }
    onTestFinished(() => world.reconfigure(dropRules));
    for (const text of ["عضویت", "JOIN!", "Vote 7", "votes", "join us"]) await receive({ text, recipient: shared });
    await receive({ text: "anything", recipient: reserved });
    await receive({ text: "join", recipient: own });
    expect((await received()).map(({ account, content }) => [account, content])).toEqual(
      expect.arrayContaining([
        ["first", "عضویت"],
        ["first", "JOIN!"],
        ["second", "Vote 7"],
        [null, "votes"],
        [null, "join us"],
        ["first", "anything"],
        ["first", "join"],
      ]),
    );
  });

  it("owes the reply of its rule once, also where it comes again and in parts", async () => {
    await world.reconfigure(addObject("inboundRules", "'0'", "$1"), [
      JSON.stringify({ line: own, prefix: "join", account: "first", reply: "Welcome" }),
    ]);
    onTestFinished(async () => {
      await world.reconfigure(dropRules);
      await world.rows("truncate inbound_reply");
    });
    const owed = (): Promise<object[]> =>
      world.rows(
        "select r.number, r.content, cardinality(r.part_ids) as parts from inbound_reply r join inbound_message m using (id) order by parts",
      );
    const text = "join";
    await receive({ text }, { sequenceNumber: 70_001 });
    await receive({ text }, { sequenceNumber: 70_001 });
    const concatenation = (number: number) => ({ reference: 5, total: 2, number });
    await receive({ text: "us", concatenation: concatenation(2) });
    expect(await owed()).toHaveLength(1);
    await receive({ text: "join ", concatenation: concatenation(1) });
    await receive({ text: "joint" });
    const reply = { number: "989121112233", content: "Welcome" };
    expect(await owed()).toEqual([
      { ...reply, parts: 1 },
      { ...reply, parts: 2 },
    ]);
  });

  it("tells the account of its message what a word changed, once", async () => {
    await world.rows(
      "insert into wanted_events (account_id, by_endpoints) select id, -1 from account where name = 'second'",
    );
    onTestFinished(async () => {
      await world.rows("delete from wanted_events");
      await world.rows("truncate opt_out");
    });
    for (const text of ["لغو۱۱", "stop", "12", "12"]) await receive({ text, recipient: reserved });
    const told = await world.rows<{ detail: Record<string, unknown> }>(
      "select detail from event e join account a on a.id = e.account_id where a.name = 'second' and detail is not null order by position, subject_id",
    );
    const entry = { lineNumber: reserved, recipientNumber: expect.stringMatching(/^989/) as unknown, how: "message" };
    expect(told.map(({ detail }) => detail)).toEqual([
      { ...entry, createdTimestamp: expect.any(Number) as unknown },
      { ...entry, createdTimestamp: expect.any(Number) as unknown },
    ]);
  });

  it("tells the account nothing of an entry that another account made for itself", async () => {
    await world.rows("insert into wanted_events (account_id, by_endpoints) select id, -1 from account");
    await emptyTables(world.db, ["event"]);
    onTestFinished(async () => {
      await world.rows("delete from wanted_events");
      await world.rows("truncate opt_out");
    });
    const enter = (account: string, year: number) =>
      world.rows(
        `insert into opt_out (account_id, line, number, how, created_at)
         select id, $2, '989121112233', 'api', make_timestamptz($3, 1, 1, 0, 0, 0, 'UTC') from account where name = $1`,
        [account, reserved, year],
      );
    await enter("first", 2020);
    await receive({ text: "12", recipient: reserved });
    expect(await count(world, "opt_out")).toBe(0);
    await enter("first", 2020);
    await enter("second", 2021);
    await receive({ text: "start", recipient: reserved });
    expect(await count(world, "opt_out")).toBe(0);
    const told = await world.rows<{ name: string; since: number }>(
      `select a.name, (detail ->> 'createdTimestamp')::int as since from event e join account a on a.id = e.account_id where detail is not null`,
    );
    expect(told).toEqual([{ name: "second", since: Date.UTC(2021) / 1000 }]);
  });

  it("knows a line that begins with 0 without its 0", async () => {
    await receive({ recipient: "982188001122" });
    expect((await received())[0]?.recipient).toBe("02188001122");
  });

  it("case 51: has no octet 0 and no half of a character", async () => {
    await receive({ text: "a\0b\ud83d" });
    expect(await contents()).toEqual(["ab\ufffd"]);
  });
});

/**
 * Lets the answers owed so far be owed for so much longer, as this process and as the database see
 * it.
 */
async function passTime(ms: number): Promise<void> {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + ms);
  await world.rows("update inbound_part set carried_at = carried_at - make_interval(secs => $1)", [ms / 1000]);
}

/** That part's session is over, as the database sees it. */
const released = (id: bigint): Promise<void> =>
  eventually(async () => (await count(world, `inbound_part where id = ${id} and carried_by is null`)) === 1);

afterEach(() => void vi.restoreAllMocks());

describe("a line that lists connectors", () => {
  const listOther = (): Promise<void> =>
    world.reconfigure(changeObjects("lines", `'{"connectors": ["other"]}'`, "$1"), [own]);
  afterEach(() => world.reconfigure(allowConnectors));

  it("gets what they bring, and no account ever gets what another one brings, though it is stored and told", async () => {
    await listOther();
    const kind = world.telemetry.next("inbound.received");
    const stray = world.telemetry.next("inbound.stray");
    await receive({ recipient: `98${own}` });
    expect((await kind).kind).toBe("stray");
    expect(await stray).toEqual({ connector: "sim", line: own });
    await receive({ text: "listed" }, { connector: "other" });
    expect(await new AssignReceived(world).run()).toEqual({ assigned: 0 });
    await world.reconfigure(allowConnectors);
    expect(await new AssignReceived(world).run()).toEqual({ assigned: 0 });
    expect(await received()).toMatchObject([
      { account: null, content: "hi", recipient: own },
      { account: "first", content: "listed" },
    ]);
  });

  it("reports each connector once a minute, and counts each message", async () => {
    await listOther();
    const told: string[] = [];
    const kinds: string[] = [];
    const offs = [
      world.telemetry.on("inbound.stray", ({ line }) => told.push(line)),
      world.telemetry.on("inbound.received", (event) => kinds.push(event.kind)),
    ];
    for (const text of ["a", "b", "c"]) await receiveConfirmed({ text });
    for (const off of offs) off();
    expect([told, kinds]).toEqual([[own], ["stray", "stray", "stray"]]);
  });

  it("gets no part of a long message from a connector of the same account that it does not list", async () => {
    await world.reconfigure(changeObjects("lines", `'{"connectors": ["twin"]}'`, "$1"), [own]);
    const [first, second] = parts(["one ", "two"]);
    await receive(first, { connector: "sim" });
    await receive(second, { connector: "twin" });
    expect(await received()).toEqual([]);
    await receive(first, { connector: "twin" });
    expect(await received()).toMatchObject([{ account: "first", content: "one two" }]);
  });

  it("judges a long message whole, also when its time is up", async () => {
    await listOther();
    const [first] = parts(["one ", "two"]);
    await receive(first);
    await world.rows("update inbound_part set received_at = now() - interval '25 hours'");
    await receiver.deliverIncomplete();
    expect(await received()).toMatchObject([{ account: null, content: "one " }]);
  });
});

describe("an equal message", () => {
  it("case 27: is the same one when the first one's session ended before our answer left", async () => {
    const first = await receive();
    await session.end();
    const again = world.telemetry.next("inbound.received");
    expect(await receive({}, { session: openSession() })).toBe(first);
    expect((await again).kind).toBe("repeated");
    expect(await contents()).toEqual(["hi"]);
  });

  it("case 27: is the same one under the first one's sequence number on its session", async () => {
    const first = await receive({}, { sequenceNumber: 5 });
    expect(await receive({}, { sequenceNumber: 5 })).toBe(first);
    expect(await receive({}, { sequenceNumber: 5, session: openSession() })).not.toBe(first);
    expect(await contents()).toEqual(["hi", "hi"]);
  });

  it("is another one where the session numbers its requests all alike", async () => {
    const first = await receive({}, { sequenceNumber: 0 });
    expect(await receive({}, { sequenceNumber: 0 })).not.toBe(first);
    for (const text of ["one", "two", "one"]) await receive({ text }, { sequenceNumber: 7 });
    expect(await contents()).toEqual(["hi", "hi", "one", "two", "one"]);
  });

  it("is another one where the session gives a few numbers in turn", async () => {
    for (const [text, sequenceNumber] of [
      ["one", 1],
      ["two", 2],
      ["three", 1],
      ["three", 1],
    ] as const)
      await receive({ text }, { sequenceNumber });
    expect(await contents()).toEqual(["one", "two", "three", "three"]);
  });

  it.each([
    ["for 4 s", 4000, 2],
    ["for 5 s", 5000, 1],
  ])("case 27: under a new sequence number, the answer owed %s: %i ms", async (_title, ms, messages) => {
    await receive();
    await passTime(ms);
    await receive();
    expect(await contents()).toHaveLength(messages);
  });

  it.each(["one session", "two sessions"])(
    "is another one while the first waits for its answer, on %s",
    async (title) => {
      const other = title === "one session" ? session : openSession();
      await receive();
      await receive({}, { session: other });
      await Promise.all([receive(), receive({}, { session: other })]);
      expect(await contents()).toHaveLength(4);
    },
  );

  it("case 43: is another one from the moment our answer leaves: 10 confirmed one after another are 10", async () => {
    for (let index = 0; index < 10; index += 1) await receiveConfirmed();
    expect(await contents()).toHaveLength(10);
    await session.end();
    await receive({}, { session: openSession() });
    expect(await contents()).toHaveLength(11);
  });

  it("is the same one while the first is on its way to the disk, its session over", async () => {
    const first = receive();
    await session.end();
    expect(await receive({}, { session: openSession() })).toBe(await first);
    expect(await contents()).toEqual(["hi"]);
  });

  it("is matched one to one: of two that were never answered and come again, with a third, three are kept", async () => {
    await Promise.all([receive(), receive()]);
    await session.end();
    const next = openSession();
    for (let index = 0; index < 3; index += 1) await receive({}, { session: next });
    expect(await contents()).toHaveLength(3);
  });

  it("is not confirmed by a part that could not be stored: it is kept when it comes again", async () => {
    await world.rows("alter table inbound_message rename to away");
    await expect(receive()).rejects.toThrow();
    await world.rows("alter table away rename to inbound_message");
    expect(receiver.unanswered).toBe(0);
    await receive();
    expect(await contents()).toEqual(["hi"]);
  });

  it("is the same one when it came again and our answer to that was an error", async () => {
    const first = receive();
    await session.end();
    const next = openSession();
    const again = receive({}, { session: next });
    const query = vi.spyOn(world.db, "query").mockRejectedValueOnce(new Error("away"));
    await expect(again).rejects.toThrow("away");
    query.mockRestore();
    expect(await receive({}, { session: next })).toBe(await first);
    expect(await contents()).toEqual(["hi"]);
  });

  it("is another one when another connector brings it", async () => {
    await receive();
    await session.end();
    await receive({}, { session: openSession(), connector: "other" });
    expect(await contents()).toHaveLength(2);
  });

  it("is owed its answer from its last coming on", async () => {
    await receive();
    await passTime(5000);
    await receive();
    await receive();
    expect(await contents()).toHaveLength(2);
  });

  it("leaves nothing behind in memory", async () => {
    await receiveConfirmed();
    await receive();
    expect(receiver.unanswered).toBe(1);
    await session.end();
    expect(receiver.unanswered).toBe(0);
    session = openSession();
    const onItsWay = receive();
    await session.end();
    await onItsWay;
    expect(receiver.unanswered).toBe(0);
  });

  it("is confirmed by whichever of its comings is answered", async () => {
    const first = await receive();
    await session.end();
    const next = openSession();
    receiver.confirm(await receive({}, { session: next }));
    expect(await receive({}, { session: next })).not.toBe(first);
    expect(await contents()).toHaveLength(2);
  });
});

describe("an equal message on another node", () => {
  it("is another one while the first node's session waits for its answer, and when it has left", async () => {
    const other = await startReceiver();
    await receive();
    await receive({}, { by: other.receiver, session: openSession() });
    expect(await contents()).toHaveLength(2);
    await receiveConfirmed({ text: "ho" });
    await receive({ text: "ho" }, { by: other.receiver, session: openSession() });
    expect(await contents()).toHaveLength(4);
  });

  it("does not keep waiting, each by itself, what else the subscriber wrote", async () => {
    const other = await startReceiver();
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    for (const text of texts) await receive({ text });
    const begun = performance.now();
    await Promise.all(texts.map((text) => receive({ text }, { by: other.receiver })));
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(await contents()).toEqual([...texts, ...texts]);
  });

  it.each(["at once", "a moment ago"])("is the same one when the first node's session ended %s", async (when) => {
    const other = await startReceiver();
    const first = await receive();
    await session.end();
    if (when === "a moment ago") await released(first);
    expect(await receive({}, { by: other.receiver, session: openSession() })).toBe(first);
    expect(await contents()).toHaveLength(1);
  });

  it("is the same one when the first node has owed the answer for 5 s", async () => {
    const other = await startReceiver();
    const first = await receive();
    await passTime(5000);
    expect(await receive({}, { by: other.receiver, session: openSession() })).toBe(first);
  });

  it("is the same one when the first node is gone, and after a restart", async () => {
    const other = await startReceiver();
    const first = await receive();
    await world.rows("update node set lease_until = now() where id = $1", [nodeId]);
    expect(await receive({}, { by: other.receiver, session: openSession() })).toBe(first);
    // Carried by the other node since then.
    const third = await startReceiver();
    expect(await receive({}, { by: third.receiver, session: openSession() })).not.toBe(first);
  });
});

describe("a confirmation", () => {
  it("case 43: is confirmed whenever its answer leaves, also while others are being written down", async () => {
    const ids: bigint[] = [];
    for (let index = 0; index < 60; index += 1) {
      const id = await receive({ nonce: String(index) });
      ids.push(id);
      receiver.confirm(id);
    }
    await eventually(async () => (await count(world, "inbound_part where confirmed")) === ids.length);
  });

  it("is confirmed before a stop is over", async () => {
    receiver.confirm(await receive());
    await receiver.stop();
    expect(await count(world, "inbound_part where confirmed")).toBe(1);
  });
});

const parts = (texts: readonly string[], { reference = 7, nonce = "" } = {}): PartPlan[] =>
  texts.map((text, index) => ({ text, nonce, concatenation: { reference, total: texts.length, number: index + 1 } }));

describe("a long message", () => {
  it("case 52: is joined once when its parts come at the same time, each of them twice", async () => {
    const all = parts(["a", "b", "c", "d", "e"]);
    const receiveAll = () => all.map((one, index) => receive(one, { sequenceNumber: index + 1 }));
    await Promise.all([...receiveAll(), ...receiveAll()]);
    expect(await contents()).toEqual(["abcde"]);
    expect(await count(world, "inbound_part where not joined")).toBe(0);
  });

  it("case 47: joins a character that was cut between two parts", async () => {
    for (const one of parts(["x\ud83d", "\ude00y"])) await receive(one);
    expect(await contents()).toEqual(["x😀y"]);
  });

  it("is not mixed with another one that has another reference or number of parts", async () => {
    const [a1, a2] = parts(["a1", "a2"], { reference: 1 });
    const [b1, b2] = parts(["b1", "b2"], { reference: 2 });
    for (const one of [a1, b1, b2, a2]) await receive(one);
    expect((await contents()).sort()).toEqual(["a1a2", "b1b2"]);
  });

  it("case 52: is delivered without the part that never came, after its time, once by two nodes", async () => {
    const all = parts(["one ", "two ", "three"]);
    await receive(found(all[2]));
    await receive(found(all[0]));
    expect(await receiver.deliverIncomplete()).toBe(0);
    await world.rows("update inbound_part set received_at = now() - interval '25 hours'");
    const other = await startReceiver();
    const joined = await Promise.all([receiver.deliverIncomplete(), other.receiver.deliverIncomplete()]);
    expect(joined.sort()).toEqual([0, 1]);
    expect(await received()).toMatchObject([{ content: "one three", complete: false }]);
  });

  it("case 52: is joined once when connectors of one account of an operator bring its parts, and not another's", async () => {
    const all = parts(["one ", "two ", "three"]);
    const bringing = ["sim", "twin", "sim"];
    await receive(found(all[0]), { connector: "other" });
    await Promise.all(all.map((one, index) => receive(one, { connector: found(bringing[index]) })));
    expect(await received()).toMatchObject([{ content: "one two three", complete: true }]);
    expect(await count(world, "inbound_part where not joined")).toBe(1);
  });

  it("case 52: is delivered once without the part that never came, whichever connector brought the others", async () => {
    const all = parts(["one ", "two ", "three"]);
    await receive(found(all[2]), { connector: "twin" });
    await receive(found(all[0]), { connector: "sim" });
    await world.rows("update inbound_part set received_at = now() - interval '25 hours'");
    expect(await receiver.deliverIncomplete()).toBe(1);
    expect(await received()).toMatchObject([{ content: "one three", complete: false }]);
  });
});

describe("two long messages under one reference", () => {
  const elapse = (): Promise<unknown> =>
    world.rows("update inbound_part set received_at = now() - interval '25 hours'");

  it("are not mixed when the first one lost a part: it is delivered when its time is up", async () => {
    const [oldFirst] = parts(["OLD-first ", "OLD-second"], { reference: 9 });
    const [newFirst, newSecond] = parts(["NEW-first ", "NEW-second"], { reference: 9 });
    for (const one of [oldFirst, newFirst, newSecond]) await receiveConfirmed(one);
    expect(await contents()).toEqual(["NEW-first NEW-second"]);
    await elapse();
    expect(await receiver.deliverIncomplete()).toBe(1);
    expect(await received()).toMatchObject([{ complete: true }, { content: "OLD-first ", complete: false }]);
  });

  it("a part that comes after the newer message is whole begins a third one", async () => {
    const [oldFirst] = parts(["OLD-first ", "OLD-second"], { reference: 9 });
    const newer = parts(["NEW-first ", "NEW-second"], { reference: 9 });
    const third = parts(["third-first ", "third-second"], { reference: 9 });
    for (const one of [oldFirst, ...newer, third[1], third[0]]) await receiveConfirmed(one);
    expect(await contents()).toEqual(["NEW-first NEW-second", "third-first third-second"]);
  });

  it("stay apart by their number of parts", async () => {
    await receiveConfirmed({ text: "of two", concatenation: { reference: 9, total: 2, number: 1 } });
    await receiveConfirmed({ text: "of three", concatenation: { reference: 9, total: 3, number: 2 } });
    await receiveConfirmed({ text: " whole", concatenation: { reference: 9, total: 2, number: 2 } });
    expect(await contents()).toEqual(["of two whole"]);
  });

  it("whatever the order: no text is lost or doubled, no message has two parts of one number, whole ones in turn stay whole", async () => {
    const texts = ["a1 ", "a2 ", "a3 ", "b1 ", "b2 ", "b3 "];
    const partOf = (text: string): PartPlan => ({
      text,
      concatenation: { reference: 9, total: 3, number: Number(text[1]) },
    });
    const order = fc.shuffledSubarray(texts, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(order, async (coming) => {
        await world.rows("delete from inbound_part");
        await world.rows("delete from inbound_message");
        for (const text of coming) await receiveConfirmed(partOf(text));
        await elapse();
        await receiver.deliverIncomplete();
        expect(await count(world, "inbound_part where not joined")).toBe(0);
        const messages = (await contents()).map((content) => content.match(/\w\d /g) ?? []);
        expect(messages.flat().sort()).toEqual([...coming].sort());
        for (const message of messages) expect(new Set(message.map((text) => text[1])).size).toBe(message.length);
        const groups = splitMessages(coming.map((text) => ({ text, number: Number(text[1]), total: 3 })));
        // Where nothing contradicts, a message stays together in whatever order its parts came.
        if (groups.length === 1) expect(messages).toHaveLength(1);
        const inTurn = coming.length === 6 && new Set(coming.slice(0, 3).map((text) => text[0])).size === 1;
        if (inTurn) expect(messages.map((message) => message.join("")).sort()).toEqual(["a1 a2 a3 ", "b1 b2 b3 "]);
      }),
      {
        numRuns: 60,
        examples: [[["a2 ", "a3 ", "a1 ", "b3 ", "b1 ", "b2 "]], [["a1 ", "a2 ", "b1 ", "b3 ", "b2 "]]],
      },
    );
  });
});

describe("the order in which messages are read", () => {
  it("has no gap that fills up later: who has read up to a number has read all below", async () => {
    const accountId = world.account("first").id;
    const seen: bigint[] = [];
    let cursor = 0n;
    const writing = new AbortController();
    const reader = (async () => {
      while (!writing.signal.aborted || seen.length < 80) {
        const page = await listReceivedMessages(world.db, { accountId, after: cursor, count: 100 });
        for (const { sequence } of page) seen.push(sequence);
        cursor = seen.at(-1) ?? 0n;
      }
    })();
    await Promise.all(Array.from({ length: 80 }, () => receive({ nonce: randomUUID() })));
    writing.abort();
    await reader;
    expect(seen).toEqual(Array.from({ length: 80 }, (_, index) => BigInt(index + 1)));
  });
});
