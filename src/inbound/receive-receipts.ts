// Delivery receipts: on disk before they are acknowledged, matched to their parts, folded into the messages. A receipt that nothing matches
// yet is kept; whichever of receipt and answer comes second makes the match.
import type { DeliveryReceipt } from "../connectors/connector.ts";
import type { Connector } from "../directory/directory.ts";
import { GroupCommitter } from "../group-commit.ts";
import type { Service } from "../service.ts";
import { receiptIdCandidates } from "../sms/message-id-match.ts";
import { messageStatus, receiptVerdict } from "../sms/message-status.ts";
import type { Database, Queryable } from "../store/database.ts";
import { DatabaseUnavailable, TransactionConflict } from "../store/database-errors.ts";
import { idRange } from "../store/outcomes.ts";
import {
  applyPartReports,
  applyPlainReceipts,
  deleteParkedReceipts,
  describeReceipt,
  listParkedReceipts,
  matchReceiptsByNumber,
  matchReceiptsExactly,
  matchReceiptsToUnanswered,
  parkReceipts,
  type PartOfMessage,
  type PartReport,
  type ReceiptToApply,
} from "../store/receipts.ts";
import type { Telemetry } from "../telemetry.ts";
import { uuidFloor } from "../uuid.ts";

export interface ReceiptReceiverOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Resolves when every answer to a submit_sm that has come in is on disk: a receipt seldom finds nothing then. */
  readonly outcomesFlushed: () => Promise<unknown>;
}

const maximumGroup = 1000;
/** Messages accepted longer ago than this are looked for more thoroughly: few receipts speak of them. */
const plainAgeMs = 3 * 24 * 3600 * 1000;
/** Receipts that may wait for their commit; the SMSC keeps what comes beyond and sends it again. */
const maximumBacklog = 20_000;
const parkedPage = 1000;
const conflictAttempts = 5;

export class ReceiptReceiver implements Service {
  readonly name = "receipts";
  readonly #options: ReceiptReceiverOptions;
  readonly #committer: GroupCommitter<ReceiptToApply, undefined>;
  /** How far the slow pass over the older parked receipts has come. */
  #parkedCursor: bigint | undefined;

