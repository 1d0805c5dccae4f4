// Secrets of endpoints: "whsec_" and base64 of 24 to 64 octets (Standard Webhooks 1.0). They are
// stored as they are, because they sign.
import { randomBytes } from "node:crypto";

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

export function secretOctets(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), "base64");
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
