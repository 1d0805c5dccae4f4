// A connector that staff paused: its binds stay, receipts and subscribers' messages come, and
// nothing is submitted until it goes on.
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";
import { baseConnectors, longText } from "../support/gateway-setup.ts";

/** Operators that hold their answers back are not taken for silent ones. */
const settings = { window: 2, responseTimeoutMs: 120_000 };
const quick = { behaviours: [], receiptDelayMs: 10, retryDelayMs: 50, responseTimeoutMs: 20_000 };

/** As `hodhod apply` and the console do. */
async function setPaused(gateway: TestGateway, paused: boolean): Promise<void> {
  const [first] = baseConnectors([gateway.smsc.port], settings);
  await gateway.apply({ connectors: [{ ...first, paused }] });
}

const crowd = (count: number, suffix: string): string[] =>
  Array.from({ length: count }, (_, index) => recipientOf(suffix, index));

/** How often each part of each message to them was submitted, to any operator. */
const submissionsOfEach = (gateway: TestGateway, recipients: readonly string[]): number[] =>
  recipients.flatMap((recipient) => {
    const seen = gateway.submissions(recipient).map(({ part }) => part);
    const total = seen[0]?.total ?? 1;
    return Array.from({ length: total }, (_, index) => seen.filter(({ number }) => number === index + 1).length);
  });

const writtenBy = (smsc: SimulatedSmsc): string[] =>
  smsc.submitted.map(({ recipient, part }) => `${recipient.address}, part ${part.number}`);

describe("a connector that is paused under traffic", () => {
  it("submits nothing once what was written is answered, though receipts and subscribers' messages come; then all goes out once", () =>
    withTestGateway(
      {
        smsc: [quick, quick],
        connector: settings,
        setup: {
          routes: [
            { operator: "*", line: "10005678", connectors: ["smsc-2"] },
            { operator: "*", line: "*", connectors: ["smsc-1"] },
          ],
        },
      },
      async (gateway) => {
        const { smsc } = gateway;
        let unbinds = 0;
        smsc.on("unbind", () => (unbinds += 1));
        smsc.pauseAnswers();
        const short = await gateway.send(recipientOf("6101"));
        await gateway.untilSubmitted(recipientOf("6101"), 1);
        const recipients = crowd(6, "6102");
        const long = await gateway.sendBulk(recipients, { contents: longText });
        await gateway.until("a full window", () => smsc.counters.submits === 2 || undefined);

        await setPaused(gateway, true);
        const written = writtenBy(smsc);
        smsc.resumeAnswers();
        // Its receipt came while nothing may be submitted.
        await gateway.untilStatus(short.id, 2);
        let left: unknown;
        await gateway.until(
          () => `all claims given back; last: ${JSON.stringify(left)}`,
          async () => {
            left = [
              await gateway.count("message_queue"),
              await gateway.count("claim"),
              await gateway.count("held_message"),
            ];
            return isDeepStrictEqual(left, [6, 0, 0]) ? true : undefined;
          },
        );
        expect(await smsc.sendMo({ from: "989121230001", to: "10001234", text: "hello" })).toBe(0);
        const later = await gateway.send(recipientOf("6103"));
        // What is sent meanwhile by another connector takes longer than a poll of this one.
        for (let marker = 0; marker < 3; marker += 1) {
          const { id } = await gateway.send(recipientOf("6104", marker), { senderNumber: "10005678" });
          await gateway.untilStatus(id, 2);
        }
        expect(writtenBy(smsc)).toEqual(written);
        expect(unbinds).toBe(0);
        expect(await gateway.status(later.id)).toMatchObject({ messageStatus: 0 });

        await setPaused(gateway, false);
        await gateway.untilAll(long.batchId, 2);
        await gateway.untilStatus(later.id, 2);
        expect(submissionsOfEach(gateway, [...recipients, recipientOf("6103")])).toEqual(Array(19).fill(1));
        expect(unbinds).toBe(0);
      },
    ));

  it("leaves its messages to the next connector of the route, and takes new ones when it goes on", () =>
    withTestGateway({ smsc: [quick, quick], connector: settings }, async (gateway) => {
      const [first, second] = gateway.smscs;
      first.pauseAnswers();
      const recipients = crowd(8, "6105");
      const { batchId, ids } = await gateway.sendBulk(recipients);
      await gateway.until("a full window", () => first.counters.submits === 2 || undefined);

      await setPaused(gateway, true);
      // The first operator still answers nothing.
      await gateway.until("the others by the second connector", () => second?.counters.submits === 6 || undefined);
      first.resumeAnswers();
      expect(await gateway.untilAll(batchId, 2)).toHaveLength(ids.length);
      const meanwhile = await gateway.send(recipientOf("6106"));
      await gateway.untilStatus(meanwhile.id, 2);
      expect([first.counters.submits, second?.counters.submits]).toEqual([2, 7]);

      await setPaused(gateway, false);
      const afterwards = await gateway.send(recipientOf("6107"));
      await gateway.untilStatus(afterwards.id, 2);
      expect([first.counters.submits, second?.counters.submits]).toEqual([3, 7]);
      expect(submissionsOfEach(gateway, recipients)).toEqual(Array(8).fill(1));
    }));
});
