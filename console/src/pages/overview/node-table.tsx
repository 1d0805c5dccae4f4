// The nodes of the gateway.
import type { GatewayNode } from "../../api/network.ts";
import { Copyable } from "../../parts/copyable.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Table } from "../../parts/table.tsx";
import { useTexts } from "../../texts/texts.ts";
import { EnabledText } from "../accounts/enabled-text.tsx";

export function NodeTable({ nodes }: { readonly nodes: readonly GatewayNode[] }) {
  const t = useTexts();
  return (
    <Table
      name={t("overview.nodes")}
      rows={nodes}
      keyOf={({ id }) => id}
      columns={[
        { key: "id", title: t("node.id"), cell: ({ id }) => <Copyable text={id} name={t("node.id")} /> },
        { key: "state", title: t("message.state"), cell: ({ alive }) => <EnabledText isEnabled={alive} /> },
        {
          key: "since",
          title: t("node.since"),
          cell: ({ startedAt }) => startedAt !== undefined && <Moment at={startedAt} ago />,
        },
      ]}
    />
  );
}
