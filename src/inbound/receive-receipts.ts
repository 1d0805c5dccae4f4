// Delivery receipts: on disk before they are acknowledged, matched to their parts, folded into the messages. A receipt that nothing matches
// yet is kept; whichever of receipt and answer comes second makes the match.
import type { DeliveryReceipt } from "../connectors/connector.ts";
import type { Connector } from "../directory/directory.ts";
import { GroupCommitter } from "../group-commit.ts";
import type { Service } from "../service.ts";
import { receiptIdCandidates } from "../sms/message-id-match.ts";
import { receiptVerdict } from "../sms/message-status.ts";
import type { Database, Queryable } from "../store/database.ts";
import { idRange } from "../store/outcomes.ts";
import {
  applyPartReports,
  deleteParkedReceipts,
  findMatchableParkedReceipts,
  matchReceiptsByNumber,
  matchReceiptsExactly,
  matchReceiptsToUnanswered,
  parkReceipts,
  type PartOfMessage,
  type PartReport,
  type ReceiptToApply,
} from "../store/receipts.ts";
import type { Telemetry } from "../telemetry.ts";

export interface ReceiptReceiverOptions {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Resolves when every answer to a submit_sm that has come in is on disk: a receipt seldom finds nothing then. */
  readonly outcomesFlushed: () => Promise<unknown>;
}

const maximumGroup = 1000;
/** Receipts that may wait for their commit; the SMSC keeps what comes beyond and sends it again. */
const maximumBacklog = 20_000;
const parkedBatch = 1000;

/** Part of a receipt's match: by its id, or as the only unanswered part it can speak of. */
interface Match {
  readonly part: PartOfMessage;
  readonly unanswered: boolean;
}

export class ReceiptReceiver implements Service {
  readonly name = "receipts";
  readonly #options: ReceiptReceiverOptions;
  readonly #committer: GroupCommitter<ReceiptToApply, undefined>;

  constructor(options: ReceiptReceiverOptions) {
    this.#options = options;
    this.#committer = new GroupCommitter<ReceiptToApply, undefined>({
      commit: (receipts) => this.#save(receipts),
      weigh: () => 1,
      maximumWeight: maximumGroup,
      concurrency: 1,
      isItemFailure: () => false,
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

  /** Matches parked receipts whose submission has been recorded since. Answers how many it could. */
  async applyParked(): Promise<number> {
    const applied = await this.#options.db.transaction(async (tx) => {
      const parked = await findMatchableParkedReceipts(tx, parkedBatch);
      if (parked.length === 0) return 0;
      const matches = await findMatches(tx, parked);
      const matched = parked.filter((_, number) => matches.has(number));
      await this.#apply(tx, parked, matches);
      if (matched.length > 0)
        await deleteParkedReceipts(
          tx,
          matched.map((receipt) => receipt.id),
        );
      return matched.length;
    });
    if (applied > 0) this.#options.telemetry.emit("receipt.applied", { matched: applied, unmatched: 0, late: applied });
    return applied;
  }

  async #save(receipts: readonly ReceiptToApply[]): Promise<undefined[]> {
    const { db, telemetry, outcomesFlushed } = this.#options;
    await outcomesFlushed();
    const startedAt = performance.now();
    const unmatched = await db.transaction(async (tx) => {
      const telling = receipts.filter((receipt) => receipt.verdict !== "none");
      if (telling.length === 0) return 0;
      const matches = await findMatches(tx, telling);
      await this.#apply(tx, telling, matches);
      const lonely = telling.filter((_, number) => !matches.has(number));
      if (lonely.length > 0) await parkReceipts(tx, lonely);
      return lonely.length;
    });
    telemetry.emit("commit.group", {
      room: "receipts",
      rows: receipts.length,
      durationMs: performance.now() - startedAt,
    });
    telemetry.emit("receipt.applied", { matched: receipts.length - unmatched, unmatched, late: 0 });
    return new Array<undefined>(receipts.length).fill(undefined);
  }

  async #apply(tx: Queryable, receipts: readonly ReceiptToApply[], matches: ReadonlyMap<number, Match>): Promise<void> {
    const reports: PartReport[] = [];
    receipts.forEach((receipt, number) => {
      const match = matches.get(number);
      if (match === undefined || receipt.verdict === "none") return;
      const detail = receipt.error === null ? receipt.state : `${receipt.state} ${receipt.error}`;
      reports.push({ ...match.part, verdict: receipt.verdict, detail, unanswered: match.unanswered });
    });
    if (reports.length === 0) return;
    const statuses = await applyPartReports(tx, reports, idRange(reports));
    for (const status of [2, 3]) {
      const count = statuses.filter((changed) => changed === status).length;
      if (count > 0) this.#options.telemetry.emit("message.ended", { status, count });
    }
  }
}

/** The exact text first, then equal numbers, then the one part to that subscriber that was never answered. */
async function findMatches(tx: Queryable, receipts: readonly ReceiptToApply[]): Promise<Map<number, Match>> {
  const matches = new Map<number, Match>();
  const stages = [
    { match: matchReceiptsExactly, suits: (receipt: ReceiptToApply) => receipt.exact, unanswered: false },
    { match: matchReceiptsByNumber, suits: (receipt: ReceiptToApply) => receipt.keys.length > 0, unanswered: false },
    {
      match: matchReceiptsToUnanswered,
      suits: (receipt: ReceiptToApply) => receipt.recipient !== "",
      unanswered: true,
    },
  ];
  for (const { match, suits, unanswered } of stages) {
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
      if (entry) matches.set(entry.number, { part, unanswered });
    }
  }
  return matches;
}
