// How well messages are delivered, by who carries them and by why they fail, beside the time before:
// what has changed most comes first.
import type { ReactNode } from "react";
import { useAnswer } from "../../api/queries.ts";
import { type DeliveryQuality, figureRanges, type QualityRow } from "../../api/types.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { usePerson } from "../../frame/person.ts";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, Loaded, Table } from "../../parts/table.tsx";
import { Code, CountedUpTo, Dialled, Figure, Operator, Percent } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { type TextKey, type Translate, useTexts } from "../../texts/texts.ts";
import reportStyles from "../reports/reports.module.css";
import styles from "./quality.module.css";

const titles = {
  connector: "connectors.name",
  operator: "message.operator",
  line: "message.line",
  failure: "message.failureKind",
} as const satisfies Readonly<Record<string, TextKey>>;

type Dimension = keyof typeof titles;
const dimensions = Object.keys(titles) as readonly Dimension[];

export function QualityPage() {
  const t = useTexts();
  const isStaff = usePerson().kind === "staff";
  const filters = filtersOf(t, isStaff);
  const quality = useAnswer("GET /quality", { query: useFilterValues(filters) });
  return (
    <>
      <PageHead title={t("quality.title")} lead={t("quality.lead")} />
      <Filters filters={filters} />
      <Loaded query={quality}>
        {({ asOf, range, by, items, total }) => (
          <>
            <p className={reportStyles["asOf"]}>
              {t("quality.range", { range: t(`series.${range}`) })} <CountedUpTo asOf={asOf} />
            </p>
            {items.length === 0 ? (
              <Empty title={t("quality.none")} text={t("quality.noneText")} />
            ) : (
              <>
                <dl className={reportStyles["total"]}>
                  {figures.map(({ title, of }) => (
                    <div key={title}>
                      <dt>{t(title)}</dt>
                      <dd>
                        <Compared row={total} of={of} />
                      </dd>
                    </div>
                  ))}
                </dl>
                <Table
                  name={t("quality.title")}
                  rows={items}
                  keyOf={({ name = "" }) => `${by} ${name}`}
                  columns={columnsOf(t, by)}
                />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function filtersOf(t: Translate, isStaff: boolean): readonly Filter[] {
  const offered = dimensions.filter((by) => isStaff || by !== "connector");
  return [
    {
      key: "range",
      label: t("series.range"),
      kind: "choice",
      usual: "24h",
      options: figureRanges.map((value) => ({ value, text: t(`series.${value}`) })),
    },
    {
      key: "by",
      label: t("quality.by"),
      kind: "choice",
      usual: isStaff ? "connector" : "operator",
      options: offered.map((value) => ({ value, text: t(titles[value]) })),
    },
    ...(isStaff ? [{ key: "account", label: t("message.account"), kind: "text" as const }] : []),
  ];
}

/** What is known of a span; undefined where nothing is. */
type FigureOf = (quality: DeliveryQuality) => ReactNode;

const ended = { title: "quality.ended", of: (quality) => <Figure value={quality.ended} /> } as const satisfies {
  title: TextKey;
  of: FigureOf;
};

const figures: readonly { readonly title: TextKey; readonly of: FigureOf }[] = [
  { title: "sum.deliveryRate", of: ({ deliveredShare }) => <Percent value={deliveredShare} /> },
  ended,
  { title: "quality.unreported", of: ({ unreportedShare }) => <Percent value={unreportedShare} /> },
  { title: "quality.half", of: ({ halfWithinSeconds }) => <Within value={halfWithinSeconds} /> },
  { title: "quality.most", of: ({ mostWithinSeconds }) => <Within value={mostWithinSeconds} /> },
];

const failureFigures: typeof figures = [
  { title: "quality.failed", of: ({ failedShare }) => <Percent value={failedShare} /> },
  ended,
];

function Within({ value }: { readonly value: number | undefined }) {
  const language = useLanguage();
  return value === undefined ? "–" : formatSpan(language, value * 1000);
}

/** A figure, and what it was before. */
function Compared({ row, of }: { readonly row: Pick<QualityRow, "now" | "before">; readonly of: FigureOf }) {
  const t = useTexts();
  return (
    <>
      {of(row.now)}{" "}
      <small className={styles["before"]} title={t("quality.before")}>
        {of(row.before)}
      </small>
    </>
  );
}

/** `−12.3`, of points that harm or help. */
function Change({ change, isFailure }: { readonly change: number | undefined; readonly isFailure: boolean }) {
  const language = useLanguage();
  if (change === undefined) return "–";
  const signs = ["−", "", "+"];
  return (
    <bdi dir="ltr" className={styles["change"]} data-worse={isFailure === change > 0 && change !== 0}>
      {signs[Math.sign(change) + 1]}
      {formatNumber(language, Math.abs(change))}
    </bdi>
  );
}

function columnsOf(t: Translate, by: Dimension): readonly Column<QualityRow>[] {
  const isFailure = by === "failure";
  return [
    { title: t(titles[by]), cell: (row) => <Name by={by} row={row} /> },
    { title: t("quality.change"), atEnd: true, cell: ({ change }) => <Change change={change} isFailure={isFailure} /> },
    ...(isFailure ? failureFigures : figures).map(({ title, of }): Column<QualityRow> => ({
      title: t(title),
      atEnd: true,
      cell: (row) => <Compared row={row} of={of} />,
    })),
  ];
}

function Name({ by, row: { name, text } }: { readonly by: Dimension; readonly row: QualityRow }) {
  const t = useTexts();
  if (name === undefined) return <em>{t("quality.noConnector")}</em>;
  if (text !== undefined) return text;
  if (by === "line") return <Dialled text={name} />;
  if (by === "operator") return <Operator name={name} />;
  return by === "failure" ? <Code text={name} /> : <bdi>{name}</bdi>;
}
