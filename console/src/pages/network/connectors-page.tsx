// The links to the operators: their state, and what can be done with each.
import { expectAsShown, getTagged, putTagged } from "../../api/client.ts";
import type { Answers } from "../../api/endpoints.ts";
import { useConnectors } from "../../api/queries.ts";
import type { Connector } from "../../api/types.ts";
import { useAble } from "../../frame/person.ts";
import { Button } from "../../parts/controls.tsx";
import { LinkErrors } from "../../parts/link-errors.tsx";
import type { Fields } from "../../parts/object/merge-typed.ts";
import { ObjectDialog, type ObjectKind } from "../../parts/object/object-dialog.tsx";
import { RemoveObject } from "../../parts/object/remove-object.tsx";
import { Empty, PageHead } from "../../parts/page.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { type Column, RowActions, Table, Waiting } from "../../parts/table.tsx";
import { Code, Figure } from "../../parts/values.tsx";
import { type Translate, useTexts } from "../../texts/texts.ts";
import { connectorSpecs, newConnector } from "./connector-specs.tsx";
import { BindTest, TestDialog } from "./link-tests.tsx";
import { type Turning, useTurning } from "./use-turning.ts";
import styles from "./network.module.css";

const kind: ObjectKind = { path: "/connectors", nameKey: "name" };

export function ConnectorsPage() {
  const t = useTexts();
  const mayChange = useAble("network");
  const { data, error, refetch } = useConnectors(true);
  const turning = useTurning(store);
  const columns = columnsOf(t, mayChange, turning);
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
              title={t("connectors.add")}
              specs={connectorSpecs(t, { isNew: true })}
              initial={newConnector}
              besides={(read) => <BindTest settings={read} />}
            />
          )
        }
      />
      <LastTurn turning={turning} />
      {turning.error !== undefined && <Problem error={turning.error} />}
      {error !== null && data === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Waiting />}
      {data !== undefined &&
        (data.items.length > 0 ? (
          <Table name={t("connectors.title")} columns={columns} rows={data.items} keyOf={({ name }) => name} />
        ) : (
          <Empty title={t("connectors.none")}>
            <p>{t("connectors.noneText")}</p>
          </Empty>
        ))}
    </>
  );
}

/** Listed, or alone. */
type StoredConnector = Answers["GET /connectors/{name}"];

type Turn = "paused" | "resumed" | "disabled" | "enabled";

const changes: Readonly<Record<Turn, Fields>> = {
  paused: { paused: true },
  resumed: { paused: false },
  disabled: { enabled: false },
  enabled: { enabled: true },
};
const opposite: Readonly<Record<Turn, Turn>> = {
  paused: "resumed",
  resumed: "paused",
  disabled: "enabled",
  enabled: "disabled",
};

/** Only what is shown: what somebody has changed meanwhile is told first. */
async function store(shown: StoredConnector, what: Turn): Promise<StoredConnector> {
  const path = `/connectors/${encodeURIComponent(shown.name)}` as const;
  const { value, etag } = await getTagged<"GET /connectors/{name}">(path);
  expectAsShown(value, shown);
  return (await putTagged<"PUT /connectors/{name}">(path, { ...value, ...changes[what] }, { etag })).value;
}

type ConnectorTurning = Turning<StoredConnector, Turn>;

/** What was done last, with the way back. */
function LastTurn({ turning: { done, turn, isBusy } }: { readonly turning: ConnectorTurning }) {
  const t = useTexts();
  if (done === undefined) return <div aria-live="polite" />;
  const { now, what } = done;
  const undo = (
    <Button busy={isBusy(now.name)} onClick={() => turn(now, opposite[what])}>
      {t("object.undo")}
    </Button>
  );
  return (
    <div aria-live="polite">
      <Notice kind="calm" action={undo}>
        {t(`connectors.done.${what}`, { name: now.name })}
      </Notice>
    </div>
  );
}

function columnsOf(t: Translate, mayChange: boolean, turning: ConnectorTurning): readonly Column<Connector>[] {
  return [
    { key: "name", title: t("connectors.name"), cell: ({ name }) => <bdi>{name}</bdi> },
    { key: "state", title: t("connectors.state"), cell: (connector) => <LinkState connector={connector} /> },
    {
      key: "target",
      title: t("connectors.target"),
      minor: true,
      cell: ({ host, port, tls, systemId }) => (
        <>
          <Code text={`${host}:${port}${tls === false ? "" : " TLS"}`} />
          <div className={styles["soft"]}>
            {t("connectors.systemId")}: <Code text={systemId} />
          </div>
        </>
      ),
    },
    { key: "due", title: t("connectors.waits"), atEnd: true, cell: ({ due }) => <Figure value={due} /> },
    ...(mayChange
      ? [
          {
            key: "actions",
            title: t("object.actions"),
            isActions: true,
            cell: (connector: Connector) => <Actions connector={connector} turning={turning} />,
          },
        ]
      : []),
  ];
}

function LinkState({ connector: { enabled, paused, state, bindStates } }: { readonly connector: Connector }) {
  const t = useTexts();
  const up = bindStates.filter((bind) => bind.state === "bound").length;
  const failed = bindStates.filter((bind) => bind.lastError !== undefined && bind.state !== "bound");
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
  readonly turning: ConnectorTurning;
}

function Actions({ connector, turning: { turn, isBusy } }: ActionsProps) {
  const t = useTexts();
  const { name, enabled, paused } = connector;
  const busy = isBusy(name);
  return (
    <RowActions>
      <ObjectDialog
        kind={kind}
        name={name}
        button={t("object.edit")}
        emphasis="quiet"
        title={name}
        specs={connectorSpecs(t, { isNew: false })}
        besides={(read) => <BindTest name={name} settings={read} />}
      />
      <TestDialog name={name} />
      {enabled && (
        <Button kind="quiet" busy={busy} onClick={() => turn(connector, paused ? "resumed" : "paused")}>
          {t(paused ? "connectors.resume" : "connectors.pause")}
        </Button>
      )}
      <Button kind="quiet" busy={busy} onClick={() => turn(connector, enabled ? "disabled" : "enabled")}>
        {t(enabled ? "connectors.disable" : "connectors.enable")}
      </Button>
      <RemoveObject kind={kind} name={name} text={t("connectors.removeText")} />
    </RowActions>
  );
}
