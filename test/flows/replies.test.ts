// Replies of inbound rules, from the subscriber's message to what the operator gets back: once,
// with the money, and never without an end.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keys, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { price } from "../support/gateway-setup.ts";

const answers = "10001234";
const honours = "10005678";
const reply = "خوش آمدید";

let gateway: TestGateway;
let second: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    setup: {
      lines: [
        { number: answers, kind: "dedicated", inbound: "demo" },
        { number: honours, kind: "advertising", optOut: "append", inbound: "demo" },
        { number: "30001111", kind: "service" },
        { number: "30002222", kind: "advertising" },
      ],
      contentRules: [{ name: "no betting", words: ["betting"], action: "refuse" }],
      inboundRules: [
        { line: answers, words: ["عضویت"], account: "other", reply },
        { line: answers, prefix: "bet", account: "demo", reply: "betting is refused" },
        { line: answers, prefix: "poor", account: "poor", reply: "x".repeat(300) },
        { line: answers, prefix: "quiet", account: "demo" },
        { line: answers, any: true, account: "demo", reply },
        { line: honours, any: true, account: "demo", reply },
      ],
    },
  });
  second = gateway.join();
  await second.start();
});
afterAll(() => gateway.stop());

const local = (number: string): string => `0${number.slice(2)}`;
const submitted = (number: string): readonly string[] =>
  gateway.submissions(local(number)).map(({ text, sender }) => `${sender.address} ${text}`);

interface Outcome {
  readonly outcome: string;
  readonly errorCode?: number;
}

/** A subscriber's message, and what became of the reply. */
async function ask(from: string, text: string, to = answers): Promise<Outcome> {
  const settled = Promise.race([gateway, second].map(({ telemetry }) => telemetry.next("replies.settled")));
  expect(await gateway.smsc.sendMo({ from, to, text })).toBe(0);
  const { outcome, errorCode } = await settled;
  return { outcome, ...(errorCode !== undefined && { errorCode }) };
}

/** A subscriber's message that gets no reply: it is stored, and no reply is. */
async function askInVain(from: string, text: string, to = answers): Promise<void> {
  expect(await gateway.smsc.sendMo({ from, to, text })).toBe(0);
  expect(await gateway.count("inbound_message", `sender = '${from}'`)).toBeGreaterThan(0);
  expect(await gateway.count("inbound_reply", `number = '${from}'`)).toBe(0);
}

const balance = async (key: string): Promise<string> =>
  (await gateway.call("GET", "account/balance", { key })).body.balance ?? "";

describe("a reply", () => {
  it("goes out once from the line, after the answer, charged to the account of the rule", async () => {
    const from = "989127772001";
    const before = await balance(keys.other);
    let isAnswered = false;
    const out = gateway.smsc.next("submit", ({ recipient }) => recipient.address === from).then(() => isAnswered);
    const answered = gateway.smsc.sendMo({ from, to: answers, text: " عضویت. " }).then((status) => {
      isAnswered = true;
      return status;
    });
    expect(await answered).toBe(0);
    expect(await out).toBe(true);
    expect(submitted(from)).toEqual([`${answers} ${reply}`]);
    const [row] = await gateway.rows<object>(
      "select account_id, purpose, priority, cost from message where recipient = $1",
      [from],
    );
    expect(row).toEqual({ account_id: gateway.accountId("other"), purpose: 2, priority: 1, cost: price.persian });
    const rials = (text: string): number => Number(text.replaceAll(",", ""));
    expect(rials(before) - rials(await balance(keys.other))).toBe(Number(price.persian));
    const { body } = await gateway.call("GET", "messages/received", { key: keys.other });
    expect(body.messages?.map(({ senderNumber }) => senderNumber)).toContain(from);
  });

  it("reaches who has opted out, without the notice", async () => {
    const from = "989127772002";
    await gateway.call("PUT", `opt-outs/${honours}/${from}`);
    const out = gateway.smsc.next("submit", ({ recipient }) => recipient.address === from);
    expect(await ask(from, "قیمت", honours)).toEqual({ outcome: "sent" });
    await out;
    expect(submitted(from)).toEqual([`${honours} ${reply}`]);
  });

  it("is not written where the rule has none, to a stop or resume word, or to what is no mobile number", async () => {
    await askInVain("989127772003", "quiet please");
    await askInVain("989127772004", "لغو", honours);
    await askInVain("989127772005", "12", honours);
    await askInVain("989127772006", "STOP", answers);
    await askInVain("20001", "سلام");
    await askInVain("MyBank", "سلام");
  });

  it("that is refused is counted and leaves the received message as it is", async () => {
    expect(await ask("989127772007", "bet on it")).toEqual({ outcome: "refused", errorCode: 1204 });
    expect(await ask("989129999999", "سلام")).toEqual({ outcome: "refused", errorCode: 1202 });
    expect(await ask("989217772008", "سلام")).toEqual({ outcome: "refused", errorCode: 1048 });
    // Its credit covers two parts.
    expect(await ask("989127772009", "poor me")).toEqual({ outcome: "sent" });
    await gateway.rows("update account_balance set balance = 0 where account_id = $1", [gateway.accountId("poor")]);
    expect(await ask("989127772010", "poor me")).toEqual({ outcome: "refused", errorCode: 1201 });
    for (const from of ["989127772007", "989129999999", "989217772008", "989127772010"])
      expect(await gateway.count("inbound_message", `sender = '${from}' and account_id > 0`)).toBe(1);
  });
});

describe("the limits", () => {
  it("bring a talk with another machine to its end", async () => {
    const from = "989127770051";
    const ended = Promise.race(
      [gateway, second].map(({ telemetry }) =>
        telemetry.next("replies.settled", ({ outcome }) => outcome === "limited"),
      ),
    );
    await gateway.smsc.sendMo({ from, to: answers, text: "سلام" });
    await ended;
    expect(submitted(from)).toHaveLength(3);
    const same = "989127780050";
    const repeated = Promise.race(
      [gateway, second].map(({ telemetry }) =>
        telemetry.next("replies.settled", ({ outcome }) => outcome === "repeated" || outcome === "limited"),
      ),
    );
    await gateway.smsc.sendMo({ from: same, to: answers, text: "سلام" });
    await repeated;
    expect(submitted(same).length).toBeLessThanOrEqual(3);
  });
});
