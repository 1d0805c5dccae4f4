import fc from "fast-check";
import { expect, it } from "vitest";
import { writeMessageId, type WrittenIdFormat } from "../../src/simulator/behaviours.ts";

it("writes one number in many ways", () => {
  const write = (format: WrittenIdFormat): string => writeMessageId(3_735_928_559, format);
  expect(
    ["decimal", "leading-zeros", "hex", "upper-case-hex"].map((format) => write(format as WrittenIdFormat)),
  ).toEqual(["3735928559", "00000000003735928559", "deadbeef", "DEADBEEF"]);
  expect(write("upper-case-uuid")).toBe(write("uuid").toUpperCase());
});

it("makes a UUID of its own for every number", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
      const uuid = writeMessageId(one, "uuid");
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(uuid === writeMessageId(other, "uuid")).toBe(one === other);
    }),
  );
});
