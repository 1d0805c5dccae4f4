// Rows of the configuration with the values that they have where nobody gave any.
import { limitFields } from "../../src/fields/account-fields.ts";
import { defaultsOf, type Values } from "../../src/fields/field.ts";

export const noAccountLimits: Values<typeof limitFields> = defaultsOf(limitFields);
