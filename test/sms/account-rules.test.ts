import { describe, expect, it } from "vitest";
import { compileRules, rulesOfAccount } from "../../src/sms/account-rules.ts";
import type { ContentRule } from "../../src/sms/content-rules.ts";
import { noOptOuts } from "../../src/sms/opt-out-index.ts";
import { numberingPlanOf } from "../../src/sms/numbering-plan.ts";
import {
  type AccountTerms,
  type MessageDraft,
  prepareMessage,
  prepareMessages,
} from "../../src/sms/prepare-message.ts";
import type { SenderLine } from "../../src/sms/sender-line.ts";
import { type SendingHoursRule, weekdays } from "../../src/sms/sending-hours.ts";
import type { Template } from "../../src/sms/template.ts";

const lines: readonly SenderLine[] = [
  { number: "1000", kind: "dedicated" },
  { number: "2000", kind: "service" },
  { number: "3000", kind: "advertising" },
];

const templates: readonly Template[] = [
  { id: "code", content: "Your casino code is {code}", approved: true },
  { id: "pair", content: "Your code: {a}{b} {c}. {d}", approved: true },
  { id: "news", content: "News: {code}", approved: true, purpose: "information" },
];

const everywhere = { lines: ["*"], accounts: ["*"] };

const hours = (given: Partial<SendingHoursRule>): SendingHoursRule => ({
  name: "day",
  ...everywhere,
  timeZone: "UTC",
  windows: [{ days: [...weekdays], from: "09:00", to: "21:00" }],
  except: [],
  ...given,
});

const content = (given: Partial<ContentRule>): ContentRule => ({
  name: "games",
  ...everywhere,
  words: ["casino"],
  links: "any",
  domains: [],
  action: "refuse",
  ...given,
});

function terms(
  given: { contentRules?: readonly ContentRule[]; sendingHours?: readonly SendingHoursRule[] },
  account = "shop",
): AccountTerms {
  return {
    accountId: 1,
    listed: { valuesOf: () => [] },
    optOuts: noOptOuts,
    optOutNotice: "STOP",
    lines: new Map(lines.map((line) => [line.number, line])),
    systemLines: {},
    tariff: { name: "t", prices: [{ operator: "*", line: "*", language: "*", price: 10n }] },
    blockedRecipients: new Set(["989120000000"]),
    template: (id) => templates.find((template) => template.id === id),
    plan: numberingPlanOf([["912", "MCI"]], new Map()),
    disabledOperators: new Set(["other"]),
    routes: [{ id: 7, operator: "MCI", line: "*", connectors: [{ id: 1, enabled: true }] }],
    maximumParts: 10,
    rules: rulesOfAccount(compileRules({ contentRules: [], sendingHours: [], ...given }), account),
  };
}

const text = (given: Partial<MessageDraft> = {}): MessageDraft => ({
  senderNumber: "1000",
  recipientNumber: "09121234567",
  content: "hello",
  source: "json",
  ...given,
});

const fromTemplate = (templateId: string, value: string): MessageDraft => ({
  senderNumber: "1000",
  recipientNumber: "09121234567",
  templateId,
  parameters: [{ name: "code", value }],
  source: "json",
});

function codesOf(draft: MessageDraft, of: AccountTerms): readonly (number | string | undefined)[] {
  const verdict = prepareMessage(draft, of);
  if (verdict.kind === "prepared") return ["prepared", verdict.review];
  return [verdict.faults[0].code, verdict.faults[0].values?.["rule"]];
}

describe("the rules of an account", () => {
  it("are none where no rule counts for it", () => {
    const rules = compileRules({ contentRules: [content({ accounts: ["bank"] })], sendingHours: [] });
    expect(rulesOfAccount(rules, "shop")).toBeUndefined();
    expect(rulesOfAccount(rules, "bank")).toBeDefined();
  });

  it("count on the lines that they name, by number or kind; the first hours that fit count", () => {
    const rules = rulesOfAccount(
      compileRules({
        contentRules: [content({ name: "a", lines: ["advertising"] }), content({ name: "b", lines: ["1000"] })],
        sendingHours: [hours({ name: "c", lines: ["service"] }), hours({ name: "d" })],
      }),
      "shop",
    );
    const found = lines.map((line) => {
      const ofLine = rules?.ofLine(line);
      return [ofLine?.contentRules.map(({ name }) => name), ofLine?.hours?.name];
    });
    expect(found).toEqual([
      [["b"], "d"],
      [[], "c"],
      [["a"], "d"],
    ]);
  });
});

