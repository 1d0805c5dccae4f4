// Delivery receipts: stored before they are acknowledged, matched to their parts, and applied to
// the messages. Most receipts match a part that this process has just submitted and remembers; the
// others are looked up. An unmatched receipt is parked until its submission is recorded.
import type { DeliveryReceipt } from "../connectors/connector.ts";
import type { OperatorLink } from "../connectors/link-settings.ts";
import { GroupCommitter } from "../platform/group-commit.ts";
import { reportProgress } from "../events/message-ends.ts";
import type { Service } from "../platform/service.ts";
import { failureOf } from "../sms/failure-reason.ts";
import { receiptIdCandidates } from "../sms/message-id-match.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { isRetriable, repeatConflicts } from "../store/database-errors.ts";
import { type Ended, nothingEnded, type PartReport, type PartTaken, recordProgress } from "../store/progress.ts";
import {
  describeReceipt,
  listParkedReceipts,
  matchReceiptsByNumber,
  matchReceiptsExactly,
  matchReceiptsToUnanswered,
  parkReceipts,
  type PartNeverAnswered,
  type ReceiptToApply,
  takeParkedReceipts,
} from "../store/receipts.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import type { PartOfMessage } from "../store/sql-texts.ts";

export interface OwnPart extends PartOfMessage {
  readonly recipient: string;
}

export interface ReceiptGroups {
  readonly connectors: readonly OperatorLink[];
  /** Maps each connector to the others of its receipt group. */
  readonly receiptGroups: ReadonlyMap<number, readonly number[]>;
}

/** What accounts want of the log of events. */
export interface EventsWanted {
  wantedEventsOf(accountId: number): number;
}

/** This process's recent submissions, with the recorder of their outcomes. */
export interface OwnSubmissions {
  /**
   * The parts that the connector's SMSC took under this id, if this node submitted them recently:
   * all of one message.
   */
  findRecent(connectorId: number, smscMessageId: string): readonly OwnPart[];
  /** Drops the parts after their final receipt: nothing more is expected under this id. */
  forget(connectorId: number, smscMessageId: string): void;
  /** Resolves when what one receipt says and everything recorded before it are on disk. */
  recordReports(reports: readonly PartReport[]): Promise<unknown>;
  /**
   * Resolves when every answer to a submit_sm so far is on disk, so that nearly every receipt finds
   * its part.
   */
  flushed(): Promise<unknown>;
  /** Outcomes that wait to be written. */
  readonly backlog: number;
  /** Whether the last attempt to write failed. */
  readonly isFailing: boolean;
}

export interface ReceiptReceiverOptions {
  readonly db: Transactional;
  readonly telemetry: Telemetry;
  readonly submissions: OwnSubmissions;
  readonly directory: { readonly current: ReceiptGroups & EventsWanted };
}

const maximumGroup = 1000;
/**
 * Receipts that may wait for their commit. Receipts beyond it are refused, and the SMSC sends them
 * again.
 */
const maximumBacklog = 20_000;
const parkedPage = 1000;

export class ReceiptReceiver implements Service {
  readonly name = "receipts";
  readonly #options: ReceiptReceiverOptions;
  readonly #committer: GroupCommitter<ReceiptToApply, undefined>;
  /** Position of the slow pass over the older parked receipts. */
  #parkedCursor: bigint | undefined;

