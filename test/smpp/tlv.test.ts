import { expect, it } from "vitest";
import { tlvTag } from "../../src/smpp/constants.ts";
import { decodePdu, encodePdu } from "../../src/smpp/pdu-codec.ts";
import { integerTlv, textTlv, tlvInteger, tlvText, tlvValue } from "../../src/smpp/tlv.ts";
import { plainSubmitSm } from "./pdu-samples.ts";

it("writes and reads integers of one, two and four octets", () => {
  const tlvs = [
    integerTlv(tlvTag.message_state, 2),
    integerTlv(tlvTag.sar_msg_ref_num, 0xabcd, 2),
    integerTlv(tlvTag.qos_time_to_live, 0xdeadbeef, 4),
  ];
  expect(tlvInteger(tlvs, tlvTag.message_state)).toBe(2);
  expect(tlvInteger(tlvs, tlvTag.sar_msg_ref_num)).toBe(0xabcd);
  expect(tlvInteger(tlvs, tlvTag.qos_time_to_live)).toBe(0xdeadbeef);
  expect(tlvInteger(tlvs, tlvTag.set_dpf)).toBeUndefined();
});

it("reads text with and without its NUL", () => {
  expect(tlvText([textTlv(tlvTag.receipted_message_id, "ab12")], tlvTag.receipted_message_id)).toBe("ab12");
  expect(tlvText([{ tag: 30, value: Buffer.from("ab12") }], 30)).toBe("ab12");
  expect(tlvText([], 30)).toBeUndefined();
});

it("has no integer for a value of a size that is none", () => {
  expect(tlvInteger([{ tag: 1, value: Buffer.alloc(0) }], 1)).toBeUndefined();
  expect(tlvInteger([{ tag: 1, value: Buffer.alloc(5) }], 1)).toBeUndefined();
  expect(tlvValue([{ tag: 1, value: Buffer.alloc(5) }], 1)).toHaveLength(5);
});

it("keeps the first 64 of a PDU, of a request or a response, and the PDU counts all the same", () => {
  const tlvs = Array.from({ length: 15_000 }, (_, index) => ({ tag: 0x1400 + index, value: Buffer.alloc(0) }));
  for (const pdu of [
    { ...plainSubmitSm, tlvs },
    { ...plainSubmitSm, command: "deliver_sm", tlvs },
    { command: "submit_sm_resp", command_status: 0, sequence_number: 1, message_id: "a", tlvs },
  ] as const) {
    const decoded = decodePdu(encodePdu(pdu));
    expect(decoded).toMatchObject({ ok: true, pdu: { command: pdu.command, tlvs: tlvs.slice(0, 64) } });
  }
});
