// Rows of the configuration with the values that they have where nobody gave any.
import type { SettingsRow } from "../../src/store/configuration.ts";
import type { AccountRow } from "../../src/store/configured-accounts.ts";

export const usualSettingsRow: SettingsRow = {
  version: 1n,
  retentionDays: 30,
  timeZone: "Asia/Tehran",
  calendar: "jalali",
  staffSecondFactor: "optional",
  systemServiceLine: null,
  systemAdvertisingLine: null,
  eventDays: null,
  contentDays: 0,
  codeContentHours: 0,
  optOutStop: null,
  optOutResume: null,
  optOutNotice: null,
};

export const noAccountLimits: Pick<AccountRow, "lowCredit" | "duplicateSeconds" | "dailyMessages" | "monthlyCost"> = {
  lowCredit: 0n,
  duplicateSeconds: 0,
  dailyMessages: 0,
  monthlyCost: 0n,
};
