// Opting out, from the person's message to what is no longer sent: on the node that hears of it and
// on another one, before and after acceptance, with the money.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const honours = "10005678";
const hearsNothing = "10001234";

let gateway: TestGateway;
let second: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    setup: {
      lines: [
        { number: hearsNothing, kind: "dedicated", inbound: "demo" },
        { number: honours, kind: "advertising", inbound: "demo" },
        { number: "30001111", kind: "service" },
        { number: "30002222", kind: "advertising" },
      ],
    },
  });
  second = gateway.join();
  await second.start();
});
afterAll(() => gateway.stop());

const optOuts = async (running: TestGateway, number: string): Promise<unknown> =>
  (JSON.parse((await running.call("GET", `opt-outs?number=${number}`)).text) as { optOuts: unknown }).optOuts;

function send(running: TestGateway, recipientNumber: string, senderNumber = honours) {
  return running.call("POST", "messages/send", { body: { senderNumber, recipientNumber, content: "سلام" } });
}

/** Until the node refuses the number, or no longer does. Sends nothing, so that tests can count. */
async function untilAnswered(running: TestGateway, number: string, status: number): Promise<void> {
  const body = { senderNumber: honours, recipientNumber: number, content: "سلام" };
  await expect
    .poll(async () => (await running.call("POST", "messages/preview", { body })).status, { timeout: 60_000 })
    .toBe(status);
}

describe("words", () => {
  it("put the sender on the line's list and take it off again, on every node, and are received", async () => {
    const number = "989127771001";
    expect((await send(gateway, number)).status).toBe(200);
    expect(await gateway.smsc.sendMo({ from: number, to: honours, text: " ۱۱. " })).toBe(0);
    expect(await optOuts(gateway, number)).toMatchObject([
      { lineNumber: honours, recipientNumber: number, how: "message" },
    ]);
    await untilAnswered(gateway, number, 400);
    await untilAnswered(second, number, 400);
    expect((await send(gateway, number)).body).toMatchObject({
      errorCode: 1202,
      errorMessage: expect.stringContaining(honours) as string,
    });
    // From other lines it may be written to.
    expect((await send(gateway, number, hearsNothing)).status).toBe(200);
    await gateway.smsc.sendMo({ from: number, to: honours, text: "START" });
    expect(await optOuts(gateway, number)).toEqual([]);
    await untilAnswered(gateway, number, 200);
    await untilAnswered(second, number, 200);
    const received = await gateway.call("GET", "messages/received");
    const texts = (received.body.messages ?? []).filter(({ senderNumber }) => senderNumber === number);
    expect(texts.map(({ content }) => content)).toEqual([" ۱۱. ", "START"]);
  });

  it("count in the order in which a person writes them, also where the operator waits for no answer between them", async () => {
    const people = Array.from({ length: 20 }, (_, place) => ({
      number: `9891277750${String(place).padStart(2, "0")}`,
      texts: place % 2 === 0 ? ["START", "stop"] : ["stop", "START"],
    }));
    const sent = people.flatMap(({ number, texts }) =>
      texts.map((text) => gateway.smsc.sendMo({ from: number, to: honours, text })),
    );
    expect(new Set(await Promise.all(sent))).toEqual(new Set([0]));
    const page = await gateway.call("GET", `opt-outs?line=${honours}`);
    const listed = (JSON.parse(page.text) as { optOuts: { recipientNumber: string }[] }).optOuts;
    const stopped = people.filter(({ texts }) => texts[1] === "stop").map(({ number }) => number);
    expect(
      listed.map(({ recipientNumber }) => recipientNumber).filter((number) => number.startsWith("9891277750")),
    ).toEqual(stopped);
    const received = await gateway.call("GET", "messages/received");
    for (const { number, texts } of people) {
      const own = (received.body.messages ?? []).filter(({ senderNumber }) => senderNumber === number);
      expect(own.map(({ content }) => content)).toEqual(texts);
    }
  });

  it("are not read on a line that is off, nor from a sender that is no mobile number", async () => {
    const number = "989127771002";
    await gateway.smsc.sendMo({ from: number, to: hearsNothing, text: "11" });
    await gateway.smsc.sendMo({ from: "20001", to: honours, text: "11" });
    expect(await optOuts(gateway, number)).toEqual([]);
    expect(await gateway.count("opt_out", "number in ('989127771002', '20001')")).toBe(0);
  });

  it("of a message in parts count when it is whole", async () => {
    const from = "989127771003";
    const part = (number: number, text: string) => ({
      udh: Buffer.from([5, 0, 3, 9, 2, number]),
      bytes: Buffer.from(text, "utf16le").swap16(),
      dataCoding: 8,
    });
    await gateway.smsc.sendMo({ from, to: honours, ...part(2, "و۱۱") });
    expect(await optOuts(gateway, from)).toEqual([]);
    await gateway.smsc.sendMo({ from, to: honours, ...part(1, "لغ") });
    expect(await optOuts(gateway, from)).toHaveLength(1);
  });
});

