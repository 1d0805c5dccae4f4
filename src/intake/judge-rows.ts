// Judges the rows of a campaign, few at a time: long texts of a hundred rows would hold the event
// loop for too long.
import { setImmediate } from "node:timers/promises";
import { type CampaignPlan, type CampaignRow, judgeRows } from "../sms/campaign.ts";
import type { AccountTerms, CallTime } from "../sms/prepare-message.ts";

type Verdicts = ReturnType<typeof judgeRows>;

export const rowsOfStep = 10;

/** The event loop turns between steps. */
export async function judgeRowsInSteps(
  plan: CampaignPlan,
  rows: readonly CampaignRow[],
  terms: AccountTerms,
  time?: CallTime,
): Promise<Verdicts> {
  const verdicts: Verdicts = [];
  for (let start = 0; start < rows.length; start += rowsOfStep) {
    verdicts.push(...judgeRows(plan, rows.slice(start, start + rowsOfStep), terms, time));
    await setImmediate();
  }
  return verdicts;
}
