/** Against the npm package `smpp` 0.5.1, in both roles. */

import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import smpp, { type ForeignPdu, type ForeignSession } from "smpp";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { connectAndBind } from "../../../src/smpp/client.ts";
import { commandStatus, tlvTag } from "../../../src/smpp/constants.ts";
import { parseDeliveryReceipt } from "../../../src/smpp/delivery-receipt.ts";
import type { IncomingRequest } from "../../../src/smpp/incoming-requests.ts";
import { integerTlv } from "../../../src/smpp/tlv.ts";
import { submitTo } from "../pdu-samples.ts";
import { responseOf } from "../session-pair.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Command = "bind_transceiver" | "submit_sm" | "deliver_sm" | "enquire_link" | "unbind";

function call(session: ForeignSession, command: Command, fields: Record<string, unknown> = {}): Promise<ForeignPdu> {
  return new Promise((resolve) => session[command](fields, resolve));
}

describe("npm smpp as SMSC", () => {
  it("takes our bind, submits, receipts' answers and unbind", async () => {
    const seen: ForeignPdu[] = [];
    let foreign: ForeignSession | undefined;
    const server = smpp.createServer((session) => {
      foreign = session;
      session.on("error", () => undefined);
      session.on("pdu", (pdu: ForeignPdu) => {
        if (pdu.command.endsWith("_resp")) return;
        seen.push(pdu);
        session.send(pdu.response(pdu.command === "submit_sm" ? { message_id: `m${seen.length}` } : {}));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const address = server.address();
    const received: IncomingRequest[] = [];
    const session = await connectAndBind({
      host: "127.0.0.1",
      port: typeof address === "object" && address !== null ? address.port : 0,
      systemId: "hodhod",
      password: "secret",
      bindType: "transceiver",
      onRequest: (pdu) => {
        received.push(pdu);
        return { command_status: received.length === 1 ? 0 : commandStatus.ESME_RX_T_APPN };
      },
    });
    const request = { ...submitTo("989121234567", "Hello"), tlvs: [integerTlv(tlvTag.sar_msg_ref_num, 4711, 2)] };
    expect(responseOf(await session.request(request))).toMatchObject({ command_status: 0, message_id: "m2" });
    expect(seen[1]).toMatchObject({ destination_addr: "989121234567", sar_msg_ref_num: 4711, registered_delivery: 1 });
    if (foreign === undefined) throw new Error("no session");
    const receipt = { esm_class: 4, short_message: "id:m2 stat:DELIVRD", receipted_message_id: "m2", message_state: 2 };
    expect(await call(foreign, "deliver_sm", receipt)).toMatchObject({ command_status: 0 });
    expect(await call(foreign, "deliver_sm", receipt)).toMatchObject({ command_status: commandStatus.ESME_RX_T_APPN });
    expect(await call(foreign, "enquire_link")).toMatchObject({ command_status: 0 });
    const [first] = received;
    expect(first?.command === "deliver_sm" && parseDeliveryReceipt(first)).toMatchObject({
      messageId: "m2",
      states: ["DELIVRD", "DELIVRD"],
    });
    await session.unbind();
    expect(seen.map(({ command }) => command)).toEqual(["bind_transceiver", "submit_sm", "unbind"]);
  });
});

describe("npm smpp as ESME", () => {
  let smsc: SimulatedSmsc;

  async function bound(): Promise<ForeignSession> {
    smsc = await startSimulatedSmsc({ name: "operator", systemId: "foreign", receiptDelayMs: 5 });
    ends.push(() => smsc.stop());
    const session = smpp.connect({ host: "127.0.0.1", port: smsc.port });
    session.on("error", () => undefined);
    ends.push(() => session.close());
    const answer = await call(session, "bind_transceiver", { system_id: "foreign", password: "secret" });
    expect(answer).toMatchObject({ command_status: 0, system_id: "operator", sc_interface_version: 0x34 });
    return session;
  }

  it("submits, gets its receipt, unbinds", async () => {
    const session = await bound();
    const delivered = new Promise<ForeignPdu>((resolve) => session.once("deliver_sm", resolve));
    const acknowledged = smsc.next("receiptAnswered");
    const text = "سلام دنیا";
    const answer = await call(session, "submit_sm", {
      destination_addr: "989121239999",
      registered_delivery: 1,
      short_message: text,
    });
    expect(smsc.submitted[0]?.text).toBe(text);
    const receipt = await delivered;
    session.send(receipt.response());
    expect(receipt).toMatchObject({ receipted_message_id: answer["message_id"], message_state: 2, esm_class: 4 });
    expect(await acknowledged).toMatchObject({ commandStatus: 0 });
    expect(await call(session, "unbind")).toMatchObject({ command_status: 0 });
  });

  it("is refused as told", async () => {
    const session = await bound();
    const answer = await call(session, "submit_sm", { destination_addr: "989121230010", short_message: "x" });
    expect(answer).toMatchObject({ command_status: commandStatus.ESME_RINVDSTADR });
  });
});
