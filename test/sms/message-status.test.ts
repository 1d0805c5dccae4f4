import { describe, expect, it } from "vitest";
import {
  correctedByReceipt,
  messageStatus,
  nextStatus,
  reasonAfter,
  reasonCode,
  reasonsOfOpen,
  statusesBefore,
  type MessageEvent,
  messageEvents,
  type MessageStatus,
  type ReasonCode,
} from "../../src/sms/message-status.ts";

/** Only a receipt can change it, and only from 1301 or 1302. */
const isFinal = (status: MessageStatus, reason: ReasonCode | undefined): boolean =>
  status === messageStatus.sent ? reason === reasonCode.noReceipt : status !== messageStatus.waiting;

const endings: readonly MessageEvent[] = [
  "refused",
  "expired",
  "canceled",
  "outcomeUnknown",
  "optedOut",
  "uncarriable",
];
const receipts: readonly MessageEvent[] = ["delivered", "undelivered"];
const allStatuses: readonly MessageStatus[] = Object.values(messageStatus);
const allReasons: readonly (ReasonCode | undefined)[] = [undefined, ...Object.values(reasonCode)];

interface State {
  readonly status: MessageStatus;
  readonly reason: ReasonCode | undefined;
}

const start: State = { status: messageStatus.waiting, reason: undefined };

function step(state: State, event: MessageEvent): State {
  const status = nextStatus(state.status, state.reason, event);
  return status === "ignored" ? state : { status, reason: reasonAfter(state.reason, event) };
}

function walk(...path: readonly MessageEvent[]): string {
  const { status, reason } = path.reduce(step, start);
  return `${status} ${reason ?? "-"}`;
}

function sequences(length: number): readonly (readonly MessageEvent[])[] {
  if (length === 0) return [[]];
  return sequences(length - 1).flatMap((path) => messageEvents.map((event) => [...path, event]));
}

describe("the life of a message", () => {
  it.each<[readonly MessageEvent[], string]>([
    [[], "0 -"],
    [["accepted"], "1 -"],
    [["accepted", "delivered"], "2 -"],
    [["accepted", "undelivered"], "3 1306"],
    [["refused"], "4 1303"],
    [["expired"], "4 1304"],
    [["canceled"], "4 1305"],
    [["outcomeUnknown"], "4 1302"],
    [["optedOut"], "4 1307"],
    [["outcomeOpen", "optedOut"], "4 1302"],
    [["outcomeOpen"], "0 1302"],
    [["outcomeOpen", "accepted"], "1 -"],
    [["outcomeOpen", "turnedAwayLate"], "0 -"],
    [["outcomeOpen", "turnedAwayLate", "expired"], "4 1304"],
    [["outcomeOpen", "expired", "turnedAwayLate"], "4 1302"],
    [["outcomeOpen", "delivered"], "2 -"],
    [["outcomeOpen", "expired"], "4 1302"],
    [["outcomeOpen", "expired", "delivered"], "2 -"],
    [["outcomeOpen", "canceled"], "0 1302"],
    [["outcomeOpen", "refused"], "4 1303"],
    [["accepted", "noReceipt"], "1 1301"],
    [["noReceipt"], "0 -"],
    [["accepted", "canceled"], "1 -"],
    [["accepted", "refused"], "1 -"],
  ])("after %j is %s", (path, state) => {
    expect(walk(...path)).toBe(state);
  });

  it("case 30: a receipt that overtakes the answer ends at its final status, and the answer does not undo it", () => {
    expect(walk("delivered", "accepted")).toBe("2 -");
    expect(walk("undelivered", "accepted")).toBe("3 1306");
  });

  it("case 36: a late or repeated receipt never moves a final status", () => {
    expect(walk("accepted", "delivered", "undelivered")).toBe("2 -");
    expect(walk("accepted", "undelivered", "delivered")).toBe("3 1306");
    expect(walk("accepted", "delivered", "delivered", "accepted")).toBe("2 -");
    expect(walk("expired", "delivered")).toBe("4 1304");
    expect(walk("refused", "delivered")).toBe("4 1303");
    expect(walk("canceled", "delivered")).toBe("4 1305");
  });

  it("corrects 1301 and 1302 by a later receipt, once", () => {
    expect(walk("accepted", "noReceipt", "delivered")).toBe("2 -");
    expect(walk("accepted", "noReceipt", "undelivered", "delivered")).toBe("3 1306");
    expect(walk("outcomeUnknown", "delivered")).toBe("2 -");
    expect(walk("outcomeUnknown", "undelivered")).toBe("3 1306");
    expect(walk("outcomeUnknown", "accepted")).toBe("4 1302");
  });
});

