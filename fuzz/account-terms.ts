// What the rule book needs to know of an account, for targets that have no database; and what must
// hold for every message that it lets through.
import { numberingPlanOf } from "../src/sms/numbering-plan.ts";
import { prepareMessage, type AccountTerms, type MessageDraft } from "../src/sms/prepare-message.ts";
import { segmentText } from "../src/sms/segmentation.ts";
import type { Template } from "../src/sms/template.ts";
import { demand } from "./target.ts";

export const senderNumbers = ["10001234", "+9810001234", "009810001234", "9810001234", "10005678"] as const;
export const recipientNumbers = [
  "09121234567",
  "9121234567",
  "00989121234567",
  "+989121234567",
  "989351234567",
  "09120000000",
  "09321234567",
] as const;

const maximumParts = 10;

export function termsWith(templates: readonly Template[]): AccountTerms {
  return {
    accountId: 1,
    lines: new Map([
      ["10001234", { number: "10001234", kind: "dedicated" }],
      ["10005678", { number: "10005678", kind: "advertising", optOut: "append" }],
    ]),
    systemLines: { service: { number: "30001111", kind: "service" } },
    tariff: {
      name: "standard",
      prices: [
        { operator: "*", line: "*", language: "fa", price: 1390n },
        { operator: "*", line: "*", language: "*", price: 2800n },
      ],
    },
    blockedRecipients: new Set(["989120000000"]),
    listed: { valuesOf: () => [] },
    optOuts: { has: (line, _, recipient) => line === "10005678" && recipient === "989351234567" },
    optOutNotice: "لغو۱۱",
    template: (id) => templates.find((template) => template.id === id),
    plan: numberingPlanOf(
      [
        ["912", "MCI"],
        ["932", "Taliya"],
      ],
      new Map(),
    ),
    disabledOperators: new Set(["Taliya"]),
    routes: [{ id: 7, operator: "*", line: "*", connectors: [{ id: 1, enabled: true }] }],
    maximumParts,
  };
}

const loneSurrogate = /\p{Surrogate}/u;

/**
 * A message that the rule book takes can be stored, cut, sent and paid; one that it refuses has a
 * reason.
 */
export function judge(draft: MessageDraft, terms: AccountTerms): void {
  const message = prepareMessage(draft, terms);
  if (message.kind === "rejected") {
    demand(message.faults.length > 0 && message.faults[0].code > 0, "refused without a reason");
    return;
  }
  const { content, parts, encoding, cost, recipient } = message;
  demand(!content.includes("\0") && !loneSurrogate.test(content), "a text that no store takes was let through");
  demand(parts >= 1 && parts <= maximumParts, `a text of ${parts} parts was let through`);
  const segments = segmentText(content, encoding);
  demand(segments.length === parts && segments.join("") === content, "the parts are not the text");
  demand(cost > 0n && cost % BigInt(parts) === 0n, `a cost of ${cost} for ${parts} parts`);
  demand(/^989\d{9}$/.test(recipient), "a recipient that is no mobile number was let through");
}
