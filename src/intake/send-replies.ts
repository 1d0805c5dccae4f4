// Sends the replies of inbound rules, after the received message is stored and answered. A reply is
// accepted in the transaction that settles its row: once, whichever node is killed. Safe to run on
// all nodes at once.
import type { Account } from "../directory/directory.ts";
import { PeriodicService } from "../platform/service.ts";
import { fault } from "../sms/fault.ts";
import { messagePriority } from "../sms/message-priority.ts";
import { type PreparedMessage, prepareMessage } from "../sms/prepare-message.ts";
import { hindranceOf, type ReplyHindrance } from "../sms/replies.ts";
import { acceptLimitedCalls } from "../store/accept-limited-calls.ts";
import { acceptJudgedCalls } from "../store/accept-messages.ts";
import type { CallToStore } from "../store/calls-to-store.ts";
import type { DatabaseClock } from "../store/database-clock.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import {
  countReplies,
  countRepliesOfRules,
  type DueReply,
  lockDueReplies,
  lockReplyLimits,
  type ReplyCounts,
  settleReplies,
} from "../store/inbound-replies.ts";
import { lockBalances } from "../store/ledger.ts";
import type { ReplyOutcome, Telemetry } from "../platform/telemetry.ts";
import { assembleBatch, messageToStore } from "./assemble-call.ts";
import { isLimited, judgeByUsage, type UsagePlace } from "./judge-usage.ts";

export interface RepliesOptions {
  readonly db: Transactional & { readonly clock: DatabaseClock };
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: { readonly accounts: ReadonlyMap<number, Account> } };
  /** Called after replies were accepted. */
  readonly announceDue: () => void;
}

/** For what another node has answered, or can no longer answer. */
const everyMs = 1000;
const repliesAtOnce = 100;
/** Of these, replies of accounts with limits, which are accepted one after the other. */
const limitedAtOnce = 10;
/** One round ends after so long, so that it never holds up the end of the service. */
const roundMs = 5_000;

export class Replies extends PeriodicService {
  readonly #telemetry: Telemetry;
  #isWoken = false;

  constructor(options: RepliesOptions) {
    super({
      name: "send-replies",
      everyMs,
      telemetry: options.telemetry,
      runOnce: (signal) => {
        this.#isWoken = false;
        return sendRepliesOnce(options, signal);
      },
    });
    this.#telemetry = options.telemetry;
  }

  /** Replies may be due now. Any number of calls before the next round is one. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    void this.runNow().catch((error: unknown) => this.#telemetry.emit("service.failed", { service: this.name, error }));
  }
}

async function sendRepliesOnce(options: RepliesOptions, signal: AbortSignal): Promise<Record<string, number>> {
  const endsAt = performance.now() + roundMs;
  let sent = 0;
  let settled = 0;
  while (!signal.aborted && performance.now() < endsAt) {
    const begunAt = performance.now();
    const { replies, calls } = await options.db.transaction((tx) => settleDue(options, tx));
    tell(options, replies, calls, performance.now() - begunAt);
    settled += replies.length;
    sent += calls.length;
    if (replies.length === 0) break;
  }
  return { settled, sent };
}

interface SettledReply {
  readonly accountId: number;
  readonly outcome: ReplyOutcome;
  readonly errorCode?: number;
}

interface Step {
  readonly replies: readonly SettledReply[];
  /** Those accepted, one for each reply that is sent. */
  readonly calls: readonly CallToStore[];
}

