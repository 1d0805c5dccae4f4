// Is anything wrong now? What needs a person on top, then each connector with its binds and queue, then the nodes. Asked anew every few
// seconds while the page is looked at.
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../api/client.ts";
import type { Connector, ConnectorList, GatewayNode } from "../../api/network.ts";
import type { Page } from "../../api/types.ts";
import { Waiting } from "../../parts/endless-list.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import { Attention } from "./attention.tsx";
import { ConnectorCard } from "./connector-card.tsx";
import { NodeTable } from "./node-table.tsx";
import { QueueFigures } from "./queue-figures.tsx";
import styles from "./overview.module.css";

const refreshMs = 3_000;

export function OverviewPage() {
  const t = useTexts();
  const connectors = useQuery({
    queryKey: ["connectors"],
    queryFn: ({ signal }) => callApi<ConnectorList>("GET", "/connectors", { signal }),
    refetchInterval: refreshMs,
  });
  const nodes = useQuery({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => callApi<Page<GatewayNode>>("GET", "/nodes", { signal }),
    refetchInterval: refreshMs,
  });
  const error = connectors.error ?? nodes.error;
  const retry = (): void => {
    void connectors.refetch();
    void nodes.refetch();
  };
  return (
    <>
      <PageHead title={t("overview.title")} lead={t("overview.lead")} />
      {error !== null && <Problem error={error} onRetry={retry} />}
      {connectors.isPending && <Waiting />}
      {connectors.data !== undefined && (
        <>
          <Attention connectors={connectors.data} />
          <QueueFigures connectors={connectors.data} />
          <Section title={t("overview.connectors")}>
            <Connectors connectors={connectors.data.items} />
          </Section>
        </>
      )}
      {nodes.data !== undefined && (
        <Section title={t("overview.nodes")}>
          <NodeTable nodes={nodes.data.items} />
        </Section>
      )}
    </>
  );
}

function Connectors({ connectors }: { readonly connectors: readonly Connector[] }) {
  const t = useTexts();
  if (connectors.length === 0)
    return (
      <Empty title={t("overview.noConnectors")}>
        <p>{t("overview.addConnector")}</p>
        <pre dir="ltr" tabIndex={0}>
          hodhod apply setup.yaml
        </pre>
      </Empty>
    );
  return (
    <ul className={styles["connectors"]}>
      {connectors.map((connector) => (
        <li key={connector.name}>
          <ConnectorCard connector={connector} />
        </li>
      ))}
    </ul>
  );
}