  constructor(options: ReceiptReceiverOptions) {
    this.#options = options;
    this.#committer = new GroupCommitter<ReceiptToApply, undefined>({
      commit: (receipts) => this.#save(receipts),
      maximumWeight: maximumGroup,
      isItemFailure: (error) => !isRetriable(error),
    });
  }

  stop(): Promise<void> {
    return this.#committer.drained();
  }

  /**
   * Resolves when the receipt is on disk; rejects when it is not, and the SMSC must send it again.
   */
  receive(connector: OperatorLink, receipt: DeliveryReceipt): Promise<unknown> {
    const { telemetry, submissions } = this.#options;
    const { verdict } = receipt;
    telemetry.emit("receipt.received", { connector: connector.name, verdict });
    if (verdict === "none") return Promise.resolve();
    if (submissions.backlog + this.#committer.backlog >= maximumBacklog)
      return Promise.reject(new Error("too many receipts wait for the database"));
    const parts = this.#findOwn(connector, receipt);
    if (parts.length === 0)
      return this.#committer.add(receiptToApply(connector, receipt, verdict, this.#othersOfGroup(connector.id)));
    // While the database accepts no outcomes, the SMSC keeps the receipt.
    if (submissions.isFailing) return Promise.reject(new Error("the database does not accept outcomes now"));
    const { state, error = null, text: content = "" } = receipt;
    const said = reportOf({ verdict, connectorId: connector.id, state, error, content }, connector.settings);
    // A repetition is looked up in the database, after this one.
    submissions.forget(connector.id, receipt.smscMessageId);
    return submissions.recordReports(parts.map((part) => reportOn(part, said)));
  }

  // Requires the same id text and the same subscriber, so that the database would find the same
  // parts. Does not search the receipt group: an older part under this id of the receipt's own
  // connector would take precedence.
  #findOwn(connector: OperatorLink, { smscMessageId, recipient }: DeliveryReceipt): readonly OwnPart[] {
    if (connector.settings.messageIdFormat !== "auto") return [];
    const own = this.#options.submissions.findRecent(connector.id, smscMessageId);
    return own.every((part) => part.recipient === recipient) ? own : own.filter((part) => part.recipient === recipient);
  }

  #othersOfGroup(connectorId: number): readonly number[] {
    return this.#options.directory.current.receiptGroups.get(connectorId) ?? [];
  }

  #groupPairs(): (readonly [number, number])[] {
    const { receiptGroups } = this.#options.directory.current;
    return [...receiptGroups].flatMap(([id, group]) => group.map((otherId) => [id, otherId] as const));
  }

  /**
   * Matches parked receipts whose submission has been recorded since, and returns how many. Each
   * round reads the newest page, continues while pages match, and then reads one page of the older
   * receipts. Receipts that will never match therefore do not delay others.
   */
  async applyParked(): Promise<number> {
    let page = await this.#applyPage(undefined);
    let applied = page.applied;
    while (page.applied > 0 && page.last !== undefined) {
      page = await this.#applyPage(page.last);
      applied += page.applied;
    }
    const older = this.#parkedCursor ?? page.last;
    if (older !== undefined) {
      page = await this.#applyPage(older);
      applied += page.applied;
      this.#parkedCursor = page.last;
    }
    if (applied > 0) this.#options.telemetry.emit("receipt.applied", { matched: applied, unmatched: 0, late: applied });
    return applied;
  }

  /** Also returns the page's last id, unless there is nothing beyond it. */
  async #applyPage(below: bigint | undefined): Promise<{ applied: number; last: bigint | undefined }> {
    const { db, telemetry } = this.#options;
    const page = await listParkedReceipts(db, { below, limit: parkedPage, group: this.#groupPairs() });
    const last = page.length === parkedPage ? page.at(-1)?.id : undefined;
    const parked = page
      .filter(({ matchable }) => matchable)
      .map((receipt) => ({ ...receipt, group: this.#othersOfGroup(receipt.connectorId) }));
    if (parked.length === 0) return { applied: 0, last };
    const { ended, ...applied } = await db.transaction(async (tx) => {
      const matches = await findMatches(tx, parked);
      const matched = parked.flatMap(({ id }, number) => (matches.has(number) ? [id] : []));
      if (matched.length === 0) return { applied: 0, last, ended: nothingEnded };
      // Another node may have matched the same ones: each is applied by who takes it out.
      const taken = await takeParkedReceipts(tx, matched);
      for (const [number, { id }] of parked.entries()) if (!taken.has(id)) matches.delete(number);
      return { applied: taken.size, last, ended: await this.#apply(tx, parked, matches) };
    });
    reportProgress(telemetry, ended);
    return applied;
  }

  async #save(receipts: readonly ReceiptToApply[]): Promise<undefined[]> {
    const { telemetry, submissions } = this.#options;
    await submissions.flushed();
    const startedAt = performance.now();
    const { parked, ended } = await this.#matchOrPark(receipts);
    reportProgress(telemetry, ended);
    telemetry.emit("commit.group", { room: "receipts", durationMs: performance.now() - startedAt });
    telemetry.emit("receipt.applied", {
      matched: receipts.length - parked.length,
      unmatched: parked.length,
      late: 0,
    });
    return new Array<undefined>(receipts.length).fill(undefined);
  }

  /** Returns the receipts that nothing matches yet. */
  async #matchOrPark(receipts: readonly ReceiptToApply[]): Promise<{ parked: ReceiptToApply[]; ended: Ended }> {
    return repeatConflicts(() =>
      this.#options.db.transaction(async (tx) => {
        const matches = await findMatches(tx, receipts);
        const ended = await this.#apply(tx, receipts, matches);
        const parked = receipts.filter((_, number) => !matches.has(number));
        if (parked.length > 0) await parkReceipts(tx, parked);
        return { parked, ended };
      }),
    );
  }

  async #apply(
    tx: Queryable,
    receipts: readonly ReceiptToApply[],
    matches: ReadonlyMap<number, readonly MatchedPart[]>,
  ): Promise<Ended> {
    const directory = this.#options.directory.current;
    const settingsOf = (id: number) => directory.connectors.find((each) => each.id === id)?.settings;
    const reports: PartReport[] = [];
    const taken: PartTaken[] = [];
    receipts.forEach((receipt, number) => {
      const said = reportOf(receipt, settingsOf(receipt.connectorId));
      for (const matched of matches.get(number) ?? []) {
        const proved = provedBy(receipt, matched);
        if (proved) taken.push(proved);
        reports.push(reportOn(matched, said));
      }
    });
    if (reports.length === 0) return nothingEnded;
    return recordProgress(tx, { taken, reports }, (accountId) => directory.wantedEventsOf(accountId));
  }
}

