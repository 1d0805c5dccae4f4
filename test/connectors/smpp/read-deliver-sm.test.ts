import { expect, it } from "vitest";
import { completeConnectorSettings } from "../../../src/connectors/connector-settings.ts";
import { readDelivered } from "../../../src/connectors/smpp/read-deliver-sm.ts";
import { tlvTag } from "../../../src/smpp/constants.ts";
import { decodePdu } from "../../../src/smpp/pdu-codec.ts";
import type { DeliverSm } from "../../../src/smpp/pdu.ts";
import { packSeptets } from "../../../src/sms/gsm7.ts";
import { plainSubmitSm } from "../../smpp/pdu-samples.ts";

const settings = completeConnectorSettings({ type: "smpp", host: "h", port: 1, systemId: "s", password: "p" });

function receiptOf(text: string): object {
  const pdu: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", esm_class: 0x04, short_message: Buffer.from(text) };
  return readDelivered(pdu, settings);
}

/** What message_state and the text of a receipt say together, on a connector with words of its own. */
it.each([
  [undefined, "DELIVRD", { state: "DELIVRD", verdict: "delivered" }],
  [undefined, "HandedOver", { state: "HANDEDOVER", verdict: "delivered" }],
  [undefined, "LOST", { state: "LOST", verdict: "undelivered" }],
  [undefined, "FAILED", { state: "FAILED", verdict: "none" }],
  [5, "DELIVRD", { state: "UNDELIV", verdict: "undelivered" }],
  [5, "HANDEDOVER", { state: "HANDEDOVER", verdict: "delivered" }],
  [1, "DELIVRD", { state: "DELIVRD", verdict: "delivered" }],
  [7, "EXPIRED", { state: "EXPIRED", verdict: "undelivered" }],
  [6, "ACCEPTD", { state: "ACCEPTD", verdict: "none" }],
  [2, "", { state: "DELIVRD", verdict: "delivered" }],
  [99, "FAILED", { state: "99", verdict: "undelivered" }],
  [42, "FAILED", { state: "42", verdict: "none" }],
] as const)("takes of message_state %s and stat:%s what proves an end", (code, word, judged) => {
  const receiptStates = { delivered: ["HandedOver"], undelivered: ["LOST", "99"] };
  const tlvs = code === undefined ? [] : [{ tag: tlvTag.message_state, value: Buffer.from([code]) }];
  const pdu: DeliverSm = {
    ...{ ...plainSubmitSm, command: "deliver_sm", esm_class: 0x04 },
    ...{ short_message: Buffer.from(`id:1 stat:${word}`), tlvs },
  };
  expect(readDelivered(pdu, { ...settings, receiptStates })).toMatchObject({ receipt: judged });
});

it("keeps of a receipt's words only as much as words have: an operator may send 64 KB without a blank", () => {
  const long = "9".repeat(60_000);
  expect(receiptOf(`id:1 stat:${long} err:${long}`)).toMatchObject({
    kind: "receipt",
    receipt: { smscMessageId: "1", state: "9".repeat(50), error: "9".repeat(50) },
  });
  expect(receiptOf("id:1 stat:DELIVRD err:000")).toMatchObject({ receipt: { state: "DELIVRD", error: "000" } });
});

it.each([
  ["id:1 sub:001 stat:DELIVRD err:000 text:your code is 1", "id:1 sub:001 stat:DELIVRD err:000"],
  ["id:1 stat:DELIVRD err:000 your code is 1", "id:1 stat:DELIVRD err:000"],
  ["text:your code is 1 id:1 stat:DELIVRD", ""],
])("keeps of %j no text of the message, which would outlive its erasing", (whole, text) => {
  expect(receiptOf(whole)).toMatchObject({ kind: "receipt", receipt: { smscMessageId: "1", text } });
});

