import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  backOffMs,
  decideSubmitOutcome,
  type AnswerClass,
  type SubmitContext,
  type SubmitOutcome,
  type SubmitReply,
  type UncertainPolicy,
  resendDelayMs,
} from "../../src/sms/submit-outcome.ts";

const now = 1_000_000;
const context: SubmitContext = { attempt: 1, unanswered: 0, now, validUntil: now + 3_600_000, policy: "resend" };
const over: SubmitContext = { ...context, validUntil: now };

function refused(answerClass: AnswerClass, retryAfterMs?: number): SubmitReply {
  return { kind: "refused", commandStatus: 0x58, answerClass, retryAfterMs };
}

/** Tried again then; the answer is remembered. */
const turnedAway = (until: number): SubmitOutcome => ({ kind: "deferred", until, commandStatus: 0x58 });

describe("decideSubmitOutcome", () => {
  it.each<[string, SubmitReply, Partial<SubmitContext>, SubmitOutcome]>([
    ["takes an id", { kind: "accepted", smscMessageId: "A1" }, {}, { kind: "accepted", smscMessageId: "A1" }],
    [
      "case 21: takes an empty id",
      { kind: "accepted", smscMessageId: "" },
      {},
      { kind: "accepted", smscMessageId: "" },
    ],
    ["ends at a permanent refusal", refused("permanent"), {}, { kind: "refused", commandStatus: 0x58 }],
    ["waits 1 s after a first temporary refusal", refused("temporary"), {}, turnedAway(now + 1_000)],
    ["waits 8 s after the fourth", refused("temporary"), { attempt: 4 }, turnedAway(now + 8_000)],
    ["waits no longer than 60 s", refused("temporary"), { attempt: 50 }, turnedAway(now + 60_000)],
    ["waits as long as it is told", refused("temporary", 7_000), {}, turnedAway(now + 7_000)],
    [
      "case 22: waits shortly when throttled, however often",
      refused("throttled"),
      { attempt: 9 },
      turnedAway(now + 1_000),
    ],
    ["waits when throttled as long as it is told", refused("throttled", 250), {}, turnedAway(now + 250)],
    ["keeps a message when the bind is at fault", refused("bindFatal"), { attempt: 9 }, turnedAway(now + 1_000)],
    ["tries at once what was not written", { kind: "notWritten" }, { attempt: 9 }, { kind: "deferred", until: now }],
    [
      "case 12: resends an unanswered one by policy",
      { kind: "unknown" },
      { policy: "resend" },
      { kind: "deferred", until: now },
    ],
    [
      "case 12: resends one whose third submission brought no answer",
      { kind: "unknown" },
      { policy: "resend", unanswered: 2 },
      { kind: "deferred", until: now },
    ],
    [
      "case 12: holds one whose fourth submission brought no answer, whatever the policy",
      { kind: "unknown" },
      { policy: "resend", unanswered: 3 },
      { kind: "held" },
    ],
    [
      "case 12: resends one that was refused often and is unanswered for the first time",
      { kind: "unknown" },
      { policy: "resend", attempt: 9 },
      { kind: "deferred", until: now },
    ],
    ["case 12: holds an unanswered one by policy", { kind: "unknown" }, { policy: "hold" }, { kind: "held" }],
    ["case 12: fails an unanswered one by policy", { kind: "unknown" }, { policy: "fail" }, { kind: "failedUnknown" }],
  ])("%s", (_, reply, changes, outcome) => {
    expect(decideSubmitOutcome(reply, { ...context, ...changes })).toEqual(outcome);
  });

  it.each<[string, SubmitReply, SubmitOutcome]>([
    [
      "takes an id that came late",
      { kind: "accepted", smscMessageId: "A1" },
      { kind: "accepted", smscMessageId: "A1" },
    ],
    ["tells a refusal as it is", refused("permanent"), { kind: "refused", commandStatus: 0x58 }],
    ["expires instead of trying again", refused("temporary"), { kind: "expired" }],
    ["expires when throttled", refused("throttled"), { kind: "expired" }],
    ["expires when the bind failed", refused("bindFatal"), { kind: "expired" }],
    ["expires what was not written", { kind: "notWritten" }, { kind: "expired" }],
    ["leaves the outcome unknown when no answer came", { kind: "unknown" }, { kind: "failedUnknown" }],
  ])("after validity: %s", (_, reply, outcome) => {
    expect(decideSubmitOutcome(reply, over)).toEqual(outcome);
  });

  it("never defers beyond the end of validity, nor into the past", () => {
    const reply = fc.oneof(
      fc.constantFrom<AnswerClass>("temporary", "throttled", "bindFatal").map((answerClass) => refused(answerClass)),
      fc.constantFrom<SubmitReply>({ kind: "unknown" }, { kind: "notWritten" }),
    );
    const policy = fc.constantFrom<UncertainPolicy>("resend", "hold", "fail");
    fc.assert(
      fc.property(
        reply,
        policy,
        fc.nat(100),
        fc.integer({ min: -100_000, max: 100_000 }),
        (one, rule, attempt, left) => {
          const outcome = decideSubmitOutcome(one, {
            attempt,
            unanswered: attempt,
            now,
            validUntil: now + left,
            policy: rule,
          });
          if (outcome.kind === "deferred") {
            expect(outcome.until).toBeGreaterThanOrEqual(now);
            expect(outcome.until).toBeLessThanOrEqual(now + left);
          }
          if (left <= 0) expect(["expired", "failedUnknown"]).toContain(outcome.kind);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("resendDelayMs", () => {
  it("gives a late answer its time again, and more each time", () => {
    expect([0, 1, 2].map((unanswered) => resendDelayMs(unanswered, 10_000))).toEqual([10_000, 60_000, 360_000]);
  });
});

describe("backOffMs", () => {
  it("doubles from 1 s to 60 s", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 2000].map(backOffMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });
});
