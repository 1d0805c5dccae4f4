import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Language } from "../../src/sms/text-kind.ts";
import {
  prepareMessage,
  prepareMessages,
  type AccountTerms,
  type MessageDraft,
  type PreparedMessage,
} from "../../src/sms/prepare-message.ts";
import { type OptOutMode, type SenderLine } from "../../src/sms/sender-line.ts";
import { segmentText } from "../../src/sms/segmentation.ts";
import type { Template } from "../../src/sms/template.ts";
import { plainTerms } from "../support/account-terms.ts";
import { unicodeText } from "../support/unicode-text.ts";

const dedicated: SenderLine = { number: "10001234", kind: "dedicated" };
const service: SenderLine = { number: "20009999", kind: "service" };

const templates: readonly Template[] = [
  { id: "login", content: "کد: {code}", sender: "service", approved: true, validSeconds: 120 },
  { id: "bare", content: "{text}", approved: true },
  { id: "draft", content: "{text}", sender: "service", approved: false },
];

const terms: AccountTerms = {
  ...plainTerms,
  systemLines: { service },
  template: (id) => templates.find((template) => template.id === id),
};

const sound: MessageDraft = {
  senderNumber: "10001234",
  recipientNumber: "09121234567",
  content: "سلام",
  source: "json",
};
const fromTemplate: MessageDraft = {
  recipientNumber: "09121234567",
  templateId: "login",
  parameters: [{ name: "code", value: "123" }],
  source: "json",
};

function prepared(draft: MessageDraft): PreparedMessage {
  const message = prepareMessage(draft, terms);
  if (message.kind !== "prepared") throw new Error(`refused: ${message.faults[0].messageKey}`);
  return message;
}

function faults(draft: MessageDraft): readonly string[] {
  const message = prepareMessage(draft, terms);
  if (message.kind !== "rejected") throw new Error("prepared");
  return message.faults.map(({ code, messageKey, field }) => `${code} ${messageKey} ${field ?? ""}`);
}

describe("a sound message", () => {
  it("gets all that sending it needs", () => {
    expect(prepared({ ...sound, senderNumber: "+98 1000 1234", recipientNumber: "۰۹۱۲-۱۲۳۴۵۶۷" })).toEqual({
      kind: "prepared",
      senderNumber: "+9810001234",
      recipientNumber: "09121234567",
      line: dedicated,
      recipient: "989121234567",
      content: "سلام",
      language: "fa",
      operator: "MCI",
      encoding: "ucs2",
      parts: 1,
      cost: 1390n,
      routeId: 7,
    });
  });

  it.each<[string, Language, bigint]>([
    ["a".repeat(161), "en", 5600n],
    ["س".repeat(71), "fa", 2780n],
    ["Привет", "other", 2800n],
  ])("case 50: costs its parts times the price of its language", (content, language, cost) => {
    expect(prepared({ ...sound, content })).toMatchObject({ language, cost });
  });

  it("case 50: costs price times parts, and has as many parts as will be sent", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 300, size: "max" })
      .filter((one) => /\S/.test(one));
    fc.assert(
      fc.property(text, (content) => {
        fc.pre(!content.includes("\0"));
        const message = prepared({ ...sound, content: `x${content}` });
        const parts = segmentText(message.content, message.encoding).length;
        const price = message.language === "fa" ? 1390n : 2800n;
        expect(message.parts).toBe(parts);
        expect(message.cost).toBe(price * BigInt(parts));
      }),
      { numRuns: 500 },
    );
  });
});

describe("a malformed value is 1001", () => {
  it.each<[string, Partial<MessageDraft>, string]>([
    ["no sender", { senderNumber: undefined }, "1001 senderNumber.required senderNumber"],
    ["an empty sender", { senderNumber: " " }, "1001 senderNumber.required senderNumber"],
    ["a sender of no known form", { senderNumber: "12" }, "1001 senderNumber.form senderNumber"],
    ["an empty recipient", { recipientNumber: "" }, "1001 recipientNumber.required recipientNumber"],
    ["a recipient of no known form", { recipientNumber: "0989121234567" }, "1001 recipientNumber.form recipientNumber"],
    ["no content", { content: undefined }, "1001 content.required content"],
    ["empty content", { content: "" }, "1001 content.blank content"],
    ["spaces", { content: "   " }, "1001 content.blank content"],
    ["white space of all kinds", { content: " \t\r\n\u00a0\u0085\u2003\u3000\ufeff" }, "1001 content.blank content"],
    [
      "what no phone shows",
      { content: "\u200f\u00ad\u3164\ufe0f\u2066\u2800\u180e\ufff9\u{e0020}" },
      "1001 content.blank content",
    ],
    ["half-spaces", { content: "\u200c \u200b\u200d\u2060" }, "1001 content.blank content"],
    ["U+0000", { content: "a\0b" }, "1001 content.nullCharacter content"],
    ["U+0000 alone", { content: "\0" }, "1001 content.nullCharacter content"],
    ["a lone high surrogate", { content: "a\ud83d" }, "1001 content.loneSurrogate content"],
    ["a lone low surrogate", { content: "\ude00a" }, "1001 content.loneSurrogate content"],
    ["a pair the wrong way round", { content: "\ude00\ud83d" }, "1001 content.loneSurrogate content"],
    ["two high surrogates", { content: "\ud83d\ud83d\ude00" }, "1001 content.loneSurrogate content"],
    ["more parts than allowed", { content: "a".repeat(1531) }, "1001 content.tooManyParts content"],
  ])("%s", (_, changes, finding) => {
    expect(faults({ ...sound, ...changes })).toEqual([finding]);
  });

  it.each<[string, Partial<MessageDraft>, string]>([
    ["a missing value", { parameters: [] }, "1001 parameters.missingValue parameters"],
    ["no parameters", { parameters: undefined }, "1001 parameters.missingValue parameters"],
    [
      "a value of 101 characters",
      { parameters: [{ name: "code", value: "x".repeat(101) }] },
      "1001 parameters.valueTooLong parameters",
    ],
    ["a value with U+0000", { parameters: [{ name: "code", value: "\0" }] }, "1001 content.nullCharacter parameters"],
    [
      "a text that its values leave blank",
      { templateId: "bare", senderNumber: "10001234", parameters: [{ name: "text", value: " " }] },
      "1001 content.blank parameters",
    ],
    [
      "no sender in request or template",
      { templateId: "bare", parameters: [{ name: "text", value: "x" }] },
      "1001 senderNumber.required senderNumber",
    ],
  ])("of a template message: %s", (_, changes, finding) => {
    expect(faults({ ...fromTemplate, ...changes })).toEqual([finding]);
  });
});

