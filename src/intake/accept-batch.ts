// Accepts send calls: load → decide → save, then answer. A message answered as accepted is
// committed to disk.
import type { Account } from "../directory/directory.ts";
import type { Service } from "../platform/service.ts";
import { messagePriority, type MessagePriority } from "../sms/message-priority.ts";
import {
  type MessageDraft,
  type PreparedMessage,
  prepareMessages,
  type RejectedMessage,
} from "../sms/prepare-message.ts";
import type { CallToStore } from "../store/calls-to-store.ts";
import { findIdempotentAnswer } from "../store/idempotency-keys.ts";
import { type AcceptedBatch, assembleBatch, messageToStore } from "./assemble-call.ts";
import { CallCommitter, type CallCommitterOptions } from "./commit-calls.ts";
import { isLimited, judgeAlone, judgeByUsage, type UsagePlace, withTextHashes } from "./judge-usage.ts";

/** An idempotency key, and what tells its call from another one. */
export interface RequestKey {
  readonly key: string;
  readonly fingerprint: Buffer;
}

export interface AcceptRequest {
  readonly account: Account;
  readonly drafts: readonly MessageDraft[];
  readonly sendAt?: Date | undefined;
  readonly priority: MessagePriority;
  /** With what a repetition of the call is answered, in the words of the caller. */
  readonly idempotency?: (RequestKey & { readonly answerOf: (batch: AcceptedBatch) => string }) | undefined;
}

/** `answer`: what the first call with the key kept, unchanged. */
type Replay = { readonly kind: "replayed"; readonly answer: string } | { readonly kind: "keyReused" };

export type AcceptResult =
  /** `answer`: what is kept under the key, if there is one. */
  | { readonly kind: "accepted"; readonly batch: AcceptedBatch; readonly answer?: string }
  | { readonly kind: "refused"; readonly messages: readonly RejectedMessage[] }
  | { readonly kind: "keyBusy" }
  | { readonly kind: "overloaded"; readonly retryAfterSeconds: number }
  | Replay;

export interface IntakeOptions extends CallCommitterOptions {
  /** Limit of messages that wait for their commit. Further calls are answered 503. */
  readonly queueLimit: number;
  /** Validity of a message if its template sets none. */
  readonly validitySeconds: number;
}

/** How long a call waits for another one with the same idempotency key (decisions §4). */
const keyWaitMs = 5000;

/** How often a call is judged again if other calls spend the account's credit meanwhile. */
const maximumTries = 100;

type Verdict = PreparedMessage | RejectedMessage;

export class Intake implements Service {
  readonly name = "intake";
  readonly #options: IntakeOptions;
  readonly #committer: CallCommitter;
  readonly #keysUnderWay = new Map<string, Promise<AcceptResult>>();
  readonly #usage: UsagePlace;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#committer = new CallCommitter(options);
    this.#usage = { db: options.db, inTransaction: (work) => options.db.transaction(work) };
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

  get #now(): Date {
    return new Date(this.#options.db.clock.now());
  }

