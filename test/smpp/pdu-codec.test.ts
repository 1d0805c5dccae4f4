import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandId, commandStatus, tlvTag } from "../../src/smpp/constants.ts";
import { OctetWriter } from "../../src/smpp/octets.ts";
import { decodePdu, encodePdu, writePdu, writeRequest } from "../../src/smpp/pdu-codec.ts";
import type { DataSm, DeliverSm, Pdu } from "../../src/smpp/pdu.ts";
import { textTlv } from "../../src/smpp/tlv.ts";
import { anyPdu, commands, pduOf, plainSubmitSm } from "./pdu-samples.ts";

const named = [textTlv(tlvTag.receipted_message_id, "77")];
const deliverSm: DeliverSm = { ...plainSubmitSm, command: "deliver_sm", tlvs: named };
const dataSm: DataSm = {
  command: "data_sm",
  command_status: 0,
  sequence_number: 1,
  service_type: "",
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: "989121234567",
  dest_addr_ton: 0,
  dest_addr_npi: 1,
  destination_addr: "10001234",
  esm_class: 4,
  registered_delivery: 0,
  data_coding: 0,
  tlvs: named,
};

/** With further octets at its end, which command_length counts. */
function withTail(pdu: Pdu, tail: readonly number[]): Buffer {
  const octets = Buffer.concat([encodePdu(pdu), Buffer.from(tail)]);
  octets.writeUInt32BE(octets.length, 0);
  return octets;
}

function decoded(frame: Buffer): Pdu {
  const result = decodePdu(frame);
  if (!result.ok) throw new Error(`${result.reason}: ${result.commandStatus}`);
  return result.pdu;
}

function faultOf(frame: Buffer): number {
  const result = decodePdu(frame);
  if (result.ok) throw new Error("decoded");
  return result.commandStatus;
}

/** A PDU of raw body octets, with a true command_length. */
function frame(id: number, body: Buffer, sequenceNumber = 7): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(id, 4);
  header.writeUInt32BE(sequenceNumber, 12);
  return Buffer.concat([header, body]);
}

/** As the fixtures note it. */
function withOctetsAsHex(pdu: Pdu): unknown {
  return JSON.parse(
    JSON.stringify(pdu, (_key, value: unknown) => {
      const isOctets = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
      return isOctets && "data" in value ? Buffer.from(value.data as number[]).toString("hex") : value;
    }),
  );
}

describe("every command", () => {
  it.each(commands)("%s: decode undoes encode, unknown TLVs included", (command) => {
    fc.assert(
      fc.property(pduOf(command), (pdu) => {
        expect(decoded(encodePdu(pdu))).toEqual(pdu);
      }),
      { numRuns: 60 },
    );
  });

  it("encodes what it decoded to the same octets", () => {
    fc.assert(
      fc.property(anyPdu, (pdu) => {
        const octets = encodePdu(pdu);
        expect(encodePdu(decoded(octets)).equals(octets)).toBe(true);
      }),
    );
  });
});

