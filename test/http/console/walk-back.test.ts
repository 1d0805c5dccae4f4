import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  readCursor,
  rowsAtATime,
  walkBack,
  type WalkBounds,
  type Walked,
  walkMs,
  type WalkStart,
} from "../../../src/http/console/walk-back.ts";
import { uuidCeiling, uuidv7 } from "../../../src/platform/uuid.ts";

const latest = uuidCeiling(2 ** 48 - 1);

/** Rows of the given times; every third one fits. */
function table(times: readonly number[]) {
  const rows = times.map((at) => uuidv7(at)).sort();
  const wanted = rows.filter((_, index) => index % 3 === 0);
  const calls: WalkBounds[] = [];
  const read = async (bounds: WalkBounds) => {
    calls.push(bounds);
    const within = (id: string) => id >= bounds.from && id < bounds.before;
    const scanned = Math.min(rows.filter(within).length, bounds.scan);
    // Which rows were read is anybody's guess where there are more.
    const found = wanted.filter(within).reverse().slice(0, bounds.limit);
    return { found: found.map((id) => ({ id })), scanned };
  };
  return { read, calls, wanted: wanted.toReversed() };
}

async function all({ read }: ReturnType<typeof table>, count: number, fromMs = 0): Promise<string[]> {
  const ids: string[] = [];
  let start: WalkStart = { before: latest };
  for (let page = 0; page < 1000; page += 1) {
    const { items, nextCursor } = await walkBack({ fromMs, ...start, count, now: Date.now() }, read);
    expect(items.length).toBeLessThanOrEqual(count);
    ids.push(...items.map(({ id }) => id));
    if (nextCursor === undefined) return ids;
    start = readCursor(nextCursor) ?? start;
  }
  throw new Error("the walk has no end");
}

describe("walkBack", () => {
  const now = Date.now();
  it.each([
    ["nothing", []],
    ["a few over years", [1, 2, 3, 400, 800].map((days) => now - days * 86_400_000)],
    ["many in one second", Array.from({ length: rowsAtATime * 3 }, (_, n) => now - 5000 + (n % 1000))],
    ["many in one millisecond", Array.from({ length: rowsAtATime * 2 }, () => now - 3000)],
    ["some ahead of the clock", [now + 60_000, now + 1, now, now - 1]],
  ])("finds each once, the newest first: %s", async (_, times) => {
    const rows = table(times);
    expect(await all(rows, 200)).toEqual(rows.wanted);
  });

  it("leads through quiet years in a few calls, even where each statement takes all the time of one", async () => {
    const { read, calls, wanted } = table([now - 800 * 86_400_000]);
    const slowly = async (bounds: WalkBounds) => {
      const until = performance.now() + walkMs + 1;
      while (performance.now() < until);
      return read(bounds);
    };
    let start: WalkStart | undefined = { before: latest };
    const ids: string[] = [];
    while (start !== undefined && calls.length < 50) {
      const page: Walked<{ readonly id: string }> = await walkBack(
        { fromMs: 0, ...start, count: 5, now: Date.now() },
        slowly,
      );
      ids.push(...page.items.map(({ id }) => id));
      start = page.nextCursor === undefined ? undefined : readCursor(page.nextCursor);
    }
    expect(ids).toEqual(wanted);
    expect(calls.length).toBeLessThan(15);
  });

  it("reads as few rows at a node whose clock is an hour slow", async () => {
    const { read, calls, wanted } = table(Array.from({ length: 72_000 }, (_, n) => now - n * 50));
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: now - 3_600_000 });
    const { items } = await walkBack({ fromMs: 0, before: latest, count: 5, now }, read);
    expect(items.map(({ id }) => id)).toEqual(wanted.slice(0, 5));
    expect(calls.map(({ scan }) => scan)).toEqual([rowsAtATime]);
  });

  it("reads nothing from before the first moment", async () => {
    const rows = table([now - 1000, now - 10_000, now - 100_000]);
    const fromMs = now - 50_000;
    await all(rows, 10, fromMs);
    expect(rows.calls.every(({ from }) => Number.parseInt(from.replace("-", "").slice(0, 12), 16) >= fromMs)).toBe(
      true,
    );
  });
});

describe("readCursor", () => {
  const id = uuidv7(1_700_000_000_000);
  it.each<[string, WalkStart | undefined]>([
    [id, { before: id }],
    [id.toUpperCase(), { before: id }],
    [`${id}.64000`, { before: id, windowMs: 64_000 }],
    [`${id}.999999999999999`, { before: id, windowMs: 2 ** 48 }],
    [`${id}.`, undefined],
    [`${id}.0`, undefined],
    [`${id}.-1`, undefined],
    [`${id}.1.1`, undefined],
    [`${id}.9999999999999999`, undefined],
    ["1", undefined],
    ["", undefined],
  ])("reads %s", (given, start) => {
    expect(readCursor(given)).toEqual(start);
  });
});
