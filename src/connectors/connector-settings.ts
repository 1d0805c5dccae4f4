// The settings of a connector (decisions §6, the keys of the setup file): types, defaults and
// checks. Pure. Opens no file and no socket: `tls.ca` is replaced by the text of the certificates
// before it is stored.

export type BindType = "transceiver" | "transmitter-receiver";

/** `ca` is PEM text; absent: the certificate authorities of Node.js. */
export interface TlsSettings {
  readonly ca?: string;
  readonly verify: boolean;
}

export interface ConnectorSettings {
  readonly type: "smpp";
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly bindType: BindType;
  /** Number of parallel sessions; with bindType transmitter-receiver, of pairs. */
  readonly binds: number;
  /** Maximum number of unanswered submit_sm on one session. */
  readonly window: number;
  /** For the whole connector; 0: no limit. */
  readonly partsPerSecond: number;
  readonly tls: false | TlsSettings;
  /** The meaning of data_coding 0 on this link. */
  readonly defaultAlphabet: "gsm7" | "latin1" | "ascii";
  readonly sourceTon: "auto" | number;
  readonly sourceNpi: "auto" | number;
  readonly destTon: number;
  readonly destNpi: number;
  readonly longMessages: "udh" | "sar" | "payload";
  readonly messageIdFormat: "auto" | "decimal" | "hex";
  readonly uncertain: "resend" | "hold" | "fail";
  readonly responseTimeoutMs: number;
  readonly enquireLinkSeconds: number;
  readonly inactivitySeconds: number;
  readonly receiptDeadlineHours: number;
  /**
   * Connectors of one group share an account of one SMSC, so receipts may arrive on any of them.
   * "": connectors with the same host, port and systemId.
   */
  readonly receiptGroup: string;
}

export type ConnectorKey = keyof ConnectorSettings;
export type RequiredConnectorKey = "type" | "host" | "port" | "systemId" | "password";

export const requiredConnectorKeys: readonly RequiredConnectorKey[] = ["type", "host", "port", "systemId", "password"];

export const connectorDefaults: Omit<ConnectorSettings, RequiredConnectorKey> = {
  systemType: "",
  bindType: "transceiver",
  binds: 1,
  window: 100,
  partsPerSecond: 0,
  tls: false,
  defaultAlphabet: "gsm7",
  sourceTon: "auto",
  sourceNpi: "auto",
  destTon: 1,
  destNpi: 1,
  longMessages: "udh",
  messageIdFormat: "auto",
  uncertain: "resend",
  responseTimeoutMs: 10_000,
  enquireLinkSeconds: 30,
  inactivitySeconds: 120,
  receiptDeadlineHours: 72,
  receiptGroup: "",
};

export type ConnectorSettingsGiven = Partial<ConnectorSettings> & Pick<ConnectorSettings, RequiredConnectorKey>;

/**
 * Fills in the defaults, also for settings stored by an older version, which may lack newer keys.
 */
export function completeConnectorSettings(given: ConnectorSettingsGiven): ConnectorSettings {
  return { ...connectorDefaults, ...given };
}

/** The settings that identify a link for the sharing of receipts. */
export type LinkSettings = Pick<ConnectorSettings, "host" | "port" | "systemId" | "receiptGroup">;

/**
 * Equal for connectors that share their receipts. Another port may be another SMSC with the same
 * ids, and another systemId is another account.
 */
export function receiptGroupKey({ host, port, systemId, receiptGroup }: LinkSettings): string {
  return JSON.stringify(receiptGroup === "" ? [host.toLowerCase(), port, systemId] : [receiptGroup]);
}

/** The settings that say where the password of a link goes. */
type LinkTarget = Partial<Pick<ConnectorSettings, "host" | "port" | "tls">>;

/**
 * By which settings a stored password would go to another place, or by a way that others can read.
 * Where there is one, it must be given again: who may change a connector but does not know its
 * password shall not have it sent to a place of their own.
 */
