// Delivery receipts in crowds, late, never, and under ids that come again: the status follows what
// the operator said, and never goes back.
import { describe, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import { encodePdu } from "../../src/smpp/pdu-codec.ts";
import { startSimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";
import { recipientOf, type TestGateway, withTestGateway } from "../support/gateway.ts";

const crowd = (count: number, suffix: string): string[] =>
  Array.from({ length: count }, (_, index) => recipientOf(suffix, index));

async function sendCrowd(gateway: TestGateway, rounds: number, suffix: string): Promise<string[]> {
  const batches = await Promise.all(Array.from({ length: rounds }, () => gateway.sendBulk(crowd(100, suffix))));
  return batches.map(({ batchId }) => batchId);
}

const untilDelivered = (gateway: TestGateway, count: number): Promise<true> =>
  gateway.until(`${count} delivered`, async () =>
    (await gateway.count("message", "status = 2")) >= count ? true : undefined,
  );

describe("many receipts at once", () => {
  it("case 39: thousands that waited while the link was away are all applied, soon", () =>
    withTestGateway({ smsc: { receiptDelayMs: 3000 } }, async (gateway) => {
      await sendCrowd(gateway, 20, "5001");
      const sent = async (): Promise<true | undefined> =>
        (await gateway.count("message", "status > 0")) === 2000 ? true : undefined;
      await gateway.until("all sent", sent);
      gateway.smsc.refuseBinds(commandStatus.ESME_RBINDFAIL);
      gateway.smsc.cutLinks();
      const come = (): number => gateway.smsc.counters.receiptsWaiting + gateway.smsc.counters.receiptsAcknowledged;
      await gateway.until("all receipts due", () => come() === 2000 || undefined);
      expect(gateway.smsc.counters.receiptsWaiting).toBeGreaterThan(0);
      gateway.smsc.refuseBinds(undefined);
      await untilDelivered(gateway, 2000);
      expect(await gateway.count("unmatched_receipt")).toBe(0);
      expect(gateway.smsc.counters.submits).toBe(2000);
    }));

  it("case 26: a flood of receipts does not starve the answers to submissions", () =>
    withTestGateway({ smsc: { receiptDelayMs: 1500 }, connector: { responseTimeoutMs: 3000 } }, async (gateway) => {
      let unknown = 0;
      gateway.telemetry.on("submission.settled", ({ outcome }) => {
        if (outcome === "unknown") unknown += 1;
      });
      await sendCrowd(gateway, 15, "5002");
      await gateway.until("the flood", () => gateway.smsc.counters.receiptsAcknowledged > 0 || undefined);
      await sendCrowd(gateway, 10, "5003");
      await untilDelivered(gateway, 2500);
      expect(unknown).toBe(0);
      expect(gateway.smsc.counters.submits).toBe(2500);
    }));
});

describe("an operator's own codes", () => {
  it.concurrent("say why a message failed, in its status, by receipt and by refusal, and others stay codes", () => {
    const receiptErrors = { "27": "unreachable" };
    const statusErrors = { "11": { kind: "other", en: "not a number of ours", fa: "شماره از ما نیست" } };
    return withTestGateway({ connector: { receiptErrors, statusErrors } }, async (gateway) => {
      const [reported, refused, unnamed] = [
        await gateway.send(recipientOf("0001")),
        await gateway.send(recipientOf("0010")),
        await gateway.send(recipientOf("0003")),
      ];
      expect(await gateway.untilStatus(reported.id, 3)).toMatchObject({
        reason: "unreachable",
        errorMessage: "The message was not delivered to the recipient (phone off or out of coverage; UNDELIV 027).",
      });
      expect(await gateway.untilStatus(refused.id, 4)).toMatchObject({
        reason: "other",
        errorMessage: expect.stringContaining("(not a number of ours; ESME_RINVDSTADR)") as string,
      });
      const without = await gateway.untilStatus(unnamed.id, 3);
      expect(without.errorMessage).toContain("(REJECTD 069; the network rejected it)");
      expect(without).not.toHaveProperty("reason");
    });
  });
});

/** A receipt that the test sends itself, so that no clock decides when it arrives. */
function sendReceipt({ smsc }: TestGateway, recipient: string): void {
  const { messageId } = smsc.submitted.find((one) => one.recipient.address === recipient) ?? {};
  const octets = encodePdu({
    ...plainSubmitSm,
    command: "deliver_sm",
    sequence_number: 1_000_000,
    source_addr: recipient,
    esm_class: 0x04,
    short_message: Buffer.from(`id:${messageId ?? "none"} stat:DELIVRD err:000`),
  });
  smsc.sendRaw(octets);
}

describe("receipts that never come, or come too late", () => {
  it.concurrent("case 38: the deadline ends the wait with 1301 and status 1; a receipt after it still counts", () =>
    withTestGateway({ connector: { receiptDeadlineHours: 1 } }, async (gateway) => {
      const never = await gateway.send(recipientOf("0030"));
      const late = await gateway.send(recipientOf("0030", 1));
      await gateway.untilStatus(never.id, 1);
      await gateway.untilStatus(late.id, 1);
      // The hour passes.
      await gateway.rows("update submission set submitted_at = submitted_at - interval '1 hour'");
      expect(await gateway.runNow("end-unreported")).toEqual({ ended: 2 });
      for (const { id } of [never, late]) {
        const message = await gateway.status(id);
        expect(message).toMatchObject({ messageStatus: 1, errorCode: 1301 });
        expect(message.finalTimestamp).toBeTypeOf("number");
      }
      sendReceipt(gateway, recipientOf("0030", 1).replace(/^0/, "98"));
      expect((await gateway.untilStatus(late.id, 2)).errorCode).toBeUndefined();
      expect(await gateway.status(never.id)).toMatchObject({ messageStatus: 1, errorCode: 1301 });
      expect((await gateway.ledger()).refunds).toBe(0);
    }),
  );

  it.concurrent(
    "case 32: an operator that counts from the start again: a receipt speaks of the latest message under its id",
    async () => {
      const port = await freePort();
      await withTestGateway({ smsc: { receiptDelayMs: 20, firstMessageId: 7000, port } }, async (gateway) => {
        const old = await gateway.send(recipientOf("0030"));
        await gateway.untilStatus(old.id, 1);
        await gateway.smsc.stop("destroy");
        const restarted = await startSimulatedSmsc({ receiptDelayMs: 20, firstMessageId: 7000, port });
        try {
          const young = await gateway.send(recipientOf("5004"));
          await gateway.untilStatus(young.id, 2);
          expect(restarted.submitted.map(({ messageId }) => messageId)).toEqual(["7000"]);
          expect(await gateway.status(old.id)).toMatchObject({ messageStatus: 1 });
        } finally {
          await restarted.stop("destroy");
        }
      });
    },
  );
});
