// Everything that `npm run bench` measures, in its order.
import { manyAccounts } from "./accounts.ts";
import { backlog } from "./backlog.ts";
import { events } from "./events.ts";
import { hundredRecipients } from "./hundred-recipients.ts";
import { layers } from "./layers.ts";
import type { Scenario } from "./scenario.ts";
import { singleCalls } from "./single-calls.ts";

export const scenarios: readonly Scenario[] = [layers, singleCalls, hundredRecipients, backlog, manyAccounts, events];
