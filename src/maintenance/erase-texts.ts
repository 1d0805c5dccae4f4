// Erases texts after the time that the setup allows: sent messages count from their end, received
// ones from their arrival. Runs on every node, but only one works on a kind at a time. It goes
// through the messages in the order of their ids, in short transactions with a rest after each. It
// notes the ranges with messages that have not ended long enough ago, and looks at these again
// later.
import { setTimeout as delay } from "node:timers/promises";
import type { Directory } from "../directory/directory.ts";
import { PeriodicService } from "../platform/service.ts";
import type { Database, Queryable } from "../store/database.ts";
import {
  eraseReceived,
  eraseSent,
  type ErasureProgress,
  type LeftRange,
  lockErasure,
  moveErasure,
  noteLeft,
  takeLeft,
  type TextKind,
} from "../store/erasure.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { uuidFloor } from "../platform/uuid.ts";
import { commitLater } from "../store/transaction-settings.ts";

// Decides how long a range of time the next step of erasing covers, from what the step before
// found. Steps should cover little where messages are dense, and go quickly through empty time.

export const shortestStepMs = 100;
const longestStepMs = 24 * 3_600_000;
/** After a step with more texts the next one is shorter. After a step with fewer it is longer. */
const manyTexts = 1_000;
const fewTexts = 250;
/** A step looks at no more, however long it is: one after quiet time may come upon a busy day. */
const mostTexts = 2 * manyTexts;
/**
 * A step may read many messages without a text of its kind. Then only its duration shows that it is
 * too long.
 */
const longTookMs = 800;
/** The next step is so many times as long, where as many times the texts would still be few. */
const longestStride = 8;
/**
 * A step that was far too long is followed by one so many times shorter: a day is soon ten
 * seconds.
 */
const shorteningFactor = 16;

export interface StepOutcome {
  /** Texts that it looked at. */
  readonly texts: number;
  readonly tookMs: number;
  /** False: the next step is on the same range, and finds what is left of it. */
  readonly isDone: boolean;
}

export class ErasurePace {
  #stepMs = shortestStepMs;
  #isAmidRange = false;

  get stepMs(): number {
    return this.#stepMs;
  }

  /**
   * How many texts the next step may look at; undefined: all. The shortest step looks at all.
   * Otherwise it would never get past messages that keep their texts.
   */
  get mostTexts(): number | undefined {
    return this.#stepMs > shortestStepMs ? mostTexts : undefined;
  }

  ended({ texts, tookMs, isDone }: StepOutcome): void {
    // What is left of a range says little about the next one.
    const mayLengthen = tookMs * longestStride < longTookMs && !this.#isAmidRange;
    if (texts >= mostTexts) this.#multiply(1 / shorteningFactor);
    else if (texts > manyTexts || tookMs > longTookMs) this.#multiply(1 / 2);
    else if (texts < fewTexts && mayLengthen) this.#multiply(texts * longestStride < fewTexts ? longestStride : 2);
    this.#isAmidRange = !isDone;
  }

  /** The step took longer than a statement may, so the next one must be shorter. */
  failed(): void {
    this.#multiply(1 / shorteningFactor);
  }

  #multiply(factor: number): void {
    this.#stepMs = Math.min(longestStepMs, Math.max(shortestStepMs, this.#stepMs * factor));
  }
}

export interface TextEraserOptions {
  readonly db: Database;
  readonly directory: {
    readonly current: Pick<Directory, "contentDays" | "codeContentHours" | "retentionDays">;
  };
  /** The rest after a step is so many times as long as the step. */
  readonly restFactor: number;
}

const kinds = ["code", "text", "received"] as const;
const everyMs = 1_000;
/** Steps take at most a seventh of the time: calls that come meanwhile shall not wait longer. */
const restFactor = 6;
/** After a round a setting that was changed counts. */
const roundMs = 5_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Most messages end soon: what is looked at a little later need not be looked at again. */
const settleMs = 10 * 60_000;
const longestLookMs = 6 * hourMs;
/** A message may be scheduled so far ahead, and is kept until it has ended. */
const scheduleDays = 400;

export function eraseTexts(
  options: Omit<TextEraserOptions, "restFactor"> & { readonly telemetry: Telemetry },
): PeriodicService {
  const eraser = new TextEraser({ ...options, restFactor });
  return new PeriodicService({
    name: "erase-texts",
    everyMs,
    telemetry: options.telemetry,
    runOnce: (signal) => eraser.work(signal),
  });
}

export class TextEraser {
  readonly #options: TextEraserOptions;
  readonly #paces = { code: new ErasurePace(), text: new ErasurePace(), received: new ErasurePace() };

  constructor(options: TextEraserOptions) {
    this.#options = options;
  }

