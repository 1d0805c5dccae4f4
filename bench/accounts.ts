// Scenario: what grows with the number of accounts.
import { measureConfigurationChanges } from "./configuration-changes.ts";
import type { Scenario } from "./scenario.ts";
import { measureWaitingAccounts } from "./waiting-accounts.ts";

export const manyAccounts: Scenario = {
  name: "accounts",
  title: "what waits, and changes of the configuration, with many accounts",
  run: async (bench) => [...(await measureWaitingAccounts(bench)), ...(await measureConfigurationChanges(bench))],
};
