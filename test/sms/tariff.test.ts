import { describe, expect, it } from "vitest";
import type { Language } from "../../src/sms/text-kind.ts";
import type { SenderLine } from "../../src/sms/sender-line.ts";
import { pricePerPart, tariffHasDefault, type Tariff, type TariffPrice } from "../../src/sms/tariff.ts";

function row(line: string, operator: string, language: Language | "*", price: bigint): TariffPrice {
  return { line, operator, language, price };
}

function tariff(...prices: TariffPrice[]): Tariff {
  return { name: "test", prices };
}

const line: SenderLine = { number: "10001234", kind: "service" };
const message = { operator: "MCI", line, language: "fa" } as const;

// Every combination of patterns, most specific first: line number, line kind, operator, language.
const bySpecificity: readonly TariffPrice[] = [
  row("10001234", "MCI", "fa", 1n),
  row("10001234", "MCI", "*", 2n),
  row("10001234", "*", "fa", 3n),
  row("10001234", "*", "*", 4n),
  row("service", "MCI", "fa", 5n),
  row("service", "MCI", "*", 6n),
  row("service", "*", "fa", 7n),
  row("service", "*", "*", 8n),
  row("*", "MCI", "fa", 9n),
  row("*", "MCI", "*", 10n),
  row("*", "*", "fa", 11n),
  row("*", "*", "*", 12n),
];

describe("pricePerPart", () => {
  it("takes the most specific row, wherever it stands", () => {
    for (let from = 0; from < bySpecificity.length; from += 1) {
      const rows = bySpecificity.slice(from);
      expect(pricePerPart(tariff(...rows), message)).toBe(BigInt(from + 1));
      expect(pricePerPart(tariff(...rows.toReversed()), message)).toBe(BigInt(from + 1));
    }
  });

  it.each([
    ["another line number", row("10005678", "*", "*", 1n)],
    ["another line kind", row("advertising", "*", "*", 1n)],
    ["another operator", row("*", "Irancell", "*", 1n)],
    ["another language", row("*", "*", "en", 1n)],
    ["an operator that differs although the line fits", row("10001234", "Irancell", "fa", 1n)],
  ])("passes over a row for %s", (_, other) => {
    expect(pricePerPart(tariff(other, row("*", "*", "*", 2n)), message)).toBe(2n);
  });

  it("throws where no row matches", () => {
    expect(() => pricePerPart(tariff(row("*", "*", "en", 1n)), message)).toThrow("test");
  });
});

describe("tariffHasDefault", () => {
  it.each<[string, readonly TariffPrice[], boolean]>([
    ["a row for everything", [row("*", "*", "*", 1n)], true],
    ["a row for each language", [row("*", "*", "fa", 1n), row("*", "*", "en", 1n), row("*", "*", "other", 1n)], true],
    ["no row", [], false],
    ["a row for one language", [row("*", "*", "fa", 1n)], false],
    ["a row for one operator", [row("*", "MCI", "*", 1n)], false],
    ["a row for one line kind", [row("service", "*", "*", 1n)], false],
  ])("sees %s", (_, rows, has) => {
    expect(tariffHasDefault(tariff(...rows))).toBe(has);
  });
});
