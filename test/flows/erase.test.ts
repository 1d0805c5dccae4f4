// One person is erased beside a running gateway: what all methods answer before and after, and a
// receipt that comes later.
import { expect, it } from "vitest";
import { erasePerson } from "../../src/maintenance/erase-person.ts";
import { type TestGateway, withTestGateway } from "../support/gateway.ts";

const person = "989121230000";
const lines = [
  { number: "10001234", kind: "dedicated", inbound: "demo", optOut: "honour" },
  { number: "10005678", kind: "dedicated" },
  { number: "30001111", kind: "service" },
  { number: "30002222", kind: "advertising" },
];

interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function eventsOf(gateway: TestGateway): Promise<readonly Told[]> {
  const { text } = await gateway.call("GET", "webhooks/events");
  return (JSON.parse(text) as { events: readonly Told[] }).events;
}

it("erases a person from status, received messages and events, and a later receipt still counts", () =>
  withTestGateway({ smsc: { receiptDelayMs: 3000 }, setup: { lines } }, async (gateway) => {
    await eventsOf(gateway);
    const { batchId } = await gateway.send(person, { content: "secret" });
    expect(await gateway.smsc.sendMo({ from: person, to: "10001234", text: "11" })).toBe(0);
    const status = () => gateway.call("GET", `messages/status?batchId=${batchId}`);
    await gateway.until("sent", async () => (await status()).text.includes('"messageStatus":1') || undefined);
    await expect.poll(async () => (await eventsOf(gateway)).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(await eventsOf(gateway))).toContain(person);

    const options = { number: person, by: { who: "command:test" }, progress: () => undefined };
    const erased = await erasePerson(gateway.db, options);
    expect(erased).toMatchObject({ messages: 1, received: 1, events: 1, waiting: 0 });

    await gateway.until("delivered", async () => (await status()).text.includes('"messageStatus":2') || undefined);
    const { text, body } = await status();
    expect(body).toMatchObject({ messages: [{ recipientNumber: "", content: "", contentErased: true }] });
    expect(text).toMatch(/,"contentErased":true}]/);
    const received = await gateway.call("GET", "messages/received");
    expect(received.text).toMatch(/"senderNumber":"",.*"content":"",.*,"contentErased":true}]/);
    await expect.poll(async () => (await eventsOf(gateway)).length, { timeout: 30_000 }).toBe(4);
    const events = await eventsOf(gateway);
    expect(JSON.stringify(events)).not.toMatch(/98912123|secret/);
    expect(new Map(events.map(({ type, data }) => [type, Object.keys(data).at(-1)]))).toEqual(
      new Map([
        ["message.sent", "contentErased"],
        ["message.delivered", "contentErased"],
        ["message.received", "contentErased"],
        ["recipient.optedOut", "createdTimestamp"],
      ]),
    );
    // It protects the person.
    expect(await gateway.count("opt_out", `number = '${person}'`)).toBe(1);
  }));
