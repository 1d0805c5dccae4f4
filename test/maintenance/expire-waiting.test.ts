import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ReceiptReceiver } from "../../src/inbound/receive-receipts.ts";
import { expireWaiting } from "../../src/maintenance/expire-waiting.ts";
import { recoverClaims } from "../../src/maintenance/recover-claims.ts";
import {
  clear,
  longText,
  mci,
  openWorld,
  readMessage,
  readMoney,
  seedNode,
  seedOrphan,
  storeCall,
  storeMessage,
  type World,
} from "../support/factories.ts";

let world: World;

beforeAll(async () => {
  const connectors = (["resend", "hold"] as const).map((name) => ({ name, settings: { uncertain: name } }));
  const payload = { name: "payload", settings: { uncertain: "resend", longMessages: "payload" } } as const;
  world = await openWorld({ connectors: [...connectors, payload] });
});

beforeEach(async () => {
  await clear(world);
});

afterAll(async () => {
  await world.close();
});

const recover = async (): Promise<unknown> => {
  const { db, telemetry, directory } = world;
  const none = { outcomesFlushed: async () => undefined, onQueued: () => undefined };
  return recoverClaims({
    db,
    telemetry,
    directory,
    membership: { nodeId: await seedNode(world, 60) },
    alone: true,
    ...none,
  });
};

const receive = async (connector: string): Promise<void> => {
  const { db, telemetry } = world;
  const receipts = new ReceiptReceiver({
    db,
    telemetry,
    directory: world.directory,
    submissions: new OutcomeRecorder(world),
  });
  await receipts.receive(world.connector(connector), {
    smscMessageId: "unheard-of",
    recipient: mci,
    state: "DELIVRD",
    verdict: "delivered",
    error: undefined,
  });
};

describe("the end of validity", () => {
  const expire = (): Promise<Record<string, number>> => expireWaiting(world);

  it("case 16: of a message that only waited is 1304, with the whole charge back, and is told", async () => {
    const before = await readMoney(world);
    const id = await storeMessage(world, { content: longText(2) });
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    const told = world.telemetry.next("message.ended");
    expect(await expire()).toEqual({ expired: 1, unseen: 0, unknown: 0 });
    expect(await told).toEqual({ status: 4, reason: 1304, count: 1 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1304 });
    expect(await readMoney(world)).toEqual(before);
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
  });

  it("case 12: of a message that was submitted, not answered, and waits to be submitted again is 1302; a receipt corrects it", async () => {
    const id = await seedOrphan(world, "resend", { parts: 2, taken: 1 });
    await recover();
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    expect(await expire()).toEqual({ expired: 1, unseen: 0, unknown: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await world.rows("select part from held_message")).toEqual([{ part: 2 }]);
    await receive("resend");
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302, taken: 3, delivered: 2 });
  });

  it("of a held message is 1302, once, however many of its parts are held", async () => {
    const before = await readMoney(world);
    const id = await seedOrphan(world, "hold", { parts: 3 });
    await recover();
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
    await world.rows("update held_message set held_until = now() - interval '1 second'");
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 1 });
    expect(await expire()).toEqual({ expired: 0, unseen: 0, unknown: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1302 });
    expect(await readMoney(world)).toEqual(before);
  });

  it("case 55: is carried out once by two nodes at once", async () => {
    const before = await readMoney(world);
    await storeCall(world, { messages: Array.from({ length: 50 }, () => ({})) });
    await world.rows("update message_queue set valid_until = now() - interval '1 second'");
    const counts = await Promise.all([expire(), expire(), expire()]);
    expect(counts.reduce((sum, { expired = 0 }) => sum + expired, 0)).toBe(50);
    expect(await readMoney(world)).toEqual(before);
  });
});
