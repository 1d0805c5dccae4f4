// Secrets and signatures of Standard Webhooks 1.0. A secret is "whsec_" and base64 of 24 to 64
// octets, stored as it is, because it signs. A signature is HMAC-SHA256 of "id.timestamp.body",
// keyed with these octets.
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";
const fewestOctets = 24;
const mostOctets = 64;
const usualOctets = 32;
/** How long the secret before the present one signs, too. */
export const oldSecretHours = 24;

export function makeSecret(): string {
  return prefix + randomBytes(usualOctets).toString("base64");
}

/** Whether receivers can use it: base64 with its padding, because their libraries are strict. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const base64 = text.slice(prefix.length);
  const octets = Buffer.from(base64, "base64");
  return octets.length >= fewestOctets && octets.length <= mostOctets && octets.toString("base64") === base64;
}

export interface StoredSecrets {
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: Date | null;
}

/** The secrets that sign at that time, the present one first. */
export function liveSecrets({ secret, oldSecret, oldSecretUntil }: StoredSecrets, nowMs: number): readonly string[] {
  const isOldAlive = oldSecret !== null && oldSecretUntil !== null && nowMs < oldSecretUntil.getTime();
  return isOldAlive ? [secret, oldSecret] : [secret];
}

export interface SignedRequest {
  /** The header webhook-id. */
  readonly id: string;
  /** Unix seconds of the try. */
  readonly timestamp: number;
  /** As it is sent: a text is UTF-8. */
  readonly body: string | Uint8Array;
}

/** The header webhook-signature: one signature for each secret, in their order. */
export function signRequest({ id, timestamp, body }: SignedRequest, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), "base64");
      const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
      return `v1,${digest}`;
    })
    .join(" ");
}
