// GET nodes and GET connectors: the processes of the service, and its links to the operators with
// their queues, as `hodhod links` shows them.
import { array, boolean, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import type { Directory } from "../../directory/directory.ts";
import { loadSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { describeObject } from "../../setup/describe-object.ts";
import { bindStateOf, bindStates, type ConnectorQueue, queueByConnector } from "../../sms/routing.ts";
import { type BindRow, listBinds, measureRouteQueues } from "../../store/staff-lookups.ts";
import { sharedLook } from "../api-context.ts";
import { readAsOfNow } from "../../store/transaction-settings.ts";
import { kindOfLinkError } from "../../connectors/registry.ts";
import { type LinkErrorKind, linkErrorKinds } from "../../connectors/connector.ts";
import type { ConsoleContext } from "./console-context.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { connectorProperties } from "./setup-schemas.ts";
import { listNodeStates } from "../../store/nodes.ts";

// The last error of a bind as the console tells it: what kind it is, so that pages can say it in
// their language, and the text, as an operator's engineer knows it.

export const lastErrorKeys = {
  lastError: orAbsent(plainText("As it was told by the system or the operator.")),
  lastErrorKind: orAbsent(
    oneOf(linkErrorKinds, "What the last error is. `refused`: the bind, for a reason that `lastError` names."),
  ),
  lastErrorAt: orAbsent(time("Of the last error.")),
};

/** Of a connector's bind. Absent without an error, and where the connector was just removed. */
export function lastErrorKindOf(
  directory: Directory,
  connector: string,
  lastError: string | null | undefined,
): { readonly lastErrorKind?: LinkErrorKind } {
  const found = directory.connectors.find(({ name }) => name === connector);
  if (found === undefined || typeof lastError !== "string") return {};
  return { lastErrorKind: kindOfLinkError(found.settings.type, lastError) };
}

/** How old what is known of the connectors may be. */
const keptMs = 2_000;

const node = object({
  id: uuidText(),
  host: plainText(),
  pid: integer(),
  dispatches: boolean("Whether it holds links to operators."),
  startedAt: time("When it started."),
  alive: boolean("Whether its lease holds."),
  configurationVersion: integer(),
  binds: integer(),
  boundBinds: integer(),
});

const bind = object({
  bind: integer(),
  state: oneOf(bindStates),
  node: orAbsent(plainText("Host name.")),
  since: orAbsent(time("Of the state.")),
  inFlight: integer("Parts submitted and not answered yet."),
  window: integer("How many there may be."),
  ...lastErrorKeys,
});

const queue = {
  due: integer("Messages that wait and may go."),
  scheduled: integer(),
  oldestSeconds: integer("Of the message that has been due longest."),
};

const connector = object({
  ...connectorProperties,
  state: oneOf(
    bindStates,
    "`bound`: at least one bind is up. `paused`: it is bound, and nothing is submitted. `no node`: no living node holds a bind of it.",
  ),
  bindStates: array(bind),
  ...queue,
});

const connectors = object({
  items: array(connector),
  unroutable: orAbsent(object(queue, "Messages of routes whose connectors are all disabled or removed.")),
});

export function networkEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  // Reads the whole queue, and each open overview asks every few seconds.
  const readConnectors = sharedLook(async () => {
    const { binds, routes } = await context.reads.of("connectors").transaction(async (tx) => {
      await readAsOfNow(tx);
      return { binds: await listBinds(tx), routes: await measureRouteQueues(tx) };
    });
    return describeConnectors(context.parts.directory.current, binds, queueByConnector(binds, routes));
  }, keptMs);
  return [
    {
      method: "GET",
      path: "/nodes",
      needs: "readService",
      summary: "The nodes of the service",
      result: object({ items: array(node) }),
      handle: async (call) => ({ items: await listNodeStates(call.reads) }),
    },
    {
      method: "GET",
      path: "/connectors",
      needs: "readService",
      summary: "The links to the operators, with their queues",
      description:
        "Of each connector its binds as the nodes told last, and what waits for it. A message is listed under the first bound connector of " +
        "its route, or else under the first enabled one.",
      result: connectors,
      handle: async (call) => {
        const { items, unroutable } = await readConnectors();
        const { state } = await call.reads.transaction((tx) => loadSetup(tx, scopeOf("connectors")));
        // The settings are those of now; what was added in these seconds has no state yet.
        const described = [...state.connectors.keys()].map((name) => ({
          ...describeObject(state, { section: "connectors", name }),
          ...(items.get(name) ?? { state: "no node", bindStates: [], ...queueJson(undefined) }),
        }));
        return { items: described, ...(unroutable && { unroutable }) };
      },
    },
  ];
}

interface DescribedConnectors {
  readonly items: ReadonlyMap<string, object>;
  readonly unroutable?: object;
}

function describeConnectors(
  directory: Directory,
  binds: readonly BindRow[],
  queues: readonly ConnectorQueue[],
): DescribedConnectors {
  const byName = new Map<string, BindRow[]>();
  for (const row of binds) byName.set(row.connector, [...(byName.get(row.connector) ?? []), row]);
  const unroutable = queues.find((each) => each.connector === undefined);
  return {
    items: new Map(
      [...byName].map(([name, rows]) => [
        name,
        {
          state: stateOfAll(rows),
          bindStates: rows.filter(({ bindNumber }) => bindNumber !== null).map((row) => describeBind(directory, row)),
          ...queueJson(queues.find((each) => each.connector === name)),
        },
      ]),
    ),
    ...(unroutable && { unroutable: queueJson(unroutable) }),
  };
}

function stateOfAll(rows: readonly BindRow[]): string {
  const states = rows.map(bindStateOf);
  return states.find((state) => state === "bound") ?? states[0] ?? "no node";
}

function describeBind(directory: Directory, row: BindRow): object {
  const { connector, bindNumber, node: host, since, inFlight, window, lastError, lastErrorAt } = row;
  return {
    bind: bindNumber,
    state: bindStateOf(row),
    node: host,
    since,
    inFlight: inFlight ?? 0,
    window,
    lastError,
    ...lastErrorKindOf(directory, connector, lastError),
    lastErrorAt,
  };
}

function queueJson(given: ConnectorQueue | undefined): object {
  const { waiting = 0, scheduled = 0, oldestSeconds = 0 } = given ?? {};
  return { due: waiting, scheduled, oldestSeconds: Math.round(oldestSeconds) };
}
