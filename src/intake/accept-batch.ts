// Accepts send calls: load → decide → save, then answer. A message answered as accepted is
// committed to disk.
import type { Account } from "../directory/directory.ts";
import type { Service } from "../service.ts";
import { fault } from "../sms/fault.ts";
import {
  type MessageDraft,
  type PreparedMessage,
  prepareMessages,
  type RejectedMessage,
} from "../sms/prepare-message.ts";
import type { CallToStore } from "../store/accept-messages.ts";
import { findIdempotentAnswer } from "../store/idempotency-keys.ts";
import { findSpendableCredit } from "../store/ledger.ts";
import { chooseAffordable } from "./affordable.ts";
import { type AcceptedBatch, assembleBatch, messageToStore } from "./assemble-call.ts";
import { CallCommitter, type CallCommitterOptions } from "./commit-calls.ts";

export interface AcceptRequest {
  readonly account: Account;
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  /** 0 one-time codes (template sends), 1 single calls, 2 multi-message calls. */
  readonly priority: 0 | 1 | 2;
  readonly idempotency?: { readonly key: string; readonly fingerprint: Buffer } | undefined;
  /** The body of the 200 answer, which an idempotency key stores unchanged. */
  readonly render: (batch: AcceptedBatch) => string;
}

export type AcceptResult =
  | { readonly kind: "accepted"; readonly body: string; readonly replayed: boolean }
  | { readonly kind: "refused"; readonly messages: readonly RejectedMessage[] }
  | { readonly kind: "keyBusy" }
  | { readonly kind: "keyReused" }
  | { readonly kind: "overloaded"; readonly retryAfterSeconds: number };

export interface IntakeOptions extends CallCommitterOptions {
  /** Limit of messages that wait for their commit. Further calls are answered 503. */
  readonly queueLimit: number;
  /** Validity of a message if its template sets none. */
  readonly validitySeconds: number;
}

/** How long a call waits for another one with the same idempotency key (decisions §4). */
const keyWaitMs = 5000;

/** How often a call is judged again if other calls spend the account's credit meanwhile. */
const maximumCreditTries = 100;

type Verdict = PreparedMessage | RejectedMessage;