  async work(signal: AbortSignal): Promise<Record<string, number>> {
    const { contentDays, codeContentHours } = this.#options.directory.current;
    const kept: Record<TextKind, number> = {
      text: contentDays * dayMs,
      code: codeContentHours * hourMs,
      received: contentDays * dayMs,
    };
    const waiting = new Set(kinds.filter((kind) => kept[kind] > 0));
    const until = performance.now() + roundMs;
    let erased = 0;
    while (waiting.size > 0 && performance.now() < until) {
      for (const kind of waiting) {
        if (signal.aborted) return { erased };
        const begunAt = performance.now();
        const step = await this.#stepOrShorten(kind, kept[kind]);
        if (step === undefined) waiting.delete(kind);
        else await this.#rest(performance.now() - begunAt, signal);
        erased += step ?? 0;
      }
    }
    return { erased };
  }

  async #rest(workedMs: number, signal: AbortSignal): Promise<void> {
    const restMs = workedMs * this.#options.restFactor;
    if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
  }

  async #stepOrShorten(kind: TextKind, keptMs: number): Promise<number | undefined> {
    try {
      return await this.#step(kind, keptMs);
    } catch (error) {
      this.#paces[kind].failed();
      throw error;
    }
  }

  /** The texts erased; undefined where there is nothing to do. */
  #step(kind: TextKind, keptMs: number): Promise<number | undefined> {
    const { db, directory } = this.#options;
    const startDays = directory.current.retentionDays + scheduleDays;
    return db.transaction(async (tx) => {
      const progress = await lockErasure(tx, { kind, startDays });
      if (progress === undefined) return undefined;
      await commitLater(tx);
      const wanted = progress.now.getTime() - keptMs - (kind === "received" ? 0 : settleMs);
      // A shorter range waits: each range with an open message is noted, and the few texts of
      // one second are not worth a note.
      if (wanted - progress.doneUntil.getTime() >= settleMs) {
        const { fromAt, toAt } = this.#next(kind, { fromAt: progress.doneUntil, toAt: new Date(wanted) });
        const { erased, isDone } = await this.#erase(tx, kind, { fromAt, toAt, keptMs, progress });
        if (isDone) await moveErasure(tx, kind, toAt);
        return erased;
      }
      const left = await takeLeft(tx, kind);
      if (left === undefined) return undefined;
      const next = this.#next(kind, left);
      const { erased, isDone } = await this.#erase(tx, kind, { ...next, keptMs, progress });
      const fromAt = isDone ? next.toAt : next.fromAt;
      if (fromAt < left.toAt) await noteLeft(tx, kind, { fromAt, toAt: left.toAt, lookAt: progress.now });
      return erased;
    });
  }

  /** The first part of a range, one step long. */
  #next(kind: TextKind, { fromAt, toAt }: LeftRange): LeftRange {
    const from = fromAt.getTime();
    return { fromAt, toAt: new Date(Math.min(toAt.getTime(), from + this.#paces[kind].stepMs)) };
  }

  async #erase(
    tx: Queryable,
    kind: TextKind,
    { fromAt, toAt, keptMs, progress }: LeftRange & { keptMs: number; progress: ErasureProgress },
  ): Promise<{ readonly erased: number; readonly isDone: boolean }> {
    const range = { from: uuidFloor(fromAt.getTime()), to: uuidFloor(toAt.getTime()) };
    const pace = this.#paces[kind];
    const most = pace.mostTexts;
    const isWhole = (found: number): boolean => most === undefined || found < most;
    const begunAt = performance.now();
    if (kind === "received") {
      const erased = await eraseReceived(tx, { ...range, most });
      const isDone = isWhole(erased);
      pace.ended({ texts: erased, tookMs: performance.now() - begunAt, isDone });
      return { erased, isDone };
    }
    const now = progress.now.getTime();
    const endedBy = new Date(now - keptMs);
    const outcome = await eraseSent(tx, { ...range, isCode: kind === "code", endedBy, most });
    const { found, erased, due, left, firstEnd } = outcome;
    const isDone = due === 0 && isWhole(found);
    pace.ended({ texts: found, tookMs: performance.now() - begunAt, isDone });
    if (!isDone) return { erased, isDone };
    if (left > 0) {
      const lookAt = nextLook(now, firstEnd === null ? undefined : firstEnd.getTime() + keptMs);
      await noteLeft(tx, kind, { fromAt, toAt, lookAt });
    }
    return { erased, isDone: true };
  }
}

/** When the first of them is due; of those that have not ended nobody knows. */
function nextLook(now: number, end: number | undefined): Date {
  return new Date(Math.max(now + settleMs, Math.min(now + longestLookMs, end ?? Infinity)));
}