async function settleDue({ db, directory }: RepliesOptions, tx: Queryable): Promise<Step> {
  const due = await lockDueReplies(tx, repliesAtOnce);
  if (due.length === 0) return { replies: [], calls: [] };
  await lockReplyLimits(tx, due);
  const counts = new Map(
    (
      await countReplies(
        tx,
        due.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const sentOfRule = await countRepliesOfRules(tx, [...new Set(due.map(({ rule }) => rule))]);
  const { accounts } = directory.current;
  const now = db.clock.now();
  const counted = due.map((reply) => ({
    reply,
    hindrance: hindranceFor(reply, counts.get(reply.id), sentOfRule.get(reply.rule)),
  }));
  const judged = withFewLimited(
    withinRules(oneOfPairs(counted), sentOfRule).map(({ reply, hindrance }) =>
      judge(reply, { hindrance, account: accounts.get(reply.accountId), now }),
    ),
  );
  const ends = await accept(
    tx,
    judged.filter((verdict) => "call" in verdict),
    now,
  );
  const sent = judged.filter((verdict) => "call" in verdict).filter(({ reply }) => !ends.has(reply.id));
  await settleReplies(
    tx,
    judged.map(({ reply }) => reply.id),
    sent.map(({ reply }) => reply.id),
  );
  const replies = judged.map((verdict): SettledReply => {
    const { accountId } = verdict.reply;
    if (!("call" in verdict)) return { accountId, ...verdict.end };
    const errorCode = ends.get(verdict.reply.id);
    return errorCode === undefined ? { accountId, outcome: "sent" } : { accountId, outcome: "refused", errorCode };
  });
  return { replies, calls: sent.map(({ call }) => call) };
}

/**
 * Leaves the other replies to the next transaction, because calls of these accounts wait until this
 * one ends.
 */
function withFewLimited(judged: readonly Verdict[]): readonly Verdict[] {
  let limited = 0;
  return judged.filter(
    (verdict) => !("call" in verdict && isLimited(verdict.account)) || (limited += 1) <= limitedAtOnce,
  );
}

/** A reply without an idempotency key that is not stored is one that the credit does not cover. */
const uncoveredCode = fault("credit.insufficient").code;

interface CountedReply {
  readonly reply: DueReply;
  readonly hindrance: ReplyHindrance | undefined;
}

function hindranceFor(
  { validForMs, maxPerHour }: DueReply,
  counts: ReplyCounts | undefined,
  sentOfRule = 0,
): ReplyHindrance | undefined {
  const { sentThisHour = 0, sameTexts = 0 } = counts ?? {};
  return hindranceOf({ isLate: validForMs <= 0, sentThisHour, isRuleUsedUp: sentOfRule >= maxPerHour, sameTexts });
}

/**
 * Returns all replies that are not sent, and of the others one for each line and number. The next
 * reply of a pair must count the one before.
 */
function oneOfPairs(due: readonly CountedReply[]): readonly CountedReply[] {
  const seen = new Set<string>();
  return due.filter(({ reply: { line, number }, hindrance }) => {
    const pair = `${line} ${number}`;
    return hindrance !== undefined || (!seen.has(pair) && seen.add(pair));
  });
}

/** The next reply of a rule beyond what it may still send must count those before it. */
function withinRules(due: readonly CountedReply[], sentOfRule: ReadonlyMap<string, number>): readonly CountedReply[] {
  const sent = new Map(sentOfRule);
  return due.filter(({ reply: { rule, maxPerHour }, hindrance }) => {
    if (hindrance !== undefined) return true;
    const count = (sent.get(rule) ?? 0) + 1;
    sent.set(rule, count);
    return count <= maxPerHour;
  });
}

type Verdict = { readonly reply: DueReply; readonly end: Omit<SettledReply, "accountId"> } | WantedReply;

interface WantedReply {
  readonly reply: DueReply;
  readonly account: Account;
  readonly message: PreparedMessage;
  readonly call: CallToStore;
}

interface ReplyPlace {
  readonly hindrance: ReplyHindrance | undefined;
  readonly account: Account | undefined;
  /** By the database's clock. */
  readonly now: number;
}

function judge(reply: DueReply, { hindrance, account, now }: ReplyPlace): Verdict {
  const { accountId, line, number, content, validForMs } = reply;
  if (hindrance !== undefined) return { reply, end: { outcome: hindrance } };
  // The account was removed meanwhile.
  if (account === undefined)
    return { reply, end: { outcome: "refused", errorCode: fault("senderNumber.notInAccount").code } };
  const verdict = prepareMessage(
    { senderNumber: line, recipientNumber: number, content, source: "json", isReply: true },
    account.terms,
    { now: new Date(now) },
  );
  if (verdict.kind === "rejected") return { reply, end: { outcome: "refused", errorCode: verdict.faults[0].code } };
  const { batchId, messages } = assembleBatch([verdict], now);
  // It goes out before the time is over, or ends.
  const validSeconds = Math.max(1, Math.floor(validForMs / 1000));
  const call = {
    accountId,
    batchId,
    total: verdict.cost,
    priority: messagePriority.single,
    idempotency: undefined,
    messages: messages.flatMap((one) => (one.kind === "prepared" ? [messageToStore(one, validSeconds)] : [])),
  };
  return { reply, account, message: verdict, call };
}

/**
 * Each reply is judged by itself: the credit may cover some of an account's replies. Answers the
 * error codes of those that were not accepted, by their ids.
 */
async function accept(
  tx: Queryable,
  wanted: readonly WantedReply[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const refused = new Map<string, number>();
  // All who charge accounts lock balances in this order, so that no two wait for each other.
  if (wanted.length > 0) await lockBalances(tx, [...new Set(wanted.map(({ account }) => account.id))]);
  const free = wanted.filter(({ account }) => !isLimited(account));
  if (free.length > 0) {
    const calls = free.map(({ call }) => call);
    // No call has a key to be kept for that time.
    const { fates } = await acceptJudgedCalls(tx, calls, 0);
    for (const [index, { reply }] of free.entries())
      if (fates[index] !== "stored") refused.set(reply.id, uncoveredCode);
  }
  for (const one of wanted.filter(({ account }) => isLimited(account))) {
    const errorCode = await acceptLimited(tx, one, now);
    if (errorCode !== undefined) refused.set(one.reply.id, errorCode);
  }
  return refused;
}

/** One after the other, because each uses up what the next one may have. */
async function acceptLimited(
  tx: Queryable,
  { account, message, call }: WantedReply,
  presentMs: number,
): Promise<number | undefined> {
  const place: UsagePlace = { db: tx, inTransaction: (work) => work(tx) };
  const { verdicts, now = new Date(presentMs) } = await judgeByUsage(place, account, [message]);
  const [verdict] = verdicts;
  if (verdict?.kind === "rejected") return verdict.faults[0].code;
  const limits = { ...account.limits, periods: account.periods.at(now.getTime()) };
  const { fates } = await acceptLimitedCalls(tx, [{ ...call, limits }], 0);
  return fates[0] === "stored" ? undefined : uncoveredCode;
}

function tell(
  { telemetry, announceDue }: RepliesOptions,
  replies: readonly SettledReply[],
  calls: readonly CallToStore[],
  durationMs: number,
): void {
  const counts = new Map<string, SettledReply & { count: number }>();
  for (const reply of replies) {
    const key = JSON.stringify(reply);
    counts.set(key, { ...reply, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  for (const settled of counts.values()) telemetry.emit("replies.settled", settled);
  for (const { accountId, messages } of calls)
    telemetry.emit("batch.accepted", {
      ...{ accountId, messages: messages.length, rejected: 0, durationMs },
      parts: messages.reduce((sum, { parts }) => sum + parts, 0),
    });
  if (calls.some(({ messages }) => messages.some(({ unusual }) => unusual?.review === undefined))) announceDue();
}