describe("block lists", () => {
  const rules = compileRules({
    contentRules: [],
    sendingHours: [],
    blockLists: [
      { name: "regulator", ...everywhere },
      { name: "bank's own", lines: ["*"], accounts: ["bank"] },
      { name: "advertising", lines: ["advertising", "2000"], accounts: ["*"] },
    ],
  });

  it.each([
    ["shop", "1000", ["regulator"]],
    ["shop", "2000", ["regulator", "advertising"]],
    ["shop", "3000", ["regulator", "advertising"]],
    ["bank", "1000", ["regulator", "bank's own"]],
    ["bank", "3000", ["regulator", "bank's own", "advertising"]],
  ])("that count for %s on %s are %j, in their order", (account, number, expected) => {
    const line = lines.find((one) => one.number === number);
    expect(line && rulesOfAccount(rules, account)?.ofLine(line).blockLists).toEqual(expected);
  });
});

describe("content rules in the order of judgement", () => {
  const refusing = terms({ contentRules: [content({})] });

  it("judge of a code the values only, and of other templates the whole text", () => {
    expect(codesOf(fromTemplate("code", "123"), refusing)).toEqual(["prepared", undefined]);
    expect(codesOf(fromTemplate("code", "casino"), refusing)).toEqual([1204, "games"]);
    const news = terms({ contentRules: [content({ words: ["news"] })] });
    expect(codesOf(fromTemplate("news", "123"), news)).toEqual([1204, "games"]);
  });

  it.each([
    [{ a: "cas", b: "ino", c: "1", d: "2" }, [1204, "games"]],
    [{ a: "", b: "free", c: "spins", d: "2" }, [1204, "games"]],
    [{ a: "casino", b: "1", c: "1", d: "2" }, [1204, "games"]],
    // What staff approved stands between these.
    [{ a: "1", b: "2", c: "cas", d: "ino" }, ["prepared", undefined]],
  ])("judge values that follow one another as one text: %j", (given, expected) => {
    const parameters = Object.entries(given).map(([name, value]) => ({ name, value }));
    const rules = terms({ contentRules: [content({ words: ["casino", "free spins"] })] });
    expect(codesOf({ ...fromTemplate("pair", ""), parameters }, rules)).toEqual(expected);
  });

  it("judge the values of a code as they go out where texts are tidied", () => {
    const rules = terms({ contentRules: [content({ words: [], links: "listed", domains: ["shop.ir"] })] });
    const parameters = ["a", "b", "c", "d"].map((name) => ({ name, value: name === "d" ? "x".repeat(80) : "" }));
    const draft = { ...fromTemplate("pair", ""), parameters: [...parameters, { name: "c", value: "my\u2010shop.ir" }] };
    expect(codesOf(draft, rules)).toEqual(["prepared", undefined]);
    expect(codesOf(draft, { ...rules, tidyTexts: true })).toEqual([1204, "games"]);
  });

  it("judge each message of a call by its own line and text", () => {
    const byLine = terms({ contentRules: [content({ lines: ["advertising"] })] });
    const verdicts = prepareMessages(
      [
        text({ content: "casino" }),
        text({ content: "casino", senderNumber: "3000" }),
        text({ content: "casino", senderNumber: "3000" }),
        text({ senderNumber: "3000" }),
        text({ content: "casino" }),
      ],
      byLine,
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(["prepared", "rejected", "rejected", "prepared", "prepared"]);
  });
});

describe("sending hours in judgement", () => {
  const day = terms({ sendingHours: [hours({ lines: ["advertising"] })] });

  it("tell the purpose of a message where its template does not", () => {
    const purposes = [text(), fromTemplate("code", "1"), fromTemplate("news", "1"), text({ isReply: true })].map(
      (draft) => {
        const verdict = prepareMessage(draft, day);
        return verdict.kind === "prepared" ? verdict.storedPurpose : "rejected";
      },
    );
    expect(purposes).toEqual([undefined, undefined, 0, 2]);
  });
});
