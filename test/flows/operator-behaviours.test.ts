// Every misbehaviour in the simulator's table, end to end: what the API tells at last, how often
// the operator saw the message, and whether the money is right.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { behaviours } from "../../src/simulator/behaviours.ts";
import { keys, type MessageElement, recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { longText, openingCredit } from "../support/gateway-setup.ts";

interface Expected {
  readonly status: number;
  /** errorCode of the status answer. */
  readonly reason?: number;
  /** Part numbers in the order in which the operator got them. */
  readonly submitted: readonly number[];
  /** And perhaps more of them: how often two seconds suffice for depends on the machine. */
  readonly orMore?: true;
  /** A message of three parts. */
  readonly long?: true;
  /** Valid for two seconds (three where it is long), for what would go on otherwise. */
  readonly shortLived?: true;
  /** Receipts that the operator sends, each acknowledged once. */
  readonly receipts: number;
  /** Hard cases that the row is about. */
  readonly cases?: string;
}

const delivered = { status: 2, submitted: [1], receipts: 1 } as const;
const undelivered = { status: 3, reason: 1306, submitted: [1], receipts: 1 } as const;
const threeParts = { long: true, submitted: [1, 2, 3], receipts: 3 } as const;

/** Those that trouble nobody else on the link: all at once on one gateway. */
const harmless: Readonly<Record<string, Expected>> = {
  "0001": undelivered,
  "0002": undelivered,
  "0003": undelivered,
  "0004": undelivered,
  "0005": { ...delivered, status: 1, cases: "37" },
  "0010": { status: 4, reason: 1303, submitted: [1], receipts: 0, cases: "20, 55" },
  "0014": { ...delivered, submitted: [1, 1], cases: "22" },
  "0025": { status: 1, submitted: [1], receipts: 0, cases: "21" },
  "0030": { status: 1, submitted: [1], receipts: 0, cases: "38" },
  "0031": delivered,
  "0032": { ...delivered, receipts: 3, cases: "36" },
  "0033": { ...delivered, cases: "30" },
  "0034": { ...delivered, cases: "37" },
  "0035": { ...delivered, cases: "37" },
  "0036": { ...delivered, cases: "37" },
  "0037": { ...delivered, receipts: 2, cases: "37" },
  "0038": { ...delivered, cases: "37" },
  "0039": { ...delivered, receipts: 3, cases: "36" },
  "0040": { ...delivered, cases: "31" },
  "0041": { ...delivered, cases: "31" },
  "0042": { ...delivered, cases: "31" },
  "0043": { ...delivered, cases: "31" },
  "0044": { ...delivered, cases: "31" },
  "0045": { ...delivered, cases: "31" },
  "0046": { ...delivered, cases: "37" },
  "0050": delivered,
  "0051": delivered,
  "0052": delivered,
  "0060": {
    status: 4,
    reason: 1304,
    long: true,
    shortLived: true,
    submitted: [1, 2, 3, 2],
    receipts: 2,
    cases: "10, 25",
  },
  "0062": { ...threeParts, status: 2, cases: "34" },
  "0063": { ...threeParts, status: 3, reason: 1306, cases: "35" },
  "0064": { ...threeParts, status: 1, receipts: 2, cases: "34" },
  "0065": { ...threeParts, status: 2, receipts: 1, cases: "34" },
};

/** Those that slow or break the link: each on a gateway of its own. */
const linkFaults: Readonly<Record<string, Expected>> = {
  "0011": { ...delivered, submitted: [1, 1], cases: "22" },
  "0012": { ...delivered, submitted: [1, 1, 1, 1], cases: "22" },
  "0013": { ...delivered, submitted: [1, 1], cases: "22" },
  "0015": { status: 4, reason: 1304, shortLived: true, submitted: [1], orMore: true, receipts: 0, cases: "22, 55" },
  // Late, but within the time that an answer gets before its part is submitted again.
  "0020": { ...delivered, cases: "12, 24" },
  "0022": { ...delivered, submitted: [1, 1], cases: "12" },
  "0023": { ...delivered, submitted: [1, 1], receipts: 2, cases: "12, 13" },
  "0024": { ...delivered, cases: "13" },
  "0026": { ...delivered, submitted: [1, 1], cases: "13" },
  "0061": { ...threeParts, status: 2, submitted: [1, 2, 3, 2], cases: "10, 22, 25" },
};

/** Told in test/flows/uncertain-outcome.test.ts, under each policy. */
const toldElsewhere = ["0021"];

it("has a flow for every behaviour of the simulated operator", () => {
  const told = [...Object.keys(harmless), ...Object.keys(linkFaults), ...toldElsewhere].sort();
  expect(told).toEqual(behaviours.map(({ suffix }) => suffix).sort());
});

const rows = (table: Readonly<Record<string, Expected>>): [title: string, suffix: string, expected: Expected][] =>
  Object.entries(table).map(([suffix, expected]) => {
    const { name = "", summary = "" } = behaviours.find((behaviour) => behaviour.suffix === suffix) ?? {};
    const cases = expected.cases === undefined ? "" : `case ${expected.cases}: `;
    return [`${cases}${suffix} ${name} (${summary})`, suffix, expected];
  });

const simulator = { receiptDelayMs: 20, lateAnswerMs: 2000, retryDelayMs: 50 };
/** Where an answer stays away. The late one comes within twice that. */
const connector = { responseTimeoutMs: 1500 };

describe("on one busy link", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ smsc: simulator });
  });
  afterAll(() => gateway.stop());

  it.concurrent.each(rows(harmless))("%s", async (_title, suffix, expected) => {
    await follow(gateway, suffix, expected);
  });

  it("case 55: the account's balance is its ledger's sum, whatever the operator did", async () => {
    const ledger = await gateway.ledger();
    const failed = Object.values(harmless).filter(({ status }) => status === 4).length;
    expect(ledger.charges).toBe(Object.keys(harmless).length);
    expect(ledger.refunds).toBe(failed);
    expect(await gateway.balance(keys.demo)).toBe(ledger.sum);
  });

  it("case 37: no receipt is taken for a message of a subscriber, whatever its form", async () => {
    // Their recipients answer.
    expect(await gateway.count("inbound_message", "sender not like all ('{%0050,%0051,%0052}')")).toBe(0);
  });
});

