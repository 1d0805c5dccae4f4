// Links that are down, refused, slowed, or closed on purpose: messages wait and go on, operators
// are not hammered, nothing is sent twice.
import { describe, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { commandId } from "../../src/smpp/constants.ts";
import { tlvValue } from "../../src/smpp/tlv.ts";
import { recipientOf, type TestGateway, type TestGatewayOptions, withTestGateway } from "../support/gateway.ts";
import { longText, openingCredit, price } from "../support/gateway-setup.ts";

const simulator = { receiptDelayMs: 10, retryDelayMs: 50 };
const on = (connector: TestGatewayOptions["connector"], flow: (gateway: TestGateway) => Promise<void>): Promise<void> =>
  withTestGateway({ smsc: simulator, ...(connector && { connector }) }, flow);

/** With an operator that comes back to its port. */
const onOwnPort = async (flow: (gateway: TestGateway) => Promise<void>): Promise<void> =>
  withTestGateway({ smsc: { ...simulator, port: await freePort() } }, flow);

const crowd = (count: number, suffix: string): string[] =>
  Array.from({ length: count }, (_, index) => recipientOf(suffix, index));

describe("a link that is down", () => {
  it.concurrent("case 16: messages wait without being tried, and go when it is back", () =>
    onOwnPort(async (gateway) => {
      const { port } = gateway.smsc;
      const closed = gateway.telemetry.next("bind.changed", ({ state }) => state === "closed");
      await gateway.smsc.stop();
      await closed;
      let claims = 0;
      gateway.telemetry.on("message.claimed", () => (claims += 1));
      const { batchId, id } = await gateway.sendBulk(crowd(20, "5001"));
      // Two more attempts to connect have failed: plenty of time for a busy loop to show.
      for (let failures = 0; failures < 2; failures += 1)
        await gateway.telemetry.next("bind.changed", ({ state }) => state === "closed");
      expect(claims).toBe(0);
      expect(await gateway.status(id)).toMatchObject({ messageStatus: 0 });
      expect(await gateway.count("message", "tries > 0")).toBe(0);
      const back = await startSimulatedSmsc({ ...simulator, port });
      try {
        await gateway.untilAll(batchId, 2);
        expect(back.counters.submits).toBe(20);
      } finally {
        await back.stop("destroy");
      }
    }),
  );

  it.concurrent(
    "case 16: what waits beyond its validity ends at 4 with 1304, refunded, and the caller can see it",
    () =>
      on(undefined, async (gateway) => {
        await gateway.smsc.stop();
        const { id } = await gateway.sendShortLived(recipientOf("5002"));
        const message = await gateway.untilStatus(id, 4);
        expect(message.errorCode).toBe(1304);
        expect(await gateway.refundsOf(id)).toEqual([price.persian]);
        expect(await gateway.balance()).toBe(openingCredit);
      }),
  );
});

describe("an operator that is too slow for us", () => {
  it.concurrent("case 22 (a): throttling rests the whole link, and the order stays", () =>
    on({ window: 1 }, async (gateway) => {
      const texts = Array.from({ length: 6 }, (_, index) => `message ${index}`);
      gateway.smsc.setThrottled(true);
      const throttled = gateway.telemetry
        .next("submission.settled", ({ outcome }) => outcome === "throttled")
        .then(() => gateway.smsc.setThrottled(false));
      const batches = [];
      for (const content of texts) batches.push(await gateway.send(recipientOf("5005"), { content }));
      await throttled;
      for (const { id } of batches) await gateway.untilStatus(id, 2);
      const seen = gateway.submissions(recipientOf("5005"));
      expect(seen.filter((message) => message.commandStatus === 0).map(({ text }) => text)).toEqual(texts);
      // One refused try, then a rest: no other message was tried in between.
      expect(seen.filter((message) => message.commandStatus !== 0)).toHaveLength(1);
      const [refused, next] = seen;
      expect((next?.receivedAt ?? 0) - (refused?.receivedAt ?? 0)).toBeGreaterThan(900);
    }),
  );
});

describe("long messages", () => {
  it.concurrent.each([["udh"], ["sar"]] as const)(
    "case 34: as %s, delivered once all that was submitted is",
    (longMessages) =>
      on({ longMessages }, async (gateway) => {
        const to = recipientOf("5008");
        const { id } = await gateway.send(to, { content: longText });
        expect(await gateway.untilStatus(id, 2)).toMatchObject({ parts: "3", cost: "4,170" });
        const seen = [...gateway.submissions(to)].sort((a, b) => a.part.number - b.part.number);
        expect(seen).toHaveLength(3);
        expect(seen.map(({ text }) => text).join("")).toBe(longText);
      }),
  );
});

describe("more than one link", () => {
  it.concurrent("case 33: receipts come on the receiver of a transmitter-receiver pair", () =>
    withTestGateway({ smsc: simulator, connector: { bindType: "transmitter-receiver" } }, async (gateway) => {
      await gateway.until("both halves", () => gateway.smsc.sessions.length === 2 || undefined);
      const { batchId } = await gateway.sendBulk(crowd(10, "5009"));
      await gateway.untilAll(batchId, 2);
    }),
  );

  it.concurrent("case 33: receipts of a lost bind come on another one", () =>
    withTestGateway({ smsc: { ...simulator, receiptDelayMs: 700 }, connector: { binds: 3 } }, async (gateway) => {
      await gateway.until("three binds", () => gateway.smsc.sessions.length === 3 || undefined);
      const { batchId } = await gateway.sendBulk(crowd(30, "5010"));
      await gateway.untilAll(batchId, 1);
      const [first, second] = gateway.smsc.sessions;
      first?.destroy();
      second?.destroy();
      await gateway.untilAll(batchId, 2);
      expect(gateway.smsc.counters.submits).toBe(30);
    }),
  );
});

describe("a clean stop", () => {
  const patient = { window: 10 };
  /** Answers that come long after the stop has begun, and long before it ends. */
  const slowToStop: TestGatewayOptions = {
    smsc: { ...simulator, submitDelayMs: 2500 },
    connector: patient,
    environment: { HODHOD_SHUTDOWN_SECONDS: "20" },
  };

  it.concurrent(
    "case 29: drains the window, unbinds, hands back the rest; the next start sends it, each message once",
    () =>
      withTestGateway(slowToStop, async (gateway) => {
        const { batchId } = await gateway.sendBulk(crowd(40, "5013"));
        await gateway.until("a full window", () => gateway.smsc.counters.submits === 10 || undefined);
        const left = gateway.smsc.next("unbind");
        await gateway.stopGateway();
        expect((await left).reason.kind).toBe("unbound_by_peer");
        expect(gateway.smsc.counters.submits).toBe(10);
        expect(await gateway.count("claim")).toBe(0);
        expect(await gateway.count("node")).toBe(0);
        expect(await gateway.count("message_queue")).toBe(30);
        await gateway.start();
        await gateway.untilAll(batchId, 2);
        expect(gateway.smsc.counters.submits).toBe(40);
      }),
  );

  it.concurrent("case 28: ends in bounded time though the operator never answers what is in the window", () =>
    withTestGateway(
      { smsc: simulator, connector: { ...patient, uncertain: "hold" }, environment: { HODHOD_SHUTDOWN_SECONDS: "2" } },
      async (gateway) => {
        gateway.smsc.pauseAnswers();
        const { ids } = await gateway.sendBulk(crowd(40, "5014"));
        await gateway.until("a full window", () => gateway.smsc.counters.submits === 10 || undefined);
        const startedAt = performance.now();
        await gateway.stopGateway();
        expect(performance.now() - startedAt).toBeLessThan(4000);
        gateway.smsc.resumeAnswers();
        await gateway.start();
        await Promise.all(ids.map((id) => gateway.untilStatus(id, 2)));
        expect(gateway.smsc.counters.submits).toBe(40);
      },
    ),
  );

  it.concurrent(
    "case 29: of calls while the server closes, those and only those that were answered 200 are stored",
    () =>
      on(undefined, async (gateway) => {
        const body = { senderNumber: "10001234", recipientNumber: recipientOf("5015"), content: "سلام" };
        // A connection that had sent nothing yet may be cut: its caller knows that nothing was read.
        const send = (): Promise<number | "cut"> =>
          gateway.call("POST", "messages/send", { headers: { connection: "close" }, body }).then(
            ({ status }) => status,
            () => "cut",
          );
        const calls = Array.from({ length: 20 }, send);
        await gateway.telemetry.next("batch.accepted");
        await gateway.stopGateway();
        const statuses = await Promise.all(calls);
        const taken = statuses.filter((status) => status === 200).length;
        expect(statuses.filter((status) => status !== 200 && status !== 503 && status !== "cut")).toEqual([]);
        expect(taken).toBeGreaterThan(0);
        expect(await gateway.count("message")).toBe(taken);
      }),
  );
});

describe("an operator with demands of its own", () => {
  it.concurrent("gets the optional parameters of the connector and of the template on every part and repetition", () =>
    withTestGateway(
      {
        smsc: { ...simulator, requiredTlvs: [0x1400, 0x1401] },
        connector: {
          tlvs: [
            { tag: 0x1400, text: "connector" },
            { tag: 0x1401, number: 7 },
          ],
        },
        setup: {
          templates: [
            {
              id: "Own",
              account: "demo",
              content: "{code}",
              sender: "10001234",
              approved: true,
              tlvs: [{ tag: 0x1400, text: "template" }],
            },
          ],
        },
      },
      async (gateway) => {
        const plain = await gateway.send(recipientOf("0061"), { content: longText });
        const own = await gateway.sendShortLived(recipientOf("5007"), "Own");
        await gateway.untilStatus(plain.id, 2);
        await gateway.untilStatus(own.id, 2);
        const texts = (recipient: string) =>
          gateway.submissions(recipient).map(({ pdu }) => tlvValue(pdu.tlvs, 0x1400)?.toString());
        // Part 2 is throttled once, and submitted again.
        expect(texts(recipientOf("0061"))).toEqual(Array(4).fill("connector"));
        expect(texts(recipientOf("5007"))).toEqual(["template"]);
      },
    ),
  );

  it.concurrent("delivers early: a receipt 50 ms before the bind is answered is taken once it is", () => {
    const text = "id:early1 sub:001 dlvrd:001 submit date:2611250439 done date:2611250439 stat:DELIVRD err:000 text:";
    const addresses = Buffer.from("\0\u0001\u0001989121234567\0\0\u000110001234\0", "latin1");
    const fields = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, text.length]);
    const header = Buffer.alloc(16);
    const early = Buffer.concat([header, addresses, fields, Buffer.from(text)]);
    early.writeUInt32BE(early.length, 0);
    early.writeUInt32BE(commandId.deliver_sm, 4);
    early.writeUInt32BE(0x70000001, 12);
    return withTestGateway({ smsc: { ...simulator, early } }, async (gateway) => {
      await gateway.until(
        "the receipt is parked",
        async () => (await gateway.count("unmatched_receipt")) === 1 || undefined,
      );
    });
  });

  it.concurrent("packs septets, in both directions", () =>
    withTestGateway({ smsc: { ...simulator, packed: true }, connector: { packed: true } }, async (gateway) => {
      const content = "Hey igor, is the encoding ok now?";
      const { id } = await gateway.send(recipientOf("5009"), { content });
      await gateway.untilStatus(id, 2);
      const [submitted] = gateway.submissions(recipientOf("5009"));
      expect([submitted?.text, submitted?.userData.length]).toEqual([content, 29]);
      expect(await gateway.smsc.sendMo({ from: "989121234567", to: "10001234", text: content })).toBe(0);
      expect(await gateway.count("inbound_message", `content = '${content}'`)).toBe(1);
    }),
  );
});
