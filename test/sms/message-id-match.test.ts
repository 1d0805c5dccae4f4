import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageIdKey, receiptIdCandidates, type MessageIdFormat } from "../../src/sms/message-id-match.ts";

describe("messageIdKey", () => {
  it.each([
    ["ABC123", "abc123"],
    ["000123", "123"],
    ["0", "0"],
    ["0000", "0"],
    [" 123 ", "123"],
    ["0x1F", "1f"],
    ["6F9619FF-8B86-D011-B42D-00C04FC964FF", "6f9619ff8b86d011b42d00c04fc964ff"],
    ["mci-1-0042", "mci-1-0042"],
    ["", ""],
  ])("keeps %j as %j", (id, key) => {
    expect(messageIdKey(id)).toBe(key);
  });
});

describe("receiptIdCandidates", () => {
  it.each<[string, string, MessageIdFormat, readonly string[]]>([
    ["case 31: the text first, then both readings", "1715004", "auto", ["1715004", "1a2b3c", "24203268"]],
    ["case 31: one reading for letters", "1A2B3C", "auto", ["1a2b3c", "1715004"]],
    ["case 31: leading zeros", "0000000010", "auto", ["10", "a", "16"]],
    ["case 31: a set decimal format first", "1715004", "decimal", ["1a2b3c", "1715004"]],
    ["case 31: a set hexadecimal format first", "1a2b3c", "hex", ["1715004", "1a2b3c"]],
    [
      "case 31: more than 64 bit",
      "340282366920938463463374607431768211455",
      "decimal",
      ["f".repeat(32), "340282366920938463463374607431768211455"],
    ],
    ["text that is no number", "msg-77", "auto", ["msg-77"]],
    ["text that is no number in a set format", "msg-77", "decimal", ["msg-77"]],
    ["no repetition", "5", "auto", ["5"]],
    ["nothing", "", "auto", []],
    ["blanks", "  ", "hex", []],
  ])("%s", (_, id, format, candidates) => {
    expect(receiptIdCandidates(id, format)).toEqual(candidates);
  });

  it("case 31: finds any number whatever the base, zeros and case of both sides", () => {
    const base = fc.constantFrom(10, 16);
    const zeros = fc.integer({ min: 0, max: 6 }).map((count) => "0".repeat(count));
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 100n }),
        base,
        base,
        zeros,
        fc.boolean(),
        (id, theirs, ours, pad, upper) => {
          const written = pad + id.toString(theirs);
          const receiptId = upper ? written.toUpperCase() : written;
          expect(receiptIdCandidates(receiptId, "auto")).toContain(messageIdKey(id.toString(ours)));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