  /** Judges and stores one call. Throws only errors of the database. */
  accept(request: AcceptRequest): Promise<AcceptResult> {
    if (this.#committer.backlog > this.#options.queueLimit)
      return Promise.resolve({ kind: "overloaded", retryAfterSeconds: 1 });
    if (request.idempotency === undefined) return this.#acceptOnce(request);
    return this.#acceptUnderKey(request, request.idempotency);
  }

  /** What an earlier call with this key was answered; undefined if no call has it. */
  async replay(accountId: number, { key, fingerprint }: RequestKey): Promise<Replay | undefined> {
    const { db, idempotencyHours } = this.#options;
    const kept = await findIdempotentAnswer(db, { accountId, key, idempotencyHours });
    if (kept === undefined) return undefined;
    if (!kept.fingerprint.equals(fingerprint)) return { kind: "keyReused" };
    return { kind: "replayed", answer: kept.answer };
  }

  /** The answer that a send would give now. Nothing is stored or charged. */
  async preview(account: Account, drafts: readonly MessageDraft[], sendAt?: Date): Promise<readonly Verdict[]> {
    const prepared = prepareMessages(drafts, account.terms, { now: this.#now, sendAt });
    const { verdicts } = await judgeByUsage(this.#usage, account, withTextHashes(account, prepared));
    return verdicts;
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

  async #acceptOnce(request: AcceptRequest): Promise<AcceptResult> {
    const { account, idempotency } = request;
    const kept = idempotency && (await this.replay(account.id, idempotency));
    if (kept) return kept;
    const startedAt = performance.now();
    const prepared = withTextHashes(
      account,
      prepareMessages(request.drafts, account.terms, { now: this.#now, sendAt: request.sendAt }),
    );
    let verdicts = judgeAlone(account, prepared);
    for (let attempt = 1; attempt <= maximumTries; attempt += 1) {
      if (!verdicts.some(({ kind }) => kind === "prepared")) {
        // What it lacks now may have been used up by the same call, which came to another node.
        const repeated = attempt > 1 && idempotency ? await this.replay(account.id, idempotency) : undefined;
        return repeated ?? this.#refuse(account, verdicts);
      }
      const { batch, call } = this.#assemble(request, verdicts, attempt === 1);
      const fate = await this.#committer.add(call);
      if (fate === "stored") return this.#announce(batch, call, startedAt);
      if (fate === "keyTaken")
        return (idempotency && (await this.replay(account.id, idempotency))) ?? { kind: "keyBusy" };
      // A void call is tried again as it is, under new ids.
      if (fate === "unaffordable") verdicts = await this.#judgeAnew(account, prepared);
    }
    return { kind: "overloaded", retryAfterSeconds: 1 };
  }

  async #judgeAnew(account: Account, prepared: readonly Verdict[]): Promise<readonly Verdict[]> {
    const { db } = this.#options;
    const askedAt = performance.now();
    const { verdicts, now } = await judgeByUsage(this.#usage, account, prepared);
    // The next try counts by the day and month of the database.
    if (now !== undefined) db.clock.heard(now, askedAt);
    return verdicts;
  }

  #refuse(account: Account, verdicts: readonly Verdict[]): AcceptResult {
    const messages = verdicts.filter((verdict) => verdict.kind === "rejected");
    this.#options.telemetry.emit("batch.refused", {
      accountId: account.id,
      errorCode: messages[0]?.faults[0].code ?? 1003,
    });
    return { kind: "refused", messages };
  }

  #assemble(
    { account, priority, idempotency }: AcceptRequest,
    verdicts: readonly Verdict[],
    isFirstTry: boolean,
  ): { batch: AcceptedBatch; call: CallToStore } {
    const batch = assembleBatch(verdicts, this.#options.db.clock.now());
    const { batchId, messages } = batch;
    const accepted = messages.filter((message) => message.kind === "prepared");
    const call: CallToStore = {
      accountId: account.id,
      batchId,
      total: accepted.reduce((sum, message) => sum + message.cost, 0n),
      priority: isInformation(accepted) ? messagePriority.single : priority,
      idempotency: idempotency && {
        key: idempotency.key,
        fingerprint: idempotency.fingerprint,
        answer: idempotency.answerOf(batch),
      },
      messages: accepted.map((message) => messageToStore(message, this.#options.validitySeconds)),
      ...(isLimited(account) && {
        limits: { periods: account.periods.at(this.#options.db.clock.now()), isFirstTry, ...account.limits },
      }),
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
    return { kind: "accepted", batch, ...(call.idempotency && { answer: call.idempotency.answer }) };
  }
}

/** A call that looks like one of a one-time code, with a template that is not for codes. */
function isInformation(messages: readonly PreparedMessage[]): boolean {
  const [message] = messages;
  return messages.length === 1 && message?.purpose === "information";
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
