// The settings of a link over SMPP (decisions §6): types, defaults and checks. Pure. Opens no file
// and no socket: `tls.ca` is replaced by the text of the certificates before it is stored.
import { linkChecks, linkDefaults, type LinkSettings } from "../link-settings.ts";
import { commandStatus, commandStatusName, commandStatusOf } from "../../smpp/constants.ts";
import { auto, type Check, oneOf, wholeNumberFrom } from "../setting-checks.ts";

export type BindType = "transceiver" | "transmitter-receiver";

/** The form of the validity_period (SMPP 3.4 §7.1.1). Some SMSCs know only one form. */
export type ValidityPeriodForm = "relative" | "absolute" | "none";

/** `ca` is PEM text; absent: the certificate authorities of Node.js. */
export interface BindTls {
  readonly ca?: string;
  readonly verify: boolean;
}

export interface SmppSettings extends LinkSettings {
  readonly type: "smpp";
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** The service_type of each submit_sm: some SMSCs bill or route by it (SMPP 3.4 §5.2.11). */
  readonly serviceType: string;
  readonly validityPeriod: ValidityPeriodForm;
  /** With transmitter-receiver, `binds` counts pairs of sessions. */
  readonly bindType: BindType;
  readonly tls: false | BindTls;
  readonly sourceTon: "auto" | number;
  readonly sourceNpi: "auto" | number;
  readonly destTon: number;
  readonly destNpi: number;
  /**
   * What this SMSC means by a command_status of its submit_sm_resp, where it is not what the
   * standard says, or is a code of its own: each by its name in the standard, or in hexadecimal.
   */
  readonly throttledStatuses: readonly string[];
  readonly temporaryStatuses: readonly string[];
  readonly permanentStatuses: readonly string[];
  readonly enquireLinkSeconds: number;
  readonly inactivitySeconds: number;
}

export type RequiredSmppKey = "type" | "host" | "port" | "systemId" | "password";

export const requiredSmppKeys: readonly RequiredSmppKey[] = ["type", "host", "port", "systemId", "password"];

export const smppDefaults: Omit<SmppSettings, RequiredSmppKey> = {
  systemType: "",
  serviceType: "",
  validityPeriod: "relative",
  bindType: "transceiver",
  ...linkDefaults,
  tls: false,
  sourceTon: "auto",
  sourceNpi: "auto",
  destTon: 1,
  destNpi: 1,
  throttledStatuses: [],
  temporaryStatuses: [],
  permanentStatuses: [],
  enquireLinkSeconds: 30,
  inactivitySeconds: 120,
};

export type SmppSettingsGiven = Partial<SmppSettings> & Pick<SmppSettings, RequiredSmppKey>;

// Operators assign longer texts for a bind than SMPP 3.4 §5.2.1 and §5.2.2 allow.
const maximumBindText = 64;
/** SMPP 3.4 §5.2.3. */
const maximumSystemType = 12;
/** SMPP 3.4 §5.2.11. */
const maximumServiceType = 5;

/** A C-octet string: ASCII without NUL. */
function cOctetString(minimum: number, maximum: number): Check {
  return (value) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || !/^[\x20-\x7e]*$/.test(text)) return { fault: "must be text in ASCII letters" };
    if (text.length < minimum) return { fault: "must not be empty" };
    return text.length > maximum ? { fault: `must not be longer than ${maximum} characters` } : { value: text };
  };
}

const mostStatuses = 100;

/** Reads a list of codes that refuse: each once, and in the form of errors and reports. */
function refusingStatuses(value: unknown): ReturnType<Check> {
  if (!Array.isArray(value) || value.length > mostStatuses)
    return { fault: `must be a list of at most ${mostStatuses} codes` };
  const codes = value.map((written: unknown) => (isStructure(written) ? undefined : commandStatusOf(String(written))));
  const wrong = codes.findIndex((code) => code === undefined || code === commandStatus.ESME_ROK);
  if (wrong >= 0)
    return { fault: `must name codes that refuse, such as ESME_RTHROTTLED or 0x405, not ${shortText(value[wrong])}` };
  return { value: [...new Set(codes.map((code) => commandStatusName(Number(code))))] };
}

function shortText(value: unknown): string {
  return isStructure(value) ? "{…}" : String(value).slice(0, 40);
}

/** A list or an object: what a caller sends may have no text. */
function isStructure(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function hostName(value: unknown): ReturnType<Check> {
  return typeof value === "string" && /^[A-Za-z0-9._:-]{1,253}$/.test(value)
    ? { value }
    : { fault: "must be a host name or an address, without scheme and port" };
}

function tls(value: unknown): ReturnType<Check> {
  if (value === false || value === null) return { value: false };
  if (value === true) return { value: { verify: true } };
  const shape = { fault: "must be false or { ca: FILE, verify: true }" };
  if (typeof value !== "object" || Array.isArray(value)) return shape;
  const { ca, verify = true, ...unknownKeys } = value as Record<string, unknown>;
  if (Object.keys(unknownKeys).length > 0) return shape;
  if (typeof verify !== "boolean") return { fault: "verify must be true or false" };
  if (ca === undefined || ca === null || ca === "") return { value: { verify } };
  return typeof ca === "string" ? { value: { ca, verify } } : { fault: "ca must be the name of a file" };
}

export const smppChecks: Readonly<Record<keyof SmppSettings, Check>> = {
  type: oneOf("smpp"),
  host: hostName,
  port: wholeNumberFrom(1, 65_535),
  systemId: cOctetString(1, maximumBindText),
  password: cOctetString(0, maximumBindText),
  systemType: cOctetString(0, maximumSystemType),
  serviceType: cOctetString(0, maximumServiceType),
  validityPeriod: oneOf("relative", "absolute", "none"),
  bindType: oneOf("transceiver", "transmitter-receiver"),
  ...linkChecks,
  tls,
  sourceTon: auto(wholeNumberFrom(0, 6)),
  sourceNpi: auto(wholeNumberFrom(0, 18)),
  destTon: wholeNumberFrom(0, 6),
  destNpi: wholeNumberFrom(0, 18),
  throttledStatuses: refusingStatuses,
  temporaryStatuses: refusingStatuses,
  permanentStatuses: refusingStatuses,
  enquireLinkSeconds: wholeNumberFrom(1, 3_600),
  inactivitySeconds: wholeNumberFrom(1, 86_400),
};

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
