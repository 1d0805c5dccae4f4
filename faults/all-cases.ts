// Everything that `npm run faults` breaks, in its order. Those that last longest begin early: the
// others run beside them.
import type { FaultCase } from "./case.ts";
import { clockCases } from "./clock-cases.ts";
import { clusterCases } from "./cluster-cases.ts";
import { databaseCases } from "./database-cases.ts";
import { httpCases } from "./http-cases.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { erasingCases } from "./erasing-cases.ts";
import { failoverCases } from "./failover-cases.ts";
import { linkCases } from "./link-cases.ts";
import { loginCases } from "./login-cases.ts";
import { optOutCases } from "./opt-out-cases.ts";
import { processCases } from "./process-cases.ts";
import { replyCases } from "./reply-cases.ts";
import { stormCases } from "./storm-cases.ts";
import { transactionCases } from "./transaction-cases.ts";
import { webhookCases } from "./webhook-cases.ts";
import { windowCases } from "./window-cases.ts";
import { workerCases } from "./worker-cases.ts";

export const all: readonly FaultCase[] = [
  ...httpCases,
  ...processCases,
  ...linkCases,
  ...databaseCases,
  ...clockCases,
  ...clusterCases,
  ...workerCases,
  ...webhookCases,
  ...endpointCases,
  ...replyCases,
  ...transactionCases,
  ...windowCases,
  ...optOutCases,
  ...erasingCases,
  ...failoverCases,
  ...loginCases,
  ...stormCases,
];
