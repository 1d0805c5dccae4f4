// What subscribers send, from the operator's link to the caller's list: stored before it is
// acknowledged, never twice, and beside the calls of clients.
import { describe, expect, it } from "vitest";
import { statement } from "../support/database.ts";
import { type TestGateway, withTestGateway } from "../support/gateway.ts";

const line = "10001234";

/** Texts that came from one subscriber, oldest first. */
async function receivedFrom(running: TestGateway, from: string): Promise<readonly (string | undefined)[]> {
  const { body } = await running.call("GET", "messages/received");
  return (body.messages ?? []).filter(({ senderNumber }) => senderNumber === from).map(({ content }) => content);
}

describe("case 27: stored before acknowledged", () => {
  it("the acknowledgement waits for the commit; what was not acknowledged and comes again is one message", () =>
    withTestGateway({ smsc: { retryDelayMs: 50 } }, async (running) => {
      const from = "989127770201";
      const text = "only once";
      const release = await lockInbound(running);
      let acknowledged = false;
      const lost = running.smsc.sendMo({ from, to: line, text }).then(
        () => (acknowledged = true),
        () => undefined,
      );
      await untilWaiting(running);
      expect(acknowledged).toBe(false);
      const rebound = running.smsc.next("bind");
      running.smsc.cutLinks();
      await lost;
      const stored = running.telemetry.next("inbound.received");
      await release();
      await stored;
      expect(acknowledged).toBe(false);
      await rebound;
      await running.until("bound again", () => running.smsc.sessions.length > 0 || undefined);
      expect(await running.smsc.sendMo({ from, to: line, text })).toBe(0);
      expect(await receivedFrom(running, from)).toEqual([text]);
    }));
});

it("messages that wait for the database leave half of its sessions to calls, however many they are", () =>
  withTestGateway({}, async (running) => {
    const release = await lockInbound(running);
    // Of as many people: what one of them writes waits for what he wrote before.
    const people = Array.from({ length: 20 }, (_, index) => `9891277704${String(index).padStart(2, "0")}`);
    const answers = Promise.allSettled(people.map((from) => running.smsc.sendMo({ from, to: line, text: "flood" })));
    const half = running.db.poolSize / 2;
    const waiting = () => running.count("pg_stat_activity", waitsForParts);
    const body = { senderNumber: line, recipientNumber: "09121234567", content: "beside" };
    try {
      await running.until("half of the pool waiting", async () => ((await waiting()) >= half ? true : undefined));
      for (let index = 0; index < 5; index += 1)
        expect((await running.call("POST", "messages/send", { body })).status).toBe(200);
      expect(await waiting()).toBe(half);
    } finally {
      await release();
    }
    expect(await answers).toEqual(people.map(() => ({ status: "fulfilled", value: 0 })));
    expect(await running.count("inbound_message")).toBe(people.length);
  }));

/** Keeps every writer of inbound parts waiting until the returned function is called. */
async function lockInbound(running: TestGateway): Promise<() => Promise<void>> {
  let unlock: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (unlock = resolve));
  let locked: () => void = () => undefined;
  const isLocked = new Promise<void>((resolve) => (locked = resolve));
  const done = running.db.transaction(async (tx) => {
    await tx.query(statement("lock table inbound_part in access exclusive mode"));
    locked();
    await held;
  });
  await isLocked;
  return async () => {
    unlock();
    await done;
  };
}

const waitsForParts =
  "datname = current_database() and wait_event_type = 'Lock' and query like '%findUnconfirmedParts%'";

/** Until a statement waits for the lock. */
async function untilWaiting(running: TestGateway): Promise<void> {
  await running.until("a statement waiting", async () =>
    (await running.count("pg_stat_activity", waitsForParts)) > 0 ? true : undefined,
  );
}
