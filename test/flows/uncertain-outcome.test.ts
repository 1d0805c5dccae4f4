// What was written to a link and never answered, under each policy of a connector (setup
// `uncertain`): resend may double a message but never loses one; hold and fail never submit twice.
import { describe, expect, it } from "vitest";
import {
  recipientOf,
  type MessageElement,
  type TestGateway,
  type TestGatewayOptions,
  withTestGateway,
} from "../support/gateway.ts";
import { impatient, openingCredit, price } from "../support/gateway-setup.ts";

const simulator = { receiptDelayMs: 20, retryDelayMs: 50 };
type Policy = "resend" | "hold" | "fail";

/** Runs the flow on a gateway of its own. */
function under(
  policy: Policy,
  flow: (running: TestGateway) => Promise<void>,
  options: TestGatewayOptions = {},
): Promise<void> {
  return withTestGateway(
    { smsc: simulator, ...options, connector: { ...impatient, uncertain: policy, ...options.connector } },
    flow,
  );
}

/**
 * The link must live to bring the late answer. A submission that times out casts doubt on it, and
 * the enquiry after that has as long: more than a busy machine takes for it.
 */
const lateAnswers = { connector: { responseTimeoutMs: 1500 } };

async function expectLedger(running: TestGateway, sum: bigint): Promise<void> {
  expect((await running.ledger()).sum).toBe(sum);
  expect(await running.balance()).toBe(sum);
}

describe("case 12: submitted, never answered", () => {
  it.concurrent("resend: is submitted again until its validity ends, then 4 with 1302 and refunded once (0021)", () =>
    under("resend", async (running) => {
      const recipient = recipientOf("0021");
      const { id } = await running.sendShortLived(recipient, "EightSecs");
      const message = await running.untilStatus(id, 4);
      expect(message.errorCode).toBe(1302);
      expect(running.submissions(recipient).length).toBeGreaterThan(1);
      expect(await running.refundsOf(id)).toEqual([price.persian]);
      await expectLedger(running, openingCredit);
    }),
  );

  it.concurrent("case 9: resend: a message submitted twice is one message with one status and one charge (0020)", () =>
    under(
      "resend",
      async (running) => {
        const recipient = recipientOf("0020");
        const late = running.telemetry.next("submission.settled", ({ outcome }) => outcome === "late");
        // The second submission gets its answer as soon as it was seen, the first one long after
        // that.
        running.smsc.pauseAnswers();
        const { id, batchId } = await running.send(recipient);
        // What is being submitted again may have been taken: its outcome is open, and the caller
        // can see it.
        const open = await running.untilStatus(id, ({ errorCode }) => errorCode === 1302);
        expect(open.messageStatus).toBe(0);
        await running.untilSubmitted(recipient, 2);
        running.smsc.resumeAnswers();
        await running.untilStatus(id, 2);
        await late;
        await running.passMarker();
        expect(running.submissions(recipient)).toHaveLength(2);
        const { body } = await running.call("GET", `messages/status/${batchId}`);
        expect(body.messages?.map(({ messageStatus, errorCode }) => [messageStatus, errorCode])).toEqual([
          [2, undefined],
        ]);
        await expectLedger(running, openingCredit - price.persian);
      },
      { smsc: { ...simulator, lateAnswerMs: 5000 }, connector: { responseTimeoutMs: 1000 } },
    ),
  );

  it.concurrent("resend: an answer that is only late is waited for as long again, and nothing is submitted twice", () =>
    under(
      "resend",
      async (running) => {
        const recipient = recipientOf("4567");
        const late = running.telemetry.next("submission.settled", ({ outcome }) => outcome === "late");
        // The answer comes as soon as it has been given up.
        const givenUp = running.telemetry
          .next("submission.settled", ({ outcome }) => outcome === "unknown")
          .then(() => running.smsc.resumeAnswers());
        running.smsc.pauseAnswers();
        const { id } = await running.send(recipient);
        await givenUp;
        await late;
        await running.untilStatus(id, 2);
        await running.passMarker();
        expect(running.submissions(recipient)).toHaveLength(1);
      },
      { connector: { responseTimeoutMs: 1500 } },
    ),
  );

  it.concurrent("hold: is open with 1302, is never submitted again, and ends at 4 with one refund (0021)", () =>
    under("hold", async (running) => {
      const recipient = recipientOf("0021");
      const { id } = await running.sendShortLived(recipient);
      const open = await running.untilStatus(id, ({ errorCode }) => errorCode === 1302);
      expect(open.messageStatus).toBe(0);
      expect(await running.refundsOf(id)).toEqual([]);
      const ended = await running.untilStatus(id, 4);
      expect(ended.errorCode).toBe(1302);
      expect(running.submissions(recipient)).toHaveLength(1);
      expect(await running.refundsOf(id)).toEqual([price.persian]);
      await expectLedger(running, openingCredit);
    }),
  );

  it.concurrent.each([
    ["hold", "is believed", ({ errorCode }: MessageElement) => errorCode === 1302],
    ["fail", "corrects 1302 to delivered", 4],
  ] as const)("case 24: %s: the answer that comes late %s", (policy, _, open) =>
    under(
      policy,
      async (running) => {
        const recipient = recipientOf("4567");
        running.smsc.pauseAnswers();
        const { id } = await running.send(recipient);
        await running.untilStatus(id, open);
        running.smsc.resumeAnswers();
        const message = await running.untilStatus(id, 2);
        expect(message.errorCode).toBeUndefined();
        expect(running.submissions(recipient)).toHaveLength(1);
        if (policy === "hold") await expectLedger(running, openingCredit - price.persian);
        else expect(await running.refundsOf(id)).toEqual([price.persian]);
      },
      lateAnswers,
    ),
  );

  it.concurrent("case 24: hold: the refusal that comes late is believed, and its price given back once (0010)", () =>
    under(
      "hold",
      async (running) => {
        running.smsc.pauseAnswers();
        const { id } = await running.send(recipientOf("0010"));
        await running.untilStatus(id, ({ errorCode }) => errorCode === 1302);
        running.smsc.resumeAnswers();
        const message = await running.untilStatus(id, 4);
        expect(message.errorCode).toBe(1303);
        expect(await running.refundsOf(id)).toEqual([price.persian]);
        await expectLedger(running, openingCredit);
      },
      lateAnswers,
    ),
  );

  it.concurrent("fail: ends at 4 with 1302 at once, refunded once, never submitted again (0021)", () =>
    under("fail", async (running) => {
      const recipient = recipientOf("0021");
      const { id } = await running.send(recipient);
      const message = await running.untilStatus(id, 4);
      expect(message.errorCode).toBe(1302);
      await running.passMarker();
      expect(running.submissions(recipient)).toHaveLength(1);
      expect(await running.refundsOf(id)).toEqual([price.persian]);
      await expectLedger(running, openingCredit);
    }),
  );

  it.concurrent.each(["hold", "fail"] as const)(
    "%s: a receipt on the next bind proves that it was taken (0023)",
    (policy) =>
      under(policy, async (running) => {
        const recipient = recipientOf("0023");
        const { id } = await running.send(recipient);
        const message = await running.untilStatus(id, 2);
        expect(message.errorCode).toBeUndefined();
        expect(running.submissions(recipient)).toHaveLength(1);
        if (policy === "hold") await expectLedger(running, openingCredit - price.persian);
      }),
  );
});

