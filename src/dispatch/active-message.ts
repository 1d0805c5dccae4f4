// A claimed message on its way through one bind: which of its parts are to be written, what became of them, and what that makes of
// the message. Pure; times are given, milliseconds.
import type { PartToSubmit } from "../connectors/connector.ts";
import { segmentText } from "../sms/segmentation.ts";
import type { SubmitOutcome } from "../sms/submit-outcome.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";

/** What becomes of a message once all its parts are answered. */
export type MessageOutcome =
  | { readonly kind: "sent" }
  | { readonly kind: "refused"; readonly commandStatus: number; readonly part: number }
  | { readonly kind: "failedUnknown"; readonly part: number }
  | { readonly kind: "held"; readonly part: number }
  | { readonly kind: "expired" }
  /** delayMs undefined: at its old place, as soon as the link allows. */
  | { readonly kind: "deferred"; readonly delayMs: number | undefined };

export class ActiveMessage {
  readonly message: ClaimedMessage;
  readonly claimId: string;
  readonly bindNumber: number;
  #unwritten: PartToSubmit[];
  #outstanding = 0;
  #worst: MessageOutcome = { kind: "sent" };

  constructor(
    message: ClaimedMessage,
    options: { claimId: string; bindNumber: number; asOnePayload: boolean; now: number },
  ) {
    this.message = message;
    this.claimId = options.claimId;
    this.bindNumber = options.bindNumber;
    this.#unwritten = missingParts(message, options);
  }

  /** The next part to be written; the caller says with `written` that it was. */
  get nextPart(): PartToSubmit | undefined {
    return this.#unwritten[0];
  }

  get unwrittenParts(): number {
    return this.#unwritten.length;
  }

  written(): void {
    this.#unwritten.shift();
    this.#outstanding += 1;
  }

  /** Takes the outcome of one written part. Answers the message's own outcome when nothing more is awaited. */
  answered(part: number, outcome: SubmitOutcome, now: number): MessageOutcome | undefined {
    this.#outstanding -= 1;
    if (outcome.kind !== "accepted") this.#worsen(readOutcome(part, outcome, now));
    return this.#settled();
  }

  /** Gives up the parts that are not written yet (the bind is gone, or stops). Answers as `answered`. */
  giveBack(): MessageOutcome | undefined {
    if (this.#unwritten.length === 0) return undefined;
    this.#unwritten = [];
    this.#worsen({ kind: "deferred", delayMs: undefined });
    return this.#settled();
  }

  // A part that can never be taken makes the rest useless: what is not written stays unwritten.
  #worsen(outcome: MessageOutcome): void {
    if (severity[outcome.kind] > severity[this.#worst.kind]) this.#worst = outcome;
    else if (outcome.kind === "deferred" && this.#worst.kind === "deferred") {
      const delayMs = Math.max(outcome.delayMs ?? 0, this.#worst.delayMs ?? 0);
      this.#worst = { kind: "deferred", delayMs: delayMs > 0 ? delayMs : undefined };
    }
    if (severity[this.#worst.kind] >= severity.expired) this.#unwritten = [];
  }

  #settled(): MessageOutcome | undefined {
    return this.#outstanding === 0 && this.#unwritten.length === 0 ? this.#worst : undefined;
  }
}

const severity: Record<MessageOutcome["kind"], number> = {
  sent: 0,
  deferred: 1,
  expired: 2,
  held: 3,
  failedUnknown: 4,
  refused: 5,
};

function readOutcome(part: number, outcome: Exclude<SubmitOutcome, { kind: "accepted" }>, now: number): MessageOutcome {
  switch (outcome.kind) {
    case "refused":
      return { kind: "refused", commandStatus: outcome.commandStatus, part };
    case "failedUnknown":
      return { kind: "failedUnknown", part };
    case "held":
      return { kind: "held", part };
    case "expired":
      return { kind: "expired" };
    case "deferred":
      return { kind: "deferred", delayMs: outcome.until > now ? outcome.until - now : undefined };
  }
}

function missingParts(message: ClaimedMessage, options: { asOnePayload: boolean; now: number }): PartToSubmit[] {
  const common = {
    sender: message.sender,
    recipient: message.recipient,
    encoding: message.encoding,
    parts: message.parts,
    reference: message.reference ?? 0,
    validSeconds: Math.max(1, Math.round((message.validUntil.getTime() - options.now) / 1000)),
  };
  if (options.asOnePayload && message.parts > 1) return [{ ...common, part: 0, text: message.content }];
  return segmentText(message.content, message.encoding)
    .map((text, index) => ({ ...common, part: index + 1, text }))
    .filter(({ part }) => (message.partsTaken & (1 << (part - 1))) === 0);
}
