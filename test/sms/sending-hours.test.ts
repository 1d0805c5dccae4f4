import { describe, expect, it } from "vitest";
import {
  endOfValidity,
  isExceptDate,
  isTimeOfDay,
  movedTime,
  SendingHours,
  type SendingHoursRule,
  weekdays,
} from "../../src/sms/sending-hours.ts";

const everyDay = [...weekdays];

function hours(given: Partial<SendingHoursRule>): SendingHours {
  return new SendingHours({
    name: "day",
    lines: ["*"],
    accounts: ["*"],
    timeZone: "Asia/Tehran",
    windows: [{ days: everyDay, from: "09:00", to: "21:00" }],
    except: [],
    ...given,
  });
}

function open(of: SendingHours, at: string): [from: string, until: string] | undefined {
  const found = of.openTime(Date.parse(at));
  return found && [new Date(found.from).toISOString(), new Date(found.until).toISOString()];
}

/** What the clock of a zone shows: the weekday and the minutes of the day. */
function clockOf(timeZone: string): (instant: number) => { day: number; minutes: number } {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (instant) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const day = weekdays.findIndex((name) => name === parts["weekday"]?.toLowerCase());
    return { day, minutes: Number(parts["hour"]) * 60 + Number(parts["minute"]) };
  };
}

