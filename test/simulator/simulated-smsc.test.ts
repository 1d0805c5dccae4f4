import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { connectAndBind, type ConnectOptions } from "../../src/smpp/client.ts";
import { commandStatus } from "../../src/smpp/constants.ts";
import { parseDeliveryReceipt, type DeliveryReceiptFields } from "../../src/smpp/delivery-receipt.ts";
import type { IncomingRequest } from "../../src/smpp/incoming-requests.ts";
import type { SmppAnswer } from "../../src/smpp/pdu.ts";
import type { Requester, SmppReply } from "../../src/smpp/request-window.ts";
import type { SmppSession } from "../../src/smpp/session.ts";
import { integerTlv } from "../../src/smpp/tlv.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../../src/simulator/simulator-options.ts";
import { plainSubmitSm, submitTo } from "../smpp/pdu-samples.ts";
import { deferred } from "../smpp/session-pair.ts";

interface Line {
  readonly smsc: SimulatedSmsc;
  readonly session: SmppSession;
  /** What the ESME saw, in order: "answer <status>", "receipt <state>", "mo". */
  readonly log: string[];
  readonly receipts: DeliveryReceiptFields[];
  readonly received: IncomingRequest[];
  readonly submit: (suffix: string, text?: string, onLate?: Requester["onLate"]) => Promise<SmppReply>;
}

const open: SimulatedSmsc[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((smsc) => smsc.stop("destroy")));
});

async function start(options: SimulatedSmscOptions = {}): Promise<SimulatedSmsc> {
  const smsc = await startSimulatedSmsc({ lateAnswerMs: 3000, retryDelayMs: 20, ...options });
  open.push(smsc);
  return smsc;
}

async function bind(
  smsc: SimulatedSmsc,
  options: Partial<ConnectOptions> = {},
  answers: SmppAnswer[] = [],
): Promise<Line> {
  const log: string[] = [];
  const receipts: DeliveryReceiptFields[] = [];
  const received: IncomingRequest[] = [];
  const session = await connectAndBind({
    host: "127.0.0.1",
    port: smsc.port,
    systemId: "hodhod",
    password: "secret",
    bindType: "transceiver",
    enquireLinkSeconds: 0,
    onRequest: (pdu) => {
      received.push(pdu);
      const receipt = pdu.command === "deliver_sm" || pdu.command === "data_sm" ? parseDeliveryReceipt(pdu) : undefined;
      if (receipt !== undefined) receipts.push(receipt);
      log.push(receipt === undefined ? "mo" : `receipt ${receipt.states[0]}`);
      return answers.shift() ?? { command_status: 0 };
    },
    ...options,
  });
  const submit: Line["submit"] = (suffix, text = "hello", onLate = () => undefined) =>
    new Promise((resolve) => {
      const onReply = (reply: SmppReply): void => {
        log.push(reply.kind === "response" ? `answer ${reply.pdu.command_status}` : reply.kind);
        resolve(reply);
      };
      session.submit(submitTo(`98912123${suffix}`, text), { onReply, onLate });
    });
  return { smsc, session, log, receipts, received, submit };
}

async function setup(options: SimulatedSmscOptions = {}, esme: Partial<ConnectOptions> = {}): Promise<Line> {
  return bind(await start(options), esme);
}

function idOf(reply: SmppReply): string {
  return reply.kind === "response" && "message_id" in reply.pdu ? reply.pdu.message_id : "";
}

/** Submits, and waits until that many receipts were acknowledged. */
async function exchange(line: Line, suffix: string, receipts: number): Promise<SmppReply> {
  let left = receipts;
  const acknowledged = line.smsc.next("receiptAnswered", () => (left -= 1) === 0);
  const reply = await line.submit(suffix);
  await acknowledged;
  return reply;
}

