// The objects of the configuration in the console's API: operators, ported numbers, connectors,
// routes, lines, tariffs, accounts, settings.
import { type ConfiguredKind, deleteObject, getObject, listObjects, putObject } from "./configured-objects.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { listPortedNumbers } from "./ported-numbers.ts";
import { schemaOf } from "./setup-schemas.ts";

const operators = {
  section: "operators",
  path: "/operators",
  title: "an operator",
  tag: "Network",
  schema: schemaOf("operators"),
  mayChange: "changeNetwork",
  note: "A prefix of another operator moves to this one. Calls that send to an operator that is not enabled are refused with 1048.",
} as const satisfies ConfiguredKind;

const portedNumbers = {
  section: "portedNumbers",
  path: "/ported-numbers",
  title: "a ported number",
  tag: "Network",
  schema: schemaOf("portedNumbers"),
  mayChange: "changeNetwork",
  note: "It wins over an imported one.",
} as const satisfies ConfiguredKind;

const connectors = {
  section: "connectors",
  path: "/connectors",
  title: "a connector",
  tag: "Network",
  schema: schemaOf("connectors"),
  mayChange: "changeNetwork",
  note: "Another host, port or tls needs the password again.",
} as const satisfies ConfiguredKind;

const lines = {
  section: "lines",
  path: "/lines",
  title: "a line",
  tag: "Network",
  schema: schemaOf("lines"),
  mayChange: "changeNetwork",
} as const satisfies ConfiguredKind;

const tariffs = {
  section: "tariffs",
  path: "/tariffs",
  title: "a tariff",
  tag: "Accounts",
  schema: schemaOf("tariffs"),
  mayChange: "changeAccounts",
} as const satisfies ConfiguredKind;

const accounts = {
  section: "accounts",
  path: "/accounts",
  title: "an account",
  tag: "Accounts",
  schema: schemaOf("accounts"),
  mayChange: "changeAccounts",
  note: "users, apiKeys, allowedIps and blockedRecipients stay where they are left out; where they are given, they are the whole list. `credit` is booked once, when the account is created.",
} as const satisfies ConfiguredKind;

const routes = {
  section: "routes",
  path: "/routes",
  title: "the routes",
  tag: "Network",
  schema: schemaOf("routes"),
  mayChange: "changeNetwork",
} as const satisfies ConfiguredKind;

const settings = {
  section: "settings",
  path: "/settings",
  title: "the settings",
  tag: "Setup",
  schema: schemaOf("settings"),
  mayChange: "changeSetup",
} as const satisfies ConfiguredKind;

const ruleLists = [
  {
    section: "blockLists",
    path: "/block-list-rules",
    title: "the uses of block lists",
    schema: schemaOf("blockLists"),
  },
  { section: "sendingHours", path: "/sending-hours", title: "the sending hours", schema: schemaOf("sendingHours") },
  { section: "contentRules", path: "/content-rules", title: "the content rules", schema: schemaOf("contentRules") },
  { section: "inboundRules", path: "/inbound-rules", title: "the inbound rules", schema: schemaOf("inboundRules") },
] as const;

function changeable(kind: ConfiguredKind): readonly ConsoleEndpoint[] {
  return [getObject(kind), putObject(kind), deleteObject(kind)];
}

export const configurationEndpoints: readonly ConsoleEndpoint[] = [
  listObjects(operators),
  ...changeable(operators),
  listPortedNumbers,
  ...changeable(portedNumbers),
  ...changeable(connectors),
  listObjects(lines),
  ...changeable(lines),
  listObjects(tariffs),
  ...changeable(tariffs),
  putObject(accounts),
  deleteObject(accounts),
  getObject(routes),
  putObject(routes),
  ...ruleLists.flatMap((list) => {
    const kind: ConfiguredKind = { ...list, tag: "Network", mayChange: "changeNetwork" };
    return [getObject(kind), putObject(kind)];
  }),
  getObject(settings),
  putObject(settings),
];
