// Converts a part of a message to submit_sm by the connector's settings. Pure.
import { udh8 } from "../../sms/concatenation.ts";
import { codingFor, encodeText } from "../../sms/data-coding.ts";
import { packSeptets } from "../../sms/gsm7.ts";
import { isOneOfMany, isWhole } from "../../sms/segmentation.ts";
import { dataCoding, esmClass, npi, registeredDelivery, tlvTag, ton } from "../../smpp/constants.ts";
import type { OutgoingRequest, Tlv } from "../../smpp/pdu.ts";
import { formatAbsoluteTime, formatRelativeTime } from "../../smpp/smpp-time.ts";
import { integerTlv } from "../../smpp/tlv.ts";
import { type SmppSettings, type ValidityPeriodForm, tlvNumberOctets } from "./smpp-settings.ts";
import type { PartToSubmit } from "../connector.ts";
import type { GivenTlv } from "../../sms/template.ts";

type OutgoingSubmitSm = Extract<OutgoingRequest, { readonly command: "submit_sm" }>;

/** The connector's alphabet cannot carry the part. */
export class UnencodableText extends Error {
  override readonly name = "UnencodableText";
}

/**
 * short_message has at most 254 octets (SMPP 3.4 §5.2.22). Longer content goes as message_payload.
 */
const longestShortMessage = 254;

/** `now`: in ms since 1970, for a validity period that is a point in time. */
export function buildSubmitSm(part: PartToSubmit, settings: SmppSettings, now: number): OutgoingSubmitSm {
  const { octets, coding } = encodeForConnector(part, settings);
  const isToBeJoined = isOneOfMany(part.part, part.parts);
  const hasSegmentationTlvs = isToBeJoined && settings.longMessages === "sar";
  // A single part on a payload connector belongs to a message that another connector began. Its
  // other parts have such a header.
  const header = isToBeJoined && !hasSegmentationTlvs ? udh8(part.reference, part.parts, part.part) : undefined;
  const isPacked = settings.packed && coding === dataCoding.smscDefault && settings.defaultAlphabet === "gsm7";
  const text = isPacked ? packSeptets(octets, header?.length) : octets;
  const body = header ? Buffer.concat([header, text]) : text;
  const asPayload = isWhole(part.part) || body.length > longestShortMessage;
  const [sourceTon, sourceNpi] = sourceTonNpi(part.sender, settings);
  return {
    command: "submit_sm",
    service_type: settings.serviceType,
    source_addr_ton: sourceTon,
    source_addr_npi: sourceNpi,
    source_addr: part.sender,
    dest_addr_ton: settings.destTon,
    dest_addr_npi: settings.destNpi,
    destination_addr: part.recipient,
    esm_class: header ? esmClass.userDataHeader : 0,
    protocol_id: 0,
    priority_flag: 0,
    schedule_delivery_time: "",
    validity_period: formatValidity(part.validSeconds, settings.validityPeriod, now),
    registered_delivery: registeredDelivery.finalReceipt,
    replace_if_present_flag: 0,
    data_coding: coding,
    sm_default_msg_id: 0,
    short_message: asPayload ? Buffer.alloc(0) : body,
    tlvs: [
      ...(asPayload ? [{ tag: tlvTag.message_payload, value: body }] : noTlvs),
      ...(hasSegmentationTlvs ? segmentationTlvs(part) : noTlvs),
      ...(settings.tlvs.length === 0 && part.tlvs === undefined ? noTlvs : ownTlvs(settings.tlvs, part.tlvs)),
    ],
  };
}

/** Most messages are as long valid as the one before. */
let latest = { seconds: 0, text: "" };

function formatValidity(seconds: number, form: ValidityPeriodForm, now: number): string {
  switch (form) {
    case "relative":
      if (seconds !== latest.seconds) latest = { seconds, text: formatRelativeTime(seconds) };
      return latest.text;
    case "absolute":
      return formatAbsoluteTime(new Date(now + seconds * 1000));
    case "none":
      return "";
  }
}

function segmentationTlvs(part: PartToSubmit): Tlv[] {
  return [
    integerTlv(tlvTag.sar_msg_ref_num, part.reference & 0xffff, 2),
    integerTlv(tlvTag.sar_total_segments, part.parts),
    integerTlv(tlvTag.sar_segment_seqnum, part.part),
  ];
}

function encodeForConnector(part: PartToSubmit, { defaultAlphabet }: SmppSettings): { octets: Buffer; coding: number } {
  const { text } = part;
  switch (codingFor(part, defaultAlphabet)) {
    case "ucs2":
      return { octets: encodeText(text, "ucs2"), coding: dataCoding.ucs2 };
    case "default":
      return {
        octets: defaultAlphabet === "gsm7" ? encodeText(text, "gsm7") : Buffer.from(text, "latin1"),
        coding: dataCoding.smscDefault,
      };
    case undefined:
      throw new UnencodableText(`a part has characters outside the alphabet ${defaultAlphabet}`);
  }
}

/**
 * `auto`: a sender with letters is alphanumeric, a leading + is international, and any
 * other number is left to the SMSC.
 */
function sourceTonNpi(sender: string, { sourceTon, sourceNpi }: SmppSettings): [number, number] {
  const isNumber = /^\+?\d+$/.test(sender);
  const numberTon = sender.startsWith("+") ? ton.international : ton.unknown;
  return [
    sourceTon === "auto" ? (isNumber ? numberTon : ton.alphanumeric) : sourceTon,
    sourceNpi === "auto" ? (isNumber ? npi.isdn : npi.unknown) : sourceNpi,
  ];
}

const none: readonly GivenTlv[] = [];
const noTlvs: readonly Tlv[] = [];

/** Those of the template come after those of the connector, and replace those of the same tag. */
function ownTlvs(ofConnector: readonly GivenTlv[], ofTemplate: readonly GivenTlv[] = none): readonly Tlv[] {
  if (ofConnector.length === 0 && ofTemplate.length === 0) return [];
  const replaced = new Set(ofTemplate.map(({ tag }) => tag));
  return [...ofConnector.filter(({ tag }) => !replaced.has(tag)), ...ofTemplate].map(octetsOf);
}

function octetsOf({ tag: written, text = "", hex, number }: GivenTlv): Tlv {
  const tag = Number(written);
  if (number !== undefined) return integerTlv(tag, number, tlvNumberOctets(tag, number));
  return { tag, value: hex === undefined ? Buffer.from(text) : Buffer.from(hex, "hex") };
}
