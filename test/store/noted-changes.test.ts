// The statements that the service runs walk the status machine of the rule book: the row, the books
// and the event that each change writes.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { cancelScheduledBatch } from "../../src/intake/cancel.ts";
import { type EventType, eventTypeNumber, eventTypeOf, everyEvent, maskOf } from "../../src/sms/event-types.ts";
import {
  type MessageEvent,
  messageEvents,
  type MessageStatus,
  nextStatus,
  type ReasonCode,
  reasonAfter,
  reasonCode,
} from "../../src/sms/message-status.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import { writeEvents } from "../../src/store/event-log.ts";
import { assignMessages, insertInboundMessage } from "../../src/store/inbound.ts";
import { endUnsent, holdParts, releaseHeldParts } from "../../src/store/outcomes.ts";
import { type PartReport, recordProgress } from "../../src/store/progress.ts";
import { endUnreported } from "../../src/store/receipts.ts";
import { queueAllowed, takeFromReview } from "../../src/store/review.ts";
import { upsertTemplates } from "../../src/store/setup-accounts.ts";
import { noteWantedByEndpoints } from "../../src/store/wanted-events.ts";
import {
  callOf,
  count,
  found,
  line,
  longText,
  mci,
  partTaken,
  readMessage,
  readMoney,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";

/** The event of a message that got this status and reason; undefined for one that waits. */
function eventOfStatus(status: MessageStatus, reason: ReasonCode | undefined): EventType | undefined {
  if (status === 0) return undefined;
  if (status === 1) return reason === 1301 ? "message.unreported" : "message.sent";
  return ({ 2: "message.delivered", 3: "message.undelivered", 4: "message.failed" } as const)[status];
}

const world = useWorld();
let mask = everyEvent;

beforeAll(async () => {
  await want(everyEvent);
});

async function want(wanted: number): Promise<void> {
  mask = wanted;
  await noteWantedByEndpoints(world.db, [{ accountId: world.account().id, mask }]);
}

const wantedOf = (accountId: number): number => (accountId === world.account().id ? mask : 0);

const report = (messageId: string, verdict: PartReport["verdict"], part = 1) => ({
  accountId: world.account().id,
  messageId,
  part,
  verdict,
  detail: "UNDELIV 027",
});

const end = (messageId: string, reason: number): Promise<readonly number[]> =>
  endUnsent(world.db, [{ accountId: world.account().id, messageId, reason, detail: null }]);

async function perform(event: MessageEvent, messageId: string, batchId: string): Promise<unknown> {
  const { db, telemetry } = world;
  const accountId = world.account().id;
  switch (event) {
    case "accepted":
      return recordProgress(db, { taken: [partTaken(world, messageId, 1)] }, wantedOf);
    case "outcomeOpen":
      return holdParts(db, [{ accountId, messageId, connectorId: world.connector().id, recipient: mci, part: 1 }]);
    case "turnedAwayLate":
      return releaseHeldParts(db, [{ accountId, messageId, part: 1, tries: 0 }]);
    case "refused":
    case "expired":
    case "outcomeUnknown":
    case "uncarriable":
    case "optedOut":
      return end(messageId, reasonCode[event]);
    case "allowed":
      return queueAllowed(db, await takeFromReview(db, { messageIds: [messageId] }, 10));
    case "notAllowed": {
      const messages = await takeFromReview(db, { messageIds: [messageId] }, 10);
      return endUnsent(
        db,
        messages.map((message) => ({ ...message, reason: reasonCode.notAllowed, detail: null })),
      );
    }
    case "canceled":
      return cancelScheduledBatch({ db, telemetry }, { accountId, batchId });
    case "delivered":
    case "undelivered":
      return recordProgress(db, { reports: [report(messageId, event)] }, wantedOf);
    case "noReceipt":
      await world.rows("update submission set submitted_at = submitted_at - interval '73 hours'");
      await world.rows("delete from receipt_deadline");
      return endUnreported(db, { connectorId: world.connector().id, deadlineHours: 72 });
  }
}

interface Told {
  readonly type: EventType;
  readonly reason: ReasonCode | null;
}

/** As they are stored: what runs elsewhere in the cluster holds back readers. */
async function eventsOf(subjectId: string): Promise<Told[]> {
  const rows = await world.rows<{ account: number; type: number; reason: ReasonCode | null }>(
    "select account_id as account, type, reason from event where subject_id = $1 order by position, type",
    [subjectId],
  );
  return rows.map(({ account, type, reason }) => {
    expect(account).toBe(world.account().id);
    return { type: found(eventTypeOf(type)), reason };
  });
}

const pathsTo: Readonly<Record<string, readonly MessageEvent[]>> = {
  "0 waiting": [],
  "0 open": ["outcomeOpen"],
  "1 sent": ["accepted"],
  "1 unreported": ["accepted", "noReceipt"],
  "2 delivered": ["accepted", "delivered"],
  "2 delivered with the answer": ["delivered"],
  "3 undelivered": ["accepted", "undelivered"],
  "4 unsent": ["refused"],
  "4 canceled": ["canceled"],
  "4 uncertain": ["outcomeUnknown"],
  "4 uncertain after a try": ["outcomeOpen", "expired"],
};

describe("the events of messages", () => {
  const table = Object.values(pathsTo).flatMap((path) =>
    messageEvents.map((event): [MessageEvent[]] => [[...path, event]]),
  );

  async function walk(steps: readonly MessageEvent[]): Promise<{ paid: bigint }> {
    const call = callOf(world, { sendAt: new Date(Date.now() + 3_600_000) });
    await storeCalls(world.db, [call]);
    const [{ id } = { id: "" }] = call.messages;
    let status: MessageStatus = 0;
    let reason: ReasonCode | undefined;
    let waits = true;
    let refunded = false;
    const expected: Told[] = [];
    for (const step of steps) {
      // What a dispatcher has claimed does not wait any more, and cannot be canceled.
      if (step === "canceled" && !waits) continue;
      if (step !== "canceled" && waits) {
        await world.rows("delete from message_queue where message_id = $1", [id]);
        waits = false;
      }
      await perform(step, id, call.batchId);
      const next = nextStatus(status, reason, step);
      if (next !== "ignored") {
        if (next === 4) refunded = true;
        reason = reasonAfter(reason, step);
        status = next;
        const type = eventOfStatus(status, reason);
        if (type !== undefined) expected.push({ type, reason: reason ?? null });
      }
      const row = await readMessage(world, id);
      expect([step, row.status, row.reason ?? undefined]).toEqual([step, status, reason]);
    }
    expect(await eventsOf(id)).toEqual(expected);
    expect(await count(world, `ledger_entry where message_id = '${id}'`)).toBe(refunded ? 1 : 0);
    return { paid: refunded ? 0n : call.total };
  }

  it("case 36: whatever happens in whatever order, row, events and machine agree, and the books are right", async () => {
    const before = await readMoney(world);
    let spent = 0n;
    const sequences = fc.array(fc.constantFrom(...messageEvents), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        spent += (await walk(steps)).paid;
      }),
      { numRuns: table.length + 120, examples: table },
    );
    const { balance, ledger } = await readMoney(world);
    expect(balance).toBe(ledger);
    expect(balance).toBe(before.balance - spent);
  }, 120_000);

  it("is that of an end also where staff do not allow it, and none where they do", async () => {
    const [refused = "", allowed = ""] = await storeCall(world, { messages: [{}, {}] });
    const messages = [refused, allowed].map((messageId) => ({ accountId: world.account().id, messageId }));
    await world.rows("delete from message_queue");
    await world.rows("update message set reason = 1308 where id = any ($1::uuid[])", [[refused, allowed]]);
    await end(refused, reasonCode.notAllowed);
    await queueAllowed(
      world.db,
      messages.map((message) => ({ ...message, wantedAt: null })),
    );
    expect(await eventsOf(refused)).toEqual([{ type: "message.failed", reason: 1309 }]);
    expect(await eventsOf(allowed)).toEqual([]);
  });

  it("has none for what one step passes over: a receipt in the same statement as the answer", async () => {
    const id = await storeMessage(world);
    await recordProgress(world.db, { taken: [partTaken(world, id, 1)], reports: [report(id, "delivered")] }, wantedOf);
    expect(await eventsOf(id)).toEqual([{ type: "message.delivered", reason: null }]);
  });

  it("has none for a part that is not the last one", async () => {
    const id = await storeMessage(world, { content: longText(3) });
    for (const part of [1, 2]) await recordProgress(world.db, { taken: [partTaken(world, id, part)] }, wantedOf);
    expect(await eventsOf(id)).toEqual([]);
    await recordProgress(world.db, { taken: [partTaken(world, id, 3)] }, wantedOf);
    await recordProgress(world.db, { reports: [report(id, "delivered", 1), report(id, "delivered", 2)] }, wantedOf);
    expect(await eventsOf(id)).toEqual([{ type: "message.sent", reason: null }]);
    await recordProgress(world.db, { reports: [report(id, "delivered", 3)] }, wantedOf);
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual(["message.sent", "message.delivered"]);
  });

  it("is not written of a type that nobody wants", async () => {
    await want(maskOf(["message.failed", "credit.low"]));
    const [id = "", other = ""] = await storeCall(world, { messages: [{}, {}] });
    await recordProgress(world.db, { taken: [partTaken(world, id, 1)] }, wantedOf);
    await recordProgress(world.db, { reports: [report(id, "delivered")] }, wantedOf);
    await end(other, reasonCode.refused);
    expect(await eventsOf(id)).toEqual([]);
    expect(await eventsOf(other)).toEqual([{ type: "message.failed", reason: 1303 }]);
    await want(0);
    const third = await storeMessage(world);
    await end(third, reasonCode.refused);
    expect(await eventsOf(third)).toEqual([]);
    await want(everyEvent);
  });
});

