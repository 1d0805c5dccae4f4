// A claimed message on its way through one bind: the parts still to be written, their outcomes, and
// the outcome of the message. Pure; the caller gives times in milliseconds of one clock, which need
// not be the wall clock.
import type { PartToSubmit } from "../connectors/connector.ts";
import { isWhole, missingParts, type PartNumber, segmentText } from "../sms/segmentation.ts";
import type { NotTaken } from "../sms/not-taken.ts";
import type { Culprit, SubmitOutcome } from "../sms/submit-outcome.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";

/**
 * The outcome of a message once all its parts are answered. `parts`, for unknown outcomes: the
 * parts that were never answered. `rest`: how the parts are tried again that nobody took.
 */
export type MessageOutcome =
  | { readonly kind: "sent" }
  | { readonly kind: "refused"; readonly answer: string }
  | { readonly kind: "failedUnknown"; readonly parts: readonly PartNumber[] }
  | { readonly kind: "held"; readonly parts: readonly PartNumber[]; readonly rest?: Deferral | undefined }
  | { readonly kind: "expired" }
  /** The recipient wants nothing from the line any more. */
  | { readonly kind: "optedOut" }
  /** It may not go out before the next window of its sending hours; no part was submitted. */
  | { readonly kind: "outOfHours"; readonly window: { readonly from: Date; readonly until: Date } }
  /** Waits until a reference of its phone is free. */
  | { readonly kind: "heldBack" }
  /**
   * This link cannot carry the text. `variantId`: where it waits for a link that can; undefined when
   * none can.
   */
  | { readonly kind: "uncarriable"; readonly variantId: number | undefined }
  | ({ readonly kind: "deferred" } & Deferral);

/**
 * `delayMs` undefined: at its old place, as soon as the link allows. `fault`: the gravest of its
 * parts. `unanswered`: parts that were submitted and whose fate is unknown. `answer`: the last one
 * that turned a part away.
 */
export interface Deferral {
  readonly delayMs: number | undefined;
  readonly fault: Culprit;
  readonly unanswered: readonly PartNumber[];
  readonly answer?: string;
}

/** The outcomes that answers to the parts can produce. */
type PartsOutcome = Exclude<MessageOutcome["kind"], "heldBack" | "uncarriable" | "optedOut" | "outOfHours">;

export class ActiveMessage {
  readonly message: ClaimedMessage;
  readonly claimId: string;
  readonly bindNumber: number;
  /** On the same clock as `now`. */
  readonly validUntil: number;
  /** How many parts were to be written when the message was claimed. */
  readonly claimedParts: number;
  /** Submissions under this claim that did not get a part taken. */
  readonly notTaken: NotTaken[] = [];
  readonly #unanswered: PartNumber[] = [];
  #unwritten: PartToSubmit[];
  #outstanding = 0;
  /** Of the parts that nobody took: how long they wait, and by whose fault. */
  #delayMs: number | undefined;
  #fault: Culprit = "link";
  #hasRest = false;
  /** How long the parts wait that were never answered. */
  #silenceMs: number | undefined;
  #worst: PartsOutcome = "sent";
  #refusedWith = "";
  #turnedAwayWith: string | undefined;

  constructor(message: ClaimedMessage, options: PartOptions & { claimId: string; bindNumber: number; now: number }) {
    this.message = message;
    this.claimId = options.claimId;
    this.bindNumber = options.bindNumber;
    this.validUntil = options.now + message.validForMs;
    this.#unwritten = partsToSubmit(message, options);
    this.claimedParts = this.#unwritten.length;
  }

  /** No part of it was written under this claim. */
  get isUnwritten(): boolean {
    return this.#unwritten.length === this.claimedParts;
  }

  /** The next part to write; the caller confirms the write with `written`. */
  get nextPart(): PartToSubmit | undefined {
    return this.#unwritten[0];
  }

  written(): void {
    this.#unwritten.shift();
    this.#outstanding += 1;
  }

  /**
   * Takes the outcome of one written part. Returns the message's own outcome when nothing more is
   * awaited.
   */
  answered(part: PartNumber, outcome: SubmitOutcome): MessageOutcome | undefined {
    this.#outstanding -= 1;
    if (outcome.kind !== "accepted") {
      if (isOpen(outcome)) this.#unanswered.push(part);
      if (outcome.kind === "deferred") this.#defer(outcome);
      if (outcome.kind === "refused") this.#refusedWith = outcome.answer;
      this.#worsen(outcome.kind);
    }
    return this.#settled();
  }

  /**
   * Sets the reference by which the phone joins the parts. Required before the first part is
   * written when there is more than one.
   */
  giveReference(reference: number): void {
    this.#unwritten = this.#unwritten.map((part) => ({ ...part, reference }));
  }

