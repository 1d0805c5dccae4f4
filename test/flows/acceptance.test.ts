// What a caller may rely on once it was answered, and what it may repeat: keys, races for credit,
// queues that keep their order of importance.
import { describe, expect, it } from "vitest";
import { accepted, keys, recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";

const simulator = { receiptDelayMs: 10 };
const alone = (flow: (gateway: TestGateway) => Promise<void>): Promise<void> =>
  withTestGateway({ smsc: simulator }, flow);

describe("the queue", () => {
  it.concurrent("case 7: a crowd of messages for the far future does not delay one for now", () =>
    alone(async (gateway) => {
      const sendTimestamp = Math.floor(Date.now() / 1000) + 300 * 86_400;
      const crowd = Array.from({ length: 100 }, (_, index) => recipientOf("5300", index));
      await Promise.all(Array.from({ length: 30 }, () => gateway.sendBulk(crowd, { sendTimestamp })));
      expect(await gateway.count("message_queue")).toBe(3000);
      const { id } = await gateway.send(recipientOf("5301"));
      const { sentTimestamp = 0 } = await gateway.untilStatus(id, 2);
      expect(sentTimestamp - Math.floor(Date.now() / 1000)).toBeLessThanOrEqual(1);
      expect(gateway.smsc.counters.submits).toBe(1);
    }),
  );

  it.concurrent("a message with a time is sent at that time, and not before", () =>
    alone(async (gateway) => {
      const sendTimestamp = Math.ceil(Date.now() / 1000) + 4;
      const { id } = await gateway.send(recipientOf("5303"), { sendTimestamp });
      expect(await gateway.status(id)).toMatchObject({ messageStatus: 0, sendTimestamp });
      const [message] = await gateway.untilSubmitted(recipientOf("5303"), 1);
      expect(message?.receivedAt).toBeGreaterThanOrEqual(sendTimestamp * 1000);
      expect((await gateway.untilStatus(id, 2)).sentTimestamp).toBeGreaterThanOrEqual(sendTimestamp);
    }),
  );

  it.concurrent("case 7: a batch that is being sent cannot be canceled half", () =>
    alone(async (gateway) => {
      const { batchId } = await gateway.sendBulk(Array.from({ length: 50 }, (_, index) => recipientOf("5302", index)));
      const answer = await gateway.call("DELETE", `messages/send/scheduled/${batchId}`);
      expect(answer.body.errorCode).toBe(1106);
      await gateway.untilAll(batchId, 2);
      expect((await gateway.ledger()).refunds).toBe(0);
    }),
  );

  it.concurrent("case 11: one account's bulk does not starve another's one-time code", () =>
    withTestGateway({ smsc: simulator, connector: { partsPerSecond: 50, window: 10 } }, async (gateway) => {
      const crowd = Array.from({ length: 100 }, (_, index) => recipientOf("5400", index));
      // Nothing moves until the codes wait, too.
      gateway.smsc.pauseAnswers();
      for (let round = 0; round < 10; round += 1) await gateway.sendBulk(crowd, {}, { key: keys.other });
      const code = {
        recipientNumber: recipientOf("5401"),
        templateId: "OwnLineTpl",
        parameters: [{ name: "code", value: "1" }],
      };
      const before = gateway.smsc.counters.submits;
      const { id } = accepted(await gateway.call("POST", "messages/send/template", { body: code }));
      const single = await gateway.send(recipientOf("5402"));
      gateway.smsc.resumeAnswers();
      await gateway.untilStatus(id, 2);
      await gateway.untilStatus(single.id, 2);
      const order = gateway.smsc.submitted.map(({ recipient }) => recipient.address);
      expect(order.length).toBeLessThan(1002);
      expect(order.indexOf(`98${recipientOf("5401").slice(1)}`) - before).toBeLessThan(30);
      expect(order.indexOf(`98${recipientOf("5402").slice(1)}`) - before).toBeLessThan(60);
    }),
  );
});

it.concurrent("case 58: what was accepted before its operator was switched off still goes", () =>
  alone(async (gateway) => {
    const { id } = await gateway.send("09351115600", { sendTimestamp: Math.ceil(Date.now() / 1000) + 4 });
    await gateway.apply({ operators: [{ name: "Irancell", enabled: false }] });
    const body = { senderNumber: "10001234", recipientNumber: "09351115601", content: "سلام" };
    expect((await gateway.call("POST", "messages/send", { body })).body.errorCode).toBe(1048);
    await gateway.untilStatus(id, 2);
  }),
);
