// The errors of an SMPP bind: what they mean, by the names of statuses and of the system's errors,
// and the texts that are kept of them. Pure.
import type { CloseReason } from "../../smpp/session-options.ts";
import type { LinkErrorKind } from "../connector.ts";
import type { AnswerClass } from "../../sms/submit-outcome.ts";
import { commandStatus, commandStatusOf } from "../../smpp/constants.ts";
import type { SmppSettings } from "./smpp-settings.ts";

/** Why a bind does not come up. */
export type BindFailure = Exclude<LinkErrorKind, "unbound" | "silent" | "garbled">;

const kindsByName = new Map<string, BindFailure>([
  ["ESME_RINVPASWD", "wrongPassword"],
  ["ESME_RINVSYSID", "wrongSystemId"],
  ["ESME_RINVSYSTYP", "wrongSystemType"],
  ["ESME_RALYBND", "alreadyBound"],
  ["ENOTFOUND", "nameUnknown"],
  ["EAI_AGAIN", "nameUnknown"],
  ["ECONNREFUSED", "nothingListens"],
  ["EHOSTUNREACH", "unreachable"],
  ["ENETUNREACH", "unreachable"],
  ["ETIMEDOUT", "unreachable"],
  ["ECONNRESET", "closed"],
  ["EPIPE", "closed"],
  ["EPROTO", "notTls"],
]);

/**
 * Alerts with which the other side complains of our certificate: it wants one, and we have none.
 * Faults of the other side's certificate are found on this side and cause no alert.
 */
const alertName = /_ALERT_(\w*CERTIFICATE|UNKNOWN_CA)/;
/** What Node.js calls the faults of certificates, and of what is not TLS at all. */
const certificateName = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
const tlsName = /^ERR_(SSL|TLS|OSSL)/;

/** Judges by the name of a command_status or the code of an error. */
function kindByName(name: string): BindFailure | undefined {
  const known = kindsByName.get(name);
  if (known !== undefined) return known;
  if (alertName.test(name)) return "clientCertificate";
  if (certificateName.test(name)) return "certificate";
  return tlsName.test(name) ? "notTls" : undefined;
}

const { ESME_RINVPASWD, ESME_RINVSYSID, ESME_RINVSYSTYP } = commandStatus;

/** Until the settings change, the SMSC refuses each bind so, and may lock the account. */
export function isAboutCredentials(status: number | undefined): boolean {
  return status === ESME_RINVPASWD || status === ESME_RINVSYSID || status === ESME_RINVSYSTYP;
}

const unbound = "unbound by the SMSC";
const silent = "no activity";
const garbled = "framing lost";

/** Why a session that was bound has ended. */
export function closeText(reason: CloseReason): string {
  switch (reason.kind) {
    case "closed_here":
      return "closed by this side";
    case "unbound_by_peer":
      return unbound;
    case "disconnected":
      return reason.message;
    case "timer":
      return `${silent} (${reason.timer})`;
    case "framing_lost":
      return `${garbled} (command_length ${reason.commandLength})`;
  }
}

/** For a session that was bound: its host was reachable before. */
const fellSilent = /\b(read|write) (ETIMEDOUT)\b/;

/** Words to look for if there is no name, in this order. */
const kindsByWords: readonly (readonly [RegExp, LinkErrorKind])[] = [
  [/was refused:/, "refused"],
  [/in time$/, "timeout"],
  [new RegExp(`^${unbound}`), "unbound"],
  [new RegExp(`^${silent}`), "silent"],
  [new RegExp(`(^|: )${garbled} `), "garbled"],
  [/certificate/, "certificate"],
  [/\bSSL\b|\bTLS\b/, "notTls"],
  [/^closed|was closed/, "closed"],
];

interface JudgedError {
  readonly kind: LinkErrorKind;
  /** The name that decided, such as ECONNREFUSED; undefined if words of the text decided. */
  readonly name?: string | undefined;
}

/**
 * Judges the stored text of an error, which comes from `closeText` or is the message of a BindError
 * (smpp/client.ts). Both contain the name of the status or the code of the error, if there is one.
 */
export function decideBindError(text: string): JudgedError {
  // Names in capitals may also stand in the name of a host.
  const said = text.replace(/^\S+:\d+: /, "");
  const silence = fellSilent.exec(said)?.[2];
  if (silence !== undefined) return { kind: "silent", name: silence };
  for (const name of said.match(/\b[A-Z][A-Z0-9_]{4,}\b/g) ?? []) {
    const kind = kindByName(name);
    if (kind !== undefined) return { kind, name };
  }
  return { kind: kindsByWords.find(([words]) => words.test(said))?.[1] ?? "other" };
}

export function kindOfBindError(text: string): LinkErrorKind {
  return decideBindError(text).kind;
}

// What a negative submit_sm_resp means for the message and for the link (SMPP 3.4 §5.1.3), as a
// table, and what an SMSC is known to mean by its own codes. Pure.

const classes = new Map<number, AnswerClass>([
  // The SMSC has no room: the whole link slows down, and the message is not at fault.
  [commandStatus.ESME_RTHROTTLED, "throttled"],
  [commandStatus.ESME_RMSGQFUL, "throttled"],
  // A temporary problem of the SMSC: the message is tried again later.
  [commandStatus.ESME_RSYSERR, "temporary"],
  [commandStatus.ESME_RSUBMITFAIL, "temporary"],
  [commandStatus.ESME_RX_T_APPN, "temporary"],
  [commandStatus.ESME_RUNKNOWNERR, "temporary"],
  // A problem of the bind: the message is fine, the session is not.
  [commandStatus.ESME_RINVBNDSTS, "bindFatal"],
  [commandStatus.ESME_RBINDFAIL, "bindFatal"],
  [commandStatus.ESME_RINVPASWD, "bindFatal"],
  [commandStatus.ESME_RINVSYSID, "bindFatal"],
]);

type OwnStatuses = Pick<SmppSettings, "throttledStatuses" | "temporaryStatuses" | "permanentStatuses">;

/**
 * Returns the meanings of all codes for one SMSC: the usual ones, except those that are set for it.
 * A code in several lists has the meaning that does most to keep the message: throttled, then
 * temporary. An unknown code concerns this message and is final.
 */
export function commandStatusClasses(own: OwnStatuses): (status: number) => AnswerClass {
  const known = new Map([
    ...classes,
    ...mean("permanent", own.permanentStatuses),
    ...mean("temporary", own.temporaryStatuses),
    ...mean("throttled", own.throttledStatuses),
  ]);
  return (status) => known.get(status) ?? "permanent";
}

function mean(meaning: AnswerClass, statuses: readonly string[]): readonly [number, AnswerClass][] {
  return statuses.flatMap((written) => {
    const code = commandStatusOf(written);
    return code === undefined ? [] : [[code, meaning]];
  });
}