describe("what was accepted before", () => {
  it("ends at 4 with 1307 and its refund instead of being submitted; a code is sent", async () => {
    const number = "989127771004";
    const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
    const later = await gateway.send(number, { senderNumber: honours, sendTimestamp });
    const fromOther = await gateway.send(number, { senderNumber: hearsNothing, sendTimestamp });
    const code = await gateway.call("POST", "messages/send/template", {
      body: {
        recipientNumber: number,
        templateId: "OwnLineTpl",
        parameters: [{ name: "code", value: "1" }],
        sendTimestamp,
      },
    });
    const codeId = code.body.message?.sentMessageId ?? "";
    await gateway.smsc.sendMo({ from: number, to: honours, text: "لغو" });
    await untilAnswered(gateway, number, 400);
    await untilAnswered(second, number, 400);
    await gateway.rows("update message_queue set due_at = now() where message_id = any ($1::uuid[])", [
      [later.id, fromOther.id, codeId],
    ]);
    await gateway.runNow("release-due");
    expect(await gateway.untilStatus(later.id, 4)).toMatchObject({ errorCode: 1307 });
    await gateway.untilStatus(fromOther.id, 2);
    await gateway.untilStatus(codeId, 2);
    expect(gateway.submissions(`0${number.slice(2)}`).filter(({ sender }) => sender.address === honours)).toHaveLength(
      1,
    );
    const refunds = [later.id, fromOther.id, codeId].map((id) => gateway.refundsOf(id));
    expect(await Promise.all(refunds)).toEqual([[1390n], [], []]);
  });
});

describe("what another node accepts while an entry is made", () => {
  it("is refused, or ends at 4 with 1307 once all nodes know of the entry", async () => {
    const number = "989127771006";
    const sendTimestamp = Math.floor(Date.now() / 1000) + 3600;
    const body = { senderNumber: honours, recipientNumber: number, content: "سلام", sendTimestamp };
    const sendThere = () => second.call("POST", "messages/send", { body });
    const entering = gateway.call("PUT", `opt-outs/${honours}/${number}`);
    const during = [sendThere(), sendThere(), sendThere()];
    expect((await entering).status).toBe(200);
    // The node that answered knows at once, the other within a second.
    expect((await send(gateway, number)).body).toMatchObject({ errorCode: 1202 });
    const answers = await Promise.all([...during, sendThere(), sendThere()]);
    await untilAnswered(second, number, 400);
    const accepted = answers.flatMap((answer) => answer.body.message?.sentMessageId ?? []);
    const refused = answers.filter((answer) => answer.body.errorCode === 1202);
    expect(accepted.length + refused.length).toBe(answers.length);
    const due = "update message_queue set due_at = now() where message_id = any ($1::uuid[])";
    await gateway.rows(due, [accepted]);
    await gateway.runNow("release-due");
    for (const id of accepted) expect(await gateway.untilStatus(id, 4)).toMatchObject({ errorCode: 1307 });
    expect(gateway.submissions(`0${number.slice(2)}`)).toEqual([]);
  });
});
