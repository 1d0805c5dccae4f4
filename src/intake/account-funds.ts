// What accounts have left for calls that are being accepted: loaded under the locks of their
// balances, judged and charged in memory, and saved in the transaction that stores the calls. So
// what several nodes accept at once never exceeds credit or limits.
import { hash } from "node:crypto";
import type { Account } from "../directory/directory.ts";
import {
  hasCeiling,
  isGuarded,
  hasLimits,
  checkLimits,
  nothingUsed,
  rejectFaulty,
  type Used,
  type DayAndMonth,
  type Period,
} from "../sms/account-limits.ts";
import type { PreparedMessage, RejectedMessage } from "../sms/prepare-message.ts";
import { beginCounting, readUsage, saveUsage, type UsageRow, type UsageToSave } from "../store/account-usage.ts";
import type { CallToStore } from "../store/accept-calls.ts";
import type { Queryable } from "../store/database.ts";
import { type Balance, lockBalances } from "../store/ledger.ts";

export type Verdict = PreparedMessage | RejectedMessage;

/** Of 16 octets, in hexadecimal. */
const hashDigits = 32;

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

export class AccountFunds {
  readonly account: Account;
  readonly #balance: Balance;
  readonly #usage: UsageRow | undefined;
  readonly #periods: DayAndMonth | undefined;
  #used: Used;
  readonly #charged: CallToStore[] = [];

  /** `usage`: of an account with limits. */
  constructor(account: Account, balance: Balance, usage: UsageRow | undefined) {
    this.account = account;
    this.#balance = balance;
    this.#usage = usage;
    this.#periods = usage && hasCeiling(account.limits) ? account.periods.at(usage.now.getTime()) : undefined;
    this.#used = {
      ...usedOf(usage, this.#periods),
      credit: balance.unlimited ? "unlimited" : balance.balance,
    };
  }

  /** The messages of a call, in list order; those that no longer fit are rejected. */
  judge(verdicts: readonly Verdict[]): readonly Verdict[] {
    const messages = verdicts
      .filter((verdict) => verdict.kind === "prepared")
      .map(({ cost, textHash }) => ({ cost, textKey: textHash }));
    return rejectFaulty(verdicts, checkLimits(messages, this.account.limits, this.#used));
  }

  /** A call that `judge` found to fit will be stored. */
  charge(call: CallToStore): void {
    this.#charged.push(call);
    const { credit, messages, cost, recentTexts } = this.#used;
    this.#used = {
      credit: credit === "unlimited" ? credit : credit - call.total,
      messages: messages + BigInt(call.messages.length),
      cost: cost + call.total,
      recentTexts: new Set([...recentTexts, ...textsOf(call).map(({ hash }) => hash)]),
    };
  }

  get texts() {
    return this.#charged.flatMap((call) => textsOf(call));
  }

  /** Undefined where the account has no limits, or nothing was charged. */
  get usageToSave(): UsageToSave | undefined {
    if (this.#usage?.isKnown !== true || this.#charged.length === 0) return undefined;
    const isCounted = this.#periods !== undefined;
    const { messages, cost } = isCounted ? this.#used : nothingUsed;
    return { accountId: this.account.id, periods: this.#periods, messages, cost, low: this.#low };
  }

  get #low(): UsageToSave["low"] {
    const { lowCredit } = this.account.limits;
    const { credit } = this.#used;
    if (lowCredit === 0n || credit === "unlimited" || credit >= lowCredit || credit === this.#balance.balance)
      return undefined;
    const isTold = this.#usage?.lowTold === true;
    const isOver = this.#usage?.creditBooked === true && this.#balance.balance >= lowCredit;
    return isTold && !isOver ? undefined : { balance: credit, lowCredit };
  }
}

function textsOf({ accountId, messages }: CallToStore) {
  return messages.flatMap(({ id, textHash }) =>
    textHash === undefined ? [] : [{ accountId, hash: textHash, messageId: id }],
  );
}

/**
 * Locks the balances, in the one order in which all writers do, and reads what was used before. From
 * then on nobody else charges or refunds these accounts until the transaction ends.
 */
export async function lockAccounts(
  tx: Queryable,
  calls: readonly { readonly account: Account; readonly verdicts: readonly Verdict[] }[],
): Promise<ReadonlyMap<number, AccountFunds>> {
  const accounts = new Map(calls.map(({ account }) => [account.id, account]));
  const balances = await lockBalances(tx, [...accounts.keys()]);
  const limited = [...accounts.values()].filter(({ limits, unlimited }) => hasLimits(limits, unlimited));
  const texts = calls.flatMap(({ account, verdicts }) =>
    verdicts.flatMap((verdict) =>
      verdict.kind === "prepared" && verdict.textHash !== undefined
        ? [{ accountId: account.id, hash: verdict.textHash }]
        : [],
    ),
  );
  const usage = limited.length === 0 ? [] : await readUsageOf(tx, limited, texts);
  const usageOf = new Map(usage.map((row) => [row.accountId, row]));
  return new Map(
    balances.flatMap((balance) => {
      const account = accounts.get(balance.accountId);
      return account ? [[account.id, new AccountFunds(account, balance, usageOf.get(account.id))]] : [];
    }),
  );
}

async function readUsageOf(
  tx: Queryable,
  accounts: readonly Account[],
  texts: readonly { readonly accountId: number; readonly hash: string }[],
): Promise<readonly UsageRow[]> {
  const asked = accounts.map(({ id, limits }) => ({ accountId: id, duplicateSeconds: limits.duplicateSeconds }));
  const found = await readUsage(tx, asked, texts);
  const byId = new Map(found.map((row) => [row.accountId, row]));
  const uncounted = accounts.filter((account) => !isCounted(account, byId.get(account.id)));
  if (uncounted.length === 0) return found;
  // Once a change of the limits: what was used so far is counted from messages and ledger.
  for (const { id, limits, periods } of uncounted) {
    const now = byId.get(id)?.now.getTime();
    await beginCounting(tx, id, hasCeiling(limits) && now !== undefined ? periods.at(now) : undefined);
  }
  return readUsage(tx, asked, texts);
}

export async function saveAccounts(tx: Queryable, states: Iterable<AccountFunds>): Promise<void> {
  const all = [...states];
  const usage = all.flatMap(({ usageToSave }) => usageToSave ?? []);
  const texts = all.flatMap((state) => state.texts);
  if (usage.length + texts.length > 0) await saveUsage(tx, usage, texts);
}

/** Whether the row counts all that the account's limits need, for these periods or earlier ones. */
function isCounted({ limits, periods }: Account, row: UsageRow | undefined): boolean {
  if (row === undefined) return false;
  if (!hasCeiling(limits)) return limits.lowCredit === 0n || row.isKnown;
  const { day, month } = periods.at(row.now.getTime());
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
  const recentTexts = new Set(row?.recent.map((text) => text.toString("hex")));
  if (row === undefined || periods === undefined) return { ...nothingUsed, recentTexts };
  return {
    ...nothingUsed,
    messages: isSame(row.dayFrom, row.dayUntil, periods.day) ? (row.messages ?? 0n) : 0n,
    cost: isSame(row.monthFrom, row.monthUntil, periods.month) ? (row.cost ?? 0n) : 0n,
    recentTexts,
  };
}
