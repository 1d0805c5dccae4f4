// The spread of a sample.

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
}

/** Each value is the one that the share of the sample does not exceed (nearest rank); NaN of an empty one. */
export function spreadOf(values: Iterable<number>): Spread {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) };
}
