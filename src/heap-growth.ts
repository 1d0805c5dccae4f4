// Holds back how far the heap of this process grows while much of it lives for long: many endpoints
// or many accounts.
import { setFlagsFromString } from "node:v8";
import type { Telemetry } from "./telemetry.ts";

/** What fewer of them hold does no harm when it is four times as much. */
export const manyEndpoints = 2000;
export const manyAccounts = 10_000;
/** By how much the heap grows, in per cent of what lives in it. */
const growthPercent = 80;
/** V8 chooses: up to 300. */
const chosenByV8 = 0;

/**
 * V8 collects what does not live any more when the heap is four times as large as what does: with
 * 10,000 endpoints the process comes to 326 MiB instead of 207, with 50,000 accounts that all send
 * to 400 instead of 270. To collect earlier costs processor time, of calls, too; so it is only
 * done while it is needed. Counts from the next major collection on.
 */
export function limitHeapGrowth(telemetry: Telemetry): void {
  const has = { manyEndpoints: false, manyAccounts: false };
  let isLimited = false;
  const decide = (): void => {
    const isWanted = has.manyEndpoints || has.manyAccounts;
    if (isWanted === isLimited) return;
    isLimited = isWanted;
    setFlagsFromString(`--heap-growing-percent=${isWanted ? growthPercent : chosenByV8}`);
  };
  telemetry.on("webhook.endpoints", ({ count }) => {
    has.manyEndpoints = count >= manyEndpoints;
    decide();
  });
  telemetry.on("configuration.reloaded", ({ accounts }) => {
    has.manyAccounts = accounts >= manyAccounts;
    decide();
  });
}
