// Accepts send calls: load → decide → save, then answer. A message answered as accepted is
// committed to disk.
import type { Account } from "../directory/directory.ts";
import type { Service } from "../platform/service.ts";
import type { MessagePriority } from "../sms/message-status.ts";
import { type MessageDraft, prepareMessages, type RejectedMessage } from "../sms/prepare-message.ts";
import { findKeptAnswers } from "../store/idempotency-keys.ts";
import { lockAccounts, type Verdict, withTextHashes } from "./account-funds.ts";
import type { AcceptedBatch } from "./assemble-call.ts";
import { type CallFate, type KeyReplay, replayOf, type RequestKey } from "./commit-attempt.ts";
import { CallCommitter, type CallCommitterOptions } from "./commit-calls.ts";

export type { RequestKey } from "./commit-attempt.ts";

export interface AcceptRequest {
  readonly account: Account;
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  readonly priority: MessagePriority;
  /** With what a repetition of the call is answered, in the words of the caller. */
  readonly idempotency?: (RequestKey & { readonly answerOf: (batch: AcceptedBatch) => string }) | undefined;
}

export type AcceptResult =
  /** `answer`: what is kept under the key, if there is one. */
  | { readonly kind: "accepted"; readonly batch: AcceptedBatch; readonly answer?: string }
  | { readonly kind: "refused"; readonly messages: readonly RejectedMessage[] }
  | { readonly kind: "keyBusy" }
  | { readonly kind: "overloaded"; readonly retryAfterSeconds: number }
  | KeyReplay;

export interface IntakeOptions extends CallCommitterOptions {
  /** Limit of messages that wait for their commit. Further calls are answered 503. */
  readonly queueLimit: number;
}

/** How long a call waits for another one with the same idempotency key. */
const keyWaitMs = 5000;

export class Intake implements Service {
  readonly name = "intake";
  readonly #options: IntakeOptions;
  readonly #committer: CallCommitter;
  readonly #keysUnderWay = new Map<string, Promise<AcceptResult>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#committer = new CallCommitter(options);
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

  /** What an earlier call with this key was answered; undefined if no call has it. */
  async replay(accountId: number, request: RequestKey): Promise<KeyReplay | undefined> {
    const { db, idempotencyHours } = this.#options;
    const [kept] = await findKeptAnswers(db, [{ accountId, key: request.key }], idempotencyHours);
    return kept && replayOf(kept, request);
  }

  /** The answer that a send would give now. Nothing is stored or charged. */
  async preview(account: Account, drafts: readonly MessageDraft[], sendAt?: Date): Promise<readonly Verdict[]> {
    const verdicts = this.#prepare(account, drafts, sendAt);
    return this.#options.db.transaction(async (tx) => {
      const accounts = await lockAccounts(tx, [{ account, verdicts }]);
      return accounts.get(account.id)?.judge(verdicts) ?? verdicts;
    });
  }

  // One call at a time runs under a key in this process; between processes the key's row decides
  // (see replay).
  async #acceptUnderKey(request: AcceptRequest, { key }: { key: string }): Promise<AcceptResult> {
    const slot = `${String(request.account.id)}/${key}`;
    const deadline = performance.now() + keyWaitMs;
    for (let ahead = this.#keysUnderWay.get(slot); ahead !== undefined; ahead = this.#keysUnderWay.get(slot)) {
      const ended = await settledWithin(ahead, deadline - performance.now());
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

  async #acceptOnce({ account, drafts, sendAt, priority, idempotency }: AcceptRequest): Promise<AcceptResult> {
    const startedAt = performance.now();
    const verdicts = this.#prepare(account, drafts, sendAt);
    const rejected: RejectedMessage[] = [];
    for (const verdict of verdicts) if (verdict.kind === "rejected") rejected.push(verdict);
    if (idempotency === undefined && rejected.length === verdicts.length) return this.#refuse(account, rejected);
    let fate: CallFate;
    // A void call is tried again as it is, under new ids.
    do fate = await this.#committer.add({ account, verdicts, priority, idempotency });
    while (fate.kind === "void");
    if (fate.kind === "refused") return this.#refuse(account, fate.messages);
    if (fate.kind !== "accepted") return fate;
    const { batch, call } = fate;
    let parts = 0;
    for (const message of call.messages) parts += message.parts;
    this.#options.telemetry.emit("batch.accepted", {
      accountId: account.id,
      messages: call.messages.length,
      rejected: batch.messages.length - call.messages.length,
      parts,
      durationMs: performance.now() - startedAt,
    });
    return fate;
  }

  #prepare(account: Account, drafts: readonly MessageDraft[], sendAt: Date | undefined): readonly Verdict[] {
    const now = new Date(this.#options.db.clock.now());
    const verdicts = prepareMessages(drafts, account.terms, { now, sendAt });
    return account.limits.duplicateSeconds === 0 ? verdicts : withTextHashes(account, verdicts);
  }

  #refuse(account: Account, messages: readonly RejectedMessage[]): AcceptResult {
    this.#options.telemetry.emit("batch.refused", {
      accountId: account.id,
      errorCode: messages[0]?.faults[0].code ?? 1003,
    });
    return { kind: "refused", messages };
  }
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
