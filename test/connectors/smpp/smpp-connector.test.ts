import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completeConnectorSettings, type ConnectorSettings } from "../../../src/connectors/connector-settings.ts";
import type { ConnectorEvents, DeliveryReceipt, InboundPart, PartToSubmit } from "../../../src/connectors/connector.ts";
import { createConnector } from "../../../src/connectors/registry.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../../src/simulator/simulated-smsc.ts";
import { udh8 } from "../../../src/sms/concatenation.ts";
import type { SubmitReply } from "../../../src/sms/submit-outcome.ts";
import { plainSubmitSm } from "../../smpp/pdu-samples.ts";
import { startRawSmsc } from "../../smpp/raw-peer.ts";
import { eventually } from "../../support/factories.ts";

let smsc: SimulatedSmsc;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  smsc = await startSimulatedSmsc({ receiptDelayMs: 0, retryDelayMs: 20 });
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await smsc.stop();
});

interface Recorded {
  readonly states: string[];
  readonly receipts: DeliveryReceipt[];
  readonly inbound: InboundPart[];
  readonly confirmed: bigint[];
  readonly late: SubmitReply[];
  readonly faults: string[];
  /** How many of the next receipts and parts cannot be stored. */
  failures: number;
}

function open(given: Partial<ConnectorSettings> = {}) {
  const recorded: Recorded = {
    states: [],
    receipts: [],
    inbound: [],
    confirmed: [],
    late: [],
    faults: [],
    failures: 0,
  };
  const store = (): void => {
    recorded.failures -= 1;
    if (recorded.failures >= 0) throw new Error("not on disk");
  };
  const events: ConnectorEvents = {
    receiveReceipt: async (receipt) => {
      store();
      recorded.receipts.push(receipt);
    },
    receiveInbound: async (part) => {
      store();
      return BigInt(recorded.inbound.push(part));
    },
    confirmInbound: (token) => void recorded.confirmed.push(token),
    bindChanged: (bindNumber, state) => void recorded.states.push(`${bindNumber} ${state}`),
    windowFree: () => undefined,
    faultFound: (bindNumber, fault) => void recorded.faults.push(`${bindNumber} ${fault}`),
  };
  const settings = completeConnectorSettings({
    type: "smpp",
    host: "127.0.0.1",
    port: smsc.port,
    systemId: "test",
    password: "secret",
    ...given,
  });
  const connector = createConnector(settings, events);
  connector.openBind(1);
  closers.push(() => connector.closeBind(1, 0));
  return { connector, recorded };
}

async function openBound(given: Partial<ConnectorSettings> = {}) {
  const opened = open(given);
  await eventually(() => opened.connector.isBound(1));
  return opened;
}

const part = (suffix: string): PartToSubmit => ({
  sender: "10001234",
  recipient: `98912123${suffix}`,
  text: "Hello",
  encoding: "gsm7",
  part: 1,
  parts: 1,
  reference: 0,
  validSeconds: 60,
});

type Opened = Awaited<ReturnType<typeof openBound>>;

const submit = ({ connector, recorded }: Opened, suffix: string): Promise<SubmitReply> =>
  new Promise((resolve, reject) => {
    const onLateReply = (reply: SubmitReply): void => void recorded.late.push(reply);
    if (!connector.submit(1, part(suffix), { onReply: resolve, onLateReply })) reject(new Error("no room"));
  });

