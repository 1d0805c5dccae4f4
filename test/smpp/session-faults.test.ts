/** Case 19: whatever octets the peer sends get the standard's answer, and the session lives. */

import { describe, expect, it, onTestFinished } from "vitest";
import { commandId, commandStatus } from "../../src/smpp/constants.ts";
import { encodePdu } from "../../src/smpp/pdu-codec.ts";
import { connectAndBind } from "../../src/smpp/client.ts";
import { buildResponse } from "../../src/smpp/pdu.ts";
import { type RawPeer, startRawSmsc } from "./raw-peer.ts";
import { boundPair, nextEvent } from "./session-pair.ts";
import { plainSubmitSm, submitTo } from "./pdu-samples.ts";

const deliverSm = { ...plainSubmitSm, command: "deliver_sm", sequence_number: 5 } as const;
const onRequest = () => ({ command_status: 0 });

/** A PDU with a true command_length. */
function frame(id: number, body: Buffer, sequenceNumber = 5): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(id, 4);
  header.writeUInt32BE(sequenceNumber, 12);
  return Buffer.concat([header, body]);
}

function withTail(pdu: Buffer, tail: readonly number[]): Buffer {
  const octets = Buffer.concat([pdu, Buffer.from(tail)]);
  octets.writeUInt32BE(octets.length, 0);
  return octets;
}

async function expectAlive(peer: RawPeer): Promise<void> {
  peer.send({ command: "enquire_link", command_status: 0, sequence_number: 77, tlvs: [] });
  expect(await peer.next("enquire_link_resp")).toMatchObject({ sequence_number: 77, command_status: 0 });
}

const good = encodePdu(deliverSm);
const enquiry = encodePdu({ command: "enquire_link", command_status: 0, sequence_number: 5, tlvs: [] });
const submission = frame(commandId.submit_sm, good.subarray(16));
const falseLength = Buffer.from(good);
falseLength[falseLength.length - 6] = 200;

const faults: readonly (readonly [
  string,
  Buffer,
  "deliver_sm_resp" | "generic_nack" | "submit_sm_resp" | "enquire_link_resp",
  number,
])[] = [
  ["an unknown command", frame(0x00000077, Buffer.from("?")), "generic_nack", commandStatus.ESME_RINVCMDID],
  ["no body", frame(commandId.deliver_sm, Buffer.alloc(0)), "deliver_sm_resp", commandStatus.ESME_RINVCMDLEN],
  [
    "a truncated body",
    frame(commandId.deliver_sm, good.subarray(16, 40)),
    "deliver_sm_resp",
    commandStatus.ESME_RINVCMDLEN,
  ],
  ["sm_length beyond the PDU", falseLength, "deliver_sm_resp", commandStatus.ESME_RINVMSGLEN],
  [
    "an endless string",
    frame(commandId.deliver_sm, Buffer.alloc(99, "1")),
    "deliver_sm_resp",
    commandStatus.ESME_RINVSERTYP,
  ],
  [
    "a message_payload longer than the PDU",
    withTail(good, [4, 0x24, 1, 0]),
    "deliver_sm_resp",
    commandStatus.ESME_RINVPARLEN,
  ],
  ["an octet TLV of length 0", withTail(submission, [4, 0x27, 0, 0]), "submit_sm_resp", commandStatus.ESME_RINVPARLEN],
  [
    "a two-octet TLV of length 1",
    withTail(submission, [2, 12, 0, 1, 9]),
    "submit_sm_resp",
    commandStatus.ESME_RINVPARLEN,
  ],
  ["a TLV longer than the PDU", withTail(submission, [0x14, 1, 1, 0]), "submit_sm_resp", commandStatus.ESME_RINVPARLEN],
  ["half a TLV", withTail(submission, [0x14]), "submit_sm_resp", commandStatus.ESME_RINVOPTPARSTREAM],
  [
    "a submit_sm to an ESME",
    frame(commandId.submit_sm, good.subarray(16)),
    "submit_sm_resp",
    commandStatus.ESME_RINVBNDSTS,
  ],
  ["a query_sm, which is not ours", frame(0x00000003, Buffer.alloc(5)), "generic_nack", commandStatus.ESME_RINVCMDID],
  [
    "a malformed alert",
    frame(commandId.alert_notification, Buffer.from("x")),
    "generic_nack",
    commandStatus.ESME_RINVCMDLEN,
  ],
];

