// What became of today's messages, by operator.
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import type { ReportRow } from "../../api/figures.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Figure } from "../../parts/number-text.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

const refreshMs = 60_000;

interface Delivery {
  readonly operator: string;
  readonly messages: number;
  readonly delivered: number;
  readonly undelivered: number;
  readonly unsent: number;
}

export function DeliveryTable() {
  const t = useTexts();
  const language = useLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: ["/reports", "today"],
    queryFn: ({ signal }) => callApi<"GET /reports">("GET", "/reports?by=day,operator,status", { signal }),
    refetchInterval: refreshMs,
  });
  if (data === undefined) return error && <Problem error={error} onRetry={() => void refetch()} />;
  const rows = byOperator(data.items.filter(({ day }) => day === data.to));
  if (rows.length === 0) return <p className={styles["noPoints"]}>{t("delivery.none")}</p>;
  return (
    <Table
      name={t("delivery.title")}
      rows={rows}
      keyOf={({ operator }) => operator}
      columns={[
        { key: "operator", title: t("message.operator"), cell: ({ operator }) => <bdi>{operator}</bdi> },
        {
          key: "ratio",
          title: t("delivery.ratio"),
          atEnd: true,
          cell: ({ delivered, undelivered, unsent }) => {
            const over = delivered + undelivered + unsent;
            return over === 0
              ? "—"
              : t("delivery.percent", { share: formatNumber(language, (100 * delivered) / over) });
          },
        },
        { key: "messages", title: t("reports.messages"), atEnd: true, cell: (row) => <Figure value={row.messages} /> },
        { key: "delivered", title: t("state.delivered"), atEnd: true, cell: (row) => <Figure value={row.delivered} /> },
        {
          key: "undelivered",
          title: t("state.undelivered"),
          atEnd: true,
          cell: (row) => <Figure value={row.undelivered} />,
        },
        { key: "unsent", title: t("state.unsent"), atEnd: true, cell: (row) => <Figure value={row.unsent} /> },
      ]}
    />
  );
}

function byOperator(items: readonly ReportRow[]): readonly Delivery[] {
  const operators = [...new Set(items.map(({ operator = "" }) => operator))];
  return operators.map((operator) => {
    const own = items.filter((item) => item.operator === operator);
    const of = (status?: number): number =>
      own.reduce((sum, item) => sum + (status === undefined || item.status === status ? item.messages : 0), 0);
    return { operator, messages: of(), delivered: of(2), undelivered: of(3), unsent: of(4) };
  });
}