const inWindow = 8;
const fullWindow = Array.from({ length: inWindow }, (_, index) => recipientOf("4567", 200 + index));

/**
 * Fills the window with messages that the operator has taken and not answered; more wait behind
 * them.
 */
async function fillWindow(running: TestGateway): Promise<{ batchId: string }> {
  running.smsc.pauseAnswers();
  const batch = await running.sendBulk(fullWindow);
  await running.until("a full window", () => running.smsc.counters.submits >= inWindow || undefined);
  return batch;
}

describe("case 13: the link drops with a full window", () => {
  const patient = { window: inWindow, responseTimeoutMs: 10_000, enquireLinkSeconds: 30 };

  it.concurrent("resend: each is submitted exactly once more, none lost", () =>
    under(
      "resend",
      async (running) => {
        const { batchId } = await fillWindow(running);
        running.smsc.cutLinks();
        running.smsc.resumeAnswers();
        await running.untilAll(batchId, 2);
        expect(fullWindow.map((recipient) => running.submissions(recipient).length)).toEqual(fullWindow.map(() => 2));
        await expectLedger(running, openingCredit - price.persian * BigInt(inWindow));
      },
      { connector: patient },
    ),
  );

  it.concurrent.each(["hold", "fail"] as const)(
    "%s: none is submitted again, and the receipts tell what became of them",
    (policy) =>
      under(
        policy,
        async (running) => {
          const { batchId } = await fillWindow(running);
          running.smsc.cutLinks();
          running.smsc.resumeAnswers();
          await running.untilAll(batchId, 2);
          expect(fullWindow.map((recipient) => running.submissions(recipient).length)).toEqual(fullWindow.map(() => 1));
        },
        { connector: patient },
      ),
  );

  it.concurrent("what was not written yet goes out on the next bind, once", () =>
    under(
      "hold",
      async (running) => {
        await fillWindow(running);
        const behind = await running.send(recipientOf("4567", 300));
        running.smsc.cutLinks();
        running.smsc.resumeAnswers();
        await running.untilStatus(behind.id, 2);
        expect(running.submissions(recipientOf("4567", 300))).toHaveLength(1);
      },
      { connector: patient },
    ),
  );
});

describe("case 14: half-open, the operator reads and says nothing any more", () => {
  it.concurrent.each(["resend", "hold"] as const)("%s: the silent link is noticed, left, and replaced", (policy) =>
    under(policy, (running) => leaveSilentLink(running, policy), { connector: { responseTimeoutMs: 1500 } }),
  );

  async function leaveSilentLink(running: TestGateway, policy: Policy): Promise<void> {
    const closed = running.telemetry.next("bind.changed", ({ state }) => state === "closed");
    running.smsc.freezeLinks();
    const caught = await running.send(recipientOf("4567"));
    expect((await closed).reason).toMatch(/no activity/);
    await running.passMarker();
    if (policy === "resend") await running.untilStatus(caught.id, 2);
    else expect(await running.status(caught.id)).toMatchObject({ messageStatus: 0, errorCode: 1302 });
    // The frozen link never read it: the operator has seen only what came on the new one.
    expect(running.submissions(recipientOf("4567"))).toHaveLength(policy === "resend" ? 1 : 0);
  }
});

describe("case 23: answers slower than the sender's timeout", () => {
  it.concurrent.each([
    // Less than twice its timeout, and more.
    ["resend", 2100, 1],
    ["resend", 4000, 2],
    ["hold", 4000, 1],
  ] as const)(
    "%s, answers after %i ms: at most %i submissions a message, all delivered",
    (policy, submitDelayMs, most) =>
      under(
        policy,
        async (running) => {
          const { batchId } = await running.sendBulk(fullWindow);
          await running.untilAll(batchId, 2);
          for (const recipient of fullWindow) expect(running.submissions(recipient).length).toBeLessThanOrEqual(most);
          await expectLedger(running, openingCredit - price.persian * BigInt(inWindow));
        },
        { smsc: { ...simulator, submitDelayMs }, connector: { responseTimeoutMs: 1500 } },
      ),
  );
});