describe("golden PDUs", () => {
  const folder = new URL("../fixtures/pdus/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".hex"));

  it.each(names)("%s decodes as noted and encodes to the same octets", (name) => {
    const [hex = "", noted = ""] = readFileSync(new URL(name, folder), "utf8").split("\n---\n");
    const octets = Buffer.from(hex.replace(/#.*$/gm, "").replace(/\s/g, ""), "hex");
    const pdu = decoded(octets);
    expect(withOctetsAsHex(pdu)).toEqual(JSON.parse(noted));
    expect(encodePdu(pdu).toString("hex")).toBe(octets.toString("hex"));
  });
});

describe("bad octets", () => {
  it("never throws on random octets", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        decodePdu(Buffer.from(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it("never throws on a random body of any known command", () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(commandId)), fc.uint8Array({ maxLength: 300 }), (id, body) => {
        const result = decodePdu(frame(id, Buffer.from(body)));
        if (id >= 0x80000000) expect(result.ok).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("case 19: a truncated request is refused, a truncated response is read as far as it goes", () => {
    fc.assert(
      fc.property(anyPdu, fc.double({ min: 0, max: 1, noNaN: true }), (pdu, share) => {
        const whole = encodePdu({ ...pdu, tlvs: [] });
        const cut = Buffer.from(whole.subarray(0, Math.max(16, Math.floor(whole.length * share))));
        if (cut.length === whole.length) return;
        cut.writeUInt32BE(cut.length, 0);
        const result = decodePdu(cut);
        expect(result.ok).toBe(pdu.command.endsWith("_resp") || pdu.command === "generic_nack");
      }),
    );
  });

  it("refuses a command_length that is not the frame's", () => {
    const octets = encodePdu(plainSubmitSm);
    octets.writeUInt32BE(octets.length + 1, 0);
    expect(faultOf(octets)).toBe(commandStatus.ESME_RINVCMDLEN);
  });

  it("case 19: names the fault as the standard does", () => {
    const nul = Buffer.alloc(1);
    const long = (length: number): Buffer => Buffer.alloc(length, "1");
    const submit = (body: Buffer): number => faultOf(frame(commandId.submit_sm, body));
    expect(submit(Buffer.alloc(0))).toBe(commandStatus.ESME_RINVCMDLEN);
    expect(submit(long(30))).toBe(commandStatus.ESME_RINVSERTYP);
    expect(submit(Buffer.concat([nul, Buffer.from([1, 1]), long(40)]))).toBe(commandStatus.ESME_RINVSRCADR);
    expect(submit(Buffer.concat([nul, Buffer.from([1, 1]), nul, Buffer.from([1, 1]), long(40)]))).toBe(
      commandStatus.ESME_RINVDSTADR,
    );
    expect(faultOf(frame(0x00000077, nul))).toBe(commandStatus.ESME_RINVCMDID);
  });

  it("case 19: an sm_length beyond the PDU is ESME_RINVMSGLEN", () => {
    const octets = encodePdu({ ...plainSubmitSm, short_message: Buffer.alloc(5) });
    octets[octets.length - 6] = 200;
    expect(faultOf(octets)).toBe(commandStatus.ESME_RINVMSGLEN);
  });

  it.each([
    ["an octet TLV of length 0", [0x04, 0x27, 0, 0], commandStatus.ESME_RINVPARLEN],
    ["a two-octet TLV of length 1", [0x02, 0x0c, 0, 1, 9], commandStatus.ESME_RINVPARLEN],
    ["a TLV longer than the PDU", [0x14, 0x01, 0, 200, 1], commandStatus.ESME_RINVPARLEN],
    ["half a TLV header", [0x14, 0x01, 0], commandStatus.ESME_RINVOPTPARSTREAM],
  ])("case 19: %s", (_what, tlv, status) => {
    expect(faultOf(withTail(plainSubmitSm, tlv))).toBe(status);
  });

  it.each([
    ["a network_error_code of four octets", [0x04, 0x23, 0, 4, 3, 0, 0, 9]],
    ["a message_state of length 0", [0x04, 0x27, 0, 0]],
    ["a vendor's TLV that is cut", [0x14, 0x01, 0, 200, 1]],
    ["half a TLV header", [0x14, 0x01, 0]],
  ])("case 19: a deliver_sm or data_sm is taken with %s: what it brings would be lost", (_what, tlv) => {
    for (const pdu of [deliverSm, dataSm]) expect(decoded(withTail(pdu, tlv)).tlvs[0]).toEqual(named[0]);
  });

  it("case 19: a deliver_sm whose message_payload is cut is refused, so that it comes again", () => {
    for (const pdu of [deliverSm, dataSm])
      expect(faultOf(withTail(pdu, [0x04, 0x24, 0, 9, 0x41]))).toBe(commandStatus.ESME_RINVPARLEN);
  });

  it("case 19: a deliver_sm is taken with a service_type and addresses that are longer than the book allows", () => {
    const long = { service_type: "DELIVERY", source_addr: "+9".padEnd(30, "8"), destination_addr: "1".padEnd(25, "0") };
    expect(decoded(encodePdu({ ...deliverSm, ...long }))).toEqual({ ...deliverSm, ...long });
  });
});

describe("responses", () => {
  it("case 21: submit_sm_resp without a body has an empty message_id", () => {
    expect(decoded(frame(commandId.submit_sm_resp, Buffer.alloc(0)))).toMatchObject({ message_id: "", tlvs: [] });
  });

  it("keeps a message_id without NUL, and one longer than the book allows", () => {
    expect(decoded(frame(commandId.submit_sm_resp, Buffer.from("abc")))).toMatchObject({ message_id: "abc" });
    const long = "f".repeat(100);
    expect(decoded(frame(commandId.submit_sm_resp, Buffer.from(`${long}\0`)))).toMatchObject({ message_id: long });
  });

  it("a refusal is sent without a body", () => {
    const refusal = {
      command: "submit_sm_resp",
      command_status: 0x58,
      sequence_number: 3,
      message_id: "",
      tlvs: [],
    } as const;
    expect(encodePdu(refusal)).toHaveLength(16);
    expect(encodePdu({ ...refusal, command_status: 0 })).toHaveLength(17);
  });
});

describe("writing", () => {
  it("throws for what the wire cannot carry and leaves nothing behind", () => {
    const writer = new OctetWriter();
    writePdu(writer, plainSubmitSm);
    const before = writer.length;
    const wrong: Partial<typeof plainSubmitSm>[] = [
      { source_addr: "1".repeat(21) },
      { source_addr: "a\0b" },
      { source_addr: "هدهد" },
      { short_message: Buffer.alloc(256) },
      { data_coding: 256 },
      { esm_class: -1 },
      { tlvs: [{ tag: 0x424, value: Buffer.alloc(70_000) }] },
    ];
    for (const fields of wrong) {
      expect(() => writePdu(writer, { ...plainSubmitSm, ...fields })).toThrow(RangeError);
      expect(writer.length).toBe(before);
    }
  });

  it("never writes again to octets it handed over", () => {
    const writer = new OctetWriter(64);
    writePdu(writer, plainSubmitSm);
    const first = writer.take();
    const copy = Buffer.from(first);
    for (let number = 1; number < 200; number += 1) writeRequest(writer, plainSubmitSm, number);
    expect(first.equals(copy)).toBe(true);
    expect(decoded(first)).toEqual(plainSubmitSm);
  });
});
