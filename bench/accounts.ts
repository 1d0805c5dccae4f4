// Scenario: what grows with the number of accounts and of ported numbers.
import { type ChangeFigures, measureConfigurationChanges } from "./configuration-changes.ts";
import { measurePortedNumbers, type PortedFigures } from "./ported-numbers.ts";
import type { Scenario } from "./scenario.ts";
import { measureWaitingAccounts, type WaitingFigures } from "./waiting-accounts.ts";

export interface AccountFigures {
  readonly waiting: WaitingFigures;
  readonly changes: ChangeFigures;
  readonly ported: PortedFigures;
}

export const manyAccounts: Scenario<AccountFigures> = {
  name: "accounts",
  title: "what waits, and changes of the configuration, with many accounts and ported numbers",
  run: async (bench) => ({
    waiting: await measureWaitingAccounts(bench),
    changes: await measureConfigurationChanges(bench),
    ported: await measurePortedNumbers(bench),
  }),
};
