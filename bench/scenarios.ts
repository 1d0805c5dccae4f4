// Everything that `npm run bench` measures, in its order.
import { backlog } from "./backlog.ts";
import { measureConfigurationChanges } from "./configuration-changes.ts";
import { events } from "./events.ts";
import { hundredRecipients } from "./hundred-recipients.ts";
import { layers } from "./layers.ts";
import type { Scenario } from "./scenario.ts";
import { singleCalls } from "./single-calls.ts";
import { measureWaitingAccounts } from "./waiting-accounts.ts";

const manyAccounts: Scenario = {
  name: "accounts",
  title: "what waits, and changes of the configuration, with many accounts",
  run: async (bench) => [...(await measureWaitingAccounts(bench)), ...(await measureConfigurationChanges(bench))],
};

export const scenarios: readonly Scenario[] = [layers, singleCalls, hundredRecipients, backlog, manyAccounts, events];
