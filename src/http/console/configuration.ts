// The objects of the configuration in the console's API: operators, ported numbers, connectors,
// routes, lines, tariffs, accounts, settings.
import { Type } from "typebox";
import { listPortedNumberPage } from "../../store/setup-network.ts";
import type { ConfiguredKind } from "./configured-objects.ts";
import { deleteObject, getObject, listObjects, putObject } from "./configured-objects.ts";
import type { ConsoleDoor } from "./console-door.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  pageOf,
  pageParameters,
  readCount,
  readQuery,
} from "./console-endpoint.ts";
import { told } from "./setup-schemas.ts";

const operators = {
  section: "operators",
  path: "/operators",
  title: "an operator",
  tag: "Network",
  schema: told.operators,
  mayChange: "network",
  note: "A prefix of another operator moves to this one. Calls that send to an operator that is not enabled are refused with 1048.",
} as const satisfies ConfiguredKind;

const portedNumbers = {
  section: "portedNumbers",
  path: "/ported-numbers",
  title: "a ported number",
  tag: "Network",
  schema: told.portedNumbers,
  mayChange: "network",
} as const satisfies ConfiguredKind;

const connectors = {
  section: "connectors",
  path: "/connectors",
  title: "a connector",
  tag: "Network",
  schema: told.connectors,
  mayChange: "network",
  note: "Another host, port or tls needs the password again.",
} as const satisfies ConfiguredKind;

const lines = {
  section: "lines",
  path: "/lines",
  title: "a line",
  tag: "Network",
  schema: told.lines,
  mayChange: "network",
} as const satisfies ConfiguredKind;

const tariffs = {
  section: "tariffs",
  path: "/tariffs",
  title: "a tariff",
  tag: "Accounts",
  schema: told.tariffs,
  mayChange: "accounts",
} as const satisfies ConfiguredKind;

const accounts = {
  section: "accounts",
  path: "/accounts",
  title: "an account",
  tag: "Accounts",
  schema: told.accounts,
  mayChange: "accounts",
  note: "users, apiKeys, allowedIps and blockedRecipients stay where they are left out; where they are given, they are the whole list. `credit` is booked once, when the account is created.",
} as const satisfies ConfiguredKind;

const routes = {
  section: "routes",
  path: "/routes",
  title: "the routes",
  tag: "Network",
  schema: told.routes,
  mayChange: "network",
} as const satisfies ConfiguredKind;

const settings = {
  section: "settings",
  path: "/settings",
  title: "the settings",
  tag: "Setup",
  schema: told.settings,
  mayChange: "setup",
} as const satisfies ConfiguredKind;

export function configurationEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [
    listObjects(door, operators),
    ...changeable(door, operators),
    listPortedNumbers(door),
    ...changeable(door, portedNumbers),
    ...changeable(door, connectors),
    listObjects(door, lines),
    ...changeable(door, lines),
    listObjects(door, tariffs),
    ...changeable(door, tariffs),
    // Customers see their own: GET is that of accounts.ts.
    putObject(door, accounts),
    deleteObject(door, accounts),
    getObject(door, routes),
    putObject(door, routes),
    getObject(door, settings),
    putObject(door, settings),
  ];
}

function changeable(door: ConsoleDoor, kind: ConfiguredKind): ConsoleEndpoint[] {
  return [getObject(door, kind), putObject(door, kind), deleteObject(door, kind)];
}

/** There may be millions. */
function listPortedNumbers(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path: portedNumbers.path,
    needs: ["see"],
    schema: {
      operationId: "list_portedNumbers",
      summary: "List the ported numbers",
      tags: ["Network"],
      querystring: Type.Object(pageParameters),
      response: consoleResponses(pageOf(portedNumbers.schema), 400),
    },
    answer: async ({ request }) => {
      const query = readQuery(request);
      const count = readCount(query);
      const found = await listPortedNumberPage(door.reads, { after: query.text("after") ?? "", limit: count + 1 });
      const items = found.slice(0, count);
      return { items, ...(found.length > count && { nextCursor: items.at(-1)?.number }) };
    },
  };
}
