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

/** What Node.js calls the faults of certificates, and of what is not TLS at all. */
const certificateName = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;
const tlsName = /^ERR_(SSL|TLS|OSSL)/;

/** By the name of a command_status or of an error of the system. */
export function kindByName(name: string): BindFailure | undefined {
  const known = kindsByName.get(name);
  if (known !== undefined) return known;
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

/** In the order in which they are looked for. */
const kindsByWords: readonly (readonly [RegExp, LinkErrorKind])[] = [
  [/^the bind was refused/, "refused"],
  [/in time$/, "timeout"],
  [new RegExp(`^${unbound}`), "unbound"],
  [new RegExp(`^${silent}`), "silent"],
  [new RegExp(`^${garbled}`), "garbled"],
  [/certificate/, "certificate"],
  [/\bSSL\b|\bTLS\b/, "notTls"],
  [/^closed|was closed/, "closed"],
];

/**
 * Of the text that is kept of an error: of `closeText`, or the message of a BindError
 * (smpp/client.ts).
 */
export function kindOfBindError(text: string): LinkErrorKind {
  // Names in capitals may also stand in the name of a host.
  const said = text.replace(/^\S+:\d+: /, "");
  for (const name of said.match(/\b[A-Z][A-Z_]{4,}\b/g) ?? []) {
    const kind = kindByName(name);
    if (kind !== undefined) return kind;
  }
  return kindsByWords.find(([words]) => words.test(said))?.[1] ?? "other";
}
