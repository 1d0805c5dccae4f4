// The objects of the configuration in the console's API: operators, ported numbers, connectors,
// routes, lines, tariffs, accounts, settings.
import type { ConfiguredKind } from "./configured-objects.ts";
import { deleteObject, getObject, listObjects, putObject } from "./configured-objects.ts";
import type { ConsoleDoor } from "./console-door.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { listPortedNumbers } from "./ported-numbers.ts";
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
  note: "It wins over an imported one.",
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

const ruleLists = [
  { section: "blockLists", path: "/block-list-rules", title: "the uses of block lists", schema: told.blockLists },
  { section: "sendingHours", path: "/sending-hours", title: "the sending hours", schema: told.sendingHours },
  { section: "contentRules", path: "/content-rules", title: "the content rules", schema: told.contentRules },
  { section: "inboundRules", path: "/inbound-rules", title: "the inbound rules", schema: told.inboundRules },
] as const;

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
    ...ruleLists.flatMap((list) => {
      const kind: ConfiguredKind = { ...list, tag: "Network", mayChange: "network" };
      return [getObject(door, kind), putObject(door, kind)];
    }),
    getObject(door, settings),
    putObject(door, settings),
  ];
}

function changeable(door: ConsoleDoor, kind: ConfiguredKind): ConsoleEndpoint[] {
  return [getObject(door, kind), putObject(door, kind), deleteObject(door, kind)];
}