it("reads a receipt of 60 KB without a blank in no time: it would hold up the whole node", () => {
  const startedAt = performance.now();
  expect(receiptOf(`id:${"a".repeat(60_000)}: stat:DELIVRD`)).toMatchObject({ kind: "receipt" });
  // Of which it takes a thousandth.
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

it.each([
  ["09121234567", "10001234"],
  ["10001234", "+989121234567"],
  ["", "989121234567"],
])("case 33: finds the subscriber of a receipt from %j to %j, on whichever side the SMSC writes it", (from, to) => {
  const pdu: DeliverSm = {
    ...plainSubmitSm,
    command: "deliver_sm",
    esm_class: 0x04,
    source_addr: from,
    destination_addr: to,
    short_message: Buffer.from("id:1 stat:DELIVRD"),
  };
  expect(readDelivered(pdu, settings)).toMatchObject({ receipt: { recipient: "989121234567" } });
});

it("case 32: is not sure of the subscriber where the line has the form of a mobile number, too", () => {
  const addresses = { source_addr: "989121234567", destination_addr: "09981234567" };
  const pdu: DeliverSm = { ...plainSubmitSm, ...addresses, command: "deliver_sm", esm_class: 0x04 };
  expect(readDelivered({ ...pdu, short_message: Buffer.from("id:1 stat:DELIVRD") }, settings)).toMatchObject({
    receipt: { recipient: "989121234567", isRecipientUnsure: true },
  });
});

it.each([
  ["a total that no header has room for", "00000002", "00010000", "00000001", undefined],
  ["a reference of four octets", "ffff0007", "02", "01", { reference: 65536 + 7, total: 2, number: 1 }],
  ["a total of two octets", "0007", "0002", "0001", { reference: 65536 + 7, total: 2, number: 1 }],
])("reads a part with %s so that it can be stored", (_, reference, total, number, concatenation) => {
  const pdu: DeliverSm = {
    ...plainSubmitSm,
    command: "deliver_sm",
    tlvs: [
      { tag: tlvTag.sar_msg_ref_num, value: Buffer.from(reference, "hex") },
      { tag: tlvTag.sar_total_segments, value: Buffer.from(total, "hex") },
      { tag: tlvTag.sar_segment_seqnum, value: Buffer.from(number, "hex") },
    ],
  };
  expect(readDelivered(pdu, settings)).toMatchObject({ kind: "inbound", part: { concatenation } });
});

const acknowledgement =
  "000000a30000000500000000000000070001013938393132313233343536370000013130303031323334000800000000000000006069643a31303031207375623a30303120646c7672643a303031207375626d697420646174653a3236313132353033343920646f6e6520646174653a3236313132353033305020737461743a44454c49565244206572723a30303020746578743a001e000531303031000427000102";

it.each([0x00, 0x08, 0x20, 0x48])(
  "takes for a receipt what has its parameters, in any frame (esm_class %i)",
  (frame) => {
    const octets = Buffer.from(acknowledgement, "hex");
    octets[octets.indexOf("10001234") + 9] = frame;
    const decoded = decodePdu(octets);
    if (!decoded.ok || decoded.pdu.command !== "deliver_sm") throw new Error("not a deliver_sm");
    expect(decoded.pdu.esm_class).toBe(frame);
    expect(readDelivered(decoded.pdu, settings)).toMatchObject({
      kind: "receipt",
      receipt: { smscMessageId: "1001", recipient: "989121234567" },
    });
  },
);

const packedText = "c8721e943ebfe52c507a0ea2a3cba0b27bfc26a7dd67d07b0d72bfef3f";

it.each([
  ["packed septets", { packed: true }, packedText, "Hey igor, is the encoding ok now?"],
  ["UTF-8 under data_coding 0", { defaultAlphabet: "utf8" }, "d8b3d984d8a7d985", "سلام"],
  ["a part whose header is not marked", { looseHeaders: true }, "050003cc02016162", "ab"],
  ["one with a reference of two octets", { looseHeaders: true }, "060804cc1c02016162", "ab"],
  ["one with ports beside it", { looseHeaders: true }, "0b0504158a00000003cc02016162", "ab"],
] as const)("reads %s where the connector says so", (_, own, hex, text) => {
  const pdu: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", short_message: Buffer.from(hex, "hex") };
  expect(readDelivered(pdu, { ...settings, ...own })).toMatchObject({ part: { text } });
  expect(readDelivered(pdu, settings)).not.toEqual(readDelivered(pdu, { ...settings, ...own }));
});

it("takes no text for an unmarked header that is none", () => {
  for (const hex of ["050003cc0000", "050003cc0101", "050003cc0203", "06"]) {
    const pdu: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", short_message: Buffer.from(hex, "hex") };
    expect(readDelivered(pdu, { ...settings, looseHeaders: true })).toEqual(readDelivered(pdu, settings));
  }
});

const wholeText = "id:1001 sub:001 dlvrd:001 submit date:2611250439 done date:2611250500 stat:DELIVRD err:027 text:";

it.each([
  ["packed", packSeptets(Buffer.from(wholeText)), 0x04],
  ["packed, without the bit of a receipt", packSeptets(Buffer.from(wholeText)), 0],
  [
    "packed behind a header",
    Buffer.concat([Buffer.from("050003cc0101", "hex"), packSeptets(Buffer.from(wholeText), 6)]),
    0x44,
  ],
  ["not packed after all", Buffer.from(wholeText), 0x04],
])("reads a receipt whose text is %s", (_, octets, frame) => {
  const tlvs = [{ tag: tlvTag.receipted_message_id, value: Buffer.from("1001\0") }];
  for (const own of [[], tlvs]) {
    const shared = { ...plainSubmitSm, esm_class: frame, tlvs: own };
    const short: DeliverSm = { ...shared, command: "deliver_sm", short_message: octets };
    const payload = [...own, { tag: tlvTag.message_payload, value: octets }];
    const long: DeliverSm = { ...shared, command: "deliver_sm", short_message: Buffer.alloc(0), tlvs: payload };
    for (const pdu of [short, long])
      expect(readDelivered(pdu, { ...settings, packed: true })).toMatchObject({
        receipt: { smscMessageId: "1001", state: "DELIVRD", error: "027" },
      });
  }
});

it.each([
  ["a state in the text", "stat:DELIVRD err:000", ""],
  ["message_state as a digit of ASCII", "", "32"],
])("takes for a receipt an acknowledgement with receipted_message_id and %s", (_, text, state) => {
  const tlvs = [
    { tag: tlvTag.receipted_message_id, value: Buffer.from("1001\0") },
    ...(state === "" ? [] : [{ tag: tlvTag.message_state, value: Buffer.from(state, "hex") }]),
  ];
  const pdu: DeliverSm = {
    ...{ ...plainSubmitSm, command: "deliver_sm", esm_class: 0x08 },
    ...{ short_message: Buffer.from(text), tlvs },
  };
  expect(readDelivered(pdu, settings)).toMatchObject({ receipt: { smscMessageId: "1001", state: "DELIVRD" } });
});

it("drops the byte order mark of a text in UTF-8", () => {
  const pdu: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", short_message: Buffer.from("\ufeffلغو") };
  expect(readDelivered(pdu, { ...settings, defaultAlphabet: "utf8" })).toMatchObject({ part: { text: "لغو" } });
});
