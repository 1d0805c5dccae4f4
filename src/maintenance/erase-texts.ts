// Erases texts after the time that the setup allows: sent messages count from their end, received
// ones from their arrival. Runs on every node, but only one works on a kind at a time. It goes
// through the messages in the order of their ids, in short transactions with a rest after each. It
// notes the ranges with messages that have not ended long enough ago, and looks at these again
// later.
import { setTimeout as delay } from "node:timers/promises";
import type { Directory } from "../directory/directory.ts";
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
import { StepLength } from "./step-length.ts";
import { uuidFloor } from "../platform/uuid.ts";
import { commitLater } from "../store/transaction-settings.ts";

const shortestStepMs = 100;
const longestStepMs = 24 * 3_600_000;
/**
 * A step looks at no more texts, however long it is. The shortest step looks at all: otherwise it
 * would never get past messages that keep their texts.
 */
const mostTexts = 2_000;
const fewTexts = 250;
/** A step may read many messages without a text of its kind: then only its duration shows it. */
const longTookMs = 800;
const shortTookMs = 100;
/** After a step that was far too long. */
const shorteningFactor = 16;

interface TextEraserOptions {
  readonly db: Database;
  readonly directory: {
    readonly current: Pick<Directory, "contentDays" | "codeContentHours" | "retentionDays">;
  };
  /**
   * The rest after a step is so many times as long as the step. Otherwise 6: steps take at most a
   * seventh of the time, because calls that come meanwhile wait longer.
   */
  readonly restFactor?: number;
}

const kinds = ["code", "text", "received"] as const;
/** After a round a setting that was changed counts. */
const roundMs = 30_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Most messages end soon: what is looked at a little later need not be looked at again. */
const settleMs = 10 * 60_000;
const longestLookMs = 6 * hourMs;
/** A message may be scheduled so far ahead, and is kept until it has ended. */
const scheduleDays = 400;

export class TextEraser {
  readonly #options: TextEraserOptions;
  readonly #steps: Readonly<Record<TextKind, StepLength>> = {
    code: new StepLength(shortestStepMs, longestStepMs),
    text: new StepLength(shortestStepMs, longestStepMs),
    received: new StepLength(shortestStepMs, longestStepMs),
  };

  readonly #isAmidRange = new Set<TextKind>();

  constructor(options: TextEraserOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<Record<string, number>> {
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
        const ofStep = await this.#step(kind, kept[kind]).catch((error: unknown) => {
          // It took longer than a statement may.
          this.#steps[kind].shorten(shorteningFactor);
          throw error;
        });
        if (ofStep === undefined) waiting.delete(kind);
        else await this.#rest(performance.now() - begunAt, signal);
        erased += ofStep ?? 0;
      }
    }
    return { erased };
  }

  async #rest(workedMs: number, signal: AbortSignal): Promise<void> {
    const restMs = workedMs * (this.#options.restFactor ?? 6);
    if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
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
    return { fromAt, toAt: new Date(Math.min(toAt.getTime(), from + this.#steps[kind].ms)) };
  }

  async #erase(
    tx: Queryable,
    kind: TextKind,
    { fromAt, toAt, keptMs, progress }: LeftRange & { keptMs: number; progress: ErasureProgress },
  ): Promise<{ readonly erased: number; readonly isDone: boolean }> {
    const range = { from: uuidFloor(fromAt.getTime()), to: uuidFloor(toAt.getTime()) };
    const most = this.#steps[kind].isShortest ? undefined : mostTexts;
    const begunAt = performance.now();
    if (kind === "received") {
      const erased = await eraseReceived(tx, { ...range, most });
      const isDone = most === undefined || erased < most;
      this.#adapt(kind, { texts: erased, tookMs: performance.now() - begunAt, isDone });
      return { erased, isDone };
    }
    const now = progress.now.getTime();
    const endedBy = new Date(now - keptMs);
    const outcome = await eraseSent(tx, { ...range, isCode: kind === "code", endedBy, most });
    const { found, erased, due, left, firstEnd } = outcome;
    const isDone = due === 0 && (most === undefined || found < most);
    this.#adapt(kind, { texts: found, tookMs: performance.now() - begunAt, isDone });
    if (isDone && left > 0) {
      const lookAt = nextLook(now, firstEnd === null ? undefined : firstEnd.getTime() + keptMs);
      await noteLeft(tx, kind, { fromAt, toAt, lookAt });
    }
    return { erased, isDone };
  }

  #adapt(kind: TextKind, { texts, tookMs, isDone }: { texts: number; tookMs: number; isDone: boolean }): void {
    if (texts >= mostTexts) this.#steps[kind].shorten(shorteningFactor);
    else if (tookMs > longTookMs) this.#steps[kind].shorten();
    // What is left of a range says little about the next one.
    else if (texts < fewTexts && tookMs < shortTookMs && isDone && !this.#isAmidRange.has(kind))
      this.#steps[kind].lengthen();
    if (isDone) this.#isAmidRange.delete(kind);
    else this.#isAmidRange.add(kind);
  }
}

/** When the first of them is due; of those that have not ended nobody knows. */
function nextLook(now: number, end: number | undefined): Date {
  return new Date(Math.max(now + settleMs, Math.min(now + longestLookMs, end ?? Infinity)));
}
