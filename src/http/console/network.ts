// GET connectors: the links to the operators with the states of their binds and what waits for them.
import type { Directory } from "../../directory/directory.ts";
import { loadSetup } from "../../setup/change-setup.ts";
import { scopeOf } from "../../setup/configured-object.ts";
import { describeObject } from "../../setup/describe-object.ts";
import { bindStateOf, queueByConnector } from "../../sms/routing.ts";
import { type BindRow, listBinds, measureRouteQueues } from "../../store/staff-lookups.ts";
import { readAsOfNow } from "../../store/transaction-settings.ts";
import { kindOfLinkError } from "../../connectors/registry.ts";
import type { LinkErrorKind } from "../../connectors/connector.ts";
import { sharedLook } from "../api-context.ts";
import type { ConsoleContext } from "./console-context.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";

// The last error of a bind as the console tells it: what kind it is, so that pages can say it in
// their language, and the text, as an operator's engineer knows it.

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

/** How old what is known of the binds and of the queue may be: each open page asks every few seconds. */
const keptMs = 2_000;

export function connectorList(context: ConsoleContext) {
  const look = sharedLook(
    () =>
      context.reads.of("connectors").transaction(async (tx) => {
        await readAsOfNow(tx);
        const binds = await listBinds(tx);
        return { binds, queues: queueByConnector(binds, await measureRouteQueues(tx)) };
      }),
    keptMs,
  );
  return {
    "GET /connectors": {
      needs: "readService",
      summary: "The links to the operators",
      description:
        "Each with its binds as the nodes reported them last, and what waits for it. A message counts for the first bound connector of its " +
        "route, or else for the first enabled one.",
      handle: async (call) => {
        const { binds, queues } = await look();
        const { current } = call.parts.directory;
        const { state } = await call.reads.transaction((tx) => loadSetup(tx, scopeOf("connectors")));
        const items = Array.from(state.connectors.keys(), (name) => {
          const rows = binds.filter((row) => row.connector === name);
          return {
            ...describeObject(state, { section: "connectors", name }),
            ...{ state: stateOfAll(rows), bindStates: rows.flatMap((row) => describeBind(current, row)) },
            /** Messages that wait and may go. */
            due: queues.find((queue) => queue.connector === name)?.waiting ?? 0,
          };
        });
        return { items };
      },
    },
  } satisfies ConsoleEndpoints;
}

/** `bound`: at least one bind is up. `paused`: it is bound, and nothing is submitted. `no node`: no living node holds a bind of it. */
function stateOfAll(rows: readonly BindRow[]) {
  const states = rows.map(bindStateOf);
  return states.find((state) => state === "bound") ?? states[0] ?? "no node";
}

function describeBind(directory: Directory, row: BindRow) {
  const { connector, bindNumber, node: host, since, inFlight, window, lastError, lastErrorAt } = row;
  if (bindNumber === null) return [];
  return {
    bind: bindNumber,
    state: bindStateOf(row),
    node: host,
    since,
    /** Parts submitted and not answered yet; at most `window`. */
    inFlight: inFlight ?? 0,
    window,
    lastError,
    ...lastErrorKindOf(directory, connector, lastError),
    lastErrorAt,
  };
}
