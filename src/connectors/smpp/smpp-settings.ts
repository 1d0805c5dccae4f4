// The settings of a link over SMPP. Pure. `tls.ca` is replaced by the text of the
// certificates before it is stored.
import { choice, list, orNone, string, tls, type Values, whole, wholeOrAuto, yesNo } from "../../fields/field.ts";
import { tlvList } from "../../fields/network-fields.ts";
import type { GivenTlv } from "../../sms/template.ts";
import { commandStatus, commandStatusName, commandStatusOf, isTlvLength, tlvTag } from "../../smpp/constants.ts";
import { linkFields } from "../link-settings.ts";

// Operators assign longer texts for a bind than SMPP 3.4 §5.2.1 and §5.2.2 allow.
const longestBindText = 64;

/**
 * Codes that the SMSC uses otherwise than the standard says, or of its own: by their names in the
 * standard, or in hexadecimal.
 */
const statuses = list(string(40, "status"), 100, { default: [] });

export const smppFields = {
  type: choice(["smpp"], { section: "link" }),
  host: string(253, "host", { section: "link", variable: true }),
  port: whole(1, 65_535, { section: "link" }),
  systemId: string(longestBindText, "ascii", { section: "link", variable: true }),
  /** SMPP 3.4 §5.2.3. */
  systemType: string(12, "asciiOrEmpty", { default: "", section: "link" }),
  password: string(longestBindText, "asciiOrEmpty", { secret: true, section: "link" }),
  tls: tls({ default: false, section: "link" }),
  /** Of `tls.cert`, PEM text. */
  tlsKey: orNone(string(16_000, "privateKey", { secret: true, within: { key: "tls", as: "key" } })),
  /** Of each submit_sm: some SMSCs bill or route by it (SMPP 3.4 §5.2.11). */
  serviceType: string(5, "asciiOrEmpty", { default: "" }),
  /** The form of the validity_period (SMPP 3.4 §7.1.1). Some SMSCs know only one form. */
  validityPeriod: choice(["relative", "absolute", "none"], { default: "relative" }),
  /** With transmitter-receiver, `binds` counts pairs of sessions. */
  bindType: choice(["transceiver", "transmitter-receiver"], { default: "transceiver", section: "pace" }),
  /** Of the bind (SMPP 3.4 §4.1.1, §5.2.7): without them some SMSCs deliver nothing. */
  addressRange: string(40, "asciiOrEmpty", { default: "" }),
  addressTon: whole(0, 6, { default: 0 }),
  addressNpi: whole(0, 18, { default: 0 }),
  interfaceVersion: choice(["3.4", "3.3"], { default: "3.4" }),
  /** The address of this machine that connections come from; "": the system chooses. */
  localAddress: string(45, "ipOrEmpty", { default: "" }),
  ...linkFields,
  /** Texts in the GSM alphabet are packed septets, in both directions (3GPP TS 23.038 §6.1.2.1). */
  packed: yesNo({ default: false }),
  /** Received texts may begin with a user data header that esm_class does not mark. */
  looseHeaders: yesNo({ default: false }),
  /** Of every submit_sm: some operators refuse a message without parameters of their own. */
  tlvs: tlvList,
  sourceTon: wholeOrAuto(0, 6),
  sourceNpi: wholeOrAuto(0, 18),
  destTon: whole(0, 6, { default: 1 }),
  destNpi: whole(0, 18, { default: 1 }),
  /** Codes with which this SMSC says that it gets too much. */
  throttledStatuses: statuses,
  /** Codes after which a message is tried again. */
  temporaryStatuses: statuses,
  /** Codes that end a message. */
  permanentStatuses: statuses,
  enquireLinkSeconds: whole(1, 3_600, { default: 30 }),
  inactivitySeconds: whole(1, 86_400, { default: 120 }),
};

export type SmppSettings = Values<typeof smppFields>;
export type ValidityPeriodForm = SmppSettings["validityPeriod"];

/** The form of errors and reports for a code that refuses; undefined: it is none. */
export function refusingStatus(written: string): string | undefined {
  const code = commandStatusOf(written);
  return code === undefined || code === commandStatus.ESME_ROK ? undefined : commandStatusName(code);
}

/** The fewest octets that hold the number and that the tag may have. */
export function tlvNumberOctets(tag: number, number: number): 1 | 2 | 4 {
  const sizes = ([1, 2, 4] as const).filter((octets) => number < 2 ** (8 * octets));
  return sizes.find((octets) => isTlvLength(tag, octets)) ?? sizes[0] ?? 4;
}

/** The gateway sets these itself. */
const gatewayTags: ReadonlySet<number> = new Set([
  tlvTag.message_payload,
  tlvTag.sar_msg_ref_num,
  tlvTag.sar_total_segments,
  tlvTag.sar_segment_seqnum,
]);

/** What an SMSC would refuse. */
export function smppTlvFault({ tag: written, text = "", hex, number }: GivenTlv): "ownTag" | "tlvLength" | undefined {
  const tag = Number(written);
  if (gatewayTags.has(tag)) return "ownTag";
  const ofText = hex === undefined ? new TextEncoder().encode(text).length : hex.length / 2;
  const octets = number === undefined ? ofText : tlvNumberOctets(tag, number);
  return isTlvLength(tag, octets) ? undefined : "tlvLength";
}

/** The settings that name an account of an SMSC. */
export type SmppAccount = Pick<SmppSettings, "host" | "port" | "systemId">;

/**
 * Equal for links to the same account. Another port may be another SMSC with the same ids, and
 * another systemId is another account.
 */
export function smppAccountKey({ host, port, systemId }: SmppAccount): readonly unknown[] {
  return [host.toLowerCase(), port, systemId];
}

/** The settings that say where the password of a link goes. */
type LinkTarget = Partial<Pick<SmppSettings, "host" | "port" | "tls">>;

/**
 * The changed settings that would send a stored password to another place, or unencrypted. If there
 * are any, the password must be entered again. Otherwise somebody who may change a connector, but
 * does not know its password, could have it sent to a server of their own.
 */
export function smppMovedBy(stored: LinkTarget, given: LinkTarget): readonly (keyof LinkTarget)[] {
  const [before, after] = [targetTexts(stored), targetTexts(given)];
  return linkTargetKeys.filter((key) => before[key] !== after[key]);
}

const linkTargetKeys = ["host", "port", "tls"] as const;

function targetTexts({ host, port, tls }: LinkTarget): Record<keyof LinkTarget, string> {
  return {
    host: host?.toLowerCase() ?? "",
    port: String(port),
    tls: tls === undefined || tls === false ? "" : JSON.stringify([tls.verify, tls.ca ?? ""]),
  };
}