describe("case 19: malformed PDUs", () => {
  it.each(faults)("%s is answered and the session lives", async (_what, octets, answer, status) => {
    const { session, peer } = await boundPair({ onRequest });
    const fault = nextEvent(session, "protocolFault");
    peer.send(octets);
    expect(await peer.next(answer)).toMatchObject({ sequence_number: 5, command_status: status });
    expect(await fault).toMatchObject({ answered: status });
    await expectAlive(peer);
  });

  it.each([
    ["enquire_link", enquiry],
    ["unbind", encodePdu({ command: "unbind", command_status: 0, sequence_number: 5, tlvs: [] })],
  ] as const)("ignores what follows the header of %s", async (command, request) => {
    for (const tail of [[0], [0x14], [4, 0x27, 0, 0]]) {
      const { peer } = await boundPair({ onRequest });
      peer.send(withTail(request, tail));
      expect(await peer.next(`${command}_resp`)).toMatchObject({ sequence_number: 5, command_status: 0 });
    }
  });

  it.each(["deliver_sm", "data_sm"] as const)("a refused %s is answered with a body", (command) => {
    const answer = buildResponse({ command, sequence_number: 5 }, { command_status: commandStatus.ESME_RX_T_APPN });
    expect(encodePdu(answer)).toHaveLength(17);
  });

  it("what comes before the response to the bind is served after it, a bounded number of them", async () => {
    const smsc = await startRawSmsc();
    onTestFinished(() => smsc.stop());
    const target = { host: "127.0.0.1", port: smsc.port, systemId: "hodhod", password: "secret" };
    const binding = connectAndBind({ ...target, bindType: "transceiver", onRequest });
    const peer = await smsc.accept();
    const bind = await peer.next("bind_transceiver");
    peer.send(...Array.from({ length: 101 }, () => good));
    const { ESME_ROK, ESME_RX_T_APPN } = commandStatus;
    expect(await peer.next("deliver_sm_resp")).toMatchObject({ command_status: ESME_RX_T_APPN });
    peer.answer(bind);
    for (let kept = 0; kept < 100; kept += 1)
      expect(await peer.next("deliver_sm_resp")).toMatchObject({ sequence_number: 5, command_status: ESME_ROK });
    (await binding).destroy();
  });

  it("what comes on a transmitter is kept by the SMSC", async () => {
    const smsc = await startRawSmsc();
    onTestFinished(() => smsc.stop());
    const target = { host: "127.0.0.1", port: smsc.port, systemId: "hodhod", password: "secret" };
    const binding = connectAndBind({ ...target, bindType: "transmitter", onRequest });
    const peer = await smsc.accept();
    peer.answer(await peer.next("bind_transmitter"));
    const session = await binding;
    peer.send(good);
    expect(await peer.next("deliver_sm_resp")).toMatchObject({ command_status: commandStatus.ESME_RX_T_APPN });
    session.destroy();
  });

  it("a bad PDU between good ones takes none of them along", async () => {
    const { peer } = await boundPair({ onRequest });
    peer.send(good, frame(0x77, Buffer.alloc(3)), withTail(good, [4, 0x24, 0, 9]), good);
    await expectAlive(peer);
    const answers = peer.received.map(({ command, command_status }) => `${command} ${command_status}`).sort();
    expect(answers).toEqual(
      [
        "bind_transceiver 0",
        "deliver_sm_resp 0",
        "deliver_sm_resp 0",
        "deliver_sm_resp 194",
        "enquire_link_resp 0",
        "generic_nack 3",
      ].sort(),
    );
  });

  it("unknown responses and stray nacks are not answered", async () => {
    const { peer } = await boundPair({ onRequest });
    peer.send(
      frame(0x80000077, Buffer.alloc(1)),
      frame(commandId.generic_nack, Buffer.alloc(0), 0),
      frame(0x80000004, Buffer.alloc(0)),
    );
    await expectAlive(peer);
    expect(peer.received.map(({ command }) => command)).toEqual(["bind_transceiver", "enquire_link_resp"]);
  });

  it("a response with a ruined body settles its request all the same", async () => {
    const { session, peer } = await boundPair();
    const reply = session.request(submitTo("1"));
    const { sequence_number } = await peer.next("submit_sm");
    peer.send(frame(commandId.submit_sm_resp, Buffer.from([0x41, 0x42]), sequence_number));
    expect(await reply).toMatchObject({ kind: "response", pdu: { command_status: 0, message_id: "AB" } });
  });
});

describe("case 19: framing that is lost", () => {
  it.each([
    ["length 0", Buffer.alloc(16)],
    ["length 15", Buffer.concat([Buffer.from([0, 0, 0, 15]), Buffer.alloc(12)])],
    ["an absurd length", Buffer.from("ffffffff000000040000000000000005", "hex")],
    ["65537", Buffer.from("00010001000000040000000000000005", "hex")],
    ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\nHost: smsc\r\n\r\n")],
    ["a TLS hello", Buffer.from("160301020001000001fc0303" + "00".repeat(60), "hex")],
  ])("%s: generic_nack, then the session closes with its reason", async (_what, octets) => {
    const { session, peer } = await boundPair({ onRequest });
    const reply = session.request(submitTo("1"));
    await peer.next("submit_sm");
    peer.send(good, octets, good);
    expect(await peer.next("deliver_sm_resp")).toMatchObject({ command_status: 0 });
    expect(await peer.next("generic_nack")).toMatchObject({ command_status: commandStatus.ESME_RINVCMDLEN });
    expect(await session.closed).toMatchObject({ kind: "framing_lost", commandLength: octets.readUInt32BE(0) });
    expect(await reply).toEqual({ kind: "closed", written: true });
    await peer.closed;
  });
});
