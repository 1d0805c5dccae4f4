// The second factor of a person: enrolled, confirmed by a code, asked for at each sign-in, removed.
// Each code is good once, and tries are counted in the database, so that neither many connections
// nor many nodes help whoever guesses.
import {
  confirmSecret,
  countCodeTry,
  deleteSecondFactor,
  savePendingSecret,
  takeRecoveryCode,
  takeStep,
  updatePerson,
} from "../store/people.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * At any time three of a million codes are right. Somebody who tries ten codes every ten minutes
 * finds one after some 200 days.
 */
const mostTries = 10;
const periodSeconds = 600;
/** Longer than any code, with what people put between its characters. */
const longestCode = 64;

const issuer = "Hodhod";

export interface Enrolment {
  readonly secret: string;
  readonly uri: string;
}

/** The new secret counts once a code of it is confirmed. Until then the old one stays in force. */
export async function enrolSecondFactor(tx: Queryable, personId: number, label: string): Promise<Enrolment> {
  const secret = newTotpSecret();
  await savePendingSecret(tx, personId, secret);
  return { secret: base32(secret), uri: totpUri(secret, { issuer, label }) };
}

/**
 * The new recovery codes; undefined where the code is wrong, or nothing waits to be confirmed. `tx`
 * is a transaction.
 */
export async function confirmSecondFactor(
  tx: Queryable,
  personId: number,
  given: string,
): Promise<readonly string[] | undefined> {
  const factor = await countCodeTry(tx, personId, periodSeconds);
  if (factor === undefined || factor.pendingSecret === null || factor.tries > mostTries) return undefined;
  const { unixSeconds } = factor;
  // The steps used so far belong to another secret.
  const step = findTotpStep(factor.pendingSecret, cleanCode(given.slice(0, longestCode)), { unixSeconds, lastStep: 0 });
  if (step === undefined) return undefined;
  const codes = newRecoveryCodes();
  await confirmSecret(tx, personId, { step, codeHashes: codes.map(recoveryCodeHash) });
  return codes;
}

/**
 * For somebody who has lost the phone. The phone may be signed in, so the sessions end as well.
 * Returns false if there was no second factor.
 */
export async function loseSecondFactor(tx: Queryable, personId: number): Promise<boolean> {
  const wasThere = await deleteSecondFactor(tx, personId);
  if (wasThere) await updatePerson(tx, personId, {});
  return wasThere;
}

/** Whether the code, or the recovery code, is right: it is used up then. A wrong one is counted. */
export async function takeCode(db: Transactional, personId: number, given: string): Promise<boolean> {
  if (given.length > longestCode) return false;
  const code = cleanCode(given);
  return db.transaction(async (tx) => {
    const factor = await countCodeTry(tx, personId, periodSeconds);
    if (factor === undefined || factor.secret === null || factor.tries > mostTries) return false;
    const { secret, unixSeconds, lastStep } = factor;
    const step = findTotpStep(secret, code, { unixSeconds, lastStep });
    if (step === undefined) return takeRecoveryCode(tx, personId, recoveryCodeHash(code));
    await takeStep(tx, personId, step);
    return true;
  });
}

// Time-based one-time passwords (RFC 6238: HMAC-SHA-1, six digits, steps of 30 s) for second
// factors, and recovery codes.

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
