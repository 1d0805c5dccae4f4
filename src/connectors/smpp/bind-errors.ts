// The errors of an SMPP bind: what they mean, by the names of statuses and of the system's errors,
// and the texts that are kept of them. Pure.
import type { CloseReason } from "../../smpp/session-options.ts";
import type { LinkErrorKind } from "../link-errors.ts";

/** Of a bind that does not come up. */
export type BindFailure = Exclude<LinkErrorKind, "unbound" | "silent" | "garbled">;

const kindsByName = new Map<string, BindFailure>([
  ["ESME_RINVPASWD", "wrongPassword"],
  ["ESME_RINVSYSID", "wrongSystemId"],
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
 * What the other side does not like about our certificate, which we do not have: the certificate of
 * the other side is judged here, and no alert tells of that.
 */
const alertName = /_ALERT_(\w*CERTIFICATE|UNKNOWN_CA)/;
/** What Node.js calls the faults of certificates, and of what is not TLS at all. */
const certificateName = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
const tlsName = /^ERR_(SSL|TLS|OSSL)/;

/** By the name of a command_status or the code of an error. */
function kindByName(name: string): BindFailure | undefined {
  const known = kindsByName.get(name);
  if (known !== undefined) return known;
  if (alertName.test(name)) return "clientCertificate";
  if (certificateName.test(name)) return "certificate";
  return tlsName.test(name) ? "notTls" : undefined;
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

/** Of a session that stood: the host was reached before. */
const fellSilent = /\b(read|write) (ETIMEDOUT)\b/;

/** In the order in which they are looked for, where no name says it. */
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
  /** The name that says so, such as ECONNREFUSED; undefined: the words do. */
  readonly name?: string | undefined;
}

/**
 * Of the text that is kept of an error: of `closeText`, or the message of a BindError
 * (smpp/client.ts). Both hold the name of the status or the code of the error, if it has one.
 */
export function judgeBindError(text: string): JudgedError {
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
  return judgeBindError(text).kind;
}
