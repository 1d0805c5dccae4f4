// What the rule book needs to know of a plain account, for tests that have no database.
import { numberingPlanOf } from "../../src/sms/numbering-plan.ts";
import { noOptOuts } from "../../src/sms/opt-out-index.ts";
import type { AccountTerms } from "../../src/sms/prepare-message.ts";

export const plainTerms: AccountTerms = {
  accountId: 1,
  listed: { valuesOf: () => [] },
  optOuts: noOptOuts,
  optOutNotice: "لغو۱۱",
  lines: new Map([["10001234", { number: "10001234", kind: "dedicated" }]]),
  systemLines: {},
  tariff: {
    name: "standard",
    prices: [
      { operator: "*", line: "*", language: "fa", price: 1390n },
      { operator: "*", line: "*", language: "*", price: 2800n },
    ],
  },
  blockedRecipients: new Set(["989120000000"]),
  template: () => undefined,
  plan: numberingPlanOf(
    [
      ["912", "MCI"],
      ["935", "Irancell"],
      ["932", "Taliya"],
    ],
    new Map(),
  ),
  disabledOperators: new Set(["Taliya"]),
  routes: [
    { id: 7, operator: "MCI", line: "*", connectors: [{ id: 1, enabled: true }] },
    { id: 8, operator: "Irancell", line: "*", connectors: [{ id: 2, enabled: false }] },
    { id: 9, operator: "Taliya", line: "*", connectors: [{ id: 1, enabled: true }] },
  ],
  maximumParts: 10,
};
