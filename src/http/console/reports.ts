// GET reports: messages, parts and rials by day, account, line, operator and status; and the same
// as a file for spreadsheets.
import { oneOf, orAbsent, orDefault, plainText } from "../json-schema.ts";
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
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { type FileColumn, type ListFile, fileEndpoints, localDay } from "./list-file.ts";
import type { ConsoleCall } from "./console-call.ts";
import { type FigurePoint, listFigures } from "../../store/figures.ts";

const usualDays = 30;
const mostRows = 5_000;
const dayMs = 86_400_000;

const day = (description: string) => plainText({ format: "date", description });

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
type ReportItem = ReturnType<typeof describeRow>;

/** What is made of the sums. */
function ratesOf(of: ReportFigures) {
  return {
    /** Percent; absent: none has ended. */
    deliveryRate: deliveryRate(of),
    rials: of.charged - of.refunded,
    /** Those without an outcome. */
    open: of.messages - of.delivered - of.undelivered - of.unsent,
  };
}

function describeRow(row: ReportRow) {
  return { ...row, withdrawn: undefined, ...ratesOf(row) };
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
    items: rows.map(describeRow),
    total: totalOf(rows),
  };
}

function totalOf(rows: readonly ReportRow[]) {
  const sum = (key: keyof ReportFigures): bigint => rows.reduce((total, each) => total + each[key], 0n);
  const total = {
    ...{
      messages: sum("messages"),
      delivered: sum("delivered"),
      undelivered: sum("undelivered"),
      unsent: sum("unsent"),
      withdrawn: sum("withdrawn"),
    },
    ...{ parts: sum("parts"), charged: sum("charged"), refunded: sum("refunded") },
  };
  return { ...total, withdrawn: undefined, ...ratesOf(total) };
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

const figureColumns = (
  [
    "messages",
    "delivered",
    "undelivered",
    "unsent",
    "deliveryRate",
    "parts",
    "charged",
    "refunded",
    "rials",
    "open",
  ] as const
).map((key): FileColumn<ReportItem> => ({
  key,
  raw: (item) => item[key],
}));

export const reportEndpoints = {
  "GET /reports": {
    needs: "readMessages",
    summary: "Messages, parts and rials by day, account, line, operator and status",
    description:
      "Exact as of `asOf`, which is at most five minutes ago while the service keeps up: parts and rials agree with the statement. " +
      `At most ${mostRows} rows; beyond that 1001.`,
    query: parameters,
    handle: async (call) => readReport(call),
  },
} satisfies ConsoleEndpoints;

export const reportFiles = fileEndpoints({
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
});

// GET figures: what the service did, as a series of points.

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Minutes are kept for 31 days. */
const ranges = {
  "1h": { lengthMs: hourMs, stepMs: minuteMs },
  "24h": { lengthMs: 24 * hourMs, stepMs: minuteMs },
  "7d": { lengthMs: 7 * 24 * hourMs, stepMs: hourMs },
  "30d": { lengthMs: 30 * 24 * hourMs, stepMs: hourMs },
} as const;
type Range = keyof typeof ranges;
const rangeNames = Object.keys(ranges) as Range[];

async function answerSeries(call: ConsoleCall, range: Range) {
  const { lengthMs, stepMs } = ranges[range];
  const to = Math.floor(Date.now() / stepMs) * stepMs + stepMs;
  const from = new Date(to - lengthMs);
  const points: readonly FigurePoint[] = await listFigures(call.reads, stepMs === minuteMs ? "minute" : "hour", from);
  return { range, from, to: new Date(to), stepSeconds: stepMs / 1000, points: points.map(withTimesIfAny) };
}

function withTimesIfAny({ medianMs, slowMs, ...counts }: FigurePoint) {
  return { ...counts, ...(medianMs !== null && slowMs !== null && { medianMs, slowMs }) };
}

const figureParameters = { range: orDefault(oneOf(rangeNames), "1h") };

export const figuresEndpoints = {
  "GET /figures": {
    needs: "readService",
    summary: "What the service did, as a series",
    description: "By minute up to 24 hours, else by hour. Each node writes a minute when it has ended.",
    query: figureParameters,
    handle: async (call) => answerSeries(call, call.readQuery(figureParameters).range),
  },
} satisfies ConsoleEndpoints;