  constructor(options: ReceiptReceiverOptions) {
    this.#options = options;
    this.#committer = new GroupCommitter<ReceiptToApply, undefined>({
      commit: (receipts) => this.#save(receipts),
      weigh: () => 1,
      maximumWeight: maximumGroup,
      concurrency: 1,
      isItemFailure: (error) => !(error instanceof DatabaseUnavailable || error instanceof TransactionConflict),
    });
  }

  async start(): Promise<void> {
    // Driven by what comes in.
  }

  stop(): Promise<void> {
    return this.#committer.drained();
  }

  /** Resolves when the receipt is on disk; rejects when it is not, and the SMSC must send it again. */
  async receive(connector: Connector, receipt: DeliveryReceipt): Promise<void> {
    const verdict = receiptVerdict(receipt.state);
    this.#options.telemetry.emit("receipt.received", { connector: connector.name, verdict });
    if (this.#committer.backlog >= maximumBacklog) throw new Error("too many receipts wait for the database");
    const { messageIdFormat } = connector.settings;
    await this.#committer.add({
      connectorId: connector.id,
      smscMessageId: receipt.smscMessageId,
      keys: receiptIdCandidates(receipt.smscMessageId, messageIdFormat),
      exact: messageIdFormat === "auto",
      recipient: receipt.recipient,
      verdict,
      state: receipt.state,
      error: receipt.error ?? null,
    });
  }

  /**
   * Matches parked receipts whose submission has been recorded since. Answers how many it could. Looks at the latest page in each round, goes on as
   * long as that is fruitful, and then takes one page of the rest: what no submission will ever fit must not keep others waiting.
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

  /** Answers also the page's last id, unless nothing lies beyond it. */
  async #applyPage(below: bigint | undefined): Promise<{ applied: number; last: bigint | undefined }> {
    return this.#options.db.transaction(async (tx) => {
      const page = await listParkedReceipts(tx, { below, limit: parkedPage });
      const last = page.length === parkedPage ? page.at(-1)?.id : undefined;
      const parked = page.filter(({ matchable }) => matchable);
      if (parked.length === 0) return { applied: 0, last };
      const matches = await findMatches(tx, parked);
      const matched = parked.filter((_, number) => matches.has(number));
      if (matched.length === 0) return { applied: 0, last };
      await this.#apply(tx, parked, matches);
      await deleteParkedReceipts(
        tx,
        matched.map((receipt) => receipt.id),
      );
      return { applied: matched.length, last };
    });
  }

  async #save(receipts: readonly ReceiptToApply[]): Promise<undefined[]> {
    const { telemetry, outcomesFlushed } = this.#options;
    await outcomesFlushed();
    const startedAt = performance.now();
    const unmatched = await this.#store(receipts.filter((receipt) => receipt.verdict !== "none"));
    telemetry.emit("commit.group", {
      room: "receipts",
      rows: receipts.length,
      durationMs: performance.now() - startedAt,
    });
    telemetry.emit("receipt.applied", { matched: receipts.length - unmatched, unmatched, late: 0 });
    return new Array<undefined>(receipts.length).fill(undefined);
  }

  /** Answers how many receipts nothing matches yet. */
  async #store(receipts: readonly ReceiptToApply[]): Promise<number> {
    const rest = await this.#applyPlain(receipts);
    return rest.length === 0 ? 0 : this.#matchOrPark(rest);
  }

  /** Answers the receipts that need more than one look. */
  async #applyPlain(receipts: readonly ReceiptToApply[]): Promise<readonly ReceiptToApply[]> {
    const plain = receipts.filter(({ exact }) => exact);
    if (plain.length === 0) return receipts;
    const { matched, statuses } = await applyPlainReceipts(this.#options.db, plain, uuidFloor(Date.now() - plainAgeMs));
    this.#tellEnds(statuses);
    const done = new Set(matched.map((index) => plain[index]));
    return receipts.filter((receipt) => !done.has(receipt));
  }

  async #matchOrPark(receipts: readonly ReceiptToApply[]): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#options.db.transaction(async (tx) => {
          const matches = await findMatches(tx, receipts);
          await this.#apply(tx, receipts, matches);
          const lonely = receipts.filter((_, number) => !matches.has(number));
          if (lonely.length > 0) await parkReceipts(tx, lonely);
          return lonely.length;
        });
      } catch (error) {
        if (!(error instanceof TransactionConflict) || attempt >= conflictAttempts) throw error;
      }
    }
  }

  async #apply(
    tx: Queryable,
    receipts: readonly ReceiptToApply[],
    matches: ReadonlyMap<number, PartOfMessage>,
  ): Promise<void> {
    const reports: PartReport[] = [];
    receipts.forEach((receipt, number) => {
      const part = matches.get(number);
      if (part === undefined || receipt.verdict === "none") return;
      reports.push({ ...part, verdict: receipt.verdict, detail: describeReceipt(receipt) });
    });
    if (reports.length === 0) return;
    this.#tellEnds(await applyPartReports(tx, reports, idRange(reports)));
  }

  #tellEnds(statuses: readonly number[]): void {
    for (const status of [messageStatus.delivered, messageStatus.undelivered]) {
      const count = statuses.filter((changed) => changed === status).length;
      if (count > 0) this.#options.telemetry.emit("message.ended", { status, count });
    }
  }
}

/** The exact text first, then equal numbers, then the one part to that subscriber that was never answered. */
async function findMatches(tx: Queryable, receipts: readonly ReceiptToApply[]): Promise<Map<number, PartOfMessage>> {
  const matches = new Map<number, PartOfMessage>();
  const stages = [
    { match: matchReceiptsExactly, suits: (receipt: ReceiptToApply) => receipt.exact },
    { match: matchReceiptsByNumber, suits: (receipt: ReceiptToApply) => receipt.keys.length > 0 },
    {
      match: matchReceiptsToUnanswered,
      suits: (receipt: ReceiptToApply) => receipt.recipient !== "",
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
    for (const [index, part] of found) {
      const entry = open[index];
      if (entry) matches.set(entry.number, part);
    }
  }
  return matches;
}
