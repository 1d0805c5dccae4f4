import { describe, expect, it } from "vitest";
import type { QueuedRecord } from "../../src/sms/message-timeline.ts";
import { type WaitReason, waitKinds } from "../../src/sms/wait-reason.ts";
import { type RouteLink, type WaitingFacts, whyItWaits } from "../../src/sms/why-it-waits.ts";
import { waitingText } from "../../src/texts/waiting-texts.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 10, 0, second));
const due: QueuedRecord = { dueAt: at(100), isDue: true, routeId: 1, wantedAt: null, heldBack: false, unanswered: 0 };
const later: QueuedRecord = { ...due, isDue: false, dueAt: at(200) };
const up: RouteLink = { name: "a", enabled: true, paused: false, isBound: true, downSince: null };
const down: RouteLink = { ...up, name: "b", isBound: false, downSince: at(7) };
const claim = { claimedAt: at(99), connector: "a", bindNumber: 1, alive: true };
const held = { part: 1, connector: "a", until: at(300) };
const turnedAway = { times: 3, at: at(90), connector: "a", answer: "ESME_RTHROTTLED" };
const ahead = { connector: "a", partsPerSecond: 100, partsBefore: 4_300, isAtLeast: false };
const plain: WaitingFacts = {
  ...{ status: 0, reason: null, claims: [], held: [], turnedAway: undefined, queued: due, links: [up], ahead },
};

describe("whyItWaits", () => {
  it.each<[string, Partial<WaitingFacts>, WaitReason | undefined]>([
    ["has ended", { status: 2 }, undefined],
    ["is kept for staff", { reason: 1308, queued: undefined }, { kind: "review" }],
    ["is claimed", { queued: undefined, claims: [claim] }, { kind: "beingSent", connectors: ["a"], since: at(99) }],
    ["a node had that died", { queued: undefined, claims: [{ ...claim, alive: false }] }, undefined],
    ["is held", { queued: undefined, held: [held] }, { kind: "answerAwaited", connectors: ["a"], until: at(300) }],
    ["is held in part, and the rest waits", { held: [held], queued: later }, { kind: "scheduled", until: at(200) }],
    ["waits for a reference", { queued: { ...later, heldBack: true } }, { kind: "referenceAwaited" }],
    ["waits for a reference, and is due", { queued: { ...due, heldBack: true } }, { kind: "referenceAwaited" }],
    ["is scheduled", { queued: later }, { kind: "scheduled", until: at(200) }],
    ["is outside its hours", { queued: { ...later, wantedAt: at(1) } }, { kind: "outsideHours", until: at(200) }],
    ["was never answered", { queued: { ...later, unanswered: 1 } }, { kind: "sentAgain", until: at(200) }],
    [
      "was turned away for now",
      { queued: later, turnedAway },
      { kind: "refusedForNow", connectors: ["a"], answer: "ESME_RTHROTTLED", until: at(200) },
    ],
    ["has no route any more", { links: [] }, { kind: "noConnector", connectors: [] }],
    ["has a route that is off", { links: [{ ...up, enabled: false }] }, { kind: "noConnector", connectors: [] }],
    ["has a route that is down", { links: [down] }, { kind: "down", connectors: ["b"], since: at(7) }],
    [
      "has a route of which all is down, the last since then",
      { links: [down, { ...down, name: "c", downSince: at(9) }, { ...up, enabled: false }] },
      { kind: "down", connectors: ["b", "c"], since: at(9) },
    ],
    ["has a route that no node holds", { links: [{ ...down, downSince: null }] }, { kind: "down", connectors: ["b"] }],
    ["has a route that is paused", { links: [{ ...up, paused: true }] }, { kind: "paused", connectors: ["a"] }],
    [
      "has a route of which one is paused and the other down",
      { links: [{ ...up, paused: true }, down] },
      { kind: "down", connectors: ["a", "b"], since: at(7) },
    ],
    [
      "is throttled",
      { turnedAway },
      { kind: "throttled", connectors: ["a"], answer: "ESME_RTHROTTLED", since: at(90) },
    ],
    [
      "was throttled long ago, and others go first",
      { turnedAway: { ...turnedAway, at: at(1) }, links: [down, up] },
      { kind: "inLine", connectors: ["a"], partsBefore: 4_300, partsPerSecond: 100, until: at(143) },
    ],
    [
      "has others before it on a link without a limit",
      { ahead: { ...ahead, partsPerSecond: 0 } },
      { kind: "inLine", connectors: ["a"], partsBefore: 4_300 },
    ],
    [
      "has more before it than were counted",
      { ahead: { ...ahead, isAtLeast: true } },
      { kind: "inLine", connectors: ["a"], partsBefore: 4_300, partsPerSecond: 100, isAtLeast: true },
    ],
    ["is nowhere for a moment", { queued: undefined }, undefined],
  ])("a message that %s", (_, facts, expected) => {
    expect(whyItWaits({ ...plain, ...facts })).toEqual(expected);
  });
});

describe("waitingText", () => {
  const style = { time: (time: Date) => time.toISOString().slice(11, 19), number: (value: number) => `#${value}` };
  const en = (reason: WaitReason) => waitingText(reason, { ...style, language: "en" });
  const fa = (reason: WaitReason) => waitingText(reason, { ...style, language: "fa" });

  it.each<[WaitReason, string, string]>([
    [
      { kind: "down", connectors: ["a", "b"], since: at(7) },
      "Connector a, b is down since 10:00:07, and its route has no other.",
      "اتصال a، b از 10:00:07 قطع است و مسیر اتصال دیگری ندارد.",
    ],
    [
      { kind: "inLine", connectors: ["a"], partsBefore: 4_300, partsPerSecond: 100, until: at(43) },
      "#4300 parts are before it on connector a, which sends #100 a second; expected at 10:00:43.",
      "#4300 صفحه در صف اتصال a جلوتر از آن است، با سرعت #100 صفحه در ثانیه؛ زمان تقریبی: 10:00:43.",
    ],
    // Any answer for now, not only one that says "too fast".
    [
      { kind: "throttled", connectors: ["a"], answer: "ESME_RSYSERR", since: at(7) },
      "The operator turned it away at 10:00:07 (ESME_RSYSERR, connector a); it is submitted again.",
      "اپراتور در 10:00:07 آن را نپذیرفت (ESME_RSYSERR، اتصال a)؛ دوباره ارسال می‌شود.",
    ],
    [{ kind: "inLine" }, "Other messages go first.", "پیامک‌های دیگری در صف جلوتر از آن است."],
  ])("%j", (reason, english, persian) => {
    expect([en(reason), fa(reason)]).toEqual([english, persian]);
  });

  it("says something of every kind, to staff and to customers, and leaves no placeholder", () => {
    for (const kind of waitKinds)
      for (const connectors of [undefined, ["a"]])
        for (const text of [en, fa]) {
          const said = text({
            kind,
            since: at(1),
            until: at(2),
            answer: "ESME_RTHROTTLED",
            ...(connectors && { connectors }),
          });
          expect(said).toMatch(/^[^{}]{10,}\.$/);
          if (connectors === undefined) expect(said).not.toMatch(/onnector|اتصال \w|ESME/);
        }
  });
});
