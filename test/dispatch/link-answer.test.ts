import { describe, expect, it } from "vitest";
import { isLinkAnswer, nameOutcome, TurnedAway } from "../../src/dispatch/link-answer.ts";
import type { AnswerClass, SubmitReply } from "../../src/sms/submit-outcome.ts";

const refused = (answerClass: AnswerClass): SubmitReply => ({ kind: "refused", commandStatus: 88, answerClass });
const accepted: SubmitReply = { kind: "accepted", smscMessageId: "1" };

describe("an answer about the link", () => {
  it("is one that throttles or ends the bind, and no other", () => {
    const classes: AnswerClass[] = ["throttled", "bindFatal", "permanent", "temporary"];
    expect(classes.map((answerClass) => isLinkAnswer(refused(answerClass)))).toEqual([true, true, false, false]);
    expect([isLinkAnswer(accepted), isLinkAnswer({ kind: "unknown" })]).toEqual([false, false]);
  });

  it("is counted as throttled, whatever becomes of the message", () => {
    expect(nameOutcome(refused("throttled"), { kind: "deferred", until: 1 })).toBe("throttled");
    expect(nameOutcome(refused("temporary"), { kind: "deferred", until: 1 })).toBe("deferred");
    expect(nameOutcome({ kind: "unknown" }, { kind: "deferred", until: 1 })).toBe("unknown");
    expect(nameOutcome(accepted, { kind: "accepted", smscMessageId: "1" })).toBe("accepted");
  });
});

describe("TurnedAway", () => {
  it("says that a message is in the way when it was turned away five times in a row", () => {
    const turnedAway = new TurnedAway();
    const told = Array.from({ length: 5 }, () => {
      turnedAway.note("a", refused("throttled"));
      return turnedAway.isInTheWay(1);
    });
    expect(told).toEqual([false, false, false, false, true]);
  });

  it("begins anew when another message is turned away, or any is taken", () => {
    const turnedAway = new TurnedAway();
    for (const id of ["a", "a", "a", "a", "b", "a"]) turnedAway.note(id, refused("bindFatal"));
    expect(turnedAway.isInTheWay(1)).toBe(false);
    for (let times = 0; times < 3; times += 1) turnedAway.note("a", refused("throttled"));
    turnedAway.note("b", accepted);
    turnedAway.note("a", refused("throttled"));
    expect([turnedAway.isInTheWay(1), turnedAway.isInTheWay(2)]).toEqual([false, true]);
  });
});
