// The objects of the configuration in the console's API: operators, ported numbers, connectors,
// routes, lines, tariffs, accounts, settings.
import { type ConfiguredKind, listObjects, objectEndpoints } from "./configured-objects.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { listPortedNumbers } from "./number-lists.ts";

const network = { mayChange: "changeNetwork" } as const;
const ofAccounts = { mayChange: "changeAccounts" } as const;

const operators = {
  section: "operators",
  path: "/operators",
  title: "an operator",
  ...network,
  note: "A prefix of another operator moves to this one. Calls that send to an operator that is not enabled are refused with 1048.",
} as const;
const portedNumbers: ConfiguredKind = {
  section: "portedNumbers",
  path: "/ported-numbers",
  title: "a ported number",
  ...network,
  note: "It wins over an imported one.",
};
const connectors: ConfiguredKind = {
  section: "connectors",
  path: "/connectors",
  title: "a connector",
  ...network,
  note: "Another host, port or tls needs the password again.",
};
const lines = { section: "lines", path: "/lines", title: "a line", ...network } as const;
const tariffs = { section: "tariffs", path: "/tariffs", title: "a tariff", ...ofAccounts } as const;
const accounts: ConfiguredKind = {
  section: "accounts",
  path: "/accounts",
  title: "an account",
  ...ofAccounts,
  note: "users, apiKeys, allowedIps and blockedRecipients stay where they are left out; where they are given, they are the whole list. `credit` is booked once, when the account is created.",
};

/** There is one of each. */
const single: readonly ConfiguredKind[] = [
  { section: "routes", path: "/routes", title: "the routes", ...network },
  { section: "blockLists", path: "/block-list-rules", title: "the uses of block lists", ...network },
  { section: "sendingHours", path: "/sending-hours", title: "the sending hours", ...network },
  { section: "contentRules", path: "/content-rules", title: "the content rules", ...network },
  { section: "inboundRules", path: "/inbound-rules", title: "the inbound rules", ...network },
  { section: "settings", path: "/settings", title: "the settings", mayChange: "changeSetup" },
];

const [, putAccount, deleteAccount] = objectEndpoints(accounts);

export const configurationEndpoints: readonly ConsoleEndpoint[] = [
  listObjects(operators),
  ...objectEndpoints(operators),
  listPortedNumbers,
  ...objectEndpoints(portedNumbers),
  ...objectEndpoints(connectors),
  listObjects(lines),
  ...objectEndpoints(lines),
  listObjects(tariffs),
  ...objectEndpoints(tariffs),
  putAccount,
  deleteAccount,
  ...single.flatMap((kind) => objectEndpoints(kind).slice(0, 2)),
];