describe("messages", () => {
  it("delivers what has no behaviour: answer with an id, then a receipt for that id", async () => {
    const line = await setup();
    const reply = await exchange(line, "9999", 1);
    expect(line.log).toEqual(["answer 0", "receipt DELIVRD"]);
    expect(line.receipts[0]).toMatchObject({ messageId: idOf(reply), states: ["DELIVRD", "DELIVRD"] });
    expect(line.smsc.submitted).toMatchObject([
      { text: "hello", commandStatus: 0, recipient: { address: "989121239999" } },
    ]);
    expect(line.smsc.counters).toMatchObject({ submits: 1, accepted: 1, receiptsAcknowledged: 1, receiptsWaiting: 0 });
  });

  it("sends a receipt only when one is asked for, and failures alone when only these are", async () => {
    const { smsc, session, log } = await setup();
    const submit = async (suffix: string, registered_delivery: number): Promise<void> => {
      await session.request({ ...submitTo(`98912123${suffix}`), registered_delivery });
    };
    const answered = smsc.next("receiptAnswered", ({ state }) => state === "UNDELIV");
    await submit("9999", 0);
    await submit("9999", 2);
    await submit("0001", 2);
    await answered;
    expect(log).toEqual(["receipt UNDELIV"]);
  });

  it("reads parts by user data header and by sar parameters", async () => {
    const { smsc, session } = await setup();
    const header = Buffer.from("050003070302", "hex");
    await session.request({
      ...submitTo("989"),
      esm_class: 0x40,
      short_message: Buffer.concat([header, Buffer.from("ab")]),
    });
    await session.request({
      ...submitTo("989"),
      tlvs: [integerTlv(0x20c, 7, 2), integerTlv(0x20e, 3), integerTlv(0x20f, 1)],
    });
    expect(smsc.submitted.map(({ part, text }) => ({ part, text }))).toMatchObject([
      { part: { reference: 7, total: 3, number: 2 }, text: "ab" },
      { part: { reference: 7, total: 3, number: 1 }, text: "hello" },
    ]);
  });

  it.each([
    ["destination_addr", commandStatus.ESME_RINVDSTADR],
    ["source_addr", commandStatus.ESME_RINVSRCADR],
  ])("refuses a data_sm whose %s no receipt has room for, and goes on", async (field, status) => {
    const { session } = await bind(await start());
    const long = { ...plainSubmitSm, command: "data_sm", [field]: "9".repeat(21) } as const;
    expect(await session.request(long)).toMatchObject({ pdu: { command_status: status } });
    expect(await session.request(submitTo("989121234567"))).toMatchObject({ pdu: { command_status: 0 } });
  });

  it("takes a data_sm", async () => {
    const { smsc, session } = await setup({ receiptDelayMs: 60_000 });
    expect(await session.request({ ...plainSubmitSm, command: "data_sm" })).toMatchObject({
      pdu: { command_status: 0 },
    });
    expect(smsc.counters).toMatchObject({ submits: 1, refused: 0 });
  });
});

describe("behaviours", () => {
  it("forms of receipts are what their names say", async () => {
    const line = await setup();
    for (const suffix of ["0034", "0035", "0036", "0038", "0046"]) await exchange(line, suffix, 1);
    const [tlv, dataSm, short, zero, asUcs2] = line.received;
    expect(tlv).toMatchObject({ command: "deliver_sm", short_message: Buffer.alloc(0) });
    expect(dataSm).toMatchObject({ command: "data_sm", esm_class: 4 });
    expect(short?.command === "deliver_sm" && short.short_message.toString()).toMatch(/^STAT:delivrd ID:\d+$/);
    expect(zero?.command === "deliver_sm" && zero.short_message.toString()).toContain("submit date:0000000000");
    expect(asUcs2).toMatchObject({ data_coding: 8 });
    expect(asUcs2?.command === "deliver_sm" && asUcs2.short_message.toString()).toContain("stat:DELIVRD");
  });
});