describe("order of judgement", () => {
  const unknownSender = { senderNumber: "10005678" };
  const blocked = { recipientNumber: "09120000000" };
  const longValue = [{ name: "code", value: "x".repeat(101) }];

  it.each<[string, MessageDraft, string]>([
    [
      "1001 before 1107",
      { ...fromTemplate, templateId: "none", recipientNumber: "y" },
      "1001 recipientNumber.form recipientNumber",
    ],
    [
      "1001 before 1107, for a value",
      { ...fromTemplate, templateId: "none", parameters: longValue },
      "1001 parameters.valueTooLong parameters",
    ],
    ["1001 before 1053", { ...sound, ...unknownSender, content: "" }, "1001 content.blank content"],
    ["1107 for an unknown template", { ...fromTemplate, templateId: "none" }, "1107 templateId.invalid templateId"],
    ["1107 for an unapproved template", { ...fromTemplate, templateId: "draft" }, "1107 templateId.pending templateId"],
    [
      "1107 before 1053",
      { ...fromTemplate, ...unknownSender, templateId: "none" },
      "1107 templateId.invalid templateId",
    ],
    ["1053 before 1202", { ...sound, ...unknownSender, ...blocked }, "1053 senderNumber.notInAccount senderNumber"],
    ["1202 for a blocked recipient", { ...sound, ...blocked }, "1202 recipientNumber.blocked recipientNumber"],
    [
      "1048 for a disabled operator",
      { ...sound, recipientNumber: "09321234567" },
      "1048 operator.disabled recipientNumber",
    ],
    [
      "1203 where the only connector is disabled",
      { ...sound, recipientNumber: "09351234567" },
      "1203 route.none recipientNumber",
    ],
    ["1203 where no route matches", { ...sound, recipientNumber: "09701234567" }, "1203 route.none recipientNumber"],
  ])("%s", (_, draft, finding) => {
    expect(faults(draft)).toEqual([finding]);
  });

  it("never throws and always gives a reason, whatever comes", () => {
    const anything = fc.oneof(unicodeText(), fc.constantFrom("10001234", "09121234567", "login", "bare"));
    const maybe = fc.option(anything, { nil: undefined });
    const draft = fc.record({
      senderNumber: maybe,
      recipientNumber: anything,
      content: maybe,
      templateId: maybe,
      parameters: fc.array(fc.record({ name: fc.constantFrom("code", "text", "x"), value: fc.option(anything) })),
      source: fc.constantFrom("json" as const, "query" as const),
    });
    fc.assert(
      fc.property(draft, (one) => {
        const message = prepareMessage(one, terms);
        if (message.kind === "prepared") {
          expect(message.parts).toBeGreaterThanOrEqual(1);
          expect(message.parts).toBeLessThanOrEqual(10);
          return;
        }
        expect(message.faults.length === 1 || message.faults.every(({ code }) => code === 1001)).toBe(true);
      }),
      { numRuns: 800 },
    );
  });
});

