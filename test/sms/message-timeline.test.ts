import { describe, expect, it } from "vitest";
import {
  type MessageRecord,
  type QueuedRecord,
  hasDroppedAnswers,
  partTimelines,
  submitSmFields,
  timelineOf,
} from "../../src/sms/message-timeline.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 10, 0, second));
const waitsFor = (second: number): QueuedRecord => ({
  ...{ dueAt: at(second), isDue: false, routeId: 1, wantedAt: null, heldBack: false, unanswered: 0 },
});

const accepted: MessageRecord = {
  id: "01a1fa74-09f6-7000-8000-000000000001",
  batchId: "01a1fa74-09f6-7000-8000-000000000000",
  accountId: 1,
  account: "demo",
  sender: "10001234",
  recipient: "989121230000",
  operator: "MCI",
  parts: 2,
  encoding: "ucs2",
  cost: 5600n,
  status: 0,
  reason: null,
  reasonDetail: null,
  failure: null,
  partsTaken: 0,
  partsDelivered: 0,
  partsUndelivered: 0,
  acceptedAt: at(0),
  sendAt: null,
  validUntil: at(59),
  sentAt: null,
  finalAt: null,
  connector: null,
  turnedAway: undefined,
  queued: waitsFor(0),
  claims: [],
  submissions: [],
  notTaken: [],
  notTakenDropped: 0,
  lateAnswers: [],
  orphanedClaims: [],
  moreDropped: false,
  receipts: [],
  held: [],
  refunds: [],
  parkedReceipts: [],
};
const claim = { claimedAt: at(1), connector: "mci-a", bindNumber: 1, alive: true };
const unknown = { writtenAt: null, answerMs: null, bindNumber: null, node: null };
const firstTaken = { at: at(2), part: 1, connector: "mci-a", smscMessageId: "77", ...unknown };
const run = { connector: "mci-a", bindNumber: 2, node: "h", times: 1, firstAt: at(1), lastAt: at(1) };
const unanswered = { ...run, part: 1, answer: null, answerMs: null };
const secondHeld = { part: 2, connector: "mci-a", until: at(59) };

const statesOf = (record: MessageRecord): readonly string[] => partTimelines(record).map(({ state }) => state);

describe("the state of a part", () => {
  it.each<[string, Partial<MessageRecord>, readonly string[]]>([
    ["waits in the queue", {}, ["waiting", "waiting"]],
    ["is in a node's hands", { queued: undefined, claims: [claim] }, ["inFlight", "inFlight"]],
    [
      "was in the hands of a node that died: nobody knows whether it was written",
      { queued: undefined, claims: [{ ...claim, alive: false }] },
      ["uncertain", "uncertain"],
    ],
    [
      "is taken, the other one on its way",
      { queued: undefined, claims: [claim], partsTaken: 1, submissions: [firstTaken] },
      ["taken", "inFlight"],
    ],
    [
      "was never answered, and is held",
      { queued: undefined, reason: 1302, partsTaken: 1, submissions: [firstTaken], held: [secondHeld] },
      ["taken", "uncertain"],
    ],
    [
      "waits while another one, which was never answered, is held",
      { reason: 1302, held: [secondHeld] },
      ["waiting", "uncertain"],
    ],
    [
      "was not written when another one went unanswered, and that was the end of it",
      { queued: undefined, status: 4, reason: 1302, held: [secondHeld], finalAt: at(59) },
      ["unsent", "uncertain"],
    ],
    ["was never answered, and is submitted again", { reason: 1302, partsTaken: 1 }, ["taken", "uncertain"]],
    [
      "was never answered, and that was the end of it",
      { queued: undefined, status: 4, reason: 1302, partsTaken: 1, held: [secondHeld], finalAt: at(59) },
      ["taken", "uncertain"],
    ],
    [
      "was never submitted when the message was refused",
      { queued: undefined, status: 4, reason: 1303 },
      ["unsent", "unsent"],
    ],
    [
      "was reported on",
      { status: 3, reason: 1306, partsTaken: 3, partsDelivered: 1, partsUndelivered: 2 },
      ["delivered", "undelivered"],
    ],
    [
      "of a long message in one submit_sm",
      { status: 1, partsTaken: 3, submissions: [{ ...firstTaken, part: 0 }] },
      ["taken", "taken"],
    ],
  ])("%s", (_, change, states) => {
    expect(statesOf({ ...accepted, ...change })).toEqual(states);
  });

  it("tells how often it went unanswered and when it is submitted again", () => {
    const record = {
      ...accepted,
      reason: 1302,
      connector: "mci-a",
      queued: { ...waitsFor(7), unanswered: 2 },
    };
    expect(partTimelines(record)[1]).toEqual({
      part: 2,
      state: "uncertain",
      connector: "mci-a",
      unanswered: 2,
      resendAt: at(7),
    });
  });

  it("tells until when an answer or a receipt is waited for", () => {
    const record = { ...accepted, queued: undefined, reason: 1302, held: [secondHeld] };
    expect(partTimelines(record)[1]).toEqual({ part: 2, state: "uncertain", connector: "mci-a", heldUntil: at(59) });
  });

  it.each([
    ["late answer", [firstTaken, { ...firstTaken, part: 2, smscMessageId: "78" }]],
    ["receipt", [firstTaken]],
  ] as const)("tells that it was uncertain, and was settled by a %s", (resolvedBy, submissions) => {
    const record = { ...accepted, status: 1, queued: undefined, partsTaken: 3, submissions, held: [secondHeld] };
    const [first, second] = partTimelines(record);
    expect(first).not.toHaveProperty("resolvedBy");
    expect(second).toMatchObject({ part: 2, state: "taken", connector: "mci-a", resolvedBy });
  });
});

