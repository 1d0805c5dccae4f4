// The nodes of the gateway.
import type { GatewayNode } from "../../api/network.ts";
import { formatNumber } from "../../format/numbers.ts";
import { Moment } from "../../parts/moment.tsx";
import { Code } from "../../parts/number-text.tsx";
import { Table } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

export function NodeTable({ nodes }: { readonly nodes: readonly GatewayNode[] }) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <Table
      name={t("overview.nodes")}
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        {
          key: "host",
          title: t("node.host"),
          cell: ({ host, pid }) => <Code text={pid === undefined ? host : `${host} · ${pid}`} />,
        },
        {
          key: "state",
          title: t("message.state"),
          cell: ({ alive }) => (
            <span className={styles["nodeState"]} data-alive={alive}>
              {t(alive ? "node.alive" : "node.dead")}
            </span>
          ),
        },
        { key: "works", title: t("node.works"), cell: ({ dispatches }) => t(dispatches ? "node.both" : "node.calls") },
        {
          key: "binds",
          title: t("node.binds"),
          cell: ({ binds, boundBinds }) =>
            t("bind.used", { used: formatNumber(language, boundBinds), most: formatNumber(language, binds) }),
        },
        { key: "since", title: t("node.since"), cell: ({ startedAt }) => <Moment at={startedAt} ago /> },
      ]}
    />
  );
}
