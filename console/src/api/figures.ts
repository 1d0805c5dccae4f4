// Series and reports.

export const figureRanges = ["1h", "24h", "7d", "30d"] as const;
export type FigureRange = (typeof figureRanges)[number];

export interface FigurePoint {
  readonly at: string;
  readonly accepted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly medianMs: number;
  readonly slowMs: number;
}

export interface FigureSeries {
  readonly from: string;
  readonly to: string;
  readonly stepSeconds: number;
  readonly points: readonly FigurePoint[];
}

export interface ReportFigures {
  readonly messages: number;
  readonly parts: number;
  readonly charged: number;
  readonly refunded: number;
  readonly rials: number;
}

export interface ReportRow extends ReportFigures {
  readonly day?: string;
  readonly account?: string;
  readonly line?: string;
  readonly operator?: string;
  readonly status?: number;
}

export interface Report {
  readonly asOf?: string;
  readonly timeZone: string;
  readonly from: string;
  readonly to: string;
  readonly by: readonly string[];
  readonly items: readonly ReportRow[];
  readonly total: ReportFigures;
}
