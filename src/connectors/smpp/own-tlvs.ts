// The optional parameters that are set for a connector or a template, as octets. Pure.
import type { GivenTlv } from "../../sms/template.ts";
import type { Tlv } from "../../smpp/pdu.ts";
import { integerTlv } from "../../smpp/tlv.ts";
import { tlvNumberOctets } from "./smpp-settings.ts";

const none: readonly GivenTlv[] = [];

/** Those of the template come after those of the connector, and replace those of the same tag. */
export function ownTlvs(ofConnector: readonly GivenTlv[], ofTemplate: readonly GivenTlv[] = none): readonly Tlv[] {
  if (ofConnector.length === 0 && ofTemplate.length === 0) return [];
  const replaced = new Set(ofTemplate.map(({ tag }) => tag));
  return [...ofConnector.filter(({ tag }) => !replaced.has(tag)), ...ofTemplate].map(octetsOf);
}

function octetsOf({ tag: written, text = "", hex, number }: GivenTlv): Tlv {
  const tag = Number(written);
  if (number !== undefined) return integerTlv(tag, number, tlvNumberOctets(tag, number));
  return { tag, value: hex === undefined ? Buffer.from(text) : Buffer.from(hex, "hex") };
}
