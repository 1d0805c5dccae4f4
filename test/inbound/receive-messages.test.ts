import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InboundPart } from "../../src/connectors/connector.ts";
import { InboundReceiver } from "../../src/inbound/receive-messages.ts";
import { listReceivedAfter } from "../../src/store/received-messages.ts";
import { clear, count, eventually, found, openWorld, type World } from "../support/factories.ts";

const shared = "20001111";
const own = "10001234";
const reserved = "30001111";

let world: World;
let receiver: InboundReceiver;

beforeAll(async () => {
  world = await openWorld({
    accounts: [
      { name: "first", lines: [own, shared, reserved] },
      { name: "second", lines: [shared, reserved] },
    ],
    lines: { [own]: "dedicated", [shared]: "service", [reserved]: "service", "02188001122": "dedicated" },
  });
  await world.reconfigure(
    "update sender_line set inbound_account_id = (select id from account where name = 'second') where number = $1",
    [reserved],
  );
});

beforeEach(async () => {
  await clear(world);
  receiver = new InboundReceiver(world);
});

afterAll(async () => {
  await world.close();
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

const receive = (plan?: PartPlan): Promise<bigint> => receiver.receive(world.connector(), part(plan));

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

/** The answer to that part has left, and that is on disk. */
async function confirm(id: bigint): Promise<void> {
  receiver.confirm(id);
  await eventually(async () => (await count(world, `inbound_part where id = ${id} and confirmed`)) === 1);
}

describe("a message from a subscriber", () => {
  it("case 27: is on disk when it is acknowledged", async () => {
    const told = world.telemetry.next("inbound.received");
    await receive({ text: "سلام" });
    expect(await told).toEqual({ connector: "sim", kind: "new" });
    expect(await received()).toMatchObject([{ account: "first", sequence: 1n, content: "سلام", complete: true }]);
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

  it("knows a line that begins with 0 without its 0", async () => {
    await receive({ recipient: "982188001122" });
    expect((await received())[0]?.recipient).toBe("02188001122");
  });

  it("case 51: has no octet 0 and no half of a character", async () => {
    await receive({ text: "a\0b\ud83d" });
    expect(await contents()).toEqual(["ab\ufffd"]);
  });
});

describe("the same message again", () => {
  it("case 27: is one message while our answer has not left", async () => {
    const first = await receive();
    const again = world.telemetry.next("inbound.received");
    expect(await receive()).toBe(first);
    expect((await again).kind).toBe("repeated");
    expect(await contents()).toEqual(["hi"]);
  });

  it("case 43: is another message once our answer has left", async () => {
    await confirm(await receive());
    await receive();
    expect(await contents()).toEqual(["hi", "hi"]);
  });

  it("case 27: is one message when both copies come at the same time, on two links", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => receive()));
    expect(new Set(ids).size).toBe(1);
    expect(await contents()).toEqual(["hi"]);
  });

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
  it.each([
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ])("case 52: is joined when its parts come in the order %i %i %i", async (...order) => {
    const all = parts(["one ", "two ", "three"]);
    for (const index of order) await receive(found(all[index]));
    expect(await received()).toMatchObject([{ content: "one two three", complete: true }]);
  });

  it("case 52: is joined once when its parts come at the same time, each of them twice", async () => {
    const all = parts(["a", "b", "c", "d", "e"]);
    await Promise.all([...all, ...all].map((one) => receive(one)));
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
    const other = new InboundReceiver(world);
    const joined = await Promise.all([receiver.deliverIncomplete(), other.deliverIncomplete()]);
    expect(joined.sort()).toEqual([0, 1]);
    expect(await received()).toMatchObject([{ content: "one three", complete: false }]);
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
        const page = await listReceivedAfter(world.db, { accountId, after: cursor, count: 100 });
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
