import { describe, expect, it } from "vitest";
import { equalErrors, latestOf, type FailedBind } from "../../console/src/parts/equal-errors.ts";

const refused = (bind: number, second: number): FailedBind => ({
  bind,
  lastError: "connect ECONNREFUSED 10.0.0.4:2775",
  lastErrorKind: "nothingListens",
  lastErrorAt: `2026-11-25T09:00:${String(second).padStart(2, "0")}.000Z`,
});
const silent: FailedBind = { bind: 2, lastError: "no activity (enquire_link)", lastErrorKind: "silent" };

describe("the last errors of binds", () => {
  it("are one for a hundred binds that fail by one cause, told with the last time", () => {
    const groups = equalErrors(Array.from({ length: 100 }, (_, at) => refused(at + 1, (at * 7) % 60)));
    expect(groups.map(({ length }) => length)).toEqual([100]);
    expect(latestOf(groups[0] ?? [])?.lastErrorAt).toBe("2026-11-25T09:00:59.000Z");
  });

  it("are apart where text or kind differ, in the order of their binds, without binds that have none", () => {
    const binds = [refused(1, 5), silent, { bind: 3 }, refused(4, 6), { ...silent, bind: 5, lastErrorKind: undefined }];
    const groups = equalErrors(
      binds.map(({ lastErrorKind, ...bind }) => (lastErrorKind ? { ...bind, lastErrorKind } : bind)),
    );
    expect(groups.map((group) => group.map(({ bind }) => bind))).toEqual([[1, 4], [2], [5]]);
  });
});
