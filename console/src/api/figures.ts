// Series and reports.
import type { Answers } from "./endpoints.ts";

export type FigureSeries = Answers["GET /figures"];
export type FigureRange = FigureSeries["range"];
export type FigurePoint = FigureSeries["points"][number];

export const figureRanges = ["1h", "24h", "7d", "30d"] as const satisfies readonly FigureRange[];

export type Report = Answers["GET /reports"];
export type ReportRow = Report["items"][number];