describe("the event of a received message", () => {
  const received = (id: string, accountId: number, recipient: string) => ({
    id,
    accountId,
    sender: mci,
    recipient,
    content: "11",
    receivedAt: new Date(),
    complete: true,
    stray: false,
    connectorId: world.connector().id,
  });

  it("is written with the message, and only when an account has it", async () => {
    const [own, waiting] = [uuidv7(), uuidv7()];
    await insertInboundMessage(world.db, received(own, world.account().id, line));
    await insertInboundMessage(world.db, received(waiting, 0, "98777"));
    expect(await eventsOf(own)).toEqual([{ type: "message.received", reason: null }]);
    expect(await eventsOf(waiting)).toEqual([]);
    const given = { recipient: "98777", line, accountId: world.account().id, connectorIds: null, limit: 10 };
    expect(await assignMessages(world.db, given)).toBe(1);
    expect(await assignMessages(world.db, given)).toBe(0);
    expect(await eventsOf(waiting)).toEqual([{ type: "message.received", reason: null }]);
  });
});

describe("events about nothing that is stored", () => {
  const details = async (type: EventType): Promise<unknown[]> => {
    const rows = await world.rows<{ detail: unknown }>(
      "select detail from event where type = $1 order by position, subject_id",
      [eventTypeNumber(type)],
    );
    return rows.map(({ detail }) => detail);
  };

  it("keep their data as given, and are written for who wants them", async () => {
    const accountId = world.account().id;
    await writeEvents(world.db, [
      { accountId, type: "credit.low", detail: { balance: "950,000", currency: "IRR", lowCredit: "1,000,000" } },
      { accountId: 2_000_000, type: "credit.low", detail: { balance: "1" } },
    ]);
    expect(JSON.stringify(await details("credit.low"))).toBe(
      '[{"balance":"950,000","currency":"IRR","lowCredit":"1,000,000"}]',
    );
    expect(await world.rows("select from event where account_id = 2000000")).toEqual([]);
  });

  it("tell of a template that was approved, and that this was taken back, and nothing else", async () => {
    const save = (changes: { approved: boolean; refused?: string | null; content?: string }): Promise<void> =>
      upsertTemplates(world.db, [
        {
          id: "TydSt1skQE",
          account: world.account().name,
          content: "Code {code}",
          sender: null,
          refused: null,
          validSeconds: null,
          purpose: "code",
          tlvs: [],
          ...changes,
        },
      ]);
    await save({ approved: false });
    await save({ approved: false, refused: "no" });
    await save({ approved: true });
    await save({ approved: true });
    await save({ approved: false });
    await save({ approved: true });
    // Its account wrote another text, which nobody has looked at.
    await save({ approved: false, content: "Your code {code}" });
    const decided = (approved: boolean) => ({ templateId: "TydSt1skQE", approved });
    expect(await details("template.decided")).toEqual([decided(true), decided(false), decided(true)]);
  });
});
