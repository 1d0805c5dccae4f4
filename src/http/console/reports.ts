// GET reports: messages, parts and rials by day, account, line, operator and status; and the same
// as a file for spreadsheets.
import { array, decimal, integer, object, oneOf, orAbsent, orDefault, plainText, time } from "../json-schema.ts";
import { stateText } from "../../texts/list-file-texts.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { deliveryRate } from "../../sms/delivery-quality.ts";
import { ApiError } from "../../texts/errors.ts";
import {
  type ReportDimension,
  type ReportRow,
  listReport,
  readReportProgress,
  reportAsOf,
  reportDimensions,
} from "../../store/reports.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { type FileColumn, type ListFile, fileEndpoints, localDay } from "./list-file.ts";
import type { ConsoleCall } from "./console-call.ts";
import { type FigurePoint, listFigures } from "../../store/figures.ts";

const usualDays = 30;
const mostRows = 5_000;
const dayMs = 86_400_000;

const day = (description: string) => plainText({ format: "date", description });

const figures = {
  messages: integer("Messages accepted that day."),
  delivered: integer("Of these, delivered."),
  undelivered: integer("Of these, not delivered."),
  unsent: integer("Of these, not sent."),
  deliveryRate: orAbsent(
    decimal(
      "Percent delivered of those that ended, without canceled ones, those that staff did not allow and those whose recipient had opted " +
        "out; absent: none has ended.",
    ),
  ),
  parts: integer("Of these messages."),
  charged: integer("What they cost."),
  refunded: integer("What was given back since, for those that were not sent."),
  rials: integer("Charged less refunded."),
  open: integer("Of these messages, those without an outcome."),
};

const row = object({
  day: orAbsent(day("Of the acceptance, in the time zone of the reports.")),
  account: orAbsent(plainText()),
  line: orAbsent(plainText()),
  operator: orAbsent(plainText()),
  status: orAbsent(
    integer({
      minimum: 0,
      maximum: 4,
      description: "messageStatus. What was refunded stands at 4, even if a receipt came later.",
    }),
  ),
  ...figures,
});

const report = object({
  asOf: orAbsent(
    time("Messages accepted until then are counted, with what was known of them then; absent before the first round."),
  ),
  timeZone: plainText("Whose days these are."),
  from: day("The first day."),
  to: day("The last day."),
  by: array(oneOf(reportDimensions)),
  items: array(row, "Newest days first."),
  total: object(figures),
});

const parameters = {
  account: orAbsent(plainText("For staff; absent: all accounts.")),
  from: orAbsent(day(`The first day; absent: ${usualDays} days with the last one.`)),
  to: orAbsent(day("The last day; absent: today.")),
  by: orDefault(plainText(`Some of ${reportDimensions.join(", ")}, with commas; absent: day.`), "day"),
};

type ReportFigures = Pick<
  ReportRow,
  "messages" | "delivered" | "undelivered" | "unsent" | "withdrawn" | "parts" | "charged" | "refunded"
>;
type ReportItem = Omit<ReportRow, "withdrawn"> & {
  readonly rials: bigint;
  readonly open: bigint;
  readonly deliveryRate: number | undefined;
};

/** What is made of the sums. */
function withRates<Figures extends ReportFigures>(of: Figures) {
  const open = of.messages - of.delivered - of.undelivered - of.unsent;
  return { ...of, withdrawn: undefined, deliveryRate: deliveryRate(of), rials: of.charged - of.refunded, open };
}

async function readReport(call: ConsoleCall) {
  const given = call.readQuery(parameters);
  const account = await call.accountNamed(given.account);
  const progress = await readReportProgress(call.reads);
  const timeZone = progress.timeZone === "" ? "UTC" : progress.timeZone;
  const by = readDimensions(given.by);
  const { to = todayIn(timeZone, progress.now), from = dayBefore(to, usualDays - 1) } = given;
  const days = { from, to };
  const rows = await listReport(call.reads, { accountId: account?.id, ...days, by, limit: mostRows + 1 });
  if (rows.length > mostRows) {
    throw ApiError.invalidParameter("by", "console.reportTooLong", { maximum: mostRows });
  }
  const asOf = reportAsOf(progress);
  return {
    ...(asOf && { asOf }),
    timeZone,
    ...days,
    by,
    items: rows.map((each): ReportItem => withRates(each)),
    total: totalOf(rows),
  };
}

