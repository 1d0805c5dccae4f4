import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AnswerClass,
  type AnswerName,
  isLinkAnswer,
  type Judgement,
  decideReply,
  type SubmitContext,
  type SubmitOutcome,
  type SubmitReply,
  type UncertainPolicy,
} from "../../src/sms/submit-outcome.ts";

const now = 1_000_000;
const context: SubmitContext = {
  attempt: 1,
  unanswered: 0,
  turnedAwayInARow: 1,
  turnedAwayBefore: 0,
  takenBetween: 10,
  now,
  validUntil: now + 3_600_000,
  policy: "resend",
  isBound: true,
  responseTimeoutMs: 10_000,
};
const over: SubmitContext = { ...context, validUntil: now };
const gone = { isBound: false };

function refused(answerClass: AnswerClass, retryAfterMs?: number): SubmitReply {
  return { kind: "refused", answer: "ESME_RTHROTTLED", answerClass, retryAfterMs };
}

const accepted = (smscMessageId: string) => ({ kind: "accepted", smscMessageId }) as const;

const judged = (outcome: SubmitOutcome, name: AnswerName = outcome.kind as AnswerName): Judgement => ({
  outcome,
  name,
  pausesLink: false,
});

/** Tried again, and the answer is remembered. */
const byItsFault = (delayMs: number): SubmitOutcome => ({
  kind: "deferred",
  delayMs,
  fault: "message",
  answer: "ESME_RTHROTTLED",
});

const byTheLink: SubmitOutcome = { kind: "deferred", delayMs: undefined, fault: "link", answer: "ESME_RTHROTTLED" };
const notWritten: SubmitOutcome = { kind: "deferred", delayMs: undefined, fault: "link" };
const bySilence = (delayMs?: number): SubmitOutcome => ({ kind: "deferred", delayMs, fault: "silence" });
const pausing = (outcome: SubmitOutcome, name: AnswerName): Judgement => ({ outcome, name, pausesLink: true });

