import { describe, expect, it } from "vitest";
import { TurnedAway } from "../../src/dispatch/turned-away.ts";
import { type AnswerClass, judgeReply, type SubmitReply } from "../../src/sms/submit-outcome.ts";

const refused = (answerClass: AnswerClass): SubmitReply => ({
  kind: "refused",
  answer: "ESME_RTHROTTLED",
  answerClass,
});
const accepted: SubmitReply = { kind: "accepted", smscMessageId: "1" };
const throttled = refused("throttled");

describe("TurnedAway", () => {
  it("counts how often in a row a message was turned away because of its link", () => {
    const turnedAway = new TurnedAway();
    const counts = Array.from({ length: 5 }, () => turnedAway.note("a", 1, throttled).inARow);
    expect(counts).toEqual([1, 2, 3, 4, 5]);
  });

  it("begins anew when another message is turned away, or any gets another answer", () => {
    const turnedAway = new TurnedAway();
    const notes: [string, SubmitReply, number][] = [
      ["a", refused("bindFatal"), 1],
      ["a", throttled, 2],
      ["b", refused("bindFatal"), 1],
      ["a", refused("bindFatal"), 1],
      ["b", accepted, 0],
      ["a", throttled, 1],
      ["a", refused("temporary"), 0],
      ["a", throttled, 1],
      ["a", { kind: "unknown" }, 0],
    ];
    for (const [id, reply, inARow] of notes) expect(turnedAway.note(id, 1, reply).inARow).toBe(inARow);
  });

  it("counts what each bind took since it turned another message away; only what is taken counts", () => {
    const turnedAway = new TurnedAway();
    const notes: [string, number, SubmitReply, number][] = [
      ["a", 1, throttled, 0],
      ["b", 1, accepted, 1],
      ["c", 1, accepted, 2],
      ["b", 2, accepted, 1],
      ["d", 1, refused("temporary"), 2],
      ["d", 1, { kind: "unknown" }, 2],
      ["e", 1, { kind: "notWritten" }, 2],
      // Each part of it, and all its tries.
      ["a", 1, throttled, 2],
      ["a", 1, throttled, 2],
      ["f", 1, throttled, 0],
      ["a", 1, throttled, 0],
      ["a", 2, throttled, 1],
      ["g", 1, accepted, 1],
      ["a", 1, throttled, 1],
    ];
    const counts = notes.map(([id, bind, reply]) => turnedAway.note(id, bind, reply).takenBetween);
    expect(counts).toEqual(notes.map(([, , , taken]) => taken));
  });

  it.each([1.2, 1.5, 2, 5])(
    "case 22: an operator with a token bucket makes the link rest at %f times its rate, though each message was throttled often before",
    (timesItsRate) => {
      const turnedAway = new TurnedAway();
      let tokens = 50;
      let pauses = 0;
      for (let part = 1; part <= 1000 && pauses === 0; part += 1) {
        tokens = Math.min(50, tokens + 1 / timesItsRate);
        const reply = tokens >= 1 ? accepted : throttled;
        if (tokens >= 1) tokens -= 1;
        if (judgedAfterMany(turnedAway, `message ${part}`, reply).pausesLink) pauses += 1;
      }
      expect(pauses).toBe(1);
    },
  );

  it("case 22: a number that is always throttled never makes the link rest that takes the others", () => {
    const turnedAway = new TurnedAway();
    for (let part = 1; part <= 1000; part += 1) {
      const reply = part % 100 < 3 && part > 100 ? throttled : accepted;
      const messageId = reply === throttled ? "to that number, in three parts" : `message ${part}`;
      expect(judgedAfterMany(turnedAway, messageId, reply).pausesLink).toBe(false);
    }
  });
});

function judgedAfterMany(turnedAway: TurnedAway, messageId: string, reply: SubmitReply) {
  const { inARow, takenBetween } = turnedAway.note(messageId, 1, reply);
  return judgeReply(reply, {
    attempt: 3,
    unanswered: 0,
    turnedAwayInARow: inARow,
    turnedAwayBefore: 5,
    takenBetween,
    now: 0,
    validUntil: 3_600_000,
    policy: "resend",
    isBound: true,
    responseTimeoutMs: 10_000,
  });
}
