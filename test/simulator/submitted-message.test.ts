import { expect, it } from "vitest";
import { SubmittedMessage } from "../../src/simulator/submitted-message.ts";
import type { SubmitSm } from "../../src/smpp/pdu.ts";
import { integerTlv } from "../../src/smpp/tlv.ts";
import { plainSubmitSm } from "../smpp/pdu-samples.ts";

function message(fields: Partial<SubmitSm>): SubmittedMessage {
  return new SubmittedMessage({ ...plainSubmitSm, ...fields }, "a", { ton: 1, npi: 1, address: "98912" });
}

it("reads text in GSM 7 bit, UCS-2, behind a header, and from message_payload", () => {
  const ucs2 = Buffer.from("سلام", "utf16le").swap16();
  const header = Buffer.from("050003070302", "hex");
  expect(message({ short_message: Buffer.from([0x00, 0x1b, 0x65]) }).text).toBe("@€");
  expect(message({ short_message: ucs2, data_coding: 8 }).text).toBe("سلام");
  expect(message({ short_message: Buffer.concat([header, ucs2]), data_coding: 8, esm_class: 0x40 }).text).toBe("سلام");
  const tlvs = [{ tag: 0x0424, value: ucs2 }];
  expect(message({ short_message: Buffer.alloc(0), tlvs, data_coding: 8 }).text).toBe("سلام");
});

it("knows its part by header, by sar parameters, or as the only one", () => {
  const short_message = Buffer.from("0500034d0302", "hex");
  expect(message({ short_message, esm_class: 0x40 }).part).toMatchObject({ reference: 0x4d, total: 3, number: 2 });
  const tlvs = [integerTlv(0x20c, 4711, 2), integerTlv(0x20e, 3), integerTlv(0x20f, 1)];
  expect(message({ tlvs }).part).toEqual({ reference: 4711, total: 3, number: 1 });
  expect(message({}).part).toEqual({ reference: 0, total: 1, number: 1 });
  expect(message({}).sender).toEqual({ ton: 3, npi: 1, address: "10001234" });
});
