// Whether a soak was flat: what a process holds and how quickly it answers, at the end of a long
// run against its beginning. Pure.

/** One reading of the gateway and its database. */
export interface SoakSample {
  /** Since the load began. */
  readonly atSeconds: number;
  readonly rssMegabytes: number;
  readonly heapMegabytes: number;
  /** Open files and sockets. */
  readonly handles: number;
  readonly threads: number;
  /** Sessions of the gateway at PostgreSQL. */
  readonly sessions: number;
  /** Messages that wait or are on their way. */
  readonly underWay: number;
}

/** What callers saw in one minute. */
export interface SoakMinute {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface SoakBounds {
  /** What is read before does not count: caches fill, the compiler warms up. */
  readonly warmUpSeconds: number;
}

/**
 * How much memory may rise, by a straight line through what was read after the warm-up: a share of
 * its mean, and no less than so much.
 */
const risingShare = 0.1;
const risingMegabytes = 20;
/**
 * Connections of callers and of links come and go: what is usual in the last third may be so much
 * more than in the first.
 */
const handleMargin = 3;
const sessionMargin = 1;
/** p99 of the last third against that of the first. */
const latencyFactor = 1.5;
const latencyMarginMs = 10;
const underWayFactor = 1.5;
const underWayMargin = 200;

export interface Finding {
  readonly what: string;
  readonly first: string;
  readonly last: string;
  readonly bound: string;
  readonly isFlat: boolean;
}

export function judgeSoak(
  samples: readonly SoakSample[],
  minutes: readonly SoakMinute[],
  { warmUpSeconds }: SoakBounds,
): readonly Finding[] {
  const judged = samples.filter(({ atSeconds }) => atSeconds >= warmUpSeconds);
  const settled = minutes.slice(Math.ceil(warmUpSeconds / 60));
  const [early, late] = [firstThird(judged), lastThird(judged)];
  const counted = (what: string, of: (sample: SoakSample) => number, margin: number, factor = 1): Finding => {
    const [first, last] = [median(early.map(of)), median(late.map(of))];
    const limit = Math.ceil(first * factor) + margin;
    return { what, first: String(first), last: String(last), bound: `at most ${limit}`, isFlat: last <= limit };
  };
  return [
    memory("resident memory", judged, ({ rssMegabytes }) => rssMegabytes),
    memory("heap in use", judged, ({ heapMegabytes }) => heapMegabytes),
    counted("open handles", ({ handles }) => handles, handleMargin),
    counted("threads", ({ threads }) => threads, 0),
    counted("database sessions", ({ sessions }) => sessions, sessionMargin),
    counted("messages under way", ({ underWay }) => underWay, underWayMargin, underWayFactor),
    latency(settled.length >= 3 ? settled : minutes),
  ];
}

function memory(what: string, judged: readonly SoakSample[], of: (sample: SoakSample) => number): Finding {
  const points = judged.map((sample) => ({ x: sample.atSeconds, y: of(sample) }));
  const mean = average(points.map(({ y }) => y));
  const seconds = (judged.at(-1)?.atSeconds ?? 0) - (judged[0]?.atSeconds ?? 0);
  const rise = slope(points) * seconds;
  const limit = Math.max(mean * risingShare, risingMegabytes);
  const perHour = seconds === 0 ? 0 : (rise / seconds) * 3600;
  return {
    what: `${what}, MB`,
    first: average(firstThird(points).map(({ y }) => y)).toFixed(0),
    last: average(lastThird(points).map(({ y }) => y)).toFixed(0),
    bound: `line rises ${rise.toFixed(1)} (${perHour.toFixed(0)} an hour), at most ${limit.toFixed(0)}`,
    isFlat: rise <= limit,
  };
}

function latency(minutes: readonly SoakMinute[]): Finding {
  const [first, last] = [firstThird(minutes), lastThird(minutes)].map((part) => median(part.map(({ p99Ms }) => p99Ms)));
  const limit = (first ?? 0) * latencyFactor + latencyMarginMs;
  return {
    what: "p99 of a call, ms",
    first: (first ?? 0).toFixed(1),
    last: (last ?? 0).toFixed(1),
    bound: `at most ${limit.toFixed(1)}`,
    isFlat: (last ?? 0) <= limit,
  };
}

function firstThird<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(0, Math.max(1, Math.floor(items.length / 3)));
}

function lastThird<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(-Math.max(1, Math.floor(items.length / 3)));
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Of the straight line of least squares. */
export function slope(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = average(points.map(({ x }) => x));
  const meanY = average(points.map(({ y }) => y));
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
