// The price of one part: the most specific matching row of the account's
// tariff. There is no default price: setup refuses a tariff that leaves a message without one.
import { textLanguages, type Language } from "./text-kind.ts";
import { lineKinds, type SenderLine } from "./sender-line.ts";

export interface TariffPrice {
  /** Operator name or "*". */
  readonly operator: string;
  /** Line number, line kind or "*". */
  readonly line: string;
  readonly language: Language | "*";
  /** Rials per part. */
  readonly price: bigint;
}

export interface Tariff {
  readonly name: string;
  readonly prices: readonly TariffPrice[];
}

export interface PricedBy {
  readonly operator: string;
  readonly line: SenderLine;
  readonly language: Language;
}

/**
 * Whether every message has a price: by a row for everything, or by rows that together cover all
 * line kinds and languages.
 */
export function tariffHasDefault(tariff: Tariff): boolean {
  return lineKinds.every((kind) =>
    textLanguages.every((language) =>
      tariff.prices.some((row) => row.operator === "*" && matches(row.line, kind) && matches(row.language, language)),
    ),
  );
}

function matches(pattern: string, value: string): boolean {
  return pattern === "*" || pattern === value;
}

/** Rials per part. Throws if no row matches, which `tariffHasDefault` rules out. */
export function pricePerPart(tariff: Tariff, { operator, line, language }: PricedBy): bigint {
  let best: TariffPrice | undefined;
  let bestRank = -1;
  for (const row of tariff.prices) {
    if (row.operator !== "*" && row.operator !== operator) continue;
    if (row.language !== "*" && row.language !== language) continue;
    // In order of weight: line number, line kind, operator, language. Each outweighs all that follow.
    const lineRank = row.line === line.number ? 2 : row.line === line.kind ? 1 : row.line === "*" ? 0 : -1;
    const rank = lineRank * 4 + (row.operator === "*" ? 0 : 2) + (row.language === "*" ? 0 : 1);
    if (lineRank >= 0 && rank > bestRank) {
      best = row;
      bestRank = rank;
    }
  }
  if (best === undefined) throw new Error(`tariff ${tariff.name} has no row for everything`);
  return best.price;
}
