import { expect, it } from "vitest";
import { referenceSpaceOf } from "../../src/sms/concatenation.ts";

it.each([
  ["udh", 1, 0, undefined],
  ["udh", 2, 0, 256],
  ["udh", 2, 0b01, 256],
  ["udh", 2, 0b11, undefined],
  ["sar", 2, 0, 65_536],
  ["payload", 2, 0, undefined],
  // What another connector has left goes in parts.
  ["payload", 2, 0b01, 256],
] as const)("%s: of a message of %i parts, taken %i, the reference is one of %s", (form, parts, partsTaken, size) => {
  expect(referenceSpaceOf({ parts, partsTaken }, form)?.size).toBe(size);
});
