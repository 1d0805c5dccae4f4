import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUuid, uuidCeiling, uuidFloor, uuidv7, uuidv7Time } from "../../src/platform/uuid.ts";

const anyMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe("uuidv7", () => {
  it("carries its millisecond, version and variant, and lies between floor and ceiling of that millisecond", () => {
    fc.assert(
      fc.property(anyMs, (ms) => {
        const id = uuidv7(ms);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(uuidv7Time(id)).toBe(ms);
        expect(id > uuidFloor(ms)).toBe(true);
        expect(id < uuidCeiling(ms)).toBe(true);
        expect(isUuid(uuidFloor(ms)) && isUuid(uuidCeiling(ms))).toBe(true);
      }),
    );
  });

  it("keeps the order that ids of one millisecond are given", () => {
    const ids = Array.from({ length: 4096 }, (_, order) => uuidv7(7, order));
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => uuidv7Time(id) === 7 && /^.{14}7.{4}[89ab]/.test(id))).toBe(true);
    expect(() => uuidv7(7, 4096)).toThrow(RangeError);
  });

  it("uses all 74 random bits", () => {
    const seen = Array.from({ length: 500 }, () => BigInt(`0x${uuidv7(0).replaceAll("-", "")}`));
    const ever = seen.reduce((all, id) => all | id, 0n);
    const always = seen.reduce((all, id) => all & id);
    expect(ever.toString(16).padStart(32, "0")).toBe("0000000000007fffbfffffffffffffff");
    expect(always.toString(16).padStart(32, "0")).toBe("00000000000070008000000000000000");
  });
});

describe("isUuid", () => {
  it("takes either case and nothing but a UUID", () => {
    expect(isUuid("018F0E3C-7a1b-7000-8000-000000000000")).toBe(true);
    for (const text of [
      "",
      "018f0e3c7a1b70008000000000000000",
      "{018f0e3c-7a1b-7000-8000-000000000000}",
      "018f0e3c-7a1b-7000-8000-00000000000g",
      "018f0e3c-7a1b-7000-8000-000000000000\n",
    ]) {
      expect(isUuid(text)).toBe(false);
    }
  });
});
