import { describe, expect, it } from "vitest";
import {
  messageStatus,
  nextStatus,
  reasonAfter,
  reasonCode,
  type MessageEvent,
  messageEvents,
  type MessageStatus,
  type ReasonCode,
} from "../../src/sms/message-status.ts";

/** Only a receipt can change it, and only from 1301 or 1302. */
const isFinal = (status: MessageStatus, reason: ReasonCode | undefined): boolean =>
  status === messageStatus.sent ? reason === reasonCode.noReceipt : status !== messageStatus.waiting;

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
    // Case 30: a receipt overtakes the answer, which does not undo it.
    [["delivered", "accepted"], "2 -"],
    [["undelivered", "accepted"], "3 1306"],
    // Case 36: a late or repeated receipt never moves a final status.
    [["accepted", "delivered", "undelivered"], "2 -"],
    [["accepted", "undelivered", "delivered"], "3 1306"],
    [["accepted", "delivered", "delivered", "accepted"], "2 -"],
    [["expired", "delivered"], "4 1304"],
    [["refused", "delivered"], "4 1303"],
    [["canceled", "delivered"], "4 1305"],
    // It corrects 1301 and 1302, once.
    [["accepted", "noReceipt", "delivered"], "2 -"],
    [["accepted", "noReceipt", "undelivered", "delivered"], "3 1306"],
    [["outcomeUnknown", "delivered"], "2 -"],
    [["outcomeUnknown", "undelivered"], "3 1306"],
    [["outcomeUnknown", "accepted"], "4 1302"],
  ])("after %j is %s", (path, state) => {
    expect(walk(...path)).toBe(state);
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

describe("whatever happens, in whatever order", () => {
  /** Each event at each state that a message can come to. */
  const steps: { readonly before: State; readonly event: MessageEvent; readonly after: State }[] = [];
  const states = [start];
  for (const before of states)
    for (const event of messageEvents) {
      const after = step(before, event);
      steps.push({ before, event, after });
      if (!states.some(({ status, reason }) => status === after.status && reason === after.reason)) states.push(after);
    }

  it("keeps final states, but for a receipt that corrects 1301 or 1302", () => {
    const broken = steps.filter(({ before, event, after }) => {
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
      4: ["refused", "expired", "canceled", "outcomeUnknown", "optedOut", "uncarriable"],
    };
    const broken = steps.filter(
      ({ before, event, after }) => after !== before && !causes[after.status].includes(event),
    );
    expect(broken).toEqual([]);
  });

  it("never goes back to waiting", () => {
    expect(steps.filter(({ before, after }) => before.status !== 0 && after.status === 0)).toEqual([]);
  });

  it("gives a reason for every end but delivery", () => {
    expect(states.filter(({ status, reason }) => status >= 3 && reason === undefined)).toEqual([]);
    expect(states.filter(({ status, reason }) => status === 2 && reason !== undefined)).toEqual([]);
  });

  it("can always end: a deadline for sending and one for receipts close whatever is open", () => {
    const open = states.filter((state) => {
      const { status, reason } = step(step(state, "expired"), "noReceipt");
      return !isFinal(status, reason);
    });
    expect(open).toEqual([]);
  });
});
