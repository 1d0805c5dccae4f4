import { describe, expect, it } from "vitest";
import { canCarry, carriesAll, codingFor, demandOf, specialDemands } from "../../src/sms/data-coding.ts";
import { countParts } from "../../src/sms/segmentation.ts";

const message = (content: string, encoding: "gsm7" | "ucs2" = "gsm7") => ({
  content,
  encoding,
  parts: countParts(content, encoding),
});

describe("demandOf", () => {
  it.each([
    ["ASCII", message("a".repeat(300)), 0, 0],
    ["UCS-2, which every link carries", message("سلام ".repeat(40), "ucs2"), 0, 0],
    ["é, short enough for UCS-2", message("é".repeat(70)), 0, 0],
    ["é, too long for it", message("é".repeat(71)), 1, 1],
    ["€, short enough for UCS-2", message("€".repeat(70)), 0, 0],
    ["€, too long for it", message("€".repeat(71)), 2, 2],
    ["€ in a short last part, but not where all goes at once", message(`${"a".repeat(153)}${"b".repeat(20)}€`), 0, 2],
    ["é in a long part and € in a short one", message(`${"é".repeat(160)}€`), 1, 2],
  ])("%s", (_, text, inParts, asWhole) => {
    expect(demandOf(text)).toEqual({ inParts, asWhole });
  });
});

it("a link carries what its alphabet has, by the form in which it sends long messages", () => {
  const able = (defaultAlphabet: "ascii" | "latin1" | "gsm7", longMessages: "udh" | "payload"): boolean[] =>
    specialDemands.map((demand) => canCarry({ defaultAlphabet, longMessages }, demand));
  expect(able("gsm7", "payload")).toEqual([true, true, true, true, true]);
  expect(able("latin1", "udh")).toEqual([true, true, true, true, false]);
  expect(able("latin1", "payload")).toEqual([true, false, true, false, false]);
  expect(able("ascii", "udh")).toEqual([true, true, false, false, false]);
  expect(able("ascii", "payload")).toEqual([false, false, false, false, false]);
  expect(carriesAll({ defaultAlphabet: "gsm7", longMessages: "udh" })).toBe(true);
  expect(carriesAll({ defaultAlphabet: "latin1", longMessages: "udh" })).toBe(false);
});

it("UCS-2 leaves room for the header of one of several parts", () => {
  const coding = (length: number, parts: number) =>
    codingFor({ text: "€".repeat(length), encoding: "gsm7", parts }, "latin1");
  expect([coding(70, 1), coding(71, 1), coding(67, 2), coding(68, 2)]).toEqual(["ucs2", undefined, "ucs2", undefined]);
});
