import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { type MessageRecord, partTimelines, type TimelineEvent, timelineOf } from "../../src/sms/message-timeline.ts";
import { endUnsent, holdParts } from "../../src/store/outcomes.ts";
import { recordProgress } from "../../src/store/progress.ts";
import { readMessageRecord } from "../../src/store/message-timeline.ts";
import {
  eventually,
  mci,
  openWorld,
  readMessage,
  seedOrphan,
  storeCall,
  storeMessage,
  type World,
} from "../support/factories.ts";
import { startBoundNode, type TestNode } from "../support/node.ts";

let world: World;
let smsc: SimulatedSmsc;
let node: TestNode | undefined;

async function setUp(settings: Partial<ConnectorSettings> = {}): Promise<void> {
  smsc = await startSimulatedSmsc();
  world = await openWorld({ connectors: [{ name: "sim", settings: { port: smsc.port, ...settings } }] });
}

beforeEach(() => {
  node = undefined;
});

afterEach(async () => {
  await node?.stop();
  await smsc.stop();
  await world.close();
});

async function readAny(id: string): Promise<MessageRecord | undefined> {
  const reads = world.db.openApart({ isPipelined: true });
  try {
    return await readMessageRecord(reads, id);
  } finally {
    await reads.close();
  }
}

async function read(id: string): Promise<MessageRecord> {
  const record = await readAny(id);
  if (!record) throw new Error("no such message");
  return record;
}

const partsOf = (record: MessageRecord) => partTimelines(record);
const kindsOf = (record: MessageRecord) => timelineOf(record).map(({ kind }) => kind);
const send = async (suffix: string, content = "Hello"): Promise<string> =>
  (await storeCall(world, { messages: [{ recipient: `98912123${suffix}`, content }] }))[0] ?? "";

