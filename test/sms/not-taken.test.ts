import { describe, expect, it } from "vitest";
import {
  answersInARow,
  type NotTaken,
  notTakenRuns,
  type StoredNotTaken,
  timesUnanswered,
  withNotTaken,
} from "../../src/sms/not-taken.ts";

const at = (part: number, answer: string | null, writtenAt: number): NotTaken => ({
  part,
  connectorId: 7,
  bindNumber: 1,
  node: 3,
  answer,
  writtenAt,
  answerMs: answer === null ? null : 12.4,
});

/** As the database stores it at this time. */
const stored = (value: StoredNotTaken, time: number): StoredNotTaken => ({
  ...(JSON.parse(JSON.stringify(value)) as StoredNotTaken),
  at: time,
});

describe("answersInARow", () => {
  const throttled = { connectorId: 7, answer: "ESME_RTHROTTLED" };
  const of = (...answers: [number, string | null][]): StoredNotTaken =>
    withNotTaken(
      null,
      answers.map(([part, answer]) => at(part, answer, 0)),
      0,
    );

  it("counts how often the last answers to the parts on a connector were this one", () => {
    const stored = of([1, "ESME_RTHROTTLED"], [2, "ESME_RTHROTTLED"], [1, "ESME_RTHROTTLED"]);
    expect(answersInARow(stored, throttled)).toBe(3);
    expect(answersInARow(stored, { ...throttled, connectorId: 8 })).toBe(0);
    expect(answersInARow(stored, { ...throttled, answer: "ESME_RSYSERR" })).toBe(0);
    expect(answersInARow(of([1, "ESME_RTHROTTLED"], [1, "ESME_RSYSERR"]), throttled)).toBe(0);
    expect(answersInARow(of([1, "ESME_RTHROTTLED"], [2, "ESME_RSYSERR"]), throttled)).toBe(1);
    expect(answersInARow(of([1, "ESME_RTHROTTLED"], [1, null], [1, "ESME_RTHROTTLED"]), throttled)).toBe(1);
  });

  it("is 0 of a message that was never turned away", () => {
    expect([answersInARow(null, throttled), answersInARow(undefined, throttled)]).toEqual([0, 0]);
  });
});

describe("timesUnanswered", () => {
  it("is the number of the part that went unanswered most often", () => {
    const throttled = at(1, "ESME_RTHROTTLED", 0);
    const added = [at(1, null, 0), at(2, null, 0), throttled, at(1, null, 0), at(1, null, 0)];
    expect(timesUnanswered(withNotTaken(null, added, 0))).toBe(3);
    expect([timesUnanswered(withNotTaken(null, [throttled], 0)), timesUnanswered(null)]).toEqual([0, 0]);
  });
});

describe("withNotTaken", () => {
  it("counts equal ones in a row of each part, with the first and the last time", () => {
    const first = stored(
      withNotTaken(null, [at(1, "ESME_RTHROTTLED", 100), at(2, "ESME_RTHROTTLED", 200)], 300),
      1_000_000,
    );
    const second = stored(withNotTaken(first, [at(2, "ESME_RTHROTTLED", 5_000), at(1, null, 5_100)], 6_000), 2_000_000);
    const third = stored(withNotTaken(second, [at(1, "ESME_RTHROTTLED", 9_000)], 9_500), 3_000_000);
    expect(
      notTakenRuns(third).map(({ part, answer, times, firstAt, lastAt, answerMs }) => [
        part,
        answer,
        times,
        Number(firstAt),
        Number(lastAt),
        answerMs,
      ]),
    ).toEqual([
      [1, "ESME_RTHROTTLED", 1, 999_800, 999_800, 12],
      [2, "ESME_RTHROTTLED", 2, 999_900, 1_999_000, 12],
      [1, null, 1, 1_999_100, 1_999_100, null],
      [1, "ESME_RTHROTTLED", 1, 2_999_500, 2_999_500, 12],
    ]);
  });

  it("keeps other connectors apart, and the bind and node of the last one", () => {
    const other = { ...at(1, "ESME_RSYSERR", 0), connectorId: 8 };
    const again = { ...other, bindNumber: 5, node: 9 };
    const runs = notTakenRuns(stored(withNotTaken(null, [at(1, "ESME_RSYSERR", 0), other, again], 10), 50));
    expect(runs).toMatchObject([
      { connectorId: 7, times: 1, bindNumber: 1 },
      { connectorId: 8, times: 2, bindNumber: 5, node: 9 },
    ]);
  });

  it("is bounded: the oldest go, and are counted", () => {
    let value: StoredNotTaken | null = null;
    for (let n = 0; n < 1000; n += 1) value = stored(withNotTaken(value, [at(1, `status ${n % 7}`, 0)], 1), n + 1);
    expect(value?.runs).toHaveLength(40);
    expect(value?.dropped).toBe(960);
    expect(JSON.stringify(value).length).toBeLessThan(8_000);
  });
});
