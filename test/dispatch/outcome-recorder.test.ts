import { beforeEach, describe, expect, it } from "vitest";
import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { type Settlement, settlementOf } from "../../src/dispatch/settlement.ts";
import { RoundRobin } from "../../src/dispatch/bind-window.ts";
import { type ClaimedMessage, claimDueMessages, requeueMessages } from "../../src/store/message-queue.ts";
import type { PartTaken } from "../../src/store/progress.ts";
import { uuidv7, uuidv7Time } from "../../src/platform/uuid.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import {
  clear,
  count,
  found,
  mci,
  readMessage,
  readMessages,
  readMoney,
  seedNode,
  storeCall,
  storeMessage,
  useWorld,
} from "../support/factories.ts";

const world = useWorld();
let recorder: OutcomeRecorder;

beforeEach(async () => {
  await clear(world);
  recorder = new OutcomeRecorder(world);
});

const takenOf = (messageId: string, part = 1): PartTaken => ({
  accountId: world.account().id,
  messageId,
  part,
  connectorId: world.connector().id,
  recipient: mci,
  smscIdKey: messageId,
  smscMessageId: messageId,
});

const unsentOf = (messageId: string, reason: number): Settlement["unsent"] => ({
  accountId: world.account().id,
  messageId,
  reason,
  detail: null,
});

describe("OutcomeRecorder", () => {
  it("case 12: enters a part as unanswered before it ends its message, so that a receipt can still tell", async () => {
    const id = await storeMessage(world);
    const { accountId, messageId, connectorId, recipient, part } = takenOf(id);
    const held = [{ accountId, messageId, connectorId, recipient, part }];
    const unsent = unsentOf(id, 1302);
    await recorder.record({ held, ...(unsent ? { unsent } : {}) });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await count(world, "held_message")).toBe(1);
  });

  it("case 10: a part that was taken and a message that goes back for the rest are one step", async () => {
    const nodeId = await seedNode(world, 60);
    await storeCall(world, { messages: [{ content: "x".repeat(200) }] });
    const claimId = uuidv7();
    const [message] = await claimDueMessages(world.db, {
      claimId,
      nodeId,
      connectorId: world.connector().id,
      bindNumber: 1,
      ranges: new RoundRobin().ranges(world.routeIds, 0),
      partsLimit: 10,
    });
    const claimed = found(message);
    await Promise.all([
      recorder.record({ taken: takenOf(claimed.messageId, 1) }),
      recorder.record({ requeue: { ...claimed, delayMs: undefined }, finishedClaim: claimId }),
    ]);
    expect(await readMessage(world, claimed.messageId)).toMatchObject({ status: 0, taken: 1, tries: 1 });
    expect(await count(world, "message_queue")).toBe(1);
    expect(await count(world, "claim")).toBe(0);
  });

  it("case 9: a node that was frozen does not end what another has taken over and may have sent", async () => {
    const claim = async (): Promise<ClaimedMessage> => {
      const ranges = new RoundRobin().ranges(world.routeIds, 0);
      const lane = { connectorId: world.connector().id, bindNumber: 1, ranges, partsLimit: 1 };
      return found((await claimDueMessages(world.db, { claimId: uuidv7(), nodeId, ...lane }))[0]);
    };
    const nodeId = await seedNode(world, 60);
    const id = await storeMessage(world);
    const lost = await claim();
    await requeueMessages(world.db, [{ ...lost, delayMs: undefined, open: { connectorId: 1, parts: [1] } }]);
    const own = await claim();
    const before = await readMoney(world);
    const told: (number | undefined)[] = [];
    const off = world.telemetry.on("message.ended", ({ reason }) => told.push(reason));
    const statusErrors = { ESME_RINVDSTADR: "unknownNumber" } as const;
    const context = { connectorId: world.connector().id, statusErrors };
    const refused = { kind: "refused", answer: "ESME_RINVDSTADR" } as const;
    await recorder.record(settlementOf(lost, refused, context));
    await recorder.record(settlementOf(lost, { kind: "expired" }, context));
    await recorder.record(settlementOf(lost, { kind: "held", parts: [1] }, context));
    await recorder.record(settlementOf(lost, { kind: "failedUnknown", parts: [1] }, context));
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    expect(await count(world, "held_message")).toBe(0);
    expect(await readMoney(world)).toEqual(before);
    await recorder.record(settlementOf(own, refused, context));
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1303, failure: { kind: "unknownNumber" } });
    expect(told).toEqual([1303]);
    off();
  });

  it("lets what the database will never have (an octet 0 in an id) harm nobody else", async () => {
    const [good = "", bad = ""] = await storeCall(world, { messages: [{}, {}] });
    const failed = world.telemetry.next("service.failed");
    const results = await Promise.allSettled([
      recorder.record({ taken: { ...takenOf(bad), smscMessageId: "\0" } }),
      recorder.record({ taken: takenOf(good) }),
    ]);
    expect((await failed).service).toBe("outcome-recorder");
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect((await readMessage(world, good)).status).toBe(1);
  });

  it("cases 4 and 54: while the database is away it keeps what it was told, and writes it once when it is back", async () => {
    const [sent = "", refused = ""] = await storeCall(world, { messages: [{}, {}] });
    const unsent = unsentOf(refused, 1303);
    const wire = await openDatabaseWire(world.url);
    const overWire = new OutcomeRecorder({ db: wire.db, telemetry: world.telemetry });
    const failed = world.telemetry.next("service.failed");
    const recovered = world.telemetry.next("service.recovered");
    const recorded = Promise.all([
      overWire.record({ taken: takenOf(sent) }),
      overWire.record(unsent ? { unsent } : {}),
    ]);
    wire.break();
    await failed;
    expect(overWire.isFailing).toBe(true);
    const backAt = Date.now();
    wire.mend();
    await recorded;
    expect((await recovered).service).toBe("outcome-recorder");
    expect(overWire.isFailing).toBe(false);
    await wire.close();
    expect(await readMessages(world, [sent, refused])).toMatchObject([{ status: 1 }, { status: 4, reason: 1303 }]);
    const { balance, ledger } = await readMoney(world);
    expect(balance).toBe(ledger);
    // Reports count refunds by the time in their ids, so it is the time of writing.
    const refunds = await world.rows<{ id: string }>("select id from ledger_entry where kind = 'refund'");
    expect(refunds.map(({ id }) => uuidv7Time(id) >= backAt)).toEqual([true]);
  });
});
