// Rows of the configuration with the values that they have where nobody gave any.
import { limitFields } from "../../src/fields/account-fields.ts";
import { defaultsOf, type Values } from "../../src/fields/field.ts";
import { settingsFields } from "../../src/fields/service-fields.ts";

export const usualSettings: Values<typeof settingsFields> = { ...defaultsOf(settingsFields), retentionDays: 30 };

export const noAccountLimits: Values<typeof limitFields> = defaultsOf(limitFields);