export function movedBy(stored: LinkTarget, given: LinkTarget): readonly (keyof LinkTarget)[] {
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

/** The checked value, or a description of what is wrong with it. */
type Check = (value: unknown) => { readonly value: unknown } | { readonly fault: string };

// The fields of a bind are C-octet strings: ASCII without NUL. Operators assign longer ones than
// SMPP 3.4 §5.2.1 and §5.2.2 allow.
const maximumBindText = 64;
const maximumGroupName = 64;

function oneOf(...choices: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && choices.includes(value) ? { value } : { fault: `must be ${listChoices(choices)}` };
}

function listChoices(choices: readonly string[]): string {
  return choices.length === 1 ? String(choices[0]) : `${choices.slice(0, -1).join(", ")} or ${String(choices.at(-1))}`;
}

function wholeNumber(from: number, to: number): Check {
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
      ? { value }
      : { fault: `must be a whole number from ${from} to ${to}` };
}

function numberUpTo(to: number): Check {
  return (value) =>
    typeof value === "number" && value >= 0 && value <= to ? { value } : { fault: `must be a number from 0 to ${to}` };
}

function auto(otherwise: Check): Check {
  return (value) => {
    if (value === "auto") return { value };
    const checked = otherwise(value);
    return "fault" in checked ? { fault: `${checked.fault}, or auto` } : checked;
  };
}

function bindText(minimum: number): Check {
  return (value) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || !/^[\x20-\x7e]*$/.test(text)) return { fault: "must be text in ASCII letters" };
    if (text.length < minimum) return { fault: "must not be empty" };
    return text.length > maximumBindText ? { fault: `must not be longer than ${maximumBindText}` } : { value: text };
  };
}

function hostName(value: unknown): ReturnType<Check> {
  return typeof value === "string" && /^[A-Za-z0-9._:-]{1,253}$/.test(value)
    ? { value }
    : { fault: "must be a host name or an address, without scheme and port" };
}

function groupName(value: unknown): ReturnType<Check> {
  return typeof value === "string" && value.length <= maximumGroupName
    ? { value }
    : { fault: `must be text of at most ${maximumGroupName} characters` };
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

const checks: Readonly<Record<ConnectorKey, Check>> = {
  type: oneOf("smpp"),
  host: hostName,
  port: wholeNumber(1, 65_535),
  systemId: bindText(1),
  password: bindText(0),
  systemType: bindText(0),
  bindType: oneOf("transceiver", "transmitter-receiver"),
  binds: wholeNumber(1, 100),
  window: wholeNumber(1, 10_000),
  partsPerSecond: numberUpTo(100_000),
  tls,
  defaultAlphabet: oneOf("gsm7", "latin1", "ascii"),
  sourceTon: auto(wholeNumber(0, 6)),
  sourceNpi: auto(wholeNumber(0, 18)),
  destTon: wholeNumber(0, 6),
  destNpi: wholeNumber(0, 18),
  longMessages: oneOf("udh", "sar", "payload"),
  messageIdFormat: oneOf("auto", "decimal", "hex"),
  uncertain: oneOf("resend", "hold", "fail"),
  responseTimeoutMs: wholeNumber(100, 600_000),
  enquireLinkSeconds: wholeNumber(1, 3_600),
  inactivitySeconds: wholeNumber(1, 86_400),
  receiptDeadlineHours: wholeNumber(1, 720),
  receiptGroup: groupName,
};

export const connectorKeys = Object.keys(checks) as readonly ConnectorKey[];

export interface ConnectorFault {
  readonly key: ConnectorKey;
  readonly message: string;
}

/** Reads the given keys. The caller reports unknown ones. `tls.ca` stays as written. */
export function readConnectorSettings(given: Readonly<Record<string, unknown>>): {
  readonly settings: Partial<ConnectorSettings>;
  readonly faults: readonly ConnectorFault[];
} {
  const settings: Record<string, unknown> = {};
  const faults: ConnectorFault[] = [];
  for (const key of connectorKeys) {
    if (given[key] === undefined) continue;
    const checked = checks[key](given[key]);
    if ("fault" in checked) faults.push({ key, message: checked.fault });
    else settings[key] = checked.value;
  }
  return { settings, faults };
}
