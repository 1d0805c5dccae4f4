// The state of one bind in its dispatcher: how much room its window has, which messages wait to be
// written, and whether a claim is under way. Pure.
import type { ActiveMessage } from "./active-message.ts";
import { ClaimTurns } from "./claim-turns.ts";

/**
 * All counts are parts. `room` is the window without the unsettled parts and without the parts that
 * a claim under way may bring. At most one window is unsettled, plus the further parts of a long
 * message that begins within it.
 */
export class BindLane {
  readonly bindNumber: number;
  /** Each bind has its own turns and makes one claim at a time, so every account gets its turn. */
  readonly turns = new ClaimTurns();
  /** A one-time code is due: a single free place is worth a claim. */
  urgent = false;
  readonly #windowSize: number;
  #waiting: ActiveMessage[] = [];
  /**
   * Parts that are claimed or reserved, and not yet recorded as settled. A crash would leave these
   * uncertain.
   */
  #unsettled = 0;
  #claim: "none" | "under way" | "to be repeated" = "none";
  #asked = 0;
  /** Consecutive parts that were written and never answered. */
  #unanswered = 0;

  constructor(bindNumber: number, windowSize: number) {
    this.bindNumber = bindNumber;
    this.#windowSize = windowSize;
  }

  /**
   * Consecutive unanswered parts keep their places until an answer comes. When an SMSC goes silent,
   * or a link loses packets, only one window becomes uncertain; after that it gets one message at a
   * time, and the rest of the queue stays certain.
   */
  get window(): number {
    return Math.max(1, this.#windowSize - this.#unanswered);
  }

  /** Below 0 while a long message reaches beyond the window, or after the window shrank. */
  get room(): number {
    return this.window - this.#unsettled - this.#asked;
  }

  /** Reserves room for the parts of a message that is being accepted. */
  reserve(parts: number): boolean {
    if (this.room < parts) return false;
    this.#unsettled += parts;
    return true;
  }

  /** Parts are settled and on disk, or what they were reserved for was not stored. */
  free(parts: number): void {
    this.#unsettled -= parts;
  }

  /** The parts of a claimed message count as unsettled from now on. */
  hold(parts: number): void {
    this.#unsettled += parts;
  }

  /** Queues a message, which is held already, behind those that wait to be written. */
  put(message: ActiveMessage): void {
    this.#waiting.push(message);
  }

  /** The message whose parts are written next. */
  get next(): ActiveMessage | undefined {
    return this.#waiting[0];
  }

  /** All parts of `next` are written. */
  passNext(): void {
    this.#waiting.shift();
  }

  /** Takes out all that waits to be written. */
  takeWaiting(): readonly ActiveMessage[] {
    const waiting = this.#waiting;
    if (waiting.length > 0) this.#waiting = [];
    return waiting;
  }

  /** Whether a part was answered, or given up as unanswered. */
  answered(isUnanswered: boolean): void {
    this.#unanswered = isUnanswered ? this.#unanswered + 1 : 0;
  }

  get isClaiming(): boolean {
    return this.#claim !== "none";
  }

  /**
   * The least room that is worth a claim. A busy bind claims again only when a quarter of its
   * window is free, so that each claim is worth its commit.
   */
  get worthwhileRoom(): number {
    return this.isBusy ? Math.ceil(this.window / 4) : 1;
  }

  /** Something is under way, and nothing urgent waits. */
  get isBusy(): boolean {
    return this.#unsettled > 0 && !this.urgent;
  }

  beginClaim(parts: number): void {
    this.#claim = "under way";
    this.#asked = parts;
    this.urgent = false;
  }

  /** A message fell due. A claim under way may have read the queue before it. */
  noteDue(): void {
    if (this.#claim === "under way") this.#claim = "to be repeated";
  }

  /** Returns whether the claim must be repeated. */
  endClaim(): boolean {
    const isToBeRepeated = this.#claim === "to be repeated";
    this.#claim = "none";
    this.#asked = 0;
    return isToBeRepeated;
  }
}