describe("what resolved an uncertain part, once it is no longer held", () => {
  const kept = { ...firstTaken, bindNumber: 2, node: "h" };
  it.each([
    ["late answer", [{ ...kept, at: at(6), writtenAt: at(1), answerMs: 5000 }]],
    ["new submission", [{ ...kept, at: at(6), writtenAt: at(5), answerMs: 1000 }]],
    ["receipt", []],
  ] as const)("%s", (resolvedBy, submissions) => {
    const record = { ...accepted, parts: 1, status: 1, queued: undefined, partsTaken: 1, submissions };
    const [part] = partTimelines({ ...record, notTaken: [unanswered] });
    expect(part).toMatchObject({ state: "taken", resolvedBy });
    expect(partTimelines(record)[0]).not.toHaveProperty("resolvedBy");
    const taken = timelineOf({ ...record, notTaken: [unanswered] }).find(({ kind }) => kind === "taken");
    if (submissions.length > 0) expect(taken).toMatchObject({ at: at(6), isLate: resolvedBy === "late answer" });
  });
});

describe("what resolved a part that a dead node had claimed", () => {
  const orphanedClaims = [{ claimedAt: at(1), at: at(4), connector: "mci-a", bindNumber: 1, node: "h" }];
  const kept = { ...firstTaken, bindNumber: 2, node: "h", answerMs: 100 };
  it.each([
    ["new submission", [{ ...kept, at: at(6), writtenAt: at(5) }]],
    ["late answer", [{ ...kept, at: at(5), writtenAt: at(2) }]],
    ["receipt", []],
    [undefined, [{ ...kept, at: at(3), writtenAt: at(2) }]],
  ] as const)("%s", (resolvedBy, submissions) => {
    const record = { ...accepted, parts: 1, status: 1, queued: undefined, partsTaken: 1, submissions, orphanedClaims };
    expect(partTimelines(record)[0]?.resolvedBy).toBe(resolvedBy);
    const lost = { kind: "claimOrphaned", at: at(4), claimedAt: at(1), connector: "mci-a", node: "h" };
    expect(timelineOf(record)).toContainEqual(expect.objectContaining(lost));
  });
});

it.each([
  [{ moreDropped: true }, true],
  [{ notTakenDropped: 4 }, true],
  [{}, false],
])("knows of %o whether answers were dropped: %s", (change, expected) => {
  expect(hasDroppedAnswers({ ...accepted, ...change })).toBe(expected);
});

describe("the fields of a submit_sm", () => {
  it.each([
    [{ encoding: "ucs2", parts: 2 }, 1, "udh", { dataCoding: 8, esmClass: 0x40 }],
    [{ encoding: "ucs2", parts: 2 }, 1, "sar", { dataCoding: 8, esmClass: 0 }],
    [{ encoding: "gsm7", parts: 1 }, 1, "udh", { dataCoding: 0, esmClass: 0 }],
    [{ encoding: "gsm7", parts: 3 }, 0, "payload", { dataCoding: 0, esmClass: 0 }],
  ] as const)("%j, part %i, %s", (message, part, longMessages, fields) => {
    const carriers = [{ name: "sim", settings: { defaultAlphabet: "gsm7", longMessages } }] as const;
    expect(submitSmFields(message, { part, connector: "sim" }, carriers)).toEqual(fields);
  });

  const short = { encoding: "gsm7", parts: 1 } as const;
  it("has no data_coding where the text decides it", () => {
    const carriers = [{ name: "sim", settings: { defaultAlphabet: "latin1", longMessages: "udh" } }] as const;
    expect(submitSmFields(short, { part: 1, connector: "sim" }, carriers)).toEqual({ esmClass: 0 });
  });

  it("is unknown of a connector that was removed", () => {
    expect(submitSmFields(short, { part: 1, connector: "connector 7" }, [])).toEqual({});
  });
});

describe("the timeline", () => {
  const kindsOf = (record: MessageRecord): readonly string[] => timelineOf(record).map(({ kind }) => kind);

  it("of a waiting message ends with what is to come", () => {
    expect(kindsOf({ ...accepted, sendAt: at(5), queued: waitsFor(5) })).toEqual([
      "accepted",
      "scheduledFor",
      "due",
      "validityEnds",
    ]);
  });

  it("is in the order of time, whatever was read first", () => {
    const record: MessageRecord = {
      ...accepted,
      status: 4,
      reason: 1302,
      queued: undefined,
      claims: [claim],
      submissions: [firstTaken],
      refunds: [{ at: at(9), amount: 5600n }],
      finalAt: at(9),
      parkedReceipts: [{ at: at(4), connector: "mci-a", smscMessageId: "99", state: "DELIVRD" }],
    };
    expect(kindsOf(record)).toEqual(["accepted", "claimed", "taken", "receiptParked", "ended", "refunded"]);
  });
});
