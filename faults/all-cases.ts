// Everything that `npm run faults` breaks. Those that last longest begin first: the others run
// beside them.
import type { FaultCase } from "./case.ts";
import { clockCases } from "./clock-cases.ts";
import { clusterCases } from "./cluster-cases.ts";
import { databaseCases } from "./database-cases.ts";
import { httpCases } from "./http-cases.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { erasingCases } from "./erasing-cases.ts";
import { linkCases } from "./link-cases.ts";
import { optOutCases } from "./opt-out-cases.ts";
import { processCases } from "./process-cases.ts";
import { replyCases } from "./reply-cases.ts";
import { strangerCases } from "./stranger-cases.ts";
import { transactionCases } from "./transaction-cases.ts";
import { webhookCases } from "./webhook-cases.ts";
import { windowCases } from "./window-cases.ts";

export const all: readonly FaultCase[] = [
  ...httpCases,
  ...endpointCases,
  ...linkCases,
  ...webhookCases,
  ...erasingCases,
  ...clusterCases,
  ...databaseCases,
  ...clockCases,
  ...processCases,
  ...replyCases,
  ...transactionCases,
  ...windowCases,
  ...optOutCases,
  ...strangerCases,
];