describe("a message in review", () => {
  const inReview: State = { status: messageStatus.waiting, reason: reasonCode.inReview };
  it.each<[readonly MessageEvent[], string]>([
    [["allowed"], "0 -"],
    [["allowed", "accepted", "delivered"], "2 -"],
    [["allowed", "notAllowed"], "0 -"],
    [["notAllowed"], "4 1309"],
    [["expired"], "4 1309"],
    [["canceled"], "4 1305"],
    [["accepted"], "0 1308"],
    [["delivered"], "0 1308"],
    [["outcomeUnknown"], "0 1308"],
    [["notAllowed", "allowed"], "4 1309"],
  ])("after %j is %s", (path, state) => {
    const { status, reason } = path.reduce(step, inReview);
    expect(`${status} ${reason ?? "-"}`).toBe(state);
  });
});

describe("every sequence of up to five events", () => {
  const paths = sequences(5);

  /**
   * Paths on which some step breaks the rule; a sequence of five has all shorter ones as its
   * beginnings.
   */
  function offenders(breaks: (before: State, event: MessageEvent, after: State) => boolean): readonly string[] {
    return paths
      .filter((path) => {
        let state = start;
        return path.some((event) => {
          const before = state;
          state = step(before, event);
          return breaks(before, event, state);
        });
      })
      .map((path) => path.join(" "));
  }

  it("keeps final states, but for a receipt that corrects 1301 or 1302", () => {
    const broken = offenders((before, event, after) => {
      if (!isFinal(before.status, before.reason) || after === before) return false;
      const corrected = before.reason === reasonCode.noReceipt || before.reason === reasonCode.outcomeUnknown;
      return !corrected || after.status !== (event === "delivered" ? 2 : event === "undelivered" ? 3 : undefined);
    });
    expect(broken).toEqual([]);
  });

  it("is sent only by acceptance, delivered or undelivered only by a receipt, unsent only by an ending", () => {
    const causes: Record<MessageStatus, readonly MessageEvent[]> = {
      0: ["outcomeOpen", "turnedAwayLate"],
      1: ["accepted", "noReceipt"],
      2: ["delivered"],
      3: ["undelivered"],
      4: endings,
    };
    expect(offenders((before, event, after) => after !== before && !causes[after.status].includes(event))).toEqual([]);
  });

  it("never goes back to waiting", () => {
    expect(offenders((before, _, after) => before.status !== 0 && after.status === 0)).toEqual([]);
  });

  it("gives a reason for every end but delivery", () => {
    const unexplained = offenders((_, __, { status, reason }) => status >= 3 && reason === undefined);
    expect(unexplained).toEqual([]);
    expect(offenders((_, __, { status, reason }) => status === 2 && reason !== undefined)).toEqual([]);
  });

  it("can always end: a deadline for sending and one for receipts close whatever is open", () => {
    const open = paths.filter((path) => {
      const { status, reason } = [...path, "expired" as const, "noReceipt" as const].reduce(step, start);
      return !isFinal(status, reason);
    });
    expect(open).toEqual([]);
  });
});

describe("the guards of the SQL", () => {
  it("are the states in which the table lets an event count", () => {
    for (const event of messageEvents) {
      for (const status of allStatuses) {
        for (const reason of allReasons) {
          const guarded = statusesBefore(event).includes(status);
          const corrected = correctedByReceipt.some((state) => state.status === status && state.reason === reason);
          const isOpen = status === messageStatus.waiting && reason === reasonCode.outcomeUnknown;
          const inReview = status === messageStatus.waiting && reason === reasonCode.inReview;
          const usual = corrected
            ? receipts.includes(event)
            : (guarded && !(isOpen && ["canceled", "outcomeOpen"].includes(event))) ||
              (isOpen && event === "turnedAwayLate");
          const counts = inReview ? ["allowed", "notAllowed", "canceled", "expired"].includes(event) : usual;
          expect(nextStatus(status, reason, event) !== "ignored", `${event} at ${status} ${reason ?? "-"}`).toBe(
            counts,
          );
        }
      }
    }
  });

  it("keep the reason of an open outcome where its validity ends, its recipient opts out or no link can carry it", () => {
    expect(reasonsOfOpen).toEqual([reasonCode.expired, reasonCode.optedOut, reasonCode.uncarriable]);
    expect(correctedByReceipt.map(({ reason }) => reason)).toEqual([reasonCode.noReceipt, reasonCode.outcomeUnknown]);
  });

  it("are spelled out here once, so that a change is seen", () => {
    expect(Object.fromEntries(messageEvents.map((event) => [event, statusesBefore(event)]))).toEqual({
      accepted: [0],
      outcomeOpen: [0],
      turnedAwayLate: [],
      refused: [0],
      expired: [0],
      canceled: [0],
      outcomeUnknown: [0],
      optedOut: [0],
      uncarriable: [0],
      // Only a message in review, which a table of its own holds.
      allowed: [],
      notAllowed: [],
      delivered: [0, 1],
      undelivered: [0, 1],
      noReceipt: [1],
    });
  });
});
