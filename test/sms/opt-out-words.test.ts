// Words of opting out, and the notice.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { foldText } from "../../src/sms/folding.ts";
import {
  defaultOptOutNotice,
  defaultOptOutWords,
  endsInNotice,
  mobileNumberOf,
  optOutModeOf,
  withNotice,
  WordReader,
} from "../../src/sms/opt-out-index.ts";

describe("WordReader", () => {
  const words = new WordReader(defaultOptOutWords);

  it.each([
    ["11", "stop"],
    ["۱۱", "stop"],
    ["١١", "stop"],
    ["لغو", "stop"],
    ["لَغو ۱۱", "stop"],
    ["لـغو11", "stop"],
    ["  «لغو\u200C»!\n", "stop"],
    ["STOP.", "stop"],
    ["Unsubscribe", "stop"],
    ["12", "resume"],
    ["۱۲", "resume"],
    ["Start", "resume"],
    ["111", undefined],
    ["لغو کن", undefined],
    ["CANCEL", "stop"],
    ["StopAll", "stop"],
    ["STOP ALL", "stop"],
    ["stop-all.", "stop"],
    ["*11#", "stop"],
    ["لغو (۱۱)", "stop"],
    ["لغو-۱۱", "stop"],
    ["لغو ـ ۱۱", "stop"],
    ["لغو – 11.", "stop"],
    ["لغو 11.", "stop"],
    ["لغو − 11", "stop"],
    ["+stop+", "stop"],
    ["1-1", undefined],
    ["please stop", undefined],
    ["stop please", undefined],
    ["", undefined],
    ["؟", undefined],
  ])("reads %j as %s", (text, expected) => {
    expect(words.read(text)).toBe(expected);
  });

  it("folds as the examples of docs/rules.md say", () => {
    const rules = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8");
    const examples = [...rules.matchAll(/`([^`]+)` (matches|does not match) `([^`]+)`/g)];
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const [example, text = "", verdict, word = ""] of examples)
      expect([example, foldText(text) === foldText(word)]).toEqual([example, verdict === "matches"]);
  });

  it("reads words in every form, whichever form the setup file has", () => {
    const reader = new WordReader({ stop: ["Genug!", "لـغو ١١"], resume: ["WEITER."] });
    expect(["genug", "لغو ۱۱", "weiter"].map((text) => reader.read(text))).toEqual(["stop", "stop", "resume"]);
  });

  it("reads no word of punctuation alone", () => {
    const reader = new WordReader({ stop: ["!"], resume: ["?"] });
    expect(reader.read("!")).toBeUndefined();
    expect(reader.read("")).toBeUndefined();
  });

  it("does not fold what is far too long for a word", () => {
    expect(words.read(`stop${" ".repeat(5000)}`)).toBeUndefined();
  });
});

it.each([
  ["dedicated", undefined, "off"],
  ["service", undefined, "honour"],
  ["advertising", undefined, "honour"],
  ["dedicated", "append", "append"],
  ["service", "off", "off"],
] as const)("a %s line with %s is on %s", (kind, optOut, expected) => {
  expect(optOutModeOf({ number: "1000", kind, ...(optOut && { optOut }) })).toBe(expected);
});

it.each([
  ["989121234567", "989121234567"],
  ["+989121234567", "989121234567"],
  ["09121234567", "989121234567"],
  ["IRANCELL", undefined],
  ["10001234", undefined],
])("takes the sender %s for %s", (sender, expected) => {
  expect(mobileNumberOf(sender)).toBe(expected);
});

describe("the notice", () => {
  it.each([
    ["سلام\nلغو۱۱", true],
    ["سلام لغو 11", true],
    ["سلام لغو11.", true],
    ["سلام ل\u200Cغو ۱ ۱", true],
    ["لغو۱۱ سلام", false],
    ["سلام", false],
    ["سلام لغو۱۲", false],
  ])("is at the end of %j: %s", (text, expected) => {
    expect(endsInNotice(text, defaultOptOutNotice)).toBe(expected);
  });

  it("is added once, after a line feed", () => {
    const once = withNotice("سلام", defaultOptOutNotice);
    expect(once).toBe("سلام\nلغو۱۱");
    expect(withNotice(once, defaultOptOutNotice)).toBe(once);
  });
});
