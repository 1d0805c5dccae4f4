// The clock of tries and rests, which tests set themselves.

export interface Clock {
  /** Unix ms. */
  now(): number;
  /** Calls once after that time, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

/** The longest that a timer of Node.js can wait for. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, Math.min(ms, longestTimerMs));
    return () => clearTimeout(timer);
  },
};
