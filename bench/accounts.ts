// Scenario: what grows with the number of accounts.
import { type ChangeFigures, measureConfigurationChanges } from "./configuration-changes.ts";
import type { Scenario } from "./scenario.ts";
import { measureWaitingAccounts, type WaitingFigures } from "./waiting-accounts.ts";

export interface AccountFigures {
  readonly waiting: WaitingFigures;
  readonly changes: ChangeFigures;
}

export const manyAccounts: Scenario<AccountFigures> = {
  name: "accounts",
  title: "what waits, and changes of the configuration, with many accounts",
  run: async (bench) => ({
    waiting: await measureWaitingAccounts(bench),
    changes: await measureConfigurationChanges(bench),
  }),
};