describe("receipts", () => {
  it("are sent again after a temporary error, not after a permanent one", async () => {
    const smsc = await start();
    const { submit, log } = await bind(smsc, {}, [
      { command_status: commandStatus.ESME_RX_T_APPN },
      { command_status: 0 },
    ]);
    const settled = smsc.next("receiptAnswered");
    await submit("9999");
    expect(await settled).toMatchObject({ commandStatus: 0 });
    expect(log).toEqual(["answer 0", "receipt DELIVRD", "receipt DELIVRD"]);
    const refusing = await bind(smsc, { systemId: "other" }, [{ command_status: commandStatus.ESME_RX_P_APPN }]);
    const refused = smsc.next("receiptAnswered");
    await refusing.submit("9999");
    expect(await refused).toMatchObject({ commandStatus: commandStatus.ESME_RX_P_APPN });
  });

  it("case 27: are sent again on the next link where they were not acknowledged when theirs broke", async () => {
    const smsc = await start();
    const seen = deferred<undefined>();
    const onRequest = (): Promise<SmppAnswer> => {
      seen.resolve(undefined);
      return new Promise(() => undefined);
    };
    const { session, submit } = await bind(smsc, { onRequest });
    await submit("9999");
    await seen.promise;
    session.destroy();
    const settled = smsc.next("receiptAnswered");
    const again = await bind(smsc);
    await settled;
    expect(again.log).toEqual(["receipt DELIVRD"]);
  });

  it("case 40: wait while nobody is bound and flow on the next bind, each to its own system_id", async () => {
    const { smsc, session, submit } = await setup({ receiptDelayMs: 20 });
    await submit("9999");
    session.destroy();
    const stranger = await bind(smsc, { systemId: "stranger" });
    const settled = smsc.next("receiptAnswered");
    const again = await bind(smsc);
    await settled;
    expect(stranger.log).toEqual([]);
    expect(again.log).toEqual(["receipt DELIVRD"]);
  });
});

describe("switches", () => {
  it("insists on credentials", async () => {
    const smsc = await start({ systemId: "hodhod", password: "secret" });
    await expect(bind(smsc, { systemId: "x" })).rejects.toMatchObject({ commandStatus: commandStatus.ESME_RINVSYSID });
    await expect(bind(smsc, { password: "x" })).rejects.toMatchObject({ commandStatus: commandStatus.ESME_RINVPASWD });
    await bind(smsc);
  });

  it("throttles on demand and above a rate", async () => {
    const { smsc, submit } = await setup();
    smsc.setThrottled(true);
    expect(await submit("9999")).toMatchObject({ pdu: { command_status: commandStatus.ESME_RTHROTTLED } });
    smsc.setThrottled(false);
    expect(await submit("9999")).toMatchObject({ pdu: { command_status: 0 } });
    const slow = await setup({ submitsPerSecond: 2 });
    const seconds = new Set<number>();
    slow.smsc.on("submit", () => seconds.add(Math.floor(performance.now() / 1000)));
    const replies = await Promise.all(Array.from({ length: 10 }, () => slow.submit("9999")));
    const taken = replies.filter((reply) => reply.kind === "response" && reply.pdu.command_status === 0);
    // They come within one second, mostly.
    expect(taken.length).toBeGreaterThanOrEqual(2);
    expect(taken.length).toBeLessThanOrEqual(2 * seconds.size);
  });

  it("cuts links, and sends octets that are none of SMPP", async () => {
    const { smsc, session } = await setup();
    const unbound = smsc.next("unbind");
    smsc.cutLinks();
    expect((await session.closed).kind).toBe("disconnected");
    expect(await unbound).toMatchObject({ systemId: "hodhod" });
    const again = await bind(smsc);
    smsc.sendRaw(Buffer.from("not SMPP"));
    expect((await again.session.closed).kind).toBe("framing_lost");
  });

  it("brings subscribers' messages and tells how they were answered", async () => {
    const smsc = await start();
    await expect(smsc.sendMo({ from: "98912", to: "1000", text: "hi" })).rejects.toThrow("no bind");
    const { received } = await bind(smsc, {}, [
      { command_status: 0 },
      { command_status: commandStatus.ESME_RX_T_APPN },
    ]);
    expect(await smsc.sendMo({ from: "989121234567", to: "10001234", text: "hi" })).toBe(0);
    const udh = Buffer.from("050003010201", "hex");
    const status = await smsc.sendMo({
      from: "98912",
      to: "1000",
      bytes: Buffer.from("00ff", "hex"),
      dataCoding: 4,
      udh,
    });
    expect(status).toBe(commandStatus.ESME_RX_T_APPN);
    expect(received).toMatchObject([
      { source_addr: "989121234567", source_addr_ton: 1, destination_addr: "10001234", data_coding: 0, esm_class: 0 },
      { data_coding: 4, esm_class: 0x40, short_message: Buffer.from("05000301020100ff", "hex") },
    ]);
  });

  it("stops twice, and frees its port", async () => {
    const port = await freePort();
    const smsc = await start({ port });
    await smsc.stop();
    await smsc.stop();
    expect((await start({ port })).port).toBe(port);
  });
});
