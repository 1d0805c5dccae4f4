// The window of one bind in its dispatcher: how many parts it can still take, which messages wait to
// be written, and whether a claim is under way. Pure.
import type { ActiveMessage } from "./active-message.ts";
import { RoundRobin } from "./round-robin.ts";

/**
 * All counts are parts. At most one window is unsettled, plus the further parts of a long message
 * that begins within it.
 */
export class BindWindow {
  readonly bindNumber: number;
  /** Each bind has its own order and makes one claim at a time, so every account is served. */
  readonly order = new RoundRobin();
  /** A one-time code is due: a single free place is worth a claim. */
  urgent = false;
  readonly #configuredSize: number;
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

  constructor(bindNumber: number, configuredSize: number) {
    this.bindNumber = bindNumber;
    this.#configuredSize = configuredSize;
  }

  /**
   * Consecutive unanswered parts keep their places until an answer comes. When an SMSC goes silent,
   * or a link loses packets, only one window becomes uncertain; after that it gets one message at a
   * time, and the rest of the queue stays certain.
   */
  get size(): number {
    return Math.max(1, this.#configuredSize - this.#unanswered);
  }

  /**
   * Without what a claim under way may bring. Below 0 while a long message reaches beyond the
   * window, or after the window shrank.
   */
  get capacity(): number {
    return this.size - this.#unsettled - this.#asked;
  }

  /** Parts that a claim under way may bring. */
  get asked(): number {
    return this.#asked;
  }

  /** The parts of a claimed or reserved message count as unsettled from now on. */
  hold(parts: number): void {
    this.#unsettled += parts;
  }

  /** Parts are settled and on disk, or what they were reserved for was not stored. */
  free(parts: number): void {
    this.#unsettled -= parts;
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

  /** Something is under way, and nothing urgent waits. */
  get isBusy(): boolean {
    return this.#unsettled > 0 && !this.urgent;
  }

  /**
   * The least capacity that is worth a claim while so many parts wait. A busy bind claims again only
   * for all of them, or for a quarter of its window, so that each claim is worth its commit.
   */
  worthwhileCapacity(partsWaiting: number): number {
    return this.isBusy ? Math.min(Math.ceil(this.size / 4), partsWaiting) : 1;
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
