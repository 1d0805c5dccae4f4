// What was sent and what it cost: by day, line, operator, status and, for staff, account.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { callApi, queryOf } from "../../api/client.ts";
import type { Report, ReportRow } from "../../api/types.ts";
import { formatDay, formatTime } from "../../format/times.ts";
import { usePerson } from "../../frame/person.ts";
import { type Filter, Filters, useFilterValues } from "../../parts/filters.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { type MessageState, State } from "../../parts/state.tsx";
import { type Column, FileLink, Table, Waiting } from "../../parts/table.tsx";
import { Dialled, Figure } from "../../parts/values.tsx";
import type { Language } from "../../format/numbers.ts";
import { useLanguage } from "../../preferences.ts";
import { type Translate, useTexts } from "../../texts/texts.ts";
import styles from "./reports.module.css";

const states: readonly MessageState[] = ["waiting", "sent", "delivered", "undelivered", "unsent"];
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
const staffGroupings = ["account", "day,account"];

export function ReportsPage() {
  const t = useTexts();
  const language = useLanguage();
  const isStaff = usePerson().kind === "staff";
  const filters = filtersOf(t, isStaff);
  const { since, until, ...others } = useFilterValues(filters);
  const values = { ...others, from: since, to: until };
  const { data, error, refetch } = useQuery({
    queryKey: ["/reports", values],
    queryFn: ({ signal }) => callApi<"GET /reports">("GET", `/reports${queryOf(values)}`, { signal }),
  });
  return (
    <>
      <PageHead
        title={t("reports.title")}
        lead={t("reports.lead")}
        actions={<FileLink path="/reports.csv" values={values} />}
      />
      <Filters filters={filters} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Waiting />}
      {data !== undefined && <Shown report={data} columns={columnsOf(t, language, data)} />}
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
          zone: `\u2066${timeZone}\u2069`,
        })}{" "}
        {asOf === undefined ? t("reports.notYet") : t("reports.asOf", { time: formatTime(language, new Date(asOf)) })}
      </p>
      {items.length === 0 ? (
        <Empty title={t("reports.none")}>
          <p>{t("reports.noneText")}</p>
        </Empty>
      ) : (
        <>
          <dl className={styles["total"]}>
            <Total name={t("reports.messages")} value={<Figure value={total.messages} />} />
            <Total name={t("reports.parts")} value={<Figure value={total.parts} />} />
            <Total name={t("reports.charged")} value={<Figure value={total.charged} />} />
            <Total name={t("reports.refunded")} value={<Figure value={total.refunded} />} />
            <Total name={t("reports.rials")} value={<Figure value={total.rials} />} />
          </dl>
          <Table name={t("reports.title")} rows={items} keyOf={keyOf} columns={columns} />
        </>
      )}
    </>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function filtersOf(t: Translate, isStaff: boolean): readonly Filter[] {
  return [
    { key: "since", label: t("filter.since"), kind: "day" },
    { key: "until", label: t("filter.until"), kind: "day" },
    ...(isStaff ? [{ key: "account", label: t("message.account"), kind: "text" as const }] : []),
    {
      key: "by",
      label: t("reports.by"),
      kind: "choice",
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
    .join(t("reports.and"));
}

function titleOf(t: Translate, name: string): string {
  switch (name) {
    case "day":
      return t("reports.day");
    case "account":
      return t("message.account");
    case "line":
      return t("reports.line");
    case "operator":
      return t("message.operator");
    default:
      return t("message.state");
  }
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
    operator: ({ operator }) => <bdi>{operator}</bdi>,
    status: ({ status }) => {
      const state = status === undefined ? undefined : states[status];
      return state !== undefined && <State state={state} />;
    },
  };
  return [
    ...by.map((name): Column<ReportRow> => ({ key: name, title: titleOf(t, name), cell: cells[name] ?? (() => null) })),
    { key: "messages", title: t("reports.messages"), atEnd: true, cell: ({ messages }) => <Figure value={messages} /> },
    { key: "parts", title: t("reports.parts"), atEnd: true, cell: ({ parts }) => <Figure value={parts} /> },
    {
      key: "charged",
      title: t("reports.charged"),
      atEnd: true,
      minor: true,
      cell: ({ charged }) => <Figure value={charged} />,
    },
    {
      key: "refunded",
      title: t("reports.refunded"),
      atEnd: true,
      minor: true,
      cell: ({ refunded }) => <Figure value={refunded} />,
    },
    { key: "rials", title: t("reports.rials"), atEnd: true, cell: ({ rials }) => <Figure value={rials} /> },
  ];
}