describe("consent", () => {
  const notice = "لغو۱۱";
  const listed = "989129999999";
  type What = "text" | "code" | "information";

  /** One line in one mode, and templates of both purposes. */
  function judge(mode: OptOutMode, what: What, content: string, recipientNumber = "09121111111") {
    const line: SenderLine = { number: "10001234", kind: "dedicated", optOut: mode };
    const template = (id: "code" | "information"): Template => ({ id, content: "{text}", approved: true, purpose: id });
    return prepareMessage(
      {
        senderNumber: line.number,
        recipientNumber,
        ...(what === "text" ? { content } : { templateId: what, parameters: [{ name: "text", value: content }] }),
        source: "json",
      },
      {
        ...terms,
        lines: new Map([[line.number, line]]),
        template: (id) => (id === "code" || id === "information" ? template(id) : undefined),
        optOuts: { has: (of, account, recipient) => of === line.number && account === 1 && recipient === listed },
      },
    );
  }

  it("charges and limits the longer text", () => {
    const full = "س".repeat(70);
    expect(judge("honour", "text", full)).toMatchObject({ parts: 1, cost: 1390n });
    expect(judge("append", "text", full)).toMatchObject({ parts: 2, cost: 2780n, content: `${full}\n${notice}` });
    const tooLong = "س".repeat(67 * 10);
    expect(judge("honour", "text", tooLong).kind).toBe("prepared");
    expect(judge("append", "text", tooLong)).toMatchObject({ faults: [{ messageKey: "content.tooManyParts" }] });
  });

  it.each([
    ["a number that is none", { to: "0912", content: "سلام" }],
    ["too many parts", { to: undefined, content: "س".repeat(67 * 10) }],
  ])("answers the longer text also where the message is refused for %s", (_, { to, content }) => {
    expect(judge("append", "text", content, to)).toMatchObject({ kind: "rejected", content: `${content}\n${notice}` });
    expect(judge("honour", "text", content, "0912")).toMatchObject({ kind: "rejected", content });
  });

  it("adds no notice to a text of nothing, which stays a fault", () => {
    expect(judge("append", "text", " \u200C")).toMatchObject({ faults: [{ messageKey: "content.blank" }] });
  });

  it("looks at a long text once, however many recipients it has, from lines with and without notice in turn", () => {
    const lines = (["append", "honour"] as const).map((optOut, place): SenderLine => {
      return { number: `1000200${String(place)}`, kind: "advertising", optOut };
    });
    const content = "سلام ".repeat(60_000);
    const costOf = (count: number): number => {
      const drafts = Array.from({ length: count }, (_, place): MessageDraft => {
        return { ...sound, senderNumber: `1000200${String(place % 2)}`, content };
      });
      const begun = process.cpuUsage();
      prepareMessages(drafts, { ...terms, lines: new Map(lines.map((each) => [each.number, each])) });
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    costOf(2);
    expect(costOf(100)).toBeLessThan(10 * costOf(2));
  });

  it("judges an opt-out before a missing notice, and the account's own list before both", () => {
    expect(judge("require", "text", "سلام", listed)).toMatchObject({ faults: [{ code: 1202 }] });
    expect(judge("require", "text", "سلام", "989120000000")).toMatchObject({
      faults: [{ messageKey: "recipientNumber.blocked" }],
    });
  });
});

describe("tidyTexts", () => {
  const tidying: AccountTerms = { ...terms, tidyTexts: true };
  const long = "a".repeat(140);

  function onLine(optOut: OptOutMode, optOutNotice: string, content: string) {
    const lines = new Map([[dedicated.number, { ...dedicated, optOut }]]);
    return prepareMessage({ ...sound, content }, { ...tidying, lines, optOutNotice });
  }

  it("sends plain characters where that is cheaper", () => {
    const content = `${"a".repeat(159)}’`;
    const of = (given: AccountTerms) => prepareMessage({ ...sound, content }, given);
    expect(of(terms)).toMatchObject({ content, parts: 3, encoding: "ucs2" });
    expect(of(tidying)).toMatchObject({ content: `${"a".repeat(159)}'`, parts: 1, encoding: "gsm7" });
  });

  it.each(["Stop – 11", "Stop - 11"])("takes a text that ends in the notice: %s", (end) => {
    const sent = { kind: "prepared", content: `${long} Stop - 11` };
    for (const mode of ["append", "require"] as const)
      expect(onLine(mode, "Stop – 11", `${long} ${end}`)).toMatchObject(sent);
    expect(onLine("append", "Stop – 11", long)).toMatchObject({ content: `${long}\nStop - 11` });
  });

  it("leaves a text to which a Persian notice is added as it came", () => {
    expect(onLine("append", "لغو۱۱", `${long}’`)).toMatchObject({ content: `${long}’\nلغو۱۱` });
  });

  it("leaves a text that is longer than any message", () => {
    const content = "’".repeat(10 * 160 + 1);
    expect(prepareMessage({ ...sound, content }, tidying)).toMatchObject({ kind: "rejected", content });
  });

  it("looks at a text once, however many recipients it has", () => {
    const content = "e\u0301’".repeat(13_000);
    const costOf = (count: number): number => {
      const drafts = Array.from({ length: count }, () => ({ ...sound, content }));
      const begun = process.cpuUsage();
      const [first] = prepareMessages(drafts, { ...tidying, maximumParts: 255 });
      const { user, system } = process.cpuUsage(begun);
      expect(first).toMatchObject({ content: "é'".repeat(13_000) });
      return user + system;
    };
    costOf(20);
    // What each takes by itself, against what all take together.
    const alone = Array.from({ length: 20 }, () => costOf(1)).reduce((sum, cost) => sum + cost, 0);
    expect(costOf(20)).toBeLessThan(alone / 3);
  });
});
