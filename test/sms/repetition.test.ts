import { expect, it } from "vitest";
import { isRepetition, repeatedAfterMs } from "../../src/sms/concatenation.ts";

const waiting = { hasSessionEnded: false, isSameRequest: false, owedForMs: 0 };

it.each([
  ["while the first waits for its answer", waiting, false],
  ["when the first one's session has ended", { ...waiting, hasSessionEnded: true }, true],
  ["under the same session and sequence number", { ...waiting, isSameRequest: true }, true],
  ["just before the answer is owed too long", { ...waiting, owedForMs: repeatedAfterMs - 1 }, false],
  ["when the answer is owed too long", { ...waiting, owedForMs: repeatedAfterMs }, true],
])("case 27: an equal part %s", (_title, first, repeats) => {
  expect(isRepetition(first)).toBe(repeats);
});

it("SMSCs send again after 5 s", () => {
  expect(repeatedAfterMs).toBe(5000);
});
