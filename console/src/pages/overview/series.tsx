// What the service did: messages and times of answers over an hour, a day, a week or a month.
import { Suspense, useEffect, useState } from "react";
import { useAnswer } from "../../api/queries.ts";
import { type FigurePoint, type FigureRange, figureRanges, type FigureSeries } from "../../api/types.ts";
import { later } from "../../parts/later.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table, Waiting } from "../../parts/table.tsx";
import { Operator, Percent } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";
import type { ChartLine } from "./chart.tsx";
import styles from "./overview.module.css";

const Chart = later(async () => (await import("./chart.tsx")).Chart);

const refreshMs = 60_000;

export function Series() {
  const t = useTexts();
  const [range, setRange] = useState<FigureRange>("1h");
  useEffect(() => Chart.load(), []);
  const { data, error, refetch } = useAnswer("GET /figures", { query: { range } }, { refetchInterval: refreshMs });
  return (
    <div className={styles["series"]}>
      <div className={styles["ranges"]} role="group" aria-label={t("series.range")}>
        {figureRanges.map((each) => (
          <button key={each} type="button" aria-pressed={each === range} onClick={() => setRange(each)}>
            {t(`series.${each}`)}
          </button>
        ))}
      </div>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.points.length === 0 && <p className={styles["noPoints"]}>{t("series.none")}</p>}
      {data !== undefined && data.points.length > 0 && (
        <Suspense fallback={<Waiting />}>
          <Chart
            name={t(data.stepSeconds === 60 ? "series.byMinute" : "series.byHour")}
            {...steps(data)}
            lines={[
              { name: t("rate.accepted"), colour: "--ink-soft", ...valuesOf(data, ({ accepted }) => accepted) },
              { name: t("state.sent"), colour: "--sent", ...valuesOf(data, ({ sent }) => sent) },
              { name: t("state.delivered"), colour: "--delivered", ...valuesOf(data, ({ delivered }) => delivered) },
            ]}
          />
          <Chart
            name={t("series.latency")}
            {...steps(data)}
            lines={[
              { name: t("latency.median"), colour: "--sent", ...valuesOf(data, ({ medianMs }) => medianMs) },
              { name: t("latency.slow"), colour: "--undelivered", ...valuesOf(data, ({ slowMs }) => slowMs) },
            ]}
          />
        </Suspense>
      )}
    </div>
  );
}

/** Every step of the range has its place; one without a point, or without that value, is a gap. */
function steps({ from, to, stepSeconds }: FigureSeries): { readonly times: readonly number[] } {
  const [first, last] = [Date.parse(from) / 1000, Date.parse(to) / 1000];
  return {
    times: Array.from({ length: Math.round((last - first) / stepSeconds) }, (_, step) => first + step * stepSeconds),
  };
}

function valuesOf(
  series: FigureSeries,
  of: (point: FigurePoint) => number | undefined,
): Pick<ChartLine, "values" | "last"> {
  const byTime = new Map(series.points.map((point) => [Date.parse(point.at) / 1000, of(point)]));
  const values = steps(series).times.map((time) => byTime.get(time) ?? null);
  const newest = series.points.at(-1);
  return { values, last: newest && of(newest) };
}

// What became of today's messages, by operator.

export function DeliveryTable() {
  const t = useTexts();
  const { data, error, refetch } = useAnswer(
    "GET /reports",
    { query: { by: "day,operator" } },
    { refetchInterval: refreshMs },
  );
  if (data === undefined) return error && <Problem error={error} onRetry={() => void refetch()} />;
  const rows = data.items.filter(({ day }) => day === data.to);
  if (rows.length === 0) return <p className={styles["noPoints"]}>{t("delivery.none")}</p>;
  return (
    <Table
      name={t("delivery.title")}
      rows={rows}
      keyOf={({ operator = "" }) => operator}
      columns={[
        { title: t("message.operator"), cell: ({ operator }) => <Operator name={operator} /> },
        {
          title: t("sum.deliveryRate"),
          atEnd: true,
          cell: ({ deliveryRate }) => <Percent value={deliveryRate} />,
        },
        { title: t("sum.messages"), atEnd: true, cell: (row) => row.messages },
        { title: t("state.delivered"), atEnd: true, cell: (row) => row.delivered },
        {
          title: t("state.undelivered"),
          atEnd: true,
          cell: (row) => row.undelivered,
        },
        { title: t("state.unsent"), atEnd: true, cell: (row) => row.unsent },
      ]}
    />
  );
}