  /**
   * Gives up the parts that are not written yet, because the bind is gone or stopping. Returns the
   * same as `answered`.
   */
  giveBack(): MessageOutcome | undefined {
    if (this.#unwritten.length === 0) return undefined;
    this.#unwritten = [];
    this.#hasRest = true;
    this.#worsen("deferred");
    return this.#settled();
  }

  /**
   * Takes the answer to a part that was given up: the part was taken, or is tried again as `again`
   * says. Returns false if the message does not wait for other parts: its outcome is reported already.
   */
  answeredLate(part: PartNumber, again?: Deferral): boolean {
    const place = this.#unanswered.indexOf(part);
    const isSettled = this.#outstanding === 0 && this.#unwritten.length === 0;
    if (place < 0 || isSettled) return false;
    this.#unanswered.splice(place, 1);
    if (again) this.#defer(again);
    if (this.#unanswered.length === 0 && endsWithSilence.has(this.#worst))
      this.#worst = this.#hasRest ? "deferred" : "sent";
    return true;
  }

  #defer({ delayMs, fault, answer }: Pick<Deferral, "delayMs" | "fault" | "answer">): void {
    if (fault === "silence") {
      this.#silenceMs = longer(this.#silenceMs, delayMs);
      return;
    }
    this.#hasRest = true;
    this.#delayMs = longer(this.#delayMs, delayMs);
    if (fault === "message") this.#fault = fault;
    this.#turnedAwayWith = answer ?? this.#turnedAwayWith;
  }

  #worsen(kind: PartsOutcome): void {
    if (severity[kind] > severity[this.#worst]) this.#worst = kind;
    if (leavesRestUnwritten.has(this.#worst)) this.#unwritten = [];
  }

  #settled(): MessageOutcome | undefined {
    if (this.#outstanding > 0 || this.#unwritten.length > 0) return undefined;
    const kind = this.#worst;
    const parts = [...this.#unanswered];
    switch (kind) {
      case "sent":
        return { kind };
      case "expired":
        // A part that was never answered may have been taken.
        return parts.length > 0 ? { kind: "failedUnknown", parts } : { kind };
      case "refused":
        return { kind, answer: this.#refusedWith };
      case "held":
        return { kind, parts, ...(this.#hasRest && { rest: this.#deferral([]) }) };
      case "failedUnknown":
        return { kind, parts };
      case "deferred":
        return { kind, ...this.#deferral(parts) };
    }
  }

  #deferral(unanswered: readonly PartNumber[]): Deferral {
    const answer = this.#turnedAwayWith;
    const isSilent = unanswered.length > 0;
    return {
      delayMs: isSilent ? longer(this.#delayMs, this.#silenceMs) : this.#delayMs,
      fault: isSilent ? "silence" : this.#fault,
      unanswered,
      ...(answer !== undefined && { answer }),
    };
  }
}

/** Whether the part may have been taken although nobody said so. */
function isOpen(outcome: SubmitOutcome): boolean {
  if (outcome.kind === "deferred") return outcome.fault === "silence";
  return outcome.kind === "held" || outcome.kind === "failedUnknown";
}

function longer(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

const severity: Record<PartsOutcome, number> = {
  sent: 0,
  deferred: 1,
  expired: 2,
  held: 3,
  failedUnknown: 4,
  refused: 5,
};

/**
 * A part that can never be taken makes the rest useless. A held part may have been taken, so the
 * rest is still written.
 */
const leavesRestUnwritten: ReadonlySet<PartsOutcome> = new Set(["expired", "failedUnknown", "refused"]);

/** What silence alone can have led to. */
const endsWithSilence: ReadonlySet<PartsOutcome> = new Set(["deferred", "held"]);

interface PartOptions {
  readonly asOnePayload: boolean;
  readonly tlvs?: PartToSubmit["tlvs"];
}

function partsToSubmit(message: ClaimedMessage, options: PartOptions): PartToSubmit[] {
  const { sender, recipient, encoding, content, parts } = message;
  const validSeconds = Math.max(1, Math.round(message.validForMs / 1000));
  const { tlvs } = options;
  const texts = parts === 1 ? [content] : segmentText(content, encoding);
  const submits: PartToSubmit[] = [];
  for (const part of missingParts(message, options)) {
    const text = isWhole(part) ? content : (texts[part - 1] ?? "");
    const submit = { part, text, sender, recipient, encoding, parts, reference: 0, validSeconds };
    submits.push(tlvs === undefined ? submit : { ...submit, tlvs });
  }
  return submits;
}
