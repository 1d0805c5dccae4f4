// Is anything wrong now? What needs a person on top, then how fast it goes and what waits, the
// series, each connector with its binds, and the nodes. A stream brings it each second while the
// page is looked at.
import { useLive, type LiveConnector } from "../../api/live.ts";
import { Waiting } from "../../parts/endless-list.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Section } from "../../parts/section.tsx";
import { useTexts } from "../../texts/texts.ts";
import { Attention } from "./attention.tsx";
import { ConnectorCard } from "./connector-card.tsx";
import { DeliveryTable } from "./delivery-table.tsx";
import { NodeTable } from "./node-table.tsx";
import { PresentFigures } from "./present-figures.tsx";
import { Series } from "./series.tsx";
import styles from "./overview.module.css";

export function OverviewPage() {
  const t = useTexts();
  const { figures, error } = useLive();
  return (
    <>
      <PageHead title={t("overview.title")} lead={t("overview.lead")} />
      {error !== undefined && <Problem error={error} />}
      {figures === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <>
          <Attention troubles={figures.attention} connectors={figures.connectors} />
          <PresentFigures figures={figures} />
        </>
      )}
      <Section title={t("overview.series")}>
        <Series />
      </Section>
      <Section title={t("delivery.title")} lead={t("delivery.lead")}>
        <DeliveryTable />
      </Section>
      {figures !== undefined && (
        <>
          <div id="connectors">
            <Section title={t("overview.connectors")}>
              <Connectors connectors={figures.connectors} />
            </Section>
          </div>
          <div id="nodes">
            <Section title={t("overview.nodes")}>
              <NodeTable nodes={figures.nodes} />
            </Section>
          </div>
        </>
      )}
    </>
  );
}

function Connectors({ connectors }: { readonly connectors: readonly LiveConnector[] }) {
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
