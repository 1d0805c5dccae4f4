// Optional parameters of submit_sm (SMPP 3.4 §5.3) that operators demand, as they are given.
import type { GivenTlv } from "../sms/template.ts";
import { type FieldOf, objects, optional, string, whole } from "./field.ts";

/** Exactly one of text, hex and number is given (setup/check-rows.ts). */
export const tlvFields = {
  /** Hexadecimal: 0x1400. */
  tag: string(6, "tlvTag"),
  /** In UTF-8, without a NUL at its end. */
  text: optional(string(255, "sendable")),
  hex: optional(string(512, "hex")),
  number: optional(whole(0, 0xffffffff)),
};

export const tlvList: FieldOf<readonly GivenTlv[]> = objects(tlvFields, 20, {
  default: [],
  note: "Of every submit_sm.",
});
