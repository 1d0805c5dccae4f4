import { describe, expect, it } from "vitest";
import { TurnedAway } from "../../src/dispatch/part-writer.ts";
import { type AnswerClass, decideReply, type SubmitReply } from "../../src/sms/submit-outcome.ts";

const refused = (answerClass: AnswerClass): SubmitReply => ({
  kind: "refused",
  answer: "ESME_RTHROTTLED",
  answerClass,
});
const accepted: SubmitReply = { kind: "accepted", smscMessageId: "1" };
const throttled = refused("throttled");

describe("TurnedAway", () => {
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
  if (reply.kind === "accepted") {
    turnedAway.taken(1);
    return { pausesLink: false };
  }
  const { inARow, takenBetween } = turnedAway.note(messageId, 1, reply);
  return decideReply(reply, {
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