function receiptToApply(
  { id: connectorId, settings: { messageIdFormat } }: OperatorLink,
  { smscMessageId, recipient, isRecipientUnsure = false, state, error, text }: DeliveryReceipt,
  verdict: PartReport["verdict"],
  group: readonly number[],
): ReceiptToApply {
  return {
    connectorId,
    smscMessageId,
    keys: receiptIdCandidates(smscMessageId, messageIdFormat),
    exact: messageIdFormat === "auto",
    recipient,
    isRecipientUnsure,
    group,
    verdict,
    state,
    error: error ?? null,
    content: text ?? "",
  };
}

type MatchedPart = PartOfMessage | PartNeverAnswered;

/** What the receipt says about each of its parts. */
function reportOf(
  receipt: Pick<ReceiptToApply, "verdict" | "connectorId" | "state" | "error" | "content" | "receivedAt">,
  settings: Pick<OperatorLink["settings"], "receiptErrors"> | undefined,
): Omit<PartReport, keyof PartOfMessage> {
  const { verdict, connectorId, state, error, content, receivedAt } = receipt;
  const isUndelivered = verdict === "undelivered";
  return {
    verdict,
    detail: isUndelivered ? describeReceipt(receipt) : "",
    failure: isUndelivered ? failureOf(settings?.receiptErrors ?? {}, error) : undefined,
    receipt: { connectorId, state, error: error ?? "", content: content ?? "", receivedAt },
  };
}

// Key by key: a spread takes several times as long.
function reportOn({ accountId, messageId, part }: PartOfMessage, said: ReturnType<typeof reportOf>): PartReport {
  const { verdict, detail, failure, receipt } = said;
  return { accountId, messageId, part, verdict, detail, failure, receipt };
}

/** The id of a part that was never answered is kept: a repetition speaks of the same part. */
function provedBy({ keys: [smscIdKey], smscMessageId }: ReceiptToApply, part: MatchedPart): PartTaken | undefined {
  if (smscIdKey === undefined || !("connectorId" in part)) return undefined;
  const { accountId, messageId, part: number, connectorId, recipient } = part;
  return { accountId, messageId, part: number, connectorId, recipient, smscIdKey, smscMessageId, byReceipt: true };
}

/** Without those that repeat an earlier one of them. What has no id repeats nothing. */
function firstOfEach(receipts: readonly ReceiptToApply[]): ReadonlySet<ReceiptToApply> {
  const firsts = new Map<string | ReceiptToApply, ReceiptToApply>();
  for (const receipt of receipts) {
    const { keys, recipient, smscMessageId } = receipt;
    const id = keys.length === 0 ? receipt : `${recipient} ${smscMessageId}`;
    if (!firsts.has(id)) firsts.set(id, receipt);
  }
  return new Set(firsts.values());
}

/**
 * Matches by exact text first, then by equal numbers, then by the only part to that subscriber that
 * was never answered. A receipt speaks of every part of the message that the SMSC gave its id.
 */
async function findMatches(
  tx: Queryable,
  receipts: readonly ReceiptToApply[],
): Promise<Map<number, readonly MatchedPart[]>> {
  const matches = new Map<number, readonly MatchedPart[]>();
  const firsts = firstOfEach(receipts);
  const stages = [
    { match: matchReceiptsExactly, suits: (receipt: ReceiptToApply) => receipt.exact },
    { match: matchReceiptsByNumber, suits: (receipt: ReceiptToApply) => receipt.keys.length > 0 },
    {
      match: matchReceiptsToUnanswered,
      suits: (receipt: ReceiptToApply) => receipt.recipient !== "" && firsts.has(receipt),
    },
  ];
  for (const { match, suits } of stages) {
    const open = receipts
      .map((receipt, number) => ({ receipt, number }))
      .filter(({ receipt, number }) => !matches.has(number) && suits(receipt));
    if (open.length === 0) continue;
    const found = await match(
      tx,
      open.map(({ receipt }) => receipt),
    );
    for (const [index, parts] of found) {
      const entry = open[index];
      if (entry) matches.set(entry.number, parts);
    }
  }
  return matches;
}
