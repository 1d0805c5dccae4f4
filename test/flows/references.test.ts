// Long messages on their way to one phone: no two of them under one reference, nobody else waits,
// and none is forgotten.
import { describe, expect, it } from "vitest";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { longText, price } from "../support/gateway-setup.ts";

const twoParts = longText.slice(0, 100);
/** Taken, and never reported on: its number is in use for five minutes. */
const phone = recipientOf("0030");

async function sendMany(running: TestGateway, count: number, recipient = phone): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const recipients = Array.from({ length: Math.min(100, count - ids.length) }, () => recipient);
    ids.push(...(await running.sendBulk(recipients, { contents: twoParts })).ids);
  }
  return ids;
}

const keysOf = (running: TestGateway, from = 0): string[] =>
  running
    .submissions(phone)
    .slice(from)
    .map(({ part }) => `${part.reference}/${part.number}`);

const waiting = (running: TestGateway): Promise<number> => running.count("reference_wait");

async function passFiveMinutes(running: TestGateway, messages: number): Promise<void> {
  await running.rows(
    `update message set sent_at = sent_at - interval '301 seconds'
        where id in (select id from message where status = 1 and sent_at > now() - interval '300 seconds' order by sent_at limit $1)`,
    [messages],
  );
}

async function expectHeldBack(running: TestGateway): Promise<void> {
  await running.untilSubmitted(phone, 512);
  await running.until("44 held back", async () => ((await waiting(running)) === 44 ? true : undefined));
  // What is to follow has followed, and another phone's messages, long ones too, go on meanwhile.
  await running.passMarker();
  const { id } = await running.send(recipientOf("4567"), { content: twoParts });
  await running.untilStatus(id, 2);
  expect(new Set(keysOf(running)).size).toBe(512);
}

async function expectReleased(running: TestGateway): Promise<void> {
  await passFiveMinutes(running, 10);
  await running.until("ten more", async () => {
    await running.runNow("release-held-back");
    return keysOf(running).length >= 532 || undefined;
  });
  await running.passMarker();
  expect(keysOf(running)).toHaveLength(532);
  const again = keysOf(running, 512);
  expect(new Set(again).size).toBe(20);
  expect(await waiting(running)).toBe(34);
}

describe("300 messages of two parts to one phone", () => {
  it("never share a reference while they are on their way by four binds, over a restart, too", () =>
    withTestGateway({ smsc: { receiptDelayMs: 20 }, connector: { window: 20, binds: 4 } }, async (running) => {
      const ids = await sendMany(running, 300);
      await expectHeldBack(running);
      await expectReleased(running);
      await running.stopGateway();
      await running.start();
      await running.untilBound();
      await passFiveMinutes(running, 300);
      await running.until("all gone", async () => {
        await running.runNow("release-held-back");
        return keysOf(running).length >= 600 || undefined;
      });
      await running.untilStatus(ids.at(-1) ?? "", 1);
      expect(keysOf(running)).toHaveLength(600);
      expect(await waiting(running)).toBe(0);
    }));

  it("never share one on two nodes, of which one goes", () =>
    withTestGateway({ smsc: { receiptDelayMs: 20 }, connector: { binds: 2, window: 50 } }, async (running) => {
      const second = running.join();
      await second.start();
      await running.until("a bind on each", () => running.smsc.sessions.length >= 2 || undefined);
      await Promise.all([sendMany(running, 150), sendMany(second, 150)]);
      await expectHeldBack(running);
      await second.stopGateway();
      await expectReleased(running);
    }));

  it("one that is held back expires in its time, with 1304 and its refund, and shares no number meanwhile", () =>
    withTestGateway({ smsc: { receiptDelayMs: 20 } }, async (running) => {
      await sendMany(running, 256);
      await running.untilSubmitted(phone, 512);
      const { id } = await running.sendShortLived(phone, "ThreeSLong");
      expect(await running.untilStatus(id, 4)).toMatchObject({ errorCode: 1304 });
      expect(await running.refundsOf(id)).toEqual([3n * price.persian]);
      expect(keysOf(running)).toHaveLength(512);
      await running.runNow("release-held-back");
      expect(await waiting(running)).toBe(0);
    }));

  it.each(["sar", "payload"])("of a connector with longMessages: %s wait for nothing", (longMessages) =>
    withTestGateway({ smsc: { receiptDelayMs: 20 }, connector: { longMessages } }, async (running) => {
      await sendMany(running, 300);
      await running.untilSubmitted(phone, longMessages === "sar" ? 600 : 300);
      expect(new Set(keysOf(running)).size).toBe(longMessages === "sar" ? 600 : 1);
      expect(await waiting(running)).toBe(0);
    }),
  );
});
