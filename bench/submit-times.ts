// How long it takes from a call to the submit_sm of its message: load and simulated SMSC note both
// by the machine's one monotonic clock.
import type { LoadResult, Trace } from "./http-load.ts";
import { type Spread, spreadOf } from "./percentiles.ts";
import { runScript } from "./processes.ts";
import type { RequestKind } from "./requests.ts";
import { apiKey, type Smsc } from "./systems.ts";

export interface SubmitTimes {
  /** From the moment that the call was written. */
  readonly fromCallMs: Spread;
  /**
   * From the moment that its answer was there; below zero where the message was quicker than the
   * answer.
   */
  readonly fromAnswerMs: Spread;
}

/** What the simulated SMSC has to note. */
export const notedPrefix = "98912";

const longestMs = 60_000;

export interface CodesOptions {
  readonly port: number;
  readonly smsc: Smsc;
  readonly kind: RequestKind;
  readonly callsPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/**
 * Sends calls one by one, evenly in time. Rejects when one of them was refused, or never submitted.
 */
export async function measureSubmitTimes({ smsc, ...options }: CodesOptions): Promise<SubmitTimes> {
  // Some connections, so that a slow answer holds up no other call.
  const load = runScript("http-load.ts", [JSON.stringify({ ...options, key: apiKey, connections: 4, trace: true })]);
  try {
    const { 0: json } = await load.line(/^\{.*\}$/);
    const result = JSON.parse(json) as LoadResult;
    if (result.refused > 0) throw new Error(`${result.refused} calls were refused: ${result.refusal ?? ""}`);
    return compare(result.traces, await untilSubmitted(smsc, result.traces));
  } finally {
    await load.stop("SIGKILL");
  }
}

async function untilSubmitted(smsc: Smsc, traces: readonly Trace[]): Promise<ReadonlyMap<string, number>> {
  const until = Date.now() + longestMs;
  for (;;) {
    const times = await smsc.submitTimes();
    const missing = traces.filter(([recipient]) => !times.has(recipient)).length;
    if (missing === 0) return times;
    if (Date.now() > until) throw new Error(`${missing} of ${traces.length} messages were not submitted in time`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function compare(traces: readonly Trace[], submittedAt: ReadonlyMap<string, number>): SubmitTimes {
  const pairs = traces.map(([recipient, sentAt, answeredAt]) => {
    const at = submittedAt.get(recipient) ?? Number.NaN;
    return { fromCall: at - sentAt, fromAnswer: at - answeredAt };
  });
  return {
    fromCallMs: spreadOf(pairs.map((pair) => pair.fromCall)),
    fromAnswerMs: spreadOf(pairs.map((pair) => pair.fromAnswer)),
  };
}

export function describeSubmitTimes({ fromCallMs, fromAnswerMs }: SubmitTimes): string {
  const spread = ({ p50, p90, p99, most }: Spread): string =>
    `p50 ${p50.toFixed(1)}, p90 ${p90.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${most.toFixed(1)} ms`;
  return `${fromCallMs.count} messages: from the call ${spread(fromCallMs)}; from its answer ${spread(fromAnswerMs)}`;
}
