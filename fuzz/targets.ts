// Everything that `npm run fuzz` fuzzes, in its order.
import { consoleTarget } from "./console-target.ts";
import { httpTarget } from "./http-target.ts";
import { largeCallsTarget } from "./large-calls-target.ts";
import { operatorTarget } from "./operator-target.ts";
import { pduTarget } from "./pdu-target.ts";
import { receiptTarget } from "./receipt-target.ts";
import { hostileEsmeTarget, hostileSmscTarget } from "./session-targets.ts";
import { setupTarget } from "./setup-target.ts";
import type { Target } from "./target.ts";

export const targets: readonly Target[] = [
  pduTarget,
  receiptTarget,
  consoleTarget,
  setupTarget,
  hostileEsmeTarget,
  hostileSmscTarget,
  operatorTarget,
  httpTarget,
  largeCallsTarget,
];
