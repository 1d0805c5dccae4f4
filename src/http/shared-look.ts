// One look at the database for many calls: it runs once at a time, and calls that come while it
// runs or shortly after get its answer.

/** A look that took long is kept for longer: it takes at most this share of the time. */
const mostShare = 0.25;

/**
 * `keptMs`: how long an answer is good, from its beginning. A failed look is shared by those who
 * wait for it, and not kept.
 */
export function sharedLook<Answer>(look: () => Promise<Answer>, keptMs: number): () => Promise<Answer> {
  let latest: Promise<Answer> | undefined;
  let goodUntil = Infinity;
  return () => {
    if (latest !== undefined && performance.now() < goodUntil) return latest;
    const begunAt = performance.now();
    goodUntil = Infinity;
    latest = look().then(
      (answer) => {
        goodUntil = begunAt + Math.max(keptMs, (performance.now() - begunAt) / mostShare);
        return answer;
      },
      (error: unknown) => {
        goodUntil = 0;
        throw error;
      },
    );
    return latest;
  };
}