describe("on a link of its own", () => {
  it.concurrent.each(rows(linkFaults))("%s", async (_title, suffix, expected) => {
    const gateway = await startTestGateway({ smsc: simulator, connector });
    try {
      const message = await follow(gateway, suffix, expected);
      const ledger = await gateway.ledger();
      const cost = BigInt((message.cost ?? "").replaceAll(",", ""));
      expect(ledger.sum).toBe(openingCredit - (expected.status === 4 ? 0n : cost));
      expect(await gateway.balance()).toBe(ledger.sum);
    } finally {
      await gateway.stop();
    }
  });
});

/** Sends one message and follows it until nothing more can come of it. */
async function follow(gateway: TestGateway, suffix: string, expected: Expected): Promise<MessageElement> {
  const { status, reason, submitted, orMore, long, shortLived, receipts } = expected;
  const recipient = recipientOf(suffix);
  const { id } = await (shortLived
    ? gateway.sendShortLived(recipient, long ? "ThreeSLong" : "TwoSeconds")
    : gateway.send(recipient, long ? { content: longText } : {}));
  const seen = new Map<unknown, number>();
  const off = countReceipts(gateway, recipient, seen);
  const message = await gateway.untilStatus(id, status);
  await gateway.untilSubmitted(recipient, submitted.length);
  await gateway.until("all receipts acknowledged", () => {
    return [...seen.values()].reduce((sum, count) => sum + count, 0) >= receipts || undefined;
  });
  off();
  await gateway.passMarker();
  const last = await gateway.status(id);
  expect({ status: last.messageStatus, reason: last.errorCode }).toEqual({ status, reason });
  const parts = gateway.submissions(recipient).map(({ part }) => part.number);
  expect(orMore ? parts.slice(0, submitted.length) : parts).toEqual(submitted);
  const cost = BigInt((message.cost ?? "").replaceAll(",", ""));
  expect(await gateway.refundsOf(id)).toEqual(status === 4 ? [cost] : []);
  return last;
}

function countReceipts(gateway: TestGateway, recipient: string, seen: Map<unknown, number>): () => void {
  const listener = ({ message }: { message: { recipient: { address: string } } }): void => {
    if (message.recipient.address === `98${recipient.slice(1)}`) seen.set(message, (seen.get(message) ?? 0) + 1);
  };
  gateway.smsc.on("receiptAnswered", listener);
  return () => void gateway.smsc.off("receiptAnswered", listener);
}