describe("the record of a message", () => {
  it("case 12: resend: shows an unanswered part as uncertain, and when it is submitted again", async () => {
    await setUp({ uncertain: "resend", responseTimeoutMs: 300 });
    node = await startBoundNode(world);
    const id = await send("0021");
    let part: ReturnType<typeof partsOf>[number] | undefined;
    await eventually(async () => {
      [part] = partsOf(await read(id));
      return part?.resendAt !== undefined;
    });
    expect(part).toMatchObject({ state: "uncertain", connector: "sim" });
    expect(part?.unanswered).toBeGreaterThan(0);
  });

  const ofKind = <Kind extends TimelineEvent["kind"]>(record: MessageRecord, kind: Kind) =>
    timelineOf(record).filter((event): event is Extract<TimelineEvent, { kind: Kind }> => event.kind === kind);

  it("shows no answer for a part that only its receipt proves", async () => {
    await setUp();
    const id = await storeMessage(world);
    const part = { accountId: world.account().id, messageId: id, part: 1 };
    const submitted = { ...part, connectorId: world.connector().id, recipient: mci };
    await holdParts(world.db, [submitted]);
    await recordProgress(world.db, {
      taken: [{ ...submitted, smscIdKey: "17", smscMessageId: "17", byReceipt: true }],
      reports: [{ ...part, verdict: "delivered", detail: "DELIVRD" }],
    });
    const record = await read(id);
    expect(record).toMatchObject({ status: 2, connector: "sim", submissions: [] });
    expect(partsOf(record)).toMatchObject([{ state: "delivered", resolvedBy: "receipt" }]);
    expect(kindsOf(record)).not.toContain("taken");
  });

  it("case 12: keeps a refusal that comes after the part was given up, and after its message ended", async () => {
    await setUp({ uncertain: "fail", responseTimeoutMs: 300 });
    node = await startBoundNode(world);
    smsc.pauseAnswers();
    const id = await send("0010");
    await eventually(async () => (await readMessage(world, id)).status === 4);
    smsc.resumeAnswers();
    await eventually(async () => (await read(id)).lateAnswers.length > 0);
    const [unanswered, late, ...others] = ofKind(await read(id), "notTaken");
    expect(others).toEqual([]);
    expect(unanswered).toMatchObject({ answer: null, isLate: false });
    expect(late).toMatchObject({ answer: "ESME_RINVDSTADR", isLate: true, part: 1, connector: "sim", bindNumber: 1 });
    expect(late?.node).not.toBeNull();
    expect(late?.answerMs).toBeGreaterThanOrEqual(300);
    // Both are of one submission.
    expect(Math.abs(Number(late?.firstAt) - Number(unanswered?.firstAt))).toBeLessThan(5000);
  });

  it("tells nothing of a message before its acceptance, whenever the transaction that records it began", async () => {
    await setUp();
    const accountId = world.account().id;
    const submission = () => ({ bindNumber: 1, node: 1, writtenAt: performance.now(), answerMs: 0 });
    const taken = { part: 1, connectorId: world.connector().id, recipient: "", smscIdKey: "5", smscMessageId: "5" };
    const [sent, refused] = await world.db.transaction(async (tx) => {
      // The transaction begins; what it records happens after.
      await tx.query({ name: "longAgo", text: "/* longAgo */ select pg_sleep(0.2)", values: [] });
      const ids = [await send("0030"), await send("0031")] as const;
      const of = (messageId: string) => ({ accountId, messageId });
      await recordProgress(tx, { taken: [{ ...of(ids[0]), ...taken, ...submission() }] });
      const added = [{ ...taken, ...submission(), answer: "ESME_RINVDSTADR" }];
      await endUnsent(tx, [{ ...of(ids[1]), reason: 1303, detail: null, notTaken: { before: null, added } }]);
      return ids;
    });
    await world.rows("delete from message_queue");
    for (const [id, kinds] of [
      [sent, ["accepted", "taken", "sent"]],
      [refused, ["accepted", "notTaken", "ended", "refunded"]],
    ] as const) {
      const record = await read(id);
      expect(kindsOf(record)).toEqual(kinds);
      const written = [
        ...record.submissions.map(({ writtenAt }) => writtenAt),
        ...record.notTaken.map(({ firstAt }) => firstAt),
      ];
      expect(Number(written[0])).toBeGreaterThanOrEqual(Number(record.acceptedAt));
    }
  });

  it("shows what a node had in its hands when it died", async () => {
    await setUp();
    const id = await seedOrphan(world, "sim");
    const record = await read(id);
    expect(record.claims).toMatchObject([{ connector: "sim", bindNumber: 1, alive: false }]);
    expect(partsOf(record)).toEqual([{ part: 1, state: "uncertain", connector: "sim" }]);
  });

  it("shows the receipts for its recipient that fit nothing yet", async () => {
    await setUp({ uncertain: "hold", responseTimeoutMs: 300 });
    node = await startBoundNode(world);
    const id = await send("0021");
    await eventually(async () => (await readMessage(world, id)).reason === 1302);
    const connectorId = world.connector().id;
    await world.rows(
      `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
       values ($1, '55', '{55}', true, '989121230021', 'none', 'ENROUTE'), ($1, '56', '{56}', true, '989120000000', 'none', 'ENROUTE')`,
      [connectorId],
    );
    expect((await read(id)).parkedReceipts).toMatchObject([
      { connector: "sim", smscMessageId: "55", state: "ENROUTE" },
    ]);
  });

  it("still names a connector that staff have removed", async () => {
    await setUp({ uncertain: "fail", responseTimeoutMs: 300 });
    node = await startBoundNode(world);
    const id = await send("0021");
    await eventually(async () => (await readMessage(world, id)).status === 4);
    const { id: connectorId } = world.connector();
    await world.rows("delete from configured_object where section = 'connectors'");
    expect(partsOf(await read(id))).toMatchObject([{ state: "uncertain", connector: `connector ${connectorId}` }]);
  });
});
