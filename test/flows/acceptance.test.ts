// What a caller may rely on once it was answered, and what it may repeat: keys, races for credit,
// queues that keep their order of importance.
import { describe, expect, it } from "vitest";
import { type Answer, accepted, keys, recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { openingCredit, price } from "../support/gateway-setup.ts";

const simulator = { receiptDelayMs: 10 };
const alone = (flow: (gateway: TestGateway) => Promise<void>): Promise<void> =>
  withTestGateway({ smsc: simulator }, flow);

const body = { senderNumber: "10001234", recipientNumber: recipientOf("5001"), content: "سلام" };
const keyed = (key: string): Record<string, string> => ({ "idempotency-key": key });

/** The caller gives up before it can read the answer. */
async function sendAndGiveUp(gateway: TestGateway, headers: Record<string, string>): Promise<void> {
  const arrived = gateway.telemetry.next("batch.accepted");
  const giveUp = new AbortController();
  const call = fetch(`${gateway.url}/messages/send`, {
    method: "POST",
    headers: { "x-api-key": keys.demo, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: giveUp.signal,
  }).catch(() => undefined);
  const off = gateway.telemetry.on("batch.accepted", () => giveUp.abort());
  await arrived;
  off();
  await call;
}

describe("idempotency keys", () => {
  it.concurrent("case 1: a caller that timed out and repeats gets the first answer; one message, one charge", () =>
    alone(async (gateway) => {
      await sendAndGiveUp(gateway, keyed("order-17"));
      const first = await gateway.call("POST", "messages/send", { headers: keyed("order-17"), body });
      const second = await gateway.call("POST", "messages/send", { headers: keyed('"order-17"'), body });
      expect(first.status).toBe(200);
      expect(second.text).toBe(first.text);
      await gateway.untilStatus(accepted(first).id, 2);
      await gateway.passMarker();
      expect(gateway.submissions(body.recipientNumber)).toHaveLength(1);
      expect(await gateway.balance()).toBe(openingCredit - price.persian);
    }),
  );

  it.concurrent("case 1: the same key with another body is 1206, from another account its own", () =>
    alone(async (gateway) => {
      const first = await gateway.call("POST", "messages/send", { headers: keyed("k"), body });
      const other = { ...body, content: "another" };
      const reused = await gateway.call("POST", "messages/send", { headers: keyed("k"), body: other });
      expect([reused.status, reused.body.errorCode]).toEqual([422, 1206]);
      const foreign = await gateway.call("POST", "messages/send", {
        headers: keyed("k"),
        key: keys.other,
        body: other,
      });
      expect(foreign.body.batchId).not.toBe(first.body.batchId);
      expect(foreign.status).toBe(200);
    }),
  );

  it.concurrent("case 1: a refused call frees its key", () =>
    alone(async (gateway) => {
      const refused = await gateway.call("POST", "messages/send", {
        headers: keyed("again"),
        body: { ...body, senderNumber: "10009999" },
      });
      expect(refused.body.errorCode).toBe(1053);
      expect((await gateway.call("POST", "messages/send", { headers: keyed("again"), body })).status).toBe(200);
    }),
  );

  it.concurrent("case 2: many identical calls at once under one key get one answer, by header and by parameter", () =>
    alone(async (gateway) => {
      const query = new URLSearchParams({ apiKey: keys.demo, senderNumber: "10001234", content: "سلام" });
      query.set("recipientNumber", body.recipientNumber);
      const byParameter = `api/v1/messages/send/url?${query.toString()}&idempotencyKey=crowd`;
      const byHeader = `api/v1/messages/send/url?${query.toString()}`;
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          index % 2 === 0
            ? gateway.call("GET", byParameter, { key: null })
            : gateway.call("GET", byHeader, { key: null, headers: keyed("crowd") }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const [answer] = answers as [Answer, ...Answer[]];
      await gateway.untilStatus(accepted(answer).id, 2);
      expect(gateway.submissions(body.recipientNumber)).toHaveLength(1);
      expect(await gateway.balance()).toBe(openingCredit - price.persian);
    }),
  );
});

describe("credit", () => {
  it.concurrent("case 53: calls that race for the last rials never take more than there is", () =>
    alone(async (gateway) => {
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          gateway.call("POST", "messages/send", {
            key: keys.poor,
            body: { ...body, recipientNumber: recipientOf("5100", 300 + index), content: "hello" },
          }),
        ),
      );
      const taken = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 400);
      expect(taken).toHaveLength(2);
      expect(refused.map((answer) => answer.body.errorCode)).toEqual(Array.from({ length: 22 }, () => 1201));
      expect(await gateway.balance(keys.poor)).toBe(0n);
      expect((await gateway.ledger("poor")).sum).toBe(0n);
      for (const answer of taken) await gateway.untilStatus(accepted(answer).id, 2, { key: keys.poor });
    }),
  );

  it.concurrent("case 53: within a call a later, cheaper message still goes when it fits", () =>
    alone(async (gateway) => {
      const contents = ["hello", "hello there, ".repeat(20), "سلام", "hi"];
      const numbers = contents.map((_, index) => recipientOf("5200", 400 + index));
      const bulk = { senderNumbers: "10001234", recipientNumbers: numbers, contents };
      const answer = await gateway.call("POST", "messages/send/bulk", { key: keys.poor, body: bulk });
      expect(answer.body.messages?.map(({ errorCode }) => errorCode)).toEqual([undefined, 1201, undefined, 1201]);
      expect(await gateway.balance(keys.poor)).toBe(5600n - price.other - price.persian);
    }),
  );
});

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

  it.concurrent("case 8: two gateways on one database send what falls due once", () =>
    withTestGateway({ smsc: simulator, connector: { binds: 2 } }, async (gateway) => {
      const second = gateway.join();
      await second.start();
      try {
        await gateway.until("a bind for each node", () => gateway.smsc.sessions.length === 2 || undefined);
        const numbers = Array.from({ length: 100 }, (_, index) => recipientOf("5500", index));
        const sendTimestamp = Math.ceil(Date.now() / 1000) + 4;
        const batches = await Promise.all([
          gateway.sendBulk(numbers, { sendTimestamp }),
          second.sendBulk(numbers, { sendTimestamp }),
        ]);
        for (const { batchId } of batches) await gateway.untilAll(batchId, 2);
        expect(gateway.smsc.counters.submits).toBe(200);
        const ledger = await gateway.ledger();
        expect(ledger.sum).toBe(openingCredit - 200n * price.persian);
      } finally {
        await second.stopGateway();
      }
    }),
  );
});

