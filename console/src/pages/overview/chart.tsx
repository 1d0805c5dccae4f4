// Lines over time, drawn by uPlot. Time goes from left to right in both languages. The figures of
// the last step stand in words beside it, for those who do not see the lines.
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { formatNumber, type Language } from "../../format/numbers.ts";
import { formatDay, formatTime } from "../../format/times.ts";
import { useLanguage, useTheme } from "../../preferences.ts";
import styles from "./overview.module.css";
import "uplot/dist/uPlot.min.css";

export interface ChartLine {
  readonly name: string;
  /** A colour of tokens.css. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** Of the last step that has ended; absent where it has none. */
  readonly last: number | undefined;
}

interface ChartProps {
  readonly name: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
}

const height = 200;
// The library's names of the sides are constants of its types alone.
/* eslint-disable @typescript-eslint/no-unsafe-enum-assignment */
const rightSide: UPlot.Axis.Side = 1;
const leftSide: UPlot.Axis.Side = 3;
/* eslint-enable @typescript-eslint/no-unsafe-enum-assignment */
/** Counts and milliseconds have no fractions. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
/** Half the width of a time below the plot, in px. */
const halfTime = 20;

export function Chart({ name, times, lines }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const language = useLanguage();
  const theme = useTheme();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const plot = new UPlot(optionsOf(element, language, lines), dataOf(times, lines), element);
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [times, lines, language, theme]);
  return (
    <figure className={styles["chart"]}>
      <figcaption>
        <span>{name}</span>
        {lines.map((line) => (
          <span key={line.name} className={styles["legend"]} data-colour={line.colour}>
            {line.name}: {line.last === undefined ? "—" : formatNumber(language, line.last)}
          </span>
        ))}
      </figcaption>
      <div ref={place} dir="ltr" aria-hidden="true" />
    </figure>
  );
}

function dataOf(times: readonly number[], lines: readonly ChartLine[]): UPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

function optionsOf(element: HTMLElement, language: Language, lines: readonly ChartLine[]): UPlot.Options {
  const token = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const figure = (value: number | null): string => (value === null ? "" : formatNumber(language, value));
  const axis = { stroke: token("--ink-faint"), grid: { stroke: token("--line"), width: 1 }, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false },
    // Room for half of the outermost time, where no figures stand beside the plot.
    padding: language === "fa" ? [8, 0, 0, halfTime] : [8, halfTime, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 30,
        values: (_plot, splits) => splits.map((split) => shortTime(language, new Date(split * 1000))),
      },
      {
        ...axis,
        side: language === "fa" ? rightSide : leftSide,
        size: 56,
        incrs: wholeSteps,
        values: (_plot, splits) => splits.map(figure),
      },
    ],
    series: [
      {},
      ...lines.map(({ name, colour, values }) => {
        const points = { show: true, size: 4, fill: token(colour), filter: () => betweenGaps(values) };
        return { label: name, stroke: token(colour), width: 1.5, points };
      }),
    ],
  };
}

/** The steps that no line reaches: each is drawn as a point. */
function betweenGaps(values: ChartLine["values"]): number[] {
  const isGap = (step: number): boolean => (values[step] ?? null) === null;
  return values.flatMap((_, step) => (!isGap(step) && isGap(step - 1) && isGap(step + 1) ? [step] : []));
}

/** A day at midnight, the time of day otherwise. */
function shortTime(language: Language, time: Date): string {
  const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
  if (isMidnight) return formatDay(language, time).split(" ").slice(0, 2).join(" ");
  return formatTime(language, time).split(/[,،] /)[1] ?? "";
}