function totalOf(rows: readonly ReportRow[]) {
  const sum = (key: keyof ReportFigures): bigint => rows.reduce((total, each) => total + each[key], 0n);
  return withRates({
    ...{
      messages: sum("messages"),
      delivered: sum("delivered"),
      undelivered: sum("undelivered"),
      unsent: sum("unsent"),
      withdrawn: sum("withdrawn"),
    },
    ...{ parts: sum("parts"), charged: sum("charged"), refunded: sum("refunded") },
  });
}

/** Throws 1001. */
function readDimensions(names: string): readonly ReportDimension[] {
  const given = new Set(names.split(","));
  const by = reportDimensions.filter((name) => given.has(name));
  if (by.length === given.size) return by;
  throw ApiError.invalidParameter("by", "console.range");
}

function dayBefore(given: string, days: number): string {
  return new Date(Date.parse(`${given}T00:00:00Z`) - days * dayMs).toISOString().slice(0, 10);
}

function todayIn(timeZone: string, now: Date): string {
  // Sweden writes 2026-11-22.
  return new Intl.DateTimeFormat("sv-SE", { timeZone }).format(now);
}

function dimensionColumns(name: ReportDimension, language: AnswerLanguage): FileColumn<ReportItem>[] {
  if (name === "status") {
    const raw = ({ status }: ReportItem) => status;
    const shown = ({ status }: ReportItem) => stateText(status);
    return [
      { key: "status", for: "programs", raw },
      { key: "state", for: "people", raw, shown },
    ];
  }
  if (name !== "day") return [{ key: name, raw: (item) => item[name] }];
  return [{ key: name, raw: (item) => item.day, shown: ({ day: of }) => of && localDay(of, language) }];
}

const figureColumns = (Object.keys(figures) as (keyof typeof figures)[]).map((key): FileColumn<ReportItem> => ({
  key,
  raw: (item) => item[key],
}));

export const reportEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/reports",
    needs: "readMessages",
    summary: "Messages, parts and rials by day, account, line, operator and status",
    description:
      "Exact as of `asOf`, which is at most five minutes ago while the service keeps up: parts and rials agree with the statement. " +
      `At most ${mostRows} rows; beyond that 1001.`,
    query: parameters,
    result: report,
    handle: async (call) => readReport(call),
  },
  ...fileEndpoints({
    path: "/reports",
    needs: "readMessages",
    summary: "The same report",
    description: "All its rows.",
    query: parameters,
    list: async (call, language): Promise<ListFile<ReportItem>> => {
      const { by, items, from, to } = await readReport(call);
      return {
        name: `report-${from}-${to}`,
        columns: [...by.flatMap((name) => dimensionColumns(name, language)), ...figureColumns],
        page: () => Promise.resolve({ items }),
      };
    },
  }),
];

// GET figures: what the service did, as a series of points.

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
const rangeNames = Object.keys(ranges) as Range[];

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
  const points: readonly FigurePoint[] = await listFigures(call.reads, stepMs === minuteMs ? "minute" : "hour", from);
  return { range, from, to: new Date(to), stepSeconds: stepMs / 1000, points: points.map(withTimesIfAny) };
}

function withTimesIfAny({ medianMs, slowMs, ...counts }: FigurePoint): object {
  return { ...counts, ...(medianMs !== null && slowMs !== null && { medianMs, slowMs }) };
}

const figureParameters = { range: orDefault(oneOf(rangeNames), "1h") };

export const figuresEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/figures",
    needs: "readService",
    summary: "What the service did, as a series",
    description: "By minute for 48 hours, then by hour. Each node writes a minute when it has ended.",
    query: figureParameters,
    result: series,
    handle: async (call) => answerSeries(call, call.readQuery(figureParameters).range),
  },
];
