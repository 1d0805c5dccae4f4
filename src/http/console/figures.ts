// GET figures: what the service did, as a series of points.
import { array, integer, object, oneOf, orAbsent, time } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { type FigurePoint, listHours, listMinutes } from "../../store/figures.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Minutes stand for 48 hours, hours for `retentionDays`. */
const ranges = {
  "1h": { lengthMs: hourMs, stepMs: minuteMs },
  "24h": { lengthMs: 24 * hourMs, stepMs: minuteMs },
  "7d": { lengthMs: 7 * 24 * hourMs, stepMs: hourMs },
  "30d": { lengthMs: 30 * 24 * hourMs, stepMs: hourMs },
} as const;
type Range = keyof typeof ranges;
const rangeNames = Object.keys(ranges);

const point = object({
  at: time("The beginning of the step."),
  accepted: integer("Messages accepted."),
  sent: integer("Messages whose last part an operator has taken."),
  delivered: integer("Messages reported as delivered."),
  undelivered: integer("Messages reported as undelivered."),
  unsent: integer("Messages that ended without being sent."),
  taken: integer("Parts taken by operators."),
  refused: integer("Parts refused."),
  throttled: integer("Parts turned away for now."),
  unanswered: integer("Parts without an answer in time."),
  medianMs: orAbsent(
    integer("From a submit_sm to its answer: half of them took at most this. Absent where there was no answer."),
  ),
  slowMs: orAbsent(
    integer("95 of 100 took at most this; of several minutes the highest. Absent where there was no answer."),
  ),
});

const series = object({
  range: oneOf(rangeNames),
  from: time("The beginning of the first step."),
  to: time("The end of the last step."),
  stepSeconds: integer(),
  points: array(point, "Oldest first. A step in which no node ran has no point."),
});

async function answerSeries(call: ConsoleCall, range: Range): Promise<object> {
  const { lengthMs, stepMs } = ranges[range];
  const to = Math.floor(Date.now() / stepMs) * stepMs + stepMs;
  const from = new Date(to - lengthMs);
  const points: readonly FigurePoint[] =
    stepMs === minuteMs ? await listMinutes(call.reads, from) : await listHours(call.reads, from);
  return { range, from, to: new Date(to), stepSeconds: stepMs / 1000, points: points.map(withTimesIfAny) };
}

function withTimesIfAny({ medianMs, slowMs, ...counts }: FigurePoint): object {
  return { ...counts, ...(medianMs !== null && slowMs !== null && { medianMs, slowMs }) };
}

function readRange(given: string | undefined): Range {
  const range = (rangeNames as Range[]).find((name) => name === (given ?? "1h"));
  if (range !== undefined) return range;
  throw ApiError.invalidParameter("range", "console.range");
}

export const figuresEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/figures",
    needs: "readService",
    operationId: "figures",
    summary: "What the service did, as a series",
    description: "By minute for 48 hours, then by hour. Each node writes a minute when it has ended.",
    tag: "Figures",
    query: {
      range: orAbsent(oneOf(rangeNames, { default: "1h" })),
    },
    result: series,
    handle: async (call) => answerSeries(call, readRange(call.query.text("range"))),
  },
];