describe("submitting", () => {
  it.each([
    ["0000", { kind: "accepted" }],
    ["0025", { kind: "accepted", smscMessageId: "" }],
    ["0010", { kind: "refused", answer: "ESME_RINVDSTADR", answerClass: "permanent" }],
    ["0015", { kind: "refused", answer: "ESME_RTHROTTLED", answerClass: "throttled" }],
    ["0014", { kind: "refused", answer: "ESME_RSYSERR", answerClass: "temporary" }],
    ["0023", { kind: "unknown" }],
  ])("to …%s is answered %j", async (suffix, reply) => {
    expect(await submit(await openBound(), suffix)).toMatchObject(reply);
  });

  it("case 22: an answer means what the settings say of this SMSC, also one that comes late", async () => {
    const opened = await openBound({ throttledStatuses: ["ESME_RINVDSTADR"], responseTimeoutMs: 200 });
    const throttled = { kind: "refused", answer: "ESME_RINVDSTADR", answerClass: "throttled" };
    expect(await submit(opened, "0010")).toEqual(throttled);
    smsc.pauseAnswers();
    expect(await submit(opened, "0010")).toEqual({ kind: "unknown" });
    smsc.resumeAnswers();
    await eventually(() => opened.recorded.late.length === 1);
    expect(opened.recorded.late).toEqual([throttled]);
  });

  it("takes no more than the window, and nothing while not bound", async () => {
    const opened = await openBound({ window: 2 });
    smsc.pauseAnswers();
    const pending = [submit(opened, "0000"), submit(opened, "0000")];
    expect(opened.connector.inFlight(1)).toBe(2);
    await expect(submit(opened, "0000")).rejects.toThrow("no room");
    const nobody = { onReply: () => undefined, onLateReply: () => undefined };
    expect(opened.connector.submit(2, part("0000"), nobody)).toBe(false);
    await eventually(() => smsc.submitted.length === 2);
    smsc.resumeAnswers();
    expect(await Promise.all(pending)).toMatchObject([{ kind: "accepted" }, { kind: "accepted" }]);
  });

  it("case 29: closes without waiting for what is not about messages: an enquiry, or an answer that is given up", async () => {
    const smsc = await startRawSmsc();
    closers.push(() => smsc.stop());
    const settings = { port: smsc.port, responseTimeoutMs: 1000, enquireLinkSeconds: 1 };
    const opened = open(settings);
    const peer = await smsc.accept();
    peer.answer(await peer.next("bind_transceiver"));
    await eventually(() => opened.connector.isBound(1));
    expect(await submit(opened, "0000")).toEqual({ kind: "unknown" });
    await peer.next("enquire_link");
    expect(opened.connector.inFlight(1)).toBe(0);
    const closed = opened.connector.closeBind(1, 60_000);
    peer.answer(await peer.next("unbind"));
    await closed;
  });

  it("refuses what the wire cannot carry: the message is at fault, not the link", async () => {
    const { connector, recorded } = await openBound();
    const replies: SubmitReply[] = [];
    const tooLong = { ...part("0000"), sender: "1".repeat(30) };
    const submitter = { onReply: (reply: SubmitReply) => replies.push(reply), onLateReply: () => undefined };
    expect(connector.submit(1, tooLong, submitter)).toBe(true);
    expect(replies).toEqual([]);
    await eventually(() => replies.length > 0);
    expect(replies).toMatchObject([{ kind: "refused", answerClass: "permanent" }]);
    expect(recorded.states).toEqual(["1 connecting", "1 bound"]);
  });
});

describe("what the SMSC sends", () => {
  it("case 27: a receipt that could not be stored is not acknowledged, and comes again", async () => {
    const opened = await openBound();
    opened.recorded.failures = 2;
    await submit(opened, "0000");
    await eventually(() => opened.recorded.receipts.length === 1);
    expect(opened.recorded.receipts).toMatchObject([{ recipient: "989121230000", state: "DELIVRD" }]);
    await eventually(() => smsc.counters.receiptsAcknowledged === 1);
  });

  it("case 37: a receipt that names no message is told of: nothing else shows why messages stay without one", async () => {
    const { recorded } = await openBound();
    const [session] = smsc.sessions;
    const receipt = { ...plainSubmitSm, command: "deliver_sm", esm_class: 0x04 } as const;
    const named = { ...receipt, esm_class: 0x20, short_message: Buffer.from("id:1 stat:ENROUTE") };
    for (const request of [named, receipt])
      expect(await session?.request(request)).toMatchObject({ pdu: { command_status: 0 } });
    expect(recorded.faults).toEqual(["1 a receipt that names no message, sequence_number 2"]);
    expect(recorded.inbound).toEqual([]);
  });

  it("case 27: a message that could not be stored is refused for now; one that was is confirmed after its answer has left", async () => {
    const { recorded } = await openBound();
    recorded.failures = 1;
    expect(await smsc.sendMo({ from: "989121112233", to: "10001234", text: "hi" })).toBe(0x64);
    expect(recorded.confirmed).toEqual([]);
    expect(await smsc.sendMo({ from: "989121112233", to: "10001234", text: "hi" })).toBe(0);
    await eventually(() => recorded.confirmed.length === 1);
    expect(recorded.inbound).toMatchObject([{ sender: "989121112233", recipient: "10001234", text: "hi" }]);
  });

  it("reads who sent it in any writing, and what part of what it is", async () => {
    const { recorded } = await openBound();
    await smsc.sendMo({ from: "09121112233", to: "10001234", text: "سلام", udh: udh8(9, 3, 2) });
    await smsc.sendMo({ from: "+989121112233", to: "10001234", text: "x" });
    await smsc.sendMo({ from: "Bank", to: "10001234", text: "x" });
    expect(recorded.inbound).toMatchObject([
      { sender: "989121112233", text: "سلام", concatenation: { reference: 9, total: 3, number: 2 } },
      { sender: "989121112233", concatenation: undefined },
      { sender: "Bank" },
    ]);
  });

  it("tells equal messages from unequal ones by all that they consist of", async () => {
    const { recorded } = await openBound();
    const base = { from: "989121112233", to: "10001234", text: "same" };
    for (const mo of [
      base,
      base,
      { ...base, to: "20001234" },
      { ...base, text: "other" },
      { ...base, udh: udh8(1, 2, 1) },
    ]) {
      await smsc.sendMo(mo);
    }
    const prints = recorded.inbound.map(({ fingerprint }) => fingerprint.toString("hex"));
    expect(prints[0]).toBe(prints[1]);
    expect(new Set(prints).size).toBe(4);
  });
});