describe("decideReply", () => {
  it.each<[string, SubmitReply, Partial<SubmitContext>, Judgement]>([
    ["takes an id", accepted("A1"), {}, judged(accepted("A1"))],
    ["case 21: takes an empty id", accepted(""), {}, judged(accepted(""))],
    ["ends at a permanent refusal", refused("permanent"), {}, judged({ kind: "refused", answer: "ESME_RTHROTTLED" })],
    ["waits 1 s after a first temporary refusal", refused("temporary"), {}, judged(byItsFault(1_000))],
    ["waits 8 s after the fourth", refused("temporary"), { attempt: 4 }, judged(byItsFault(8_000))],
    ["waits no longer than 60 s", refused("temporary"), { attempt: 50 }, judged(byItsFault(60_000))],
    ["waits as long as it is told", refused("temporary", 7_000), {}, judged(byItsFault(7_000))],
    [
      "case 22: goes to its old place when the link is throttled, and the link rests",
      refused("throttled"),
      {},
      pausing(byTheLink, "throttled"),
    ],
    [
      "case 22: four times in a row, too",
      refused("throttled"),
      { turnedAwayInARow: 4 },
      pausing(byTheLink, "throttled"),
    ],
    [
      "case 22: steps aside the fifth time in a row",
      refused("throttled"),
      { turnedAwayInARow: 5 },
      pausing(byItsFault(1_000), "throttled"),
    ],
    [
      "case 22: steps aside at once, and for longer, when it did so before; the link that took the others does not rest",
      refused("throttled"),
      { attempt: 4, turnedAwayBefore: 5 },
      judged(byItsFault(8_000), "throttled"),
    ],
    [
      "case 22: the link rests when it took only a few others since it turned one away",
      refused("throttled"),
      { attempt: 4, turnedAwayBefore: 5, takenBetween: 9 },
      pausing(byItsFault(8_000), "throttled"),
    ],
    [
      "case 22: the link rests, and the message keeps its place, when it was only refused for other reasons before",
      refused("throttled"),
      { attempt: 4, turnedAwayBefore: 4 },
      pausing(byTheLink, "throttled"),
    ],
    [
      "a link whose bind is at fault rests, however often the message stepped aside",
      refused("bindFatal"),
      { attempt: 4, turnedAwayBefore: 5 },
      pausing(byItsFault(8_000), "deferred"),
    ],
    ["keeps a message when the bind is at fault", refused("bindFatal"), {}, pausing(byTheLink, "deferred")],
    ["tries at once what was not written", { kind: "notWritten" }, { attempt: 9 }, judged(notWritten)],
    [
      "case 12: resends an unanswered one by policy, when its answer has had its time again",
      { kind: "unknown" },
      {},
      judged(bySilence(10_000), "unknown"),
    ],
    [
      "case 12: waits six times as long after each further one",
      { kind: "unknown" },
      { unanswered: 2 },
      judged(bySilence(360_000), "unknown"),
    ],
    [
      "case 12: resends at once when the link is gone, on which an answer could have come",
      { kind: "unknown" },
      { ...gone, unanswered: 2 },
      judged(bySilence(), "unknown"),
    ],
    [
      "case 12: holds one whose fourth submission brought no answer, whatever the policy",
      { kind: "unknown" },
      { unanswered: 3 },
      judged({ kind: "held" }, "unknown"),
    ],
    [
      "case 12: resends one that was refused often and is unanswered for the first time",
      { kind: "unknown" },
      { attempt: 9 },
      judged(bySilence(10_000), "unknown"),
    ],
    [
      "case 12: holds an unanswered one by policy",
      { kind: "unknown" },
      { policy: "hold" },
      judged({ kind: "held" }, "unknown"),
    ],
    [
      "case 12: fails an unanswered one by policy",
      { kind: "unknown" },
      { policy: "fail" },
      judged({ kind: "failedUnknown" }, "unknown"),
    ],
  ])("%s", (_, reply, changes, judgement) => {
    expect(decideReply(reply, { ...context, ...changes })).toEqual(judgement);
  });

  it.each<[string, SubmitReply, Judgement]>([
    ["takes an id that came late", accepted("A1"), judged(accepted("A1"))],
    ["tells a refusal as it is", refused("permanent"), judged({ kind: "refused", answer: "ESME_RTHROTTLED" })],
    ["expires instead of trying again", refused("temporary"), judged({ kind: "expired" })],
    ["expires when throttled", refused("throttled"), pausing({ kind: "expired" }, "throttled")],
    ["expires when the bind failed", refused("bindFatal"), pausing({ kind: "expired" }, "expired")],
    ["expires what was not written", { kind: "notWritten" }, judged({ kind: "expired" })],
    [
      "leaves the outcome unknown when no answer came",
      { kind: "unknown" },
      judged({ kind: "failedUnknown" }, "unknown"),
    ],
  ])("after validity: %s", (_, reply, judgement) => {
    expect(decideReply(reply, over)).toEqual(judgement);
  });

  it("never defers beyond the end of validity, nor into the past", () => {
    const reply = fc.oneof(
      fc.constantFrom<AnswerClass>("temporary", "throttled", "bindFatal").map((answerClass) => refused(answerClass)),
      fc.constantFrom<SubmitReply>({ kind: "unknown" }, { kind: "notWritten" }),
    );
    const arbitrary = fc.record({
      policy: fc.constantFrom<UncertainPolicy>("resend", "hold", "fail"),
      attempt: fc.integer({ min: 1, max: 100 }),
      unanswered: fc.nat(100),
      turnedAwayInARow: fc.nat(10),
      turnedAwayBefore: fc.nat(10),
      takenBetween: fc.nat(20),
      isBound: fc.boolean(),
    });
    fc.assert(
      fc.property(reply, arbitrary, fc.integer({ min: -100_000, max: 100_000 }), (one, changes, left) => {
        const { outcome } = decideReply(one, { ...context, ...changes, validUntil: now + left });
        if (outcome.kind === "deferred" && outcome.delayMs !== undefined) {
          expect(outcome.delayMs).toBeGreaterThan(0);
          expect(outcome.delayMs).toBeLessThanOrEqual(left);
        }
        if (left <= 0) expect(["expired", "failedUnknown"]).toContain(outcome.kind);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("isLinkAnswer", () => {
  it("is true of an answer that throttles or ends the bind, and of no other", () => {
    const classes: AnswerClass[] = ["throttled", "bindFatal", "permanent", "temporary"];
    expect(classes.map((answerClass) => isLinkAnswer(refused(answerClass)))).toEqual([true, true, false, false]);
    expect([isLinkAnswer(accepted("1")), isLinkAnswer({ kind: "unknown" })]).toEqual([false, false]);
  });
});
