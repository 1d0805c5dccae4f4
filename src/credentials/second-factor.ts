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
import { base32, cleanCode, findTotpStep, newRecoveryCodes, newTotpSecret, recoveryCodeHash, totpUri } from "./totp.ts";

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
