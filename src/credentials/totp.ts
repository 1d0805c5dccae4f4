// Time-based one-time passwords (RFC 6238: HMAC-SHA-1, six digits, steps of 30 s) for second
// factors, and recovery codes. Pure but for the randomness of new secrets.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const stepSeconds = 30;
const digits = 6;
/** RFC 4226 §4: at least 128 bits, 160 recommended. */
const secretBytes = 20;
/** Steps before and after the present one that are taken, for clocks that differ. */
const tolerance = 1;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** RFC 4648 base32 without padding, as authenticators take it. */
export function base32(octets: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const octet of octets) {
    value = ((value << 8) | octet) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31] ?? "";
    }
  }
  return bits > 0 ? text + (alphabet[(value << (5 - bits)) & 31] ?? "") : text;
}

export function totpStep(unixSeconds: number): number {
  return Math.floor(unixSeconds / stepSeconds);
}

/** The code of one step (RFC 4226 §5.3). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/**
 * The latest step near to now whose code this is, later than the last one that was taken;
 * undefined: no such step.
 */
export function findTotpStep(
  secret: Uint8Array,
  code: string,
  { unixSeconds, lastStep }: { readonly unixSeconds: number; readonly lastStep: number },
): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const now = totpStep(unixSeconds);
  let found: number | undefined;
  // All are computed, whichever it is.
  for (let step = now - tolerance; step <= now + tolerance; step += 1) {
    const isEqual = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
    if (isEqual && step > lastStep) found = step;
  }
  return found;
}

/** What authenticators read, as text or as a QR code. */
export function totpUri(
  secret: Uint8Array,
  { issuer, label }: { readonly issuer: string; readonly label: string },
): string {
  const [name, of] = [encodeURIComponent(label), encodeURIComponent(issuer)];
  return `otpauth://totp/${of}:${name}?secret=${base32(secret)}&issuer=${of}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
}

const recoveryCodes = 10;
const recoveryBytes = 10;

/** Codes such as ABCD-EFGH-IJKL-MNOP (80 bits each), each good once in place of a code. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodes }, () =>
    (base32(randomBytes(recoveryBytes)).match(/.{4}/g) ?? []).join("-"),
  );
}

/**
 * What is stored of a recovery code: enough bits to need no salt. Case, blanks and dashes do not
 * count.
 */
export function recoveryCodeHash(code: string): Buffer {
  return createHash("sha256").update(code.replace(/[\s-]/g, "").toUpperCase()).digest();
}

const easternDigits = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** A code as people type it: blanks are dropped, and Persian and Arabic digits are digits. */
export function cleanCode(given: string): string {
  return given.replace(/\s/g, "").replace(easternDigits, (digit) => String(digit.charCodeAt(0) & 0xf));
}
