// Judges the messages of a call by what its account has left: duplicates (1207), ceilings of day
// and month (1208), and credit (1201), in list order (events-and-rules §6). A later, cheaper
// message is still accepted if it fits. Pure.
import { type Fault, fault } from "./fault.ts";
import { formatRials } from "./money.ts";
import type { PreparedMessage, RejectedMessage } from "./prepare-message.ts";
import { storedPurpose } from "./prepare-message.ts";

/** 0: none. */
export interface AccountLimits {
  /** For this long the same text to the same number is a duplicate. */
  readonly duplicateSeconds: number;
  readonly dailyMessages: number;
  /** Rials, like `lowCredit`. */
  readonly monthlyCost: bigint;
  readonly lowCredit: bigint;
}

/** Whether anything must be counted for the account beyond its credit. */
export function hasLimits({ duplicateSeconds, dailyMessages, monthlyCost, lowCredit }: AccountLimits): boolean {
  return duplicateSeconds > 0 || dailyMessages > 0 || monthlyCost > 0n || lowCredit > 0n;
}

/** Whether its day and month are counted. */
export function hasCeiling({ dailyMessages, monthlyCost }: AccountLimits): boolean {
  return dailyMessages > 0 || monthlyCost > 0n;
}

/** Codes and replies are asked for: each is free of the duplicate guard. */
export function isGuarded({ purpose, storedPurpose: stored }: PreparedMessage): boolean {
  return purpose !== "code" && stored !== storedPurpose.reply;
}

/** What was used and accepted before the call. */
export interface Used {
  readonly credit: bigint | "unlimited";
  /** Of the day. */
  readonly messages: bigint;
  /** Of the month, in rials. */
  readonly cost: bigint;
  /** Texts that a message of the call may not repeat, by their keys. */
  readonly recentTexts: ReadonlySet<string>;
}

export const nothingUsed: Used = { credit: "unlimited", messages: 0n, cost: 0n, recentTexts: new Set() };

/**
 * The faults of a call's messages, one for each, by its account's limits. `textKey` names sender,
 * recipient and text of a message; undefined for one that is free of the duplicate guard.
 */
export function judgeByLimits(
  messages: readonly { readonly cost: bigint; readonly textKey: string | undefined }[],
  limits: AccountLimits,
  used: Used,
): readonly (Fault | undefined)[] {
  const texts = new Set(used.recentTexts);
  let { credit, messages: count, cost } = used;
  return messages.map((message) => {
    const found = judgeOne(message, limits, { credit, messages: count, cost, recentTexts: texts });
    if (found !== undefined) return found;
    if (message.textKey !== undefined) texts.add(message.textKey);
    count += 1n;
    cost += message.cost;
    if (credit !== "unlimited") credit -= message.cost;
    return undefined;
  });
}

function judgeOne(
  { cost, textKey }: { readonly cost: bigint; readonly textKey: string | undefined },
  { duplicateSeconds, dailyMessages, monthlyCost }: AccountLimits,
  used: Used,
): Fault | undefined {
  if (textKey !== undefined && used.recentTexts.has(textKey))
    return fault("message.duplicate", undefined, { seconds: duplicateSeconds });
  if (dailyMessages > 0 && used.messages >= BigInt(dailyMessages))
    return fault("account.dailyMessages", undefined, { maximum: formatRials(BigInt(dailyMessages)) });
  if (monthlyCost > 0n && used.cost + cost > monthlyCost)
    return fault("account.monthlyCost", undefined, { maximum: formatRials(monthlyCost) });
  return used.credit !== "unlimited" && cost > used.credit ? fault("credit.insufficient") : undefined;
}

/** Turns prepared messages that have a fault into rejected ones. `faults`: of these, in order. */
export function rejectFaulty(
  verdicts: readonly (PreparedMessage | RejectedMessage)[],
  faults: readonly (Fault | undefined)[],
): (PreparedMessage | RejectedMessage)[] {
  let place = 0;
  return verdicts.map((verdict) => {
    const found = verdict.kind === "prepared" ? faults[place++] : undefined;
    if (found === undefined || verdict.kind === "rejected") return verdict;
    const { senderNumber, recipientNumber, content } = verdict;
    return { kind: "rejected", senderNumber, recipientNumber, content, faults: [found] };
  });
}