describe("a bind", () => {
  it("case 33: as transmitter and receiver is a pair that stands and falls together", async () => {
    const opened = await openBound({ bindType: "transmitter-receiver" });
    expect(smsc.sessions).toHaveLength(2);
    await submit(opened, "0000");
    await eventually(() => opened.recorded.receipts.length === 1);
    const again = smsc.next("bind", ({ command }) => command === "bind_transmitter");
    smsc.sessions.find(({ bound }) => bound?.command === "bind_receiver")?.destroy();
    await again;
    await eventually(() => opened.connector.isBound(1));
    expect(smsc.sessions).toHaveLength(2);
  });

  it.each(["unbinds", "is cut"])(
    "case 13: whose receiver %s still gets the answers that its transmitter is owed",
    async (how) => {
      const opened = await openBound({ bindType: "transmitter-receiver" });
      smsc.pauseAnswers();
      const pending = Array.from({ length: 20 }, () => submit(opened, "0000"));
      await eventually(() => smsc.submitted.length === 20);
      const receiver = smsc.sessions.find(({ bound }) => bound?.command === "bind_receiver");
      if (how === "is cut") receiver?.destroy();
      else void receiver?.unbind();
      await eventually(() => opened.recorded.states.includes("1 closed"));
      expect(opened.connector.isBound(1)).toBe(false);
      smsc.resumeAnswers();
      expect(new Set((await Promise.all(pending)).map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
      await eventually(() => opened.connector.isBound(1));
      expect(smsc.sessions).toHaveLength(2);
    },
  );

  it("case 13: that is closed while its transmitter waits for answers waits for them, too", async () => {
    const opened = await openBound({ bindType: "transmitter-receiver" });
    smsc.pauseAnswers();
    const pending = Array.from({ length: 20 }, () => submit(opened, "0000"));
    await eventually(() => smsc.submitted.length === 20);
    smsc.sessions.find(({ bound }) => bound?.command === "bind_receiver")?.destroy();
    await eventually(() => opened.recorded.states.includes("1 closed"));
    const unbound = smsc.next("unbind", ({ reason }) => reason.kind === "unbound_by_peer");
    const closed = opened.connector.closeBind(1, 5000);
    // Long enough for an unbind to come and go.
    await smsc.sessions[0]?.request({ command: "enquire_link" });
    smsc.resumeAnswers();
    expect(new Set((await Promise.all(pending)).map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
    await Promise.all([closed, unbound]);
    expect(opened.recorded.states).toEqual(["1 connecting", "1 bound", "1 closed"]);
  });

  it("says what the operator asks for, from the address that it admits", async () => {
    const binding = smsc.next("bind");
    const bindFields = { addressRange: "^98", addressTon: 1, addressNpi: 1, interfaceVersion: "3.3" } as const;
    const { connector } = open({ ...bindFields, localAddress: "127.0.0.1" });
    expect(await binding).toMatchObject({ address_range: "^98", addr_ton: 1, addr_npi: 1, interface_version: 0x33 });
    await eventually(() => connector.isBound(1));
  });

  it("case 17: that is refused is told so, tried again later, and stands when the SMSC agrees", async () => {
    smsc.refuseBinds(13);
    const { connector, recorded } = open();
    await smsc.next("bindRefused");
    await eventually(() => recorded.states.includes("1 refused"));
    smsc.refuseBinds(undefined);
    await eventually(() => connector.isBound(1));
  });

  it("case 28: can be closed while it connects, while it waits to connect again, and twice", async () => {
    smsc.refuseBinds("silent");
    const connecting = open();
    await connecting.connector.closeBind(1, 0);
    smsc.refuseBinds(13);
    const waiting = open();
    await eventually(() => waiting.recorded.states.includes("1 refused"));
    await Promise.all([waiting.connector.closeBind(1, 0), waiting.connector.closeBind(1, 0)]);
    smsc.refuseBinds(undefined);
    expect(smsc.sessions).toHaveLength(0);
  });
});
