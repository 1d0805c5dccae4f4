import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairMessages } from "../../src/sms/pairing.ts";

function list(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}

function pair(senders: number, recipients: number, contents: number): ReturnType<typeof pairMessages> {
  return pairMessages({
    senders: list("s", senders),
    recipients: list("r", recipients),
    contents: list("c", contents),
  });
}

function pairsOf(senders: number, recipients: number, contents: number): readonly string[] {
  const pairing = pair(senders, recipients, contents);
  if (!("pairs" in pairing)) throw new Error("the lists were refused");
  return pairing.pairs.map(
    ({ senderNumber, recipientNumber, content }) => `${senderNumber} ${recipientNumber} ${content}`,
  );
}

function faultsOf(senders: number, recipients: number, contents: number): readonly string[] {
  const pairing = pair(senders, recipients, contents);
  if (!("faults" in pairing)) throw new Error("the lists were taken");
  return pairing.faults.map(({ code, messageKey, field }) => `${code} ${messageKey} ${field}`);
}

describe("pairMessages", () => {
  it.each<[string, [number, number, number], readonly string[]]>([
    ["a missing list", [0, 2, 1], ["1001 list.missing senderNumbers"]],
    [
      "all lists missing",
      [0, 0, 0],
      ["1001 list.missing senderNumbers", "1001 list.missing recipientNumbers", "1001 list.missing contents"],
    ],
    ["a shorter list", [2, 3, 1], ["1001 list.unpairable senderNumbers"]],
    ["two shorter lists", [2, 4, 3], ["1001 list.unpairable senderNumbers", "1001 list.unpairable contents"]],
    ["a list above 100", [1, 101, 1], ["1001 list.tooLong recipientNumbers"]],
    ["a list above 100 beside one that does not fit", [2, 101, 1], ["1001 list.tooLong recipientNumbers"]],
  ])("refuses %s", (_, [senders, recipients, contents], faults) => {
    expect(faultsOf(senders, recipients, contents)).toEqual(faults);
  });

  it("takes lists of 100", () => {
    expect(pairsOf(100, 100, 100)).toHaveLength(100);
  });

  it("never drops a value and never makes one up", () => {
    const length = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(length, length, length, (senders, recipients, contents) => {
        const counts = [senders, recipients, contents];
        const longest = Math.max(...counts);
        const fits = counts.every((count) => count === 1 || (count === longest && count > 0));
        const pairing = pair(...(counts as [number, number, number]));
        expect("pairs" in pairing).toBe(fits);
        if (!("pairs" in pairing)) return;
        expect(pairing.pairs).toHaveLength(longest);
        const { pairs } = pairing;
        expect([...new Set(pairs.map((item) => item.senderNumber))]).toEqual(list("s", senders));
        expect([...new Set(pairs.map((item) => item.recipientNumber))]).toEqual(list("r", recipients));
        expect([...new Set(pairs.map((item) => item.content))]).toEqual(list("c", contents));
      }),
      { numRuns: 1000 },
    );
  });
});
