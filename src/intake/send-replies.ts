// Sends the replies of inbound rules, after the received message is stored and answered. A reply is
// accepted in the transaction that settles its row: once, whichever node is killed. Safe to run on
// all nodes at once.
import type { Account, Accounts } from "../directory/directory.ts";
import { PeriodicService } from "../platform/service.ts";
import { fault } from "../sms/fault.ts";
import { messagePriority } from "../sms/message-status.ts";
import { type PreparedMessage, prepareMessage } from "../sms/prepare-message.ts";
import { hindranceOf, type ReplyHindrance } from "../sms/replies.ts";
import { type CallToStore, storeCalls } from "../store/accept-calls.ts";
import type { DatabaseClock, Queryable, Transactional } from "../store/database.ts";
import {
  countReplies,
  countRepliesOfRules,
  type DueReply,
  lockDueReplies,
  type ReplyCounts,
  settleReplies,
} from "../store/inbound-replies.ts";
import type { ReplyOutcome, Telemetry } from "../platform/telemetry.ts";
import { lockAccounts, saveAccounts } from "./account-funds.ts";
import { assembleCall } from "./assemble-call.ts";
import { lockNames } from "../store/transaction-settings.ts";

export interface RepliesOptions {
  readonly db: Transactional & { readonly clock: DatabaseClock };
  readonly telemetry: Telemetry;
  readonly directory: { readonly current: { readonly accounts: Accounts } };
  /** Called after replies were accepted. */
  readonly announceDue: () => void;
}

const everyMs = 100;
const repliesAtOnce = 100;
/** One round ends after so long, so that it never holds up the end of the service. */
const roundMs = 5_000;

export function sendReplies(options: RepliesOptions): PeriodicService {
  const { telemetry } = options;
  return new PeriodicService({
    ...{ name: "send-replies", everyMs, onDemand: true, telemetry },
    runOnce: (signal) => sendRepliesOnce(options, signal),
  });
}

async function sendRepliesOnce(options: RepliesOptions, signal: AbortSignal): Promise<Record<string, number>> {
  const endsAt = performance.now() + roundMs;
  let sent = 0;
  let settled = 0;
  while (!signal.aborted && performance.now() < endsAt) {
    const begunAt = performance.now();
    // Nearly always nothing is due, and a look needs no transaction.
    if ((await lockDueReplies(options.db, 1)).length === 0) break;
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
  // Each sees the earlier replies from a line to a number, and those of a rule.
  await lockNames(
    tx,
    due.flatMap(({ line, number, rule }) => [`reply ${line} ${number}`, `reply ${rule}`]),
  );
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
  const judged = withinRules(oneOfPairs(counted), sentOfRule).map(({ reply, hindrance }) =>
    judge(reply, { hindrance, account: accounts.get(reply.accountId), now }),
  );
  const ended = await accept(tx, judged, now);
  await settleReplies(
    tx,
    ended.map(({ reply }) => reply.id),
    ended.flatMap(({ reply, call }) => (call ? [reply.id] : [])),
  );
  return {
    replies: ended.map(({ reply: { accountId }, end }) => ({ accountId, ...end })),
    calls: ended.flatMap(({ call }) => call ?? []),
  };
}

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

type End = Omit<SettledReply, "accountId">;

type Verdict =
  | { readonly reply: DueReply; readonly end: End }
  | { readonly reply: DueReply; readonly account: Account; readonly message: PreparedMessage };

interface EndedReply {
  readonly reply: DueReply;
  readonly end: End;
  /** Of a reply that is sent. */
  readonly call?: CallToStore;
}

/** The account was removed meanwhile. */
const removed: End = { outcome: "refused", errorCode: fault("senderNumber.notInAccount").code };

interface ReplyPlace {
  readonly hindrance: ReplyHindrance | undefined;
  readonly account: Account | undefined;
  /** By the database's clock. */
  readonly now: number;
}

function judge(reply: DueReply, { hindrance, account, now }: ReplyPlace): Verdict {
  const { line, number, content } = reply;
  if (hindrance !== undefined) return { reply, end: { outcome: hindrance } };
  if (account === undefined) return { reply, end: removed };
  const verdict = prepareMessage(
    { senderNumber: line, recipientNumber: number, content, source: "json", isReply: true },
    account.terms,
    { now: new Date(now) },
  );
  if (verdict.kind === "rejected") return { reply, end: { outcome: "refused", errorCode: verdict.faults[0].code } };
  return { reply, account, message: verdict };
}

/** Each reply is checked by itself: the credit may cover some of an account's replies. */
async function accept(tx: Queryable, judged: readonly Verdict[], now: number): Promise<readonly EndedReply[]> {
  const wanted = judged.flatMap((one) => ("message" in one ? [{ account: one.account, verdicts: [one.message] }] : []));
  if (wanted.length === 0) return judged.flatMap((one) => ("end" in one ? [one] : []));
  const states = await lockAccounts(tx, wanted);
  const ended = judged.map((one): EndedReply => {
    if ("end" in one) return one;
    const { reply, account, message } = one;
    const state = states.get(account.id);
    const [verdict] = state?.judge([message]) ?? [];
    if (state === undefined || verdict === undefined) return { reply, end: removed };
    if (verdict.kind === "rejected") return { reply, end: { outcome: "refused", errorCode: verdict.faults[0].code } };
    const { call } = assembleCall([verdict], {
      accountId: account.id,
      priority: messagePriority.single,
      // It goes out before the time is over, or ends.
      validitySeconds: Math.max(1, Math.floor(reply.validForMs / 1000)),
      now,
    });
    state.charge(call);
    return { reply, end: { outcome: "sent" }, call };
  });
  const calls = ended.flatMap(({ call }) => call ?? []);
  if (calls.length > 0) await storeCalls(tx, calls);
  await saveAccounts(tx, states.values());
  return ended;
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
  if (calls.some(({ messages }) => messages.some(({ review }) => review === undefined))) announceDue();
}