describe("case 58: an operator switched off", () => {
  it.concurrent("in the middle of a batch: 1048 for its messages, the others go, nothing is lost in silence", () =>
    alone(async (gateway) => {
      const before = await gateway.send("09351115600", { sendTimestamp: Math.ceil(Date.now() / 1000) + 4 });
      await gateway.apply({ operators: [{ name: "Irancell", enabled: false }] });
      const answer = await gateway.call("POST", "messages/send/bulk", {
        body: {
          senderNumbers: "10001234",
          recipientNumbers: [recipientOf("5600"), "09351115601", recipientOf("5602")],
          contents: "سلام",
        },
      });
      expect(answer.body.messages?.map(({ errorCode }) => errorCode)).toEqual([undefined, 1048, undefined]);
      await gateway.untilAll(accepted(answer).batchId, 2);
      const refused = await gateway.call("POST", "messages/send", {
        body: { ...body, recipientNumber: "09351115601" },
      });
      expect([refused.status, refused.body.errorCode]).toEqual([400, 1048]);
      // Judged when the call is made: what was accepted before still goes.
      await gateway.untilStatus(before.id, 2);
      expect(await gateway.balance()).toBe(openingCredit - 3n * price.persian);
      await gateway.apply({ operators: [{ name: "Irancell", enabled: true }] });
      await gateway.untilStatus((await gateway.send("09351115601")).id, 2);
    }),
  );
});

it("a message goes straight to a bind that has room, and never enters the queue", () =>
  alone(async (gateway) => {
    const rows = (text: string) => gateway.db.query({ name: "", text, values: [] });
    await rows(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'entered the queue'; end $$",
    );
    await rows("create trigger refuse before insert on message_queue for each row execute function refuse()");
    // Until the bind stands and nothing waits there is no room, and the queue is the only way.
    const straight = await gateway.until("taken straight", async () => {
      const answer = await gateway.call("POST", "messages/send", { body });
      return answer.status === 200 ? answer : undefined;
    });
    await gateway.untilStatus(accepted(straight).id, 2);
  }));
