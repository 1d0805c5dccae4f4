import { describe, expect, it } from "vitest";
import type { Directory } from "../../src/directory/directory.ts";
import { sendingHoursOf } from "../../src/directory/sending-hours-of.ts";
import { nextWindowBy } from "../../src/dispatch/may-send.ts";
import { compileRules, rulesOfAccount } from "../../src/sms/account-rules.ts";
import { weekdays } from "../../src/sms/sending-hours.ts";

const minuteMs = 60_000;

/** A directory of one account whose advertising lines are open between two minutes from now. */
function directory(from: number, to: number): { readonly current: Pick<Directory, "accounts" | "lines"> } {
  const clock = (ahead: number): string => new Date(Date.now() + ahead * minuteMs).toISOString().slice(11, 16);
  const windows = [{ days: [...weekdays], from: clock(from), to: clock(to) }];
  const sendingHours = [{ name: "day", lines: ["advertising"], accounts: ["*"], timeZone: "UTC", windows, except: [] }];
  const rules = rulesOfAccount(compileRules({ contentRules: [], sendingHours }), "shop");
  // Only what the function reads.
  const accounts = new Map([[1, { terms: { rules } }]]) as unknown as Directory["accounts"];
  return { current: { accounts, lines: new Map([["3000", { number: "3000", kind: "advertising" }]]) } };
}

// The clock of the database, which is that of this machine here.
const clock = { now: () => Date.now() };

const message = { accountId: 1, sender: "3000", isFree: false };

describe("the next window of a claimed message", () => {
  it("is none while its hours are open, and the next one when they have ended", () => {
    expect(nextWindowBy(directory(-10, 10), clock)(message)).toBeUndefined();
    const next = nextWindowBy(directory(10, 20), clock)(message);
    expect(next?.from.getTime()).toBeGreaterThan(Date.now());
    expect(next?.until.getTime()).toBeGreaterThan(next?.from.getTime() ?? 0);
  });

  it("is told by the database's clock, not by that of the node", () => {
    const now = (): number => Date.now() + 15 * minuteMs;
    expect(nextWindowBy(directory(-10, 10), { now })(message)).toBeDefined();
    expect(nextWindowBy(directory(10, 20), { now })(message)).toBeUndefined();
  });

  it("is none for codes and replies, other lines, unknown lines and unknown accounts", () => {
    const closed = directory(10, 20);
    for (const free of [
      { ...message, isFree: true },
      { ...message, sender: "1000" },
      { ...message, accountId: 2 },
    ])
      expect(nextWindowBy(closed, clock)(free)).toBeUndefined();
    expect(sendingHoursOf(closed.current, message)?.name).toBe("day");
  });
});
