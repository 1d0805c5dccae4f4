// Long messages that go as one payload (setup `longMessages: payload`): every event of a message's
// life counts for the whole of it.
import { describe, expect, it } from "vitest";
import { buildReceipt } from "../../src/simulator/receipts.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import { eventually } from "../support/factories.ts";
import {
  recipientOf,
  type SentBatch,
  type TestGateway,
  type TestGatewayOptions,
  withTestGateway,
} from "../support/gateway.ts";
import { baseConnectors, impatient, longText, openingCredit, price } from "../support/gateway-setup.ts";

type Policy = "resend" | "hold" | "fail";
const cost = 3n * price.persian;

function asPayload(
  flow: (running: TestGateway) => Promise<void>,
  connector: TestGatewayOptions["connector"] = {},
): Promise<void> {
  const smsc = { receiptDelayMs: 20, retryDelayMs: 50 };
  return withTestGateway({ smsc, connector: { longMessages: "payload", ...connector } }, flow);
}

const under = (uncertain: Policy, flow: (running: TestGateway) => Promise<void>): Promise<void> =>
  asPayload(flow, { ...impatient, uncertain });

const sendLong = (running: TestGateway, recipient: string): Promise<SentBatch> =>
  running.send(recipient, { content: longText });

async function expectCharged(running: TestGateway, id: string): Promise<void> {
  expect(await running.refundsOf(id)).toEqual([]);
  expect(await running.balance()).toBe(openingCredit - cost);
}

/** The operator reports on the whole message, under an id of its own unless one is given. */
async function report(running: TestGateway, recipient: string, messageId = "unheard-of"): Promise<void> {
  const receipt = buildReceipt({
    plan: { state: "DELIVRD" },
    messageId,
    sender: { ton: 0, npi: 1, address: "10001234" },
    recipient: { ton: 1, npi: 1, address: `98${recipient.slice(1)}` },
    submittedAt: Date.now(),
    doneAt: Date.now(),
    text: "",
  });
  // A silent link may just be given up and made anew.
  await eventually(async () => {
    const reply = await running.smsc.sessions[0]?.request(receipt);
    return reply?.kind === "response" && reply.pdu.command_status === commandStatus.ESME_ROK;
  });
}

describe("a whole message in one submit_sm", () => {
  it.concurrent("is taken, and one receipt delivers all its parts", () =>
    asPayload(async (running) => {
      const recipient = recipientOf("4567");
      const { id } = await sendLong(running, recipient);
      expect(await running.untilStatus(id, 2)).toMatchObject({ parts: "3", messageStatus: 2 });
      expect(running.submissions(recipient).map((seen) => [seen.part.total, seen.text])).toEqual([[1, longText]]);
      await expectCharged(running, id);
    }),
  );
});

describe("case 12: a whole message that was submitted and never answered", () => {
  it.concurrent("resend: ends at 4 with 1302, and one receipt makes it delivered (0021)", () =>
    under("resend", async (running) => {
      const recipient = recipientOf("0021");
      const { id } = await running.sendShortLived(recipient, "EightSLong");
      expect(await running.untilStatus(id, 4)).toMatchObject({ errorCode: 1302 });
      expect(running.submissions(recipient).length).toBeGreaterThan(1);
      await report(running, recipient);
      expect(await running.untilStatus(id, 2)).not.toHaveProperty("errorCode");
    }),
  );
});

it("a connector that begins to send long messages as one payload still sends only the missing part of one that stands in parts (0060)", () =>
  withTestGateway({ smsc: { receiptDelayMs: 20 } }, async (running) => {
    const recipient = recipientOf("0060");
    await sendLong(running, recipient);
    const [first] = await running.untilSubmitted(recipient, 3);
    await running.apply({ connectors: baseConnectors([running.smsc.port], { longMessages: "payload" }) });
    const before = running.submissions(recipient).length;
    const again = (await running.untilSubmitted(recipient, before + 1)).slice(3);
    expect(again.map(({ part }) => part)).toEqual(
      again.map(() => ({ reference: first?.part.reference, total: 3, number: 2, bits: 8 })),
    );
  }));
