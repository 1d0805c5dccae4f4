import { describe, expect, it } from "vitest";
import { TurnedAway } from "../../src/dispatch/turned-away.ts";
import type { AnswerClass, SubmitReply } from "../../src/sms/submit-outcome.ts";

const refused = (answerClass: AnswerClass): SubmitReply => ({
  kind: "refused",
  answer: "ESME_RTHROTTLED",
  answerClass,
});
const accepted: SubmitReply = { kind: "accepted", smscMessageId: "1" };

describe("TurnedAway", () => {
  it("counts how often in a row a message was turned away because of its link", () => {
    const turnedAway = new TurnedAway();
    const counts = Array.from({ length: 5 }, () => turnedAway.note("a", refused("throttled")).ofMessage);
    expect(counts).toEqual([1, 2, 3, 4, 5]);
  });

  it("begins anew when another message is turned away, or any gets another answer", () => {
    const turnedAway = new TurnedAway();
    const notes: [string, SubmitReply, number, number][] = [
      ["a", refused("bindFatal"), 1, 1],
      ["a", refused("throttled"), 2, 2],
      ["b", refused("bindFatal"), 1, 3],
      ["a", refused("bindFatal"), 1, 4],
      ["b", accepted, 0, 0],
      ["a", refused("throttled"), 1, 1],
      ["a", refused("temporary"), 0, 0],
      ["a", refused("throttled"), 1, 1],
      ["a", { kind: "unknown" }, 0, 0],
    ];
    for (const [id, reply, ofMessage, ofLink] of notes) {
      expect(turnedAway.note(id, reply)).toEqual({ ofMessage, ofLink });
    }
  });
});
