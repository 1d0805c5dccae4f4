/** Arbitrary PDUs of every command for property tests, and one plain submit_sm to start from. */

import fc from "fast-check";
import { commandId, type CommandName } from "../../src/smpp/constants.ts";
import { layoutOf, type Field } from "../../src/smpp/pdu-fields.ts";
import type { OutgoingRequest, Pdu, SubmitSm, Tlv } from "../../src/smpp/pdu.ts";

export const plainSubmitSm: SubmitSm = {
  command: "submit_sm",
  command_status: 0,
  sequence_number: 1,
  service_type: "",
  source_addr_ton: 3,
  source_addr_npi: 1,
  source_addr: "10001234",
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: "989121234567",
  esm_class: 0,
  protocol_id: 0,
  priority_flag: 0,
  schedule_delivery_time: "",
  validity_period: "",
  registered_delivery: 1,
  replace_if_present_flag: 0,
  data_coding: 0,
  sm_default_msg_id: 0,
  short_message: Buffer.from("hello"),
  tlvs: [],
};

/** The same as a request for a session. */
export function submitTo(destination_addr: string, text = "hello"): Extract<OutgoingRequest, { command: "submit_sm" }> {
  return { ...plainSubmitSm, destination_addr, short_message: Buffer.from(text) };
}

const octet = fc.integer({ min: 0, max: 255 });
const octets = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));

/** Latin-1 without NUL. */
const text = (maxLength: number) =>
  fc.array(fc.integer({ min: 1, max: 255 }), { maxLength }).map((codes) => String.fromCharCode(...codes));

function fieldValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case "integer1":
      return octet;
    case "text":
      return text(field.maximumOctets - 1);
    case "shortMessage":
      return octets(255);
  }
}

/**
 * Tags above 0x1400 are reserved or the vendors' own (SMPP 3.4 §5.3.2), so that any length is
 * right.
 */
const unknownTlv: fc.Arbitrary<Tlv> = fc.record({ tag: fc.integer({ min: 0x1400, max: 0xffff }), value: octets(300) });
const knownTlv: fc.Arbitrary<Tlv> = fc.oneof(
  fc.record({ tag: fc.constantFrom(0x0427, 0x020e, 0x020f, 0x0210), value: octets(1).filter((v) => v.length === 1) }),
  fc.record({ tag: fc.constantFrom(0x0424, 0x001e, 0x001d), value: octets(400) }),
);

export function pduOf(command: CommandName): fc.Arbitrary<Pdu> {
  const fields = Object.fromEntries(layoutOf(command).fields.map((field) => [field.name, fieldValue(field)]));
  return fc.record({
    command: fc.constant(command),
    command_status: fc.integer({ min: 0, max: 0xffffffff }),
    sequence_number: fc.integer({ min: 0, max: 0xffffffff }),
    ...fields,
    tlvs: fc.array(fc.oneof(unknownTlv, knownTlv), { maxLength: 5 }),
  }) as unknown as fc.Arbitrary<Pdu>;
}

export const commands = Object.keys(commandId) as CommandName[];

export const anyPdu: fc.Arbitrary<Pdu> = fc.constantFrom(...commands).chain(pduOf);
