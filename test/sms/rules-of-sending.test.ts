// Every cell of lines, modes of opt-out and purposes with what else counts for a message: a text or
// a template, now or later, with and without the notice, opted out or not, within the hours or not,
// under a content rule or not. What must come of it is written down once more, from the contract.
import { describe, expect, it } from "vitest";
import { compileRules, rulesOfAccount } from "../../src/sms/account-rules.ts";
import { numberingPlanOf } from "../../src/sms/numbering-plan.ts";
import { optOutModes, type OptOutMode, lineKinds, type LineKind, type SenderLine } from "../../src/sms/sender-line.ts";
import { type AccountTerms, type MessageDraft, prepareMessage } from "../../src/sms/prepare-message.ts";
import { weekdays } from "../../src/sms/sending-hours.ts";
import type { TemplateParameter } from "../../src/sms/template.ts";

const notice = "لغو۱۱";
const recipient = "989121111111";
const purposes = ["text", "code", "information", "reply"] as const;
type Purpose = (typeof purposes)[number];

interface Cell {
  readonly kind: LineKind;
  /** Undefined: as the kind of line has it. */
  readonly mode: OptOutMode | undefined;
  readonly purpose: Purpose;
  readonly hasNotice: boolean;
  readonly isOptedOut: boolean;
  readonly word: "clean" | "casino" | "lottery";
  /** It is noon; windows are open from nine to nine, or were this morning. */
  readonly hours: "none" | "open" | "over";
  readonly isLater: boolean;
}

const noon = new Date("2026-11-23T12:00:00Z");
const threeHours = 3 * 3_600_000;
const later = new Date(noon.getTime() + threeHours);

function* cellsOf(kind: LineKind, mode: OptOutMode | undefined, purpose: Purpose): Generator<Cell> {
  for (const hasNotice of [false, true])
    for (const isOptedOut of [false, true])
      for (const word of ["clean", "casino", "lottery"] as const)
        for (const hours of ["none", "open", "over"] as const)
          for (const isLater of [false, true])
            yield { kind, mode, purpose, hasNotice, isOptedOut, word, hours, isLater };
}

const given = ({ word, hasNotice }: Cell): string => `${word} for you${hasNotice ? ` ${notice}` : ""}`;

function judge(cell: Cell, surplus: readonly TemplateParameter[] = []) {
  const { kind, mode, purpose, isOptedOut, hours, isLater } = cell;
  const line: SenderLine = { number: "10001234", kind, ...(mode === undefined ? {} : { optOut: mode }) };
  const rule = { name: "", lines: [kind], accounts: ["shop"] };
  const windows = [{ days: [...weekdays], from: "09:00", to: hours === "open" ? "21:00" : "11:00" }];
  const rules = compileRules({
    // A rule that refuses comes before one that has staff look, whatever their order.
    contentRules: [
      { ...rule, name: "look", words: ["casino", "lottery"], links: "any", domains: [], action: "review" },
      { ...rule, name: "never", words: ["casino"], links: "any", domains: [], action: "refuse" },
    ],
    sendingHours: hours === "none" ? [] : [{ ...rule, name: "day", timeZone: "UTC", windows, except: [] }],
  });
  const terms: AccountTerms = {
    accountId: 1,
    listed: { valuesOf: () => [] },
    optOuts: {
      has: (number, account, to) => isOptedOut && number === line.number && account === 1 && to === recipient,
    },
    optOutNotice: notice,
    lines: new Map([[line.number, line]]),
    systemLines: {},
    tariff: { name: "one", prices: [{ operator: "*", line: "*", language: "*", price: 100n }] },
    blockedRecipients: new Set(),
    template: (id) =>
      id === "code" || id === "information" ? { id, content: "{text}", approved: true, purpose: id } : undefined,
    plan: numberingPlanOf([["912", "MCI"]], new Map()),
    disabledOperators: new Set(),
    routes: [{ id: 7, operator: "*", line: "*", connectors: [{ id: 1, enabled: true }] }],
    maximumParts: 10,
    rules: rulesOfAccount(rules, "shop"),
  };
  const isTemplate = purpose === "code" || purpose === "information";
  const draft: MessageDraft = {
    senderNumber: line.number,
    recipientNumber: recipient,
    source: "json",
    ...(isTemplate
      ? { templateId: purpose, parameters: [...surplus, { name: "text", value: given(cell) }] }
      : { content: given(cell) }),
    ...(purpose === "reply" ? { isReply: true } : {}),
  };
  const told = prepareMessage(draft, terms, { now: noon, ...(isLater ? { sendAt: later } : {}) });
  if (told.kind === "rejected") return { refused: `${told.faults[0].code} ${told.faults[0].messageKey}` };
  const { content, review, sendAt, storedPurpose, templateId } = told;
  return { content, review, sendAt: sendAt?.toISOString(), stored: storedPurpose ?? (templateId ? 1 : 0) };
}

/** The contract, section by section. */
function mustBe({ mode, purpose, hasNotice, isOptedOut, word, hours, isLater, ...cell }: Cell) {
  const isFree = purpose === "code" || purpose === "reply";
  // 2: what is listed counts on every line, whether its words are read or not.
  if (isOptedOut && !isFree) return { refused: "1202 recipientNumber.optedOut" };
  if (mode === "require" && !hasNotice && !isFree) return { refused: "1204 content.noticeMissing" };
  // 5: of codes the values are judged, and only to refuse.
  if (word === "casino") return { refused: "1204 content.refused" };
  const review = word === "lottery" && purpose !== "code" ? "look" : undefined;
  const isAppended = mode === "append" && !hasNotice && !isFree;
  const content = given({ ...cell, mode, purpose, hasNotice, isOptedOut, word, hours, isLater });
  // 4: a time outside gets the beginning of the next window.
  const asked = isLater ? later.toISOString() : undefined;
  const sendAt = hours === "over" && !isFree ? "2026-11-24T09:00:00.000Z" : asked;
  const stored = { text: 0, information: 0, code: 1, reply: 2 }[purpose];
  return { content: isAppended ? `${content}\n${notice}` : content, review, sendAt, stored };
}

const tables = lineKinds.flatMap((kind) =>
  [undefined, ...optOutModes].flatMap((mode) => purposes.map((purpose) => [kind, mode, purpose] as const)),
);

describe("what becomes of a message", () => {
  it.each(tables)("on a %s line, opt-out %s, as %s", (kind, mode, purpose) => {
    const cells = [...cellsOf(kind, mode, purpose)];
    expect(cells).toHaveLength(72);
    for (const cell of cells) expect(judge(cell), JSON.stringify(cell)).toEqual(mustBe(cell));
  });

  it("does not depend on values that the text of a code does not have", () => {
    const surplus = ["other", "text"].map((name) => ({ name, value: "casino" }));
    for (const cell of cellsOf("service", undefined, "code"))
      expect(judge(cell, surplus), JSON.stringify(cell)).toEqual(judge(cell));
  });
});
