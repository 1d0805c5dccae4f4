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
