// What was sent and what it cost: by day, line, operator, status and, for staff, account.
import type { ReactNode } from "react";
import { useAnswer } from "../../api/queries.ts";
import type { Report, ReportRow } from "../../api/types.ts";
import type { Language } from "../../format/numbers.ts";
import { formatDay } from "../../format/times.ts";
import { usePerson } from "../../frame/person.ts";
import { dayFilters, type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { State, statuses } from "../../parts/state.tsx";
import { SaveFile } from "../../parts/save-file.tsx";
import { type Column, Loaded, Table } from "../../parts/table.tsx";
import { CountedUpTo, Dialled, Figure, Operator, Percent } from "../../parts/values.tsx";
import { useLanguage } from "../../preferences.ts";
import { leftToRight, type TextKey, type Translate, useTexts, wordFor } from "../../texts/texts.ts";
import styles from "./reports.module.css";

const groupings = [
  "day",
  "day,line",
  "day,operator",
  "day,status",
  "line",
  "operator",
  "status",
  "day,line,operator,status",
];
/** Figures of each row, and of all together. */
const sums = [
  ...(["messages", "delivered", "undelivered", "unsent", "open", "deliveryRate"] as const),
  ...(["parts", "charged", "refunded", "rials"] as const),
] as const;
const staffGroupings = ["account", "day,account"];

export function ReportsPage() {
  const t = useTexts();
  const language = useLanguage();
  const isStaff = usePerson().kind === "staff";
  const filters = filtersOf(t, isStaff);
  const { since, until, ...others } = useFilterValues(filters);
  const values = { ...others, from: since, to: until };
  const report = useAnswer("GET /reports", { query: values });
  return (
    <>
      <PageHead
        title={t("reports.title")}
        lead={t("reports.lead")}
        actions={<SaveFile path="/reports" values={values} />}
      />
      <Filters filters={filters} />
      <Loaded query={report}>{(data) => <Shown report={data} columns={columnsOf(t, language, data)} />}</Loaded>
    </>
  );
}

function Shown({ report, columns }: { readonly report: Report; readonly columns: readonly Column<ReportRow>[] }) {
  const t = useTexts();
  const language = useLanguage();
  const { asOf, items, total, timeZone, from, to } = report;
  return (
    <>
      <p className={styles["asOf"]}>
        {t("reports.days", {
          from: dayText(language, from),
          to: dayText(language, to),
          zone: wordFor(t, `zone.${timeZone}`, leftToRight(timeZone)),
        })}{" "}
        <CountedUpTo asOf={asOf} />
      </p>
      {items.length === 0 ? (
        <Empty title={t("reports.none")} text={t("reports.noneText")} />
      ) : (
        <>
          <dl className={styles["total"]}>
            {sums.map((sum) => (
              <div key={sum}>
                <dt>{t(`sum.${sum}`)}</dt>
                <dd>
                  <Sum sum={sum} of={total} />
                </dd>
              </div>
            ))}
          </dl>
          <Table name={t("reports.title")} rows={items} keyOf={keyOf} columns={columns} />
        </>
      )}
    </>
  );
}

function Sum({ sum, of }: { readonly sum: (typeof sums)[number]; readonly of: Report["total"] }) {
  return sum === "deliveryRate" ? <Percent value={of.deliveryRate} /> : <Figure value={of[sum]} />;
}

function filtersOf(t: Translate, isStaff: boolean): readonly Filter[] {
  return [
    ...dayFilters(t),
    ...(isStaff ? [{ key: "account", label: t("message.account"), kind: "text" as const }] : []),
    {
      key: "by",
      label: t("reports.by"),
      kind: "choice",
      usual: "day",
      options: [...groupings, ...(isStaff ? staffGroupings : [])].map((value) => ({
        value,
        text: groupingText(t, value),
      })),
    },
  ];
}

function groupingText(t: Translate, grouping: string): string {
  return grouping
    .split(",")
    .map((name) => titleOf(t, name))
    .join(t("list.comma"));
}

const titles: Readonly<Record<string, TextKey>> = {
  day: "send.day",
  account: "message.account",
  line: "message.line",
  operator: "message.operator",
  status: "message.state",
};

function titleOf(t: Translate, name: string): string {
  return t(titles[name] ?? "message.state");
}

function keyOf({ day, account, line, operator, status }: ReportRow): string {
  return JSON.stringify([day, account, line, operator, status]);
}

function dayText(language: Language, day: string): string {
  return formatDay(language, new Date(`${day}T12:00:00`));
}

function columnsOf(t: Translate, language: Language, { by }: Report): readonly Column<ReportRow>[] {
  const cells: Readonly<Record<string, (row: ReportRow) => ReactNode>> = {
    day: ({ day }) => day !== undefined && dayText(language, day),
    account: ({ account }) => <bdi>{account}</bdi>,
    line: ({ line }) => line !== undefined && <Dialled text={line} />,
    operator: ({ operator }) => <Operator name={operator} />,
    status: ({ status }) => {
      const state = status === undefined ? undefined : statuses[status];
      return state !== undefined && <State state={state} />;
    },
  };
  return [
    ...by.map((name): Column<ReportRow> => ({ title: titleOf(t, name), cell: cells[name] ?? (() => null) })),
    ...sums.map((sum): Column<ReportRow> => ({
      title: t(`sum.${sum}`),
      atEnd: true,
      minor: sum === "charged" || sum === "refunded",
      cell: (row) => <Sum sum={sum} of={row} />,
    })),
  ];
}
