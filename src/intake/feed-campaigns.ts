// Feeds the rows of campaigns to the intake, a hundred at a time, with the same checks as calls.
// One-time codes and the calls of clients go first. Each row is fed exactly once, even if a node is
// killed, because the outcome of a row is saved in the transaction that accepts its message. Runs
// on every node that takes calls; the node that feeds a campaign locks it.
import { refusalOf } from "../credentials/abilities.ts";
import type { Account, Accounts } from "../directory/directory.ts";
import { reportUnsent } from "../events/message-ends.ts";
import { PeriodicService } from "../platform/service.ts";
import { campaignOperation, firstToWait, type CampaignPlan, type CampaignRow, checkRows } from "../sms/campaign.ts";
import { messagePriority, reasonCode } from "../sms/message-status.ts";
import type { RejectedMessage, AccountTerms, CallTime } from "../sms/prepare-message.ts";
import { type CallToStore, storeCalls } from "../store/accept-calls.ts";
import { finishCampaign, pauseCampaign } from "../store/campaigns.ts";
import type { Database, Queryable, Transactional } from "../store/database.ts";
import { dequeueUnsubmitted } from "../store/message-queue.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { lockAccounts, saveAccounts, withTextHashes } from "./account-funds.ts";
import { type AcceptedMessage, assembleCall } from "./assemble-call.ts";
import { endCanceled } from "./cancel.ts";
import {
  advanceCampaign,
  type CampaignAtWork,
  countWaiting,
  findRowsToCancel,
  findRowsToFeed,
  hasUnsubmitted,
  listCampaignsAtWork,
  lockCampaignAtWork,
  noteCanceled,
  noteTurn,
  type RowToFeed,
  saveRowOutcomes,
} from "../store/campaign-rows.ts";
import { setImmediate } from "node:timers/promises";

export interface FeedCampaignsOptions {
  readonly db: Transactional & Pick<Database, "clock">;
  readonly telemetry: Telemetry;
  readonly directory: {
    readonly current: {
      readonly accounts: Accounts;
      readonly routes: readonly { readonly id: number }[];
    };
  };
  /** Validity of a message if its template sets none. */
  readonly validitySeconds: number;
  /** Called after messages were accepted that are due now. */
  readonly announceDue: (due: { readonly urgent: boolean }) => void;
  /** Calls of clients wait for their commit. */
  readonly isBusy: () => boolean;
}

const everyMs = 1000;
/** One round ends after so long, so that it never holds up the end of the service. */
const roundMs = 5_000;
const campaignsAtOnce = 100;
const rowsAtOnce = 100;
const cancelsAtOnce = 500;
/**
 * The most messages of an account's campaigns that wait in the queue. With few of them, Pause and
 * Stop take effect soon.
 */
const waitingLimit = 1_000;

export function feedCampaigns(options: FeedCampaignsOptions): PeriodicService {
  return new PeriodicService({
    name: "feed-campaigns",
    everyMs,
    onDemand: true,
    runOnce: (signal) => feedCampaignsOnce(options, signal),
    telemetry: options.telemetry,
  });
}

/** Campaigns take turns, a hundred rows each, until none of them gets on. */
async function feedCampaignsOnce(options: FeedCampaignsOptions, signal: AbortSignal): Promise<Record<string, number>> {
  const endsAt = performance.now() + roundMs;
  let accepted = 0;
  let canceled = 0;
  let ids = await listCampaignsAtWork(options.db, campaignsAtOnce);
  while (ids.length > 0) {
    const atWork: string[] = [];
    for (const id of ids) {
      if (signal.aborted || performance.now() > endsAt || options.isBusy()) return { accepted, canceled };
      const step = await takeStep(options, id);
      accepted += step.accepted ?? 0;
      canceled += step.canceled ?? 0;
      if (step.goesOn) atWork.push(id);
    }
    ids = atWork;
  }
  return { accepted, canceled };
}

interface Step {
  readonly goesOn: boolean;
  readonly accepted?: number;
  readonly canceled?: number;
}

const nothingToDo: Step = { goesOn: false };

async function takeStep(options: FeedCampaignsOptions, id: string): Promise<Step> {
  const begunAt = performance.now();
  try {
    const { step, call } = await options.db.transaction((tx) => stepOf(options, tx, id));
    if (call !== undefined) tellAccepted(options, call, performance.now() - begunAt);
    reportUnsent(options.telemetry, reasonCode.canceled, step.canceled ?? 0);
    return step;
  } catch (error) {
    await noteTurn(options.db, id);
    throw error;
  }
}

interface StepTaken {
  readonly step: Step;
  readonly call?: CallToStore | undefined;
}

async function stepOf(options: FeedCampaignsOptions, tx: Queryable, id: string): Promise<StepTaken> {
  const campaign = await lockCampaignAtWork(tx, id);
  if (campaign === undefined) return { step: nothingToDo };
  if (campaign.state === "stopped") return { step: await cancelStep(tx, campaign) };
  const taken = await feedStep(options, tx, campaign);
  if (taken.step === nothingToDo) await noteTurn(tx, id);
  return taken;
}

