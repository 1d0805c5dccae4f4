// Everything that `npm run bench` measures, in its order.
import { acceptLatency } from "./accept-latency.ts";
import { manyAccounts } from "./accounts.ts";
import { backlog } from "./backlog.ts";
import { consoleReads } from "./console.ts";
import { earlierVersion } from "./earlier-version.ts";
import { endpoints } from "./endpoints.ts";
import { erasing } from "./erasing.ts";
import { events } from "./events.ts";
import { growth } from "./growth.ts";
import { hundredRecipients } from "./hundred-recipients.ts";
import type { Scenario } from "./scenario.ts";
import { singleCalls } from "./single-calls.ts";
import { stageCosts } from "./stage-costs.ts";
import { timeToSubmit } from "./time-to-submit.ts";

export const scenarios: readonly Scenario<unknown>[] = [
  singleCalls,
  earlierVersion,
  hundredRecipients,
  acceptLatency,
  timeToSubmit,
  growth,
  backlog,
  manyAccounts,
  stageCosts,
  events,
  endpoints,
  erasing,
  consoleReads,
];