describe("sending hours", () => {
  it("are open between `from` and `to` of the zone, the first included and the last not", () => {
    const day = hours({});
    expect(open(day, "2026-11-22T05:29:59Z")).toEqual(["2026-11-22T05:30:00.000Z", "2026-11-22T17:30:00.000Z"]);
    expect(open(day, "2026-11-22T05:30:00Z")).toEqual(["2026-11-22T05:30:00.000Z", "2026-11-22T17:30:00.000Z"]);
    expect(open(day, "2026-11-22T17:29:59.999Z")).toEqual(["2026-11-22T17:29:59.999Z", "2026-11-22T17:30:00.000Z"]);
    expect(open(day, "2026-11-22T17:30:00Z")).toEqual(["2026-11-23T05:30:00.000Z", "2026-11-23T17:30:00.000Z"]);
    expect(day.isOpen(Date.parse("2026-11-22T12:00:00Z"))).toBe(true);
    expect(day.isOpen(Date.parse("2026-11-22T20:00:00Z"))).toBe(false);
  });

  it("reach over midnight, and belong to the day on which they began", () => {
    // Saturday 2026-11-21 from 22:00 to Sunday 02:00.
    const night = hours({ timeZone: "UTC", windows: [{ days: ["sat"], from: "22:00", to: "02:00" }] });
    expect(open(night, "2026-11-21T23:00:00Z")).toEqual(["2026-11-21T23:00:00.000Z", "2026-11-22T02:00:00.000Z"]);
    expect(open(night, "2026-11-22T01:59:00Z")?.[0]).toBe("2026-11-22T01:59:00.000Z");
    expect(open(night, "2026-11-21T01:00:00Z")?.[0]).toBe("2026-11-21T22:00:00.000Z");
    expect(open(night, "2026-11-22T02:00:00Z")?.[0]).toBe("2026-11-28T22:00:00.000Z");
  });

  it("end where their window ends, also where the eight days end that are computed at a time", () => {
    const night = hours({ windows: [{ days: everyDay, from: "02:00", to: "06:00" }] });
    for (let day = 20; day <= 28; day += 1)
      expect(open(night, `2026-11-${day}T23:00:00Z`)?.[1]).toBe(`2026-11-${day + 1}T02:30:00.000Z`);
  });

  it("join a window that ends at 24:00 with the one of the next day", () => {
    const always = hours({ timeZone: "UTC", windows: [{ days: everyDay, from: "00:00", to: "24:00" }] });
    const at = Date.parse("2026-11-22T23:59:59Z");
    expect(always.isOpen(at)).toBe(true);
    expect(always.openTime(at)?.until).toBeGreaterThan(at + 86_400_000);
    const two = hours({
      timeZone: "UTC",
      windows: [
        { days: ["sun"], from: "20:00", to: "24:00" },
        { days: ["mon"], from: "00:00", to: "03:00" },
      ],
    });
    expect(open(two, "2026-11-22T21:00:00Z")).toEqual(["2026-11-22T21:00:00.000Z", "2026-11-23T03:00:00.000Z"]);
  });

  it("take a whole day from a time to the same time of the next day", () => {
    const round = hours({ timeZone: "UTC", windows: [{ days: ["sun"], from: "09:00", to: "09:00" }] });
    expect(open(round, "2026-11-22T08:59:00Z")).toEqual(["2026-11-22T09:00:00.000Z", "2026-11-23T09:00:00.000Z"]);
  });

  it("begin on no excepted date, Jalali or Gregorian, but go on from the evening before", () => {
    // 1405-09-02 is 2026-11-23.
    const jalali = hours({ except: ["1405-09-02"] });
    expect(open(jalali, "2026-11-22T18:00:00Z")?.[0]).toBe("2026-11-24T05:30:00.000Z");
    const gregorian = hours({ except: ["2026-11-23", "2026-11-24"] });
    expect(open(gregorian, "2026-11-22T18:00:00Z")?.[0]).toBe("2026-11-25T05:30:00.000Z");
    const night = hours({
      timeZone: "UTC",
      windows: [{ days: everyDay, from: "22:00", to: "02:00" }],
      except: ["2026-11-23"],
    });
    expect(open(night, "2026-11-23T01:00:00Z")).toEqual(["2026-11-23T01:00:00.000Z", "2026-11-23T02:00:00.000Z"]);
    expect(open(night, "2026-11-23T22:30:00Z")?.[0]).toBe("2026-11-24T22:00:00.000Z");
  });

  it("are those of the clock on the wall on the days on which it changes, too", () => {
    // Berlin skips 02:00 to 03:00 on 2026-03-29, and repeats it on 2026-10-25.
    const day = hours({ timeZone: "Europe/Berlin" });
    expect(open(day, "2026-03-28T22:00:00Z")).toEqual(["2026-03-29T07:00:00.000Z", "2026-03-29T19:00:00.000Z"]);
    expect(open(day, "2026-10-24T22:00:00Z")).toEqual(["2026-10-25T08:00:00.000Z", "2026-10-25T20:00:00.000Z"]);
    const night = hours({ timeZone: "Europe/Berlin", windows: [{ days: ["sat"], from: "22:00", to: "06:00" }] });
    expect(open(night, "2026-03-28T12:00:00Z")).toEqual(["2026-03-28T21:00:00.000Z", "2026-03-29T04:00:00.000Z"]);
    expect(open(night, "2026-10-24T12:00:00Z")).toEqual(["2026-10-24T20:00:00.000Z", "2026-10-25T05:00:00.000Z"]);
  });

  it("have no window for ever without windows, and say so after a bounded search", () => {
    const none = hours({ windows: [] });
    expect(none.openTime(Date.parse("2026-11-22T12:00:00Z"))).toBeUndefined();
    expect(none.isOpen(0)).toBe(false);
  });

  it.each([
    "Asia/Tehran",
    "UTC",
    "Europe/Berlin",
    "America/St_Johns",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
  ])(
    "of %s are open exactly when its clock shows a time within a window, but near a change of the clock",
    (timeZone) => {
      const clock = clockOf(timeZone);
      const isNearChange = (at: number): boolean => {
        const passed = clock(at + 3 * 3_600_000).minutes - clock(at - 3 * 3_600_000).minutes;
        return (passed + 1440) % 1440 !== 360;
      };
      let seed = 7;
      const random = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return Math.floor((seed / 2_147_483_648) * below);
      };
      const text = (minutes: number): string =>
        `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
      for (let round = 0; round < 4; round += 1) {
        const windows = Array.from({ length: 1 + random(3) }, () => ({
          days: everyDay.filter(() => random(2) === 0),
          from: random(1440),
          to: 1 + random(1440),
        }));
        const given = hours({
          timeZone,
          windows: windows.map(({ days, from, to }) => ({ days, from: text(from), to: text(to) })),
        });
        const isInside = ({ day, minutes }: { day: number; minutes: number }): boolean =>
          windows.some(({ days, from, to }) => {
            const on = (index: number): boolean => days.some((name) => name === weekdays[(index + 7) % 7]);
            if (to > from) return on(day) && minutes >= from && minutes < to;
            return (on(day) && minutes >= from) || (on(day - 1) && minutes < to);
          });
        // Around days on which clocks change in spring and autumn, and anywhere.
        for (const start of [
          Date.UTC(2026, 2, 28),
          Date.UTC(2026, 9, 24),
          Date.UTC(2026, 3, 4),
          Date.UTC(2026, random(12), 1),
        ])
          for (let step = 0; step < 60; step += 1) {
            const at = start + random(3 * 1440) * 60_000;
            if (isNearChange(at)) continue;
            expect([timeZone, new Date(at).toISOString(), given.isOpen(at)]).toEqual([
              timeZone,
              new Date(at).toISOString(),
              isInside(clock(at)),
            ]);
            const found = given.openTime(at);
            if (found === undefined) continue;
            expect(found.from).toBeGreaterThanOrEqual(at);
            expect(found.until).toBeGreaterThan(found.from);
            expect(given.isOpen(found.from)).toBe(true);
            expect(given.isOpen(found.until - 1)).toBe(true);
            if (found.from > at) expect(given.isOpen(found.from - 1)).toBe(false);
          }
      }
    },
  );
});

describe("what a setup file may write", () => {
  it("takes times of the day, and 24:00 as an end only", () => {
    expect(["00:00", "09:00", "23:59"].map((text) => isTimeOfDay(text, { mayEndDay: false }))).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ["9:00", "24:00", "24:01", "12:60", "12:5", ""].map((text) => isTimeOfDay(text, { mayEndDay: false })),
    ).toEqual(Array(6).fill(false));
    expect(isTimeOfDay("24:00", { mayEndDay: true })).toBe(true);
  });

  it("takes dates that exist in their calendar", () => {
    // 1403 and 1408 are leap years, 1404 and 1405 are not.
    for (const date of [
      "1406-01-01",
      "1405-06-31",
      "1405-12-29",
      "1403-12-30",
      "1408-12-30",
      "1300-01-01",
      "1499-12-29",
      "2026-02-28",
      "2028-02-29",
    ])
      expect([date, isExceptDate(date)]).toEqual([date, true]);
    for (const date of [
      "1405-12-30",
      "1405-07-31",
      "1405-13-01",
      "1405-00-10",
      "1405-01-32",
      "2026-02-29",
      "2026-13-01",
      "1405-1-1",
      "",
      "x",
    ])
      expect([date, isExceptDate(date)]).toEqual([date, false]);
  });
});

describe("the end of a validity", () => {
  const at = (text: string): number => Date.parse(`2026-11-${text}:00Z`);
  const hour = 3_600_000;

  it.each([
    ["within a window", "22T10:00", 2, "22T12:00"],
    ["to the end of a window", "22T10:00", 11, "22T21:00"],
    ["over a night", "22T20:00", 3, "23T11:00"],
    ["over two nights", "22T20:00", 14, "24T10:00"],
    ["from a closed time on", "22T23:00", 2, "23T11:00"],
  ])("stands still while the hours are closed: %s", (_, from, hoursLong, end) => {
    expect(endOfValidity(at(from), hoursLong * hour, hours({ timeZone: "UTC" }))).toBe(at(end));
  });

  it("comes at its time without hours, and with hours of which none comes", () => {
    expect(endOfValidity(at("22T23:00"), hour, undefined)).toBe(at("23T00:00"));
    expect(endOfValidity(at("22T23:00"), hour, hours({ windows: [] }))).toBe(at("23T00:00"));
  });
});

describe("the time of what waits", () => {
  const hour = 3_600_000;
  const at = (text: string): Date => new Date(`2026-11-${text}:00Z`);
  const day = hours({ timeZone: "UTC" });
  const queued = (dueAt: Date, wantedAt: Date | null = null, windowEnd: Date | null = null) => ({
    dueAt,
    wantedAt,
    windowEnd,
  });

  it("stays when its window is right", () => {
    const now = at("22T12:00");
    expect(movedTime(queued(at("22T11:00"), null, at("22T21:00")), day, now)).toBeUndefined();
    expect(movedTime(queued(at("23T09:00"), at("22T22:00"), at("23T21:00")), day, at("22T23:00"))).toBeUndefined();
    expect(movedTime(queued(at("22T11:00")), undefined, now)).toBeUndefined();
  });

  it("moves to the next window when its window has ended, and its validity stands still", () => {
    expect(movedTime(queued(at("22T20:00"), null, at("22T21:00")), day, at("22T21:01"))).toEqual({
      dueAt: at("23T09:00"),
      wantedAt: at("22T20:00"),
      windowEnd: at("23T21:00"),
      shiftMs: 12 * hour,
    });
  });

  it("goes on in the open window that was reached while no node ran, without the hours between", () => {
    // Closed from 21:00 to 09:00, twice; open from 09:00 to 21:00 in between.
    expect(movedTime(queued(at("22T20:00"), null, at("22T21:00")), day, at("24T10:00"))).toEqual({
      dueAt: at("22T20:00"),
      wantedAt: null,
      windowEnd: at("24T21:00"),
      shiftMs: 24 * hour,
    });
  });

  it("moves when a rule begins to forbid it", () => {
    expect(movedTime(queued(at("22T20:00")), day, at("22T22:00"))).toMatchObject({
      dueAt: at("23T09:00"),
      wantedAt: at("22T20:00"),
      shiftMs: 11 * hour,
    });
    expect(movedTime(queued(at("25T23:00")), day, at("22T22:00"))).toEqual({
      dueAt: at("26T09:00"),
      wantedAt: at("25T23:00"),
      windowEnd: at("26T21:00"),
      shiftMs: 10 * hour,
    });
  });

  it("goes at the time that was asked for, or at once, when no rule forbids it any more", () => {
    expect(movedTime(queued(at("23T09:00"), at("22T22:00"), at("23T21:00")), undefined, at("22T23:00"))).toEqual({
      dueAt: at("22T22:00"),
      wantedAt: null,
      windowEnd: null,
      shiftMs: -10 * hour,
    });
    expect(movedTime(queued(at("23T09:00"), at("23T05:00"), at("23T21:00")), undefined, at("22T23:00"))).toEqual({
      dueAt: at("23T05:00"),
      wantedAt: null,
      windowEnd: null,
      shiftMs: -4 * hour,
    });
  });

  it("is let go at the time that was asked for when no window comes", () => {
    const mondays = Array.from({ length: 70 }, (_, week) => at("23T00:00").getTime() + week * 7 * 24 * hour);
    const never = hours({
      timeZone: "UTC",
      windows: [{ days: ["mon"], from: "09:00", to: "21:00" }],
      except: mondays.map((monday) => new Date(monday).toISOString().slice(0, 10)),
    });
    const now = at("22T12:00");
    expect(movedTime(queued(at("22T11:00"), at("22T10:00"), at("22T11:30")), never, now)).toEqual({
      dueAt: at("22T11:00"),
      wantedAt: at("22T10:00"),
      windowEnd: null,
      shiftMs: 0,
    });
    expect(movedTime(queued(at("23T09:00"), at("22T23:00"), at("23T21:00")), never, now)).toEqual({
      dueAt: at("22T23:00"),
      wantedAt: null,
      windowEnd: null,
      shiftMs: -10 * hour,
    });
    expect(movedTime(queued(at("22T11:00")), never, now)).toBeUndefined();
  });

  it("is what accepting would have given, whatever the hours were before", () => {
    const rules = [
      day,
      hours({ timeZone: "UTC", windows: [{ days: ["mon", "thu"], from: "22:00", to: "06:00" }] }),
      undefined,
    ];
    for (let step = 0; step < 200; step += 1) {
      const now = new Date(at("22T00:00").getTime() + step * 1.3 * hour);
      const wanted = new Date(at("22T00:00").getTime() + ((step * 7) % 300) * hour);
      for (const before of rules) {
        const first = movedTime(queued(wanted), before, new Date(Math.min(now.getTime(), wanted.getTime())));
        const start = first ?? queued(wanted);
        for (const after of rules) {
          const moved = movedTime(start, after, now) ?? start;
          const earliest = Math.max(wanted.getTime(), now.getTime());
          const expected = after === undefined ? earliest : (after.openTime(earliest)?.from ?? Number.NaN);
          expect(Math.max(moved.dueAt.getTime(), now.getTime())).toBe(expected);
          expect(movedTime(moved, after, now)).toBeUndefined();
        }
      }
    }
  });
});
