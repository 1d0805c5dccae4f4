// Shares of a sorted sample.

/**
 * The value that the given share (0 to 1) of the sample does not exceed (nearest rank); NaN of an
 * empty one.
 */
export function percentile(sorted: Float64Array | readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly most: number;
}

export function spreadOf(values: Iterable<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => percentile(sorted, share);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), most: at(1) };
}