export class Intake implements Service {
  readonly name = "intake";
  readonly #options: IntakeOptions;
  readonly #committer: CallCommitter;
  readonly #keysUnderWay = new Map<string, Promise<AcceptResult>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#committer = new CallCommitter(options);
  }

  async start(): Promise<void> {
    // There is no background work: calls drive this service.
  }

  stop(): Promise<void> {
    return this.#committer.drained();
  }

  /** Messages that wait for their commit. */
  get backlog(): number {
    return this.#committer.backlog;
  }

  /** Judges and stores one call. Throws only errors of the database. */
  accept(request: AcceptRequest): Promise<AcceptResult> {
    if (this.#committer.backlog > this.#options.queueLimit)
      return Promise.resolve({ kind: "overloaded", retryAfterSeconds: 1 });
    if (request.idempotency === undefined) return this.#acceptOnce(request);
    return this.#acceptUnderKey(request, request.idempotency);
  }

  /** The answer that a send would give now. Nothing is stored or charged. */
  async preview(account: Account, drafts: readonly MessageDraft[]): Promise<Verdict[]> {
    return withinCredit(
      prepareMessages(drafts, account.terms),
      await findSpendableCredit(this.#options.db, account.id),
    );
  }

  // One call at a time runs under a key in this process; between processes the key's row decides
  // (see #replay).
  async #acceptUnderKey(request: AcceptRequest, { key }: { key: string }): Promise<AcceptResult> {
    const slot = `${String(request.account.id)}/${key}`;
    const deadline = Date.now() + keyWaitMs;
    for (let ahead = this.#keysUnderWay.get(slot); ahead !== undefined; ahead = this.#keysUnderWay.get(slot)) {
      const ended = await settledWithin(ahead, deadline - Date.now());
      if (!ended) return { kind: "keyBusy" };
    }
    const run = this.#acceptOnce(request);
    this.#keysUnderWay.set(slot, run);
    try {
      return await run;
    } finally {
      this.#keysUnderWay.delete(slot);
    }
  }

  async #acceptOnce(request: AcceptRequest): Promise<AcceptResult> {
    const kept = request.idempotency && (await this.#replay(request));
    if (kept) return kept;
    const { account } = request;
    const startedAt = performance.now();
    let verdicts: readonly Verdict[] = prepareMessages(request.drafts, account.terms);
    for (let attempt = 1; attempt <= maximumCreditTries; attempt += 1) {
      const prepared = verdicts.filter((verdict) => verdict.kind === "prepared");
      if (prepared.length === 0) return this.#refuse(account, verdicts);
      const { batch, call } = this.#assemble(request, verdicts);
      const fate = await this.#committer.add(call);
      if (fate === "stored") return this.#announce(batch, call, startedAt);
      if (fate === "keyTaken") return (await this.#replay(request)) ?? { kind: "keyBusy" };
      verdicts = withinCredit(verdicts, await findSpendableCredit(this.#options.db, account.id));
    }
    return { kind: "overloaded", retryAfterSeconds: 1 };
  }

  async #replay({ account, idempotency }: AcceptRequest): Promise<AcceptResult | undefined> {
    if (idempotency === undefined) return undefined;
    const { db, idempotencyHours } = this.#options;
    const kept = await findIdempotentAnswer(db, { accountId: account.id, key: idempotency.key, idempotencyHours });
    if (kept === undefined) return undefined;
    if (!kept.fingerprint.equals(idempotency.fingerprint)) return { kind: "keyReused" };
    return { kind: "accepted", body: kept.answer, replayed: true };
  }

  #refuse(account: Account, verdicts: readonly Verdict[]): AcceptResult {
    const messages = verdicts.filter((verdict) => verdict.kind === "rejected");
    this.#options.telemetry.emit("batch.refused", {
      accountId: account.id,
      errorCode: messages[0]?.faults[0].code ?? 1003,
    });
    return { kind: "refused", messages };
  }

  #assemble(request: AcceptRequest, verdicts: readonly Verdict[]): { batch: AcceptedBatch; call: CallToStore } {
    const batch = assembleBatch(verdicts);
    const { batchId, messages } = batch;
    const accepted = messages.filter((message) => message.kind === "prepared");
    const call: CallToStore = {
      accountId: request.account.id,
      batchId,
      total: accepted.reduce((sum, message) => sum + message.cost, 0n),
      priority: request.priority,
      sendAt: request.sendAt,
      idempotency: request.idempotency,
      answer: request.render(batch),
      messages: accepted.map((message) => messageToStore(message, this.#options.validitySeconds)),
    };
    return { batch, call };
  }

  #announce(batch: AcceptedBatch, call: CallToStore, startedAt: number): AcceptResult {
    this.#options.telemetry.emit("batch.accepted", {
      accountId: call.accountId,
      messages: call.messages.length,
      rejected: batch.messages.length - call.messages.length,
      parts: call.messages.reduce((sum, message) => sum + message.parts, 0),
      durationMs: performance.now() - startedAt,
    });
    return { kind: "accepted", body: call.answer, replayed: false };
  }
}

/** Turns prepared messages that the credit does not cover into rejected ones (1201). */
function withinCredit(verdicts: readonly Verdict[], credit: bigint | "unlimited"): Verdict[] {
  const prepared = verdicts.filter((verdict) => verdict.kind === "prepared");
  const covered = chooseAffordable(
    prepared.map((message) => message.cost),
    credit,
  );
  const uncovered = new Set<Verdict>(prepared.filter((_, index) => covered[index] === false));
  return verdicts.map((verdict) => {
    if (!uncovered.has(verdict) || verdict.kind === "rejected") return verdict;
    const { senderNumber, recipientNumber, content } = verdict;
    return { kind: "rejected", senderNumber, recipientNumber, content, faults: [fault("credit.insufficient")] };
  });
}

/** Whether the promise resolves or rejects within the time. */
async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  if (ms <= 0) return false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
