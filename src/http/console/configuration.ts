// The objects of the configuration in the console's API: operators, ported numbers, connectors,
// routes, lines, tariffs, accounts, settings.
import { listObjects, objectEndpoints } from "./configured-objects.ts";
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import { portedNumberList } from "./number-lists.ts";

const network = { mayChange: "changeNetwork" } as const;
const ofAccounts = { mayChange: "changeAccounts" } as const;

const operators = objectEndpoints({
  section: "operators",
  title: "an operator",
  ...network,
  note: "A prefix of another operator moves to this one. Calls that send to an operator that is not enabled are refused with 1048.",
});
const portedNumbers = objectEndpoints({
  section: "portedNumbers",
  title: "a ported number",
  ...network,
  note: "It wins over an imported one.",
});
const connectors = objectEndpoints({
  section: "connectors",
  title: "a connector",
  ...network,
  note: "Another host, port or tls needs the password again.",
});
const lines = objectEndpoints({ section: "lines", title: "a line", ...network });
const tariffs = objectEndpoints({ section: "tariffs", title: "a tariff", ...ofAccounts });
const accounts = objectEndpoints({
  section: "accounts",
  title: "an account",
  ...ofAccounts,
  note: "users, apiKeys, allowedIps and blockedRecipients stay where they are left out; where they are given, they are the whole list. `credit` is booked once, when the account is created.",
});

const routes = objectEndpoints({ section: "routes", title: "the routes", ...network });
const blockListRules = objectEndpoints({ section: "blockLists", title: "the uses of block lists", ...network });
const sendingHours = objectEndpoints({ section: "sendingHours", title: "the sending hours", ...network });
const contentRules = objectEndpoints({ section: "contentRules", title: "the content rules", ...network });
const inboundRules = objectEndpoints({ section: "inboundRules", title: "the inbound rules", ...network });
const settings = objectEndpoints({ section: "settings", title: "the settings", mayChange: "changeSetup" });

export const configurationEndpoints = {
  "GET /operators": listObjects("operators", "List each operator"),
  "GET /operators/{name}": operators.get,
  "PUT /operators/{name}": operators.put,
  "DELETE /operators/{name}": operators.remove,
  ...portedNumberList,
  "GET /ported-numbers/{name}": portedNumbers.get,
  "PUT /ported-numbers/{name}": portedNumbers.put,
  "DELETE /ported-numbers/{name}": portedNumbers.remove,
  "GET /connectors/{name}": connectors.get,
  "PUT /connectors/{name}": connectors.put,
  "DELETE /connectors/{name}": connectors.remove,
  "GET /lines": listObjects("lines", "List each line"),
  "GET /lines/{name}": lines.get,
  "PUT /lines/{name}": lines.put,
  "DELETE /lines/{name}": lines.remove,
  "GET /tariffs": listObjects("tariffs", "List each tariff"),
  "GET /tariffs/{name}": tariffs.get,
  "PUT /tariffs/{name}": tariffs.put,
  "DELETE /tariffs/{name}": tariffs.remove,
  "PUT /accounts/{name}": accounts.put,
  "DELETE /accounts/{name}": accounts.remove,
  "GET /routes": routes.get,
  "PUT /routes": routes.put,
  "GET /block-list-rules": blockListRules.get,
  "PUT /block-list-rules": blockListRules.put,
  "GET /sending-hours": sendingHours.get,
  "PUT /sending-hours": sendingHours.put,
  "GET /content-rules": contentRules.get,
  "PUT /content-rules": contentRules.put,
  "GET /inbound-rules": inboundRules.get,
  "PUT /inbound-rules": inboundRules.put,
  "GET /settings": settings.get,
  "PUT /settings": settings.put,
} satisfies ConsoleEndpoints;
