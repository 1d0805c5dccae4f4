// Scenario: what grows with the number of accounts.
import { type ChangeFigures, measureConfigurationChanges } from "./configuration-changes.ts";
import type { Scenario } from "./scenario.ts";

export interface AccountFigures {
  readonly changes: ChangeFigures;
}

export const manyAccounts: Scenario<AccountFigures> = {
  name: "accounts",
  title: "changes of the configuration with many accounts",
  run: async (bench) => ({ changes: await measureConfigurationChanges(bench) }),
};
