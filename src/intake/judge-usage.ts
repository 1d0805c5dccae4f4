// Judges the messages of a call by its account's limits and credit. The first judgement assumes
// that nothing has been used, so that a call that fits needs no reading. If the call then does not
// fit, it is judged again by what is stored.
import { hash } from "node:crypto";
import type { Account } from "../directory/directory.ts";
import {
  type AccountLimits,
  hasCeiling,
  hasLimits,
  isGuarded,
  judgeByLimits,
  nothingUsed,
  rejectFaulty,
  type Used,
} from "../sms/account-limits.ts";
import type { DayAndMonth, Period } from "../sms/calendar-periods.ts";
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import { beginCounting, readUsage, type UsageRow } from "../store/account-usage.ts";
import type { Queryable } from "../store/database.ts";
import { findSpendableCredit, lockBalance } from "../store/ledger.ts";

type Verdict = PreparedMessage | RejectedMessage;

/**
 * Whether calls of the account are judged by more than credit. The warning of low credit does not
 * concern unlimited accounts.
 */
export function isLimited({ limits, unlimited }: Account): boolean {
  return hasLimits(unlimited ? { ...limits, lowCredit: 0n } : limits);
}

/** Of 16 octets, in hexadecimal. */
const hashDigits = 32;

/**
 * Gives each message its hash for the duplicate guard, if the account has one, and refuses what
 * cannot be accepted whatever was used before. Without limits nothing changes.
 */
export function judgeAlone(account: Account, verdicts: readonly Verdict[]): readonly Verdict[] {
  if (!isLimited(account)) return verdicts;
  return applyLimits(account.limits, verdicts, nothingUsed);
}

/**
 * Adds the hash by which the duplicate guard knows a text. Messages that are prepared alike get the
 * same hash.
 */
export function withTextHashes({ limits }: Account, verdicts: readonly Verdict[]): readonly Verdict[] {
  if (limits.duplicateSeconds === 0) return verdicts;
  return verdicts.map((verdict) =>
    // The spread comes last, as in assemble-call.ts.
    verdict.kind === "prepared" && isGuarded(verdict) ? { textHash: hashOf(verdict), ...verdict } : verdict,
  );
}

// Digits, because a buffer of its own for each message costs several times as much as a text.
function hashOf({ line, recipient, content }: PreparedMessage): string {
  return hash("sha256", `${line.number}\0${recipient}\0${content}`, "hex").slice(0, hashDigits);
}

/** Where usage is read, and what it is counted in if it has to be. */
export interface UsagePlace {
  readonly db: Queryable;
  readonly inTransaction: (work: (tx: Queryable) => Promise<void>) => Promise<void>;
}

export interface JudgedByUsage {
  readonly verdicts: readonly Verdict[];
  /** Of the moment, by the database's clock. */
  readonly now: Date | undefined;
}

/** By what is stored now. Other calls may use it up before this one is stored. */
export async function judgeByUsage(
  place: UsagePlace,
  account: Account,
  verdicts: readonly Verdict[],
): Promise<JudgedByUsage> {
  if (!isLimited(account)) {
    const credit = await findSpendableCredit(place.db, account.id);
    return { verdicts: applyLimits(account.limits, verdicts, { ...nothingUsed, credit }), now: undefined };
  }
  const asked = {
    accountId: account.id,
    text: verdicts.flatMap((verdict) => (verdict.kind === "prepared" ? (verdict.textHash ?? []) : [])),
    duplicateSeconds: account.limits.duplicateSeconds,
  };
  let row = await readUsage(place.db, asked);
  let periods = row && account.periods.at(row.now.getTime());
  if (row !== undefined && periods !== undefined && !isCounted(account, row, periods)) {
    const counting = hasCeiling(account.limits) ? periods : undefined;
    await place.inTransaction(async (tx) => {
      await lockBalance(tx, account.id);
      await beginCounting(tx, account.id, counting);
    });
    row = await readUsage(place.db, asked);
    periods = row && account.periods.at(row.now.getTime());
  }
  return { verdicts: applyLimits(account.limits, verdicts, usedOf(row, periods)), now: row?.now };
}

/** Whether the row counts all that the account's limits need, for these periods or earlier ones. */
function isCounted({ limits }: Account, row: UsageRow, { day, month }: DayAndMonth): boolean {
  if (!hasCeiling(limits)) return limits.lowCredit === 0n || row.unlimited || row.usageOf !== null;
  return isKnown(row.dayFrom, row.dayUntil, day) && isKnown(row.monthFrom, row.monthUntil, month);
}

function isKnown(from: Date | null, until: Date | null, period: Period): boolean {
  if (from === null || until === null) return false;
  return isSame(from, until, period) || period.from >= until;
}

function isSame(from: Date | null, until: Date | null, period: Period): boolean {
  return from?.getTime() === period.from.getTime() && until?.getTime() === period.until.getTime();
}

function usedOf(row: UsageRow | undefined, periods: DayAndMonth | undefined): Used {
  if (row === undefined || periods === undefined) return { ...nothingUsed, credit: 0n };
  return {
    credit: row.unlimited ? "unlimited" : row.balance,
    messages: isSame(row.dayFrom, row.dayUntil, periods.day) ? (row.messages ?? 0n) : 0n,
    cost: isSame(row.monthFrom, row.monthUntil, periods.month) ? (row.cost ?? 0n) : 0n,
    recentTexts: new Set(row.recent.map((text) => text.toString("hex"))),
  };
}

function applyLimits(limits: AccountLimits, verdicts: readonly Verdict[], used: Used): readonly Verdict[] {
  const messages = verdicts
    .filter((verdict) => verdict.kind === "prepared")
    .map(({ cost, textHash }) => ({ cost, textKey: textHash }));
  return rejectFaulty(verdicts, judgeByLimits(messages, limits, used));
}
