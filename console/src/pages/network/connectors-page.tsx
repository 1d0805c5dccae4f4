// The links to the operators: their state, and what can be done with each.
import { callApi, callTagged, expectAsShown } from "../../api/client.ts";
import { useConnectors } from "../../api/queries.ts";
import type { Answers, Connector } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { LinkErrors } from "../../parts/link-errors.tsx";
import type { Fields } from "../../parts/merge-typed.ts";
import { ObjectDialog, type ObjectKind, RemoveObject } from "../../parts/object-dialog.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { type Column, Loaded, Table } from "../../parts/table.tsx";
import { Code, Figure } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { connectorSpecs, newConnector } from "./connector-specs.tsx";
import { BindTest, type BindTestProps, TestDialog } from "./link-tests.tsx";
import { type Changing, LastChange, useChanging } from "./use-changing.tsx";
import styles from "./network.module.css";

const kind: ObjectKind = { path: "/connectors/{name}", nameKey: "name" };

export function ConnectorsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const connectors = useConnectors(true);
  const changing = useChanging(store);
  return (
    <>
      <PageHead
        title={t("connectors.title")}
        lead={t("connectors.lead")}
        actions={
          mayChange && (
            <ObjectDialog
              kind={kind}
              button={t("connectors.add")}
              emphasis="primary"
              specs={connectorSpecs(t, { isNew: true })}
              initial={newConnector}
              besides={(read) => <BesideSettings settings={read} />}
            />
          )
        }
      />
      <LastChange
        change={changing}
        textOf={({ now: { name }, what }) => t(`connectors.done.${what}`, { name })}
        opposite={(what) => opposite[what]}
      />
      <Loaded query={connectors}>
        {({ items }) =>
          items.length > 0 ? (
            <Table
              name={t("connectors.title")}
              columns={columnsOf(t)}
              rows={items}
              keyOf={({ name }) => name}
              actions={mayChange && ((connector) => <Actions connector={connector} changing={changing} />)}
            />
          ) : (
            <Empty title={t("connectors.none")} text={t("connectors.noneText")} />
          )
        }
      </Loaded>
    </>
  );
}

function BesideSettings(props: BindTestProps) {
  const t = useTexts();
  return (
    <>
      <a href="/docs/smpp-links" target="_blank" rel="noreferrer">
        {t("connectors.settingsHelp")}
      </a>
      <BindTest {...props} />
    </>
  );
}

/** Listed, or alone. */
type StoredConnector = Answers["GET /connectors/{name}"];

type Change = "paused" | "resumed" | "disabled" | "enabled";

const changes: Readonly<Record<Change, Fields>> = {
  paused: { paused: true },
  resumed: { paused: false },
  disabled: { enabled: false },
  enabled: { enabled: true },
};
const opposite: Readonly<Record<Change, Change>> = {
  paused: "resumed",
  resumed: "paused",
  disabled: "enabled",
  enabled: "disabled",
};

/** Only what is shown: what somebody has changed meanwhile is told first. */
async function store(shown: StoredConnector, what: Change): Promise<StoredConnector> {
  const params = { name: shown.name };
  const { value, etag } = await callTagged("GET /connectors/{name}", { params });
  expectAsShown(value, shown);
  return callApi("PUT /connectors/{name}", { params, body: { ...value, ...changes[what] }, expected: { etag } });
}

function columnsOf(t: Translate): readonly Column<Connector>[] {
  return [
    { title: t("connectors.name"), cell: ({ name }) => <bdi>{name}</bdi> },
    { title: t("message.state"), cell: (connector) => <LinkState connector={connector} /> },
    {
      title: t("sessions.address"),
      minor: true,
      cell: ({ host, port, tls, systemId }) => (
        <>
          <Code text={`${host}:${port}${tls === false ? "" : " TLS"}`} />
          <div className={styles["soft"]}>
            {t("connectorField.systemId")}: <Code text={systemId} />
          </div>
        </>
      ),
    },
    { title: t("state.waiting"), atEnd: true, cell: ({ due }) => due },
  ];
}

function LinkState({
  connector: { enabled, paused, state, bindStates, localAddress },
}: {
  readonly connector: Connector;
}) {
  const t = useTexts();
  const up = bindStates.filter((bind) => bind.state !== "down").length;
  const failed = bindStates.filter((bind) => bind.lastError !== undefined && bind.state === "down");
  const word = !enabled
    ? "disabled"
    : paused
      ? "paused"
      : state === "no node"
        ? "noNode"
        : state === "bound"
          ? "bound"
          : "down";
  return (
    <span className={styles["link"]} data-state={word}>
      <span className={styles["dot"]} aria-hidden="true" />
      <span>
        {t(`connectors.state.${word}`)}
        {word === "noNode" && localAddress !== "" && (
          <span className={styles["error"]}>{t("connectors.noAddress", { address: localAddress })}</span>
        )}
        {enabled && bindStates.length > 0 && (
          <span className={styles["soft"]}>
            {" "}
            <Figure value={up} />/<Figure value={bindStates.length} />
          </span>
        )}
        {enabled && (
          <span className={styles["error"]}>
            <LinkErrors binds={failed} isAlone={bindStates.length === 1} />
          </span>
        )}
      </span>
    </span>
  );
}

interface ActionsProps {
  readonly connector: Connector;
  readonly changing: Changing<StoredConnector, Change>;
}

function Actions({ connector, changing: { change, isBusy } }: ActionsProps) {
  const t = useTexts();
  const { name, enabled, paused } = connector;
  const busy = isBusy(name);
  return (
    <>
      <ObjectDialog
        kind={kind}
        name={name}
        emphasis="quiet"
        specs={connectorSpecs(t, { isNew: false })}
        besides={(read) => <BesideSettings name={name} settings={read} />}
      />
      <TestDialog name={name} />
      {enabled && (
        <Button kind="quiet" busy={busy} onClick={() => change(connector, paused ? "resumed" : "paused")}>
          {t(paused ? "campaign.resume" : "campaign.pause")}
        </Button>
      )}
      <Button kind="quiet" busy={busy} onClick={() => change(connector, enabled ? "disabled" : "enabled")}>
        {t(enabled ? "connectors.disable" : "connectors.enable")}
      </Button>
      <RemoveObject kind={kind} name={name} text={t("connectors.removeText")} />
    </>
  );
}
