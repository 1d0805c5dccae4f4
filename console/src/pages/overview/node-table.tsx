// The nodes of the gateway, as they tell of themselves each second.
import type { LiveNode } from "../../api/live.ts";
import { formatNumber } from "../../format/numbers.ts";
import { formatSpan } from "../../format/times.ts";
import { Code, Figure } from "../../parts/number-text.tsx";
import { Table } from "../../parts/table.tsx";
import { useLanguage } from "../../preferences.ts";
import { useTexts } from "../../texts/texts.ts";
import styles from "./overview.module.css";

/** A node tells its figures each second. */
const silentSeconds = 10;

export function NodeTable({ nodes }: { readonly nodes: readonly LiveNode[] }) {
  const t = useTexts();
  const language = useLanguage();
  return (
    <Table
      name={t("overview.nodes")}
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        { key: "host", title: t("node.host"), cell: ({ host, pid }) => <Code text={`${host} · ${pid}`} /> },
        {
          key: "state",
          title: t("message.state"),
          cell: ({ lease, silentSeconds: silent }) => (
            <span className={styles["nodeState"]} data-alive={lease && silent < silentSeconds}>
              {silent >= silentSeconds
                ? t("node.silent", { span: formatSpan(language, silent * 1000) })
                : t(lease ? "node.alive" : "node.dead")}
            </span>
          ),
        },
        { key: "in", title: t("rate.in"), atEnd: true, cell: ({ accepted }) => <Figure value={accepted} /> },
        { key: "out", title: t("rate.out"), atEnd: true, cell: ({ sent }) => <Figure value={sent} /> },
        {
          key: "binds",
          title: t("node.binds"),
          atEnd: true,
          cell: ({ binds, boundBinds }) =>
            t("bind.used", { used: formatNumber(language, boundBinds), most: formatNumber(language, binds) }),
        },
      ]}
    />
  );
}
