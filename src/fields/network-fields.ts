// The keys of operators, ported numbers, routes, lines and tariffs, and the optional parameters that
// operators demand. Those of connectors stand with their protocol (connectors/).
import { choice, type FieldOf, list, objects, optional, orNone, rials, string, whole, yesNo } from "./field.ts";
import { lineKinds, optOutModes } from "../sms/sender-line.ts";
import type { GivenTlv } from "../sms/template.ts";

const connectors = string(100, "name", { refersTo: "connectors" });
/** An operator and a line that a route or a price matches; * stands for all. */
const match = {
  operator: string(100, "name", { refersTo: "operators", default: "*" }),
  line: string(20, "lineMatch", { refersTo: "lines", default: "*" }),
};

export const operatorFields = {
  /** National, without the leading 0. */
  prefixes: list(string(20, "prefix"), 10_000, {
    default: [],
    sorted: true,
  }),
  enabled: yesNo({ default: true }),
};

export const portedNumberFields = { operator: string(100, "operatorName", { refersTo: "operators" }) };

export const routeFields = {
  ...match,
  /** In order of preference. */
  connectors: list(connectors, 1_000, { filled: true }),
};

export const lineFields = {
  kind: choice(lineKinds, { default: "dedicated" }),
  /** The account that receives for it. */
  inbound: orNone(string(100, "name", { refersTo: "accounts" })),
  /** Those that may bring messages for it; null: all. */
  connectors: orNone(list(connectors, 1_000, { filled: true, sorted: true })),
  /** null: that of its kind. */
  optOut: orNone(choice(optOutModes)),
};

const priceFields = {
  ...match,
  language: choice(["fa", "en", "other", "*"], { default: "*" }),
  /** For one part. */
  price: rials(),
};

export const tariffFields = { prices: objects(priceFields, 100_000, { unordered: true }) };

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
  /** Of every submit_sm. */
  default: [],
});
