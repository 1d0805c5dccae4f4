// Every fault that a setup can have is worded in Persian: the texts are found in the sources, so
// that a new one without words fails here.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { persianFault, wordingOfFault } from "../../../src/http/console/setup-fault-wordings.ts";

const root = new URL("../../../src/", import.meta.url);
const sources = [
  ...readdirSync(new URL("setup/", root)).map((file) => `setup/${file}`),
  "connectors/link-settings.ts",
  "connectors/setting-checks.ts",
  "connectors/smpp/smpp-settings.ts",
];

const text = "(\"[^\"\\n]+\"|'[^'\\n]+'|`[^`]+`)";
/** Where a fault, or its hint, is written. */
const places = [
  `ValueFault\\(\\s*${text}(?:,\\s*${text})?`,
  `\\bfault\\((?:\\[[^\\]]*\\]|path), ${text}(?:, ${text})?`,
  `#(?:missing|fault)\\((?:place|node|key|alias), ${text}(?:, ${text})?`,
  `#missing\\(place, .*, ${text}\\)`,
  `\\bmessage(?::| =) ${text}`,
  `\\bmessage = [^;"]*\\? ${text} : `,
  `\\bfault: ${text}`,
  `\\bhint(?::| =) ${text}`,
  `\\bhint = [^;"]*\\? ${text} : `,
  `: ${text} : undefined;`,
].map((form) => new RegExp(form, "g"));

/** As the fault reads: each value in it as `X`. */
function plain(literal: string): string {
  return literal.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "X");
}

const faults = sources.flatMap((file) => {
  const source = readFileSync(new URL(file, root), "utf8");
  return places.flatMap((place) =>
    [...source.matchAll(place)].flatMap((found) =>
      // What is left out of a form is undefined.
      [found[1], found[2]].flatMap((literal) => (literal === undefined ? [] : [[plain(literal), file] as const])),
    ),
  );
});

describe("the faults of a setup", () => {
  it("are found in the sources", () => {
    expect(new Set(faults.map(([fault]) => fault)).size).toBeGreaterThan(75);
  });

  it.each(faults)("%s (%s) has words in Persian", (fault) => {
    const persian = persianFault(fault);
    expect(persian).toMatch(/[\u0600-\u06ff]/);
    expect(persian).not.toMatch(/\{[a-zA-Z]+\}/);
    // No word of English is left but names of keys and formats.
    expect(persian).not.toMatch(/\b(?:must|is|the|be|not|with|and|of)\b/);
  });

  it("keep their values, and name kinds in Persian", () => {
    expect(persianFault("must be a whole number from 1 to 65535")).toBe("باید عددی صحیح از 1 تا 65535 باشد");
    expect(persianFault("must be a whole number from 1 to 86400, or auto")).toBe(
      "باید عددی صحیح از 1 تا 86400 باشد، یا auto",
    );
    expect(persianFault("there is no connector smsc-9")).toBe("اتصال smsc-9 وجود ندارد");
    expect(persianFault("is used by route 2, tariff gold, and more")).toBe(
      "در این‌ها و موارد دیگری به کار رفته است: مسیر 2، تعرفه gold",
    );
    expect(persianFault("must be a line number, service or advertising")).toBe(
      "باید شمارهٔ خط، service یا advertising باشد",
    );
    expect(persianFault("must be transmitter, receiver or transceiver")).toBe(
      "باید transmitter, receiver یا transceiver باشد",
    );
  });

  it("have their hint and line, and what is not ours as it is", () => {
    const fault = { message: "there is no line 3000", hint: "did you mean 30001?", line: 7 };
    expect(wordingOfFault(fault)).toEqual({
      en: "line 7: there is no line 3000 (did you mean 30001?)",
      fa: "سطر 7: خط 3000 وجود ندارد (منظورتان 30001 است؟)",
    });
    expect(wordingOfFault({ message: "Implicit keys need to be on a single line" }).fa).toBe(
      "ایراد تنظیمات: Implicit keys need to be on a single line",
    );
  });
});