async function feedStep(options: FeedCampaignsOptions, tx: Queryable, campaign: CampaignAtWork): Promise<StepTaken> {
  const { id } = campaign;
  const { accounts, routes } = options.directory.current;
  const account = accounts.get(campaign.accountId);
  // A node that has not read the new account yet leaves its campaign to the next round.
  if (account === undefined) return { step: nothingToDo };
  if (!maySend(account, campaign)) {
    await pauseCampaign(tx, id, "permission");
    return { step: nothingToDo };
  }
  const rows = await findRowsToFeed(tx, { id, after: campaign.fed, limit: rowsAtOnce });
  if (rows.length === 0) {
    await finishCampaign(tx, id);
    return { step: nothingToDo };
  }
  const waiting = await countWaiting(tx, {
    accountId: account.id,
    priority: messagePriority.campaign,
    routeIds: routes.map((route) => route.id),
    limit: waitingLimit,
  });
  if (waiting >= waitingLimit) return { step: nothingToDo };
  return feedRows(options, tx, { campaign, account, rows });
}

function maySend({ permissions }: Account, campaign: CampaignAtWork): boolean {
  return refusalOf(campaignOperation(campaign), { permissions }) === undefined;
}

interface Feeding {
  readonly campaign: CampaignAtWork;
  readonly account: Account;
  readonly rows: readonly RowToFeed[];
}

async function feedRows(
  { db, validitySeconds }: FeedCampaignsOptions,
  tx: Queryable,
  { campaign, account, rows }: Feeding,
): Promise<StepTaken> {
  const { id, skipDuplicates, sendAt } = campaign;
  const isSkipped = ({ duplicateOf }: RowToFeed) => skipDuplicates && duplicateOf !== null;
  const wanted = rows.filter((row) => !row.isFaulty && !isSkipped(row));
  const now = db.clock.now();
  const judged = await checkRowsInSteps(campaign, wanted, account.terms, {
    now: new Date(now),
    sendAt: sendAt ?? undefined,
  });
  const hashed = withTextHashes(account, judged);
  const accounts = await lockAccounts(tx, [{ account, verdicts: hashed }]);
  const state = accounts.get(account.id);
  // The account was removed.
  if (state === undefined) return { step: nothingToDo };
  const verdicts = state.judge(hashed);
  const waiting = firstToWait(verdicts);
  const { batch, call } = assembleCall(verdicts.slice(0, waiting?.place), {
    accountId: account.id,
    priority: messagePriority.campaign,
    validitySeconds,
    now,
  });
  const firstUncovered = waiting && wanted[waiting.place];
  const taken = firstUncovered === undefined ? rows : rows.filter(({ number }) => number < firstUncovered.number);
  if (waiting !== undefined) await pauseCampaign(tx, id, waiting.for);
  if (taken.length === 0) return { step: nothingToDo };
  await saveRowOutcomes(
    tx,
    id,
    batch.messages.map((message, index) => ({ number: wanted[index]?.number ?? 0, ...outcomeOf(message) })),
  );
  await advanceCampaign(tx, id, {
    fed: taken.at(-1)?.number ?? campaign.fed,
    accepted: call.messages.length,
    refused: taken.filter(({ isFaulty }) => isFaulty).length + batch.messages.length - call.messages.length,
    skipped: taken.filter(isSkipped).length,
    parts: call.messages.reduce((sum, { parts }) => sum + parts, 0),
    cost: call.total,
  });
  const step = { goesOn: firstUncovered === undefined, accepted: call.messages.length };
  if (call.messages.length === 0) return { step };
  state.charge(call);
  await storeCalls(tx, [call]);
  await saveAccounts(tx, [state]);
  return { step, call };
}

function outcomeOf(message: AcceptedMessage | RejectedMessage) {
  return message.kind === "prepared"
    ? { messageId: message.id, fault: null }
    : { messageId: null, fault: message.faults[0] };
}

function tellAccepted({ telemetry, announceDue }: FeedCampaignsOptions, call: CallToStore, durationMs: number): void {
  telemetry.emit("batch.accepted", {
    accountId: call.accountId,
    messages: call.messages.length,
    rejected: 0,
    parts: call.messages.reduce((sum, message) => sum + message.parts, 0),
    durationMs,
  });
  if (call.messages.some(({ sendAt }) => sendAt === undefined)) announceDue({ urgent: false });
}

/**
 * Cancels and refunds the messages of a stopped campaign that were not submitted, scheduled or not.
 * Messages in the window of a bind may come back to the queue. So this goes through the rows again
 * until all messages are submitted or ended.
 */
async function cancelStep(tx: Queryable, { id, accountId, fed, canceledTo }: CampaignAtWork): Promise<Step> {
  const after = canceledTo < fed ? canceledTo : 0;
  const { last, messages } = await findRowsToCancel(tx, { id, accountId, after, limit: cancelsAtOnce });
  const canceled = messages.length === 0 ? 0 : await endCanceled(tx, await dequeueUnsubmitted(tx, messages));
  const isPassed = messages.length < cancelsAtOnce || last >= fed;
  const isLast = isPassed && !(await hasUnsubmitted(tx, { id, accountId }));
  await noteCanceled(tx, id, { to: isPassed ? fed : last, canceled, isLast });
  return { goesOn: !isPassed, canceled };
}

type Verdicts = ReturnType<typeof checkRows>;

export const rowsOfStep = 10;

/** The event loop turns between steps. */
export async function checkRowsInSteps(
  plan: CampaignPlan,
  rows: readonly CampaignRow[],
  terms: AccountTerms,
  time?: CallTime,
): Promise<Verdicts> {
  const verdicts: Verdicts = [];
  for (let start = 0; start < rows.length; start += rowsOfStep) {
    verdicts.push(...checkRows(plan, rows.slice(start, start + rowsOfStep), terms, time));
    await setImmediate();
  }
  return verdicts;
}
