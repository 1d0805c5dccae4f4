import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConnectorLink, PartToSubmit, Submitter } from "../../src/connectors/connector.ts";
import { Dispatcher } from "../../src/dispatch/dispatcher.ts";
import { Membership } from "../../src/dispatch/membership.ts";
import { OutcomeRecorder } from "../../src/dispatch/outcome-recorder.ts";
import { encodePdu } from "../../src/smpp/pdu-codec.ts";
import type { SubmitReply } from "../../src/sms/submit-outcome.ts";
import type { Behaviour } from "../../src/simulator/behaviours.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../../src/simulator/simulator-options.ts";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import {
  count,
  eventually,
  longText,
  openWorld,
  otherPrice,
  readMessage,
  readMessages,
  readMoney,
  storeCall,
  storeMessage,
  type World,
} from "../support/factories.ts";
import { startBoundNode, type TestNode } from "../support/node.ts";

/** Sooner than anything that repairs what was missed. */
const promptMs = 20_000;

let world: World;
let smsc: SimulatedSmsc;
let node: TestNode | undefined;

async function setUp(settings: Partial<ConnectorSettings> = {}, simulator: SimulatedSmscOptions = {}): Promise<void> {
  smsc = await startSimulatedSmsc(simulator);
  world = await openWorld({ connectors: [{ name: "sim", settings: { port: smsc.port, ...settings } }] });
}

beforeEach(() => {
  node = undefined;
});

afterEach(async () => {
  vi.useRealTimers();
  await node?.stop();
  await smsc.stop();
  await world.close();
});

/** How the operator answers what goes to numbers with this ending. */
const answering = (suffix: string, plan: Behaviour["plan"]): Behaviour => ({ suffix, name: suffix, summary: "", plan });

const recipientOf = (suffix: string): string => `98912123${suffix}`;

/** Nothing is claimed, nothing waits, and no lane believes that anything is under way. */
async function expectIdle(): Promise<void> {
  await eventually(async () => (await count(world, "claim")) === 0);
  expect(await count(world, "message_queue")).toBe(0);
}

const statusOf = async (id: string): Promise<number> => (await readMessage(world, id)).status;

describe("a message on its way", () => {
  it.each([
    ["ahead", 30],
    ["behind", -30],
  ])("is sent, and its true validity told, while the node's wall clock is a day and more %s", async (_, hours) => {
    await setUp();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
    node = await startBoundNode(world);
    const id = await storeMessage(world, {}, { validSeconds: 7200 });
    await eventually(async () => [2, 4].includes(await statusOf(id)));
    expect(await readMessage(world, id)).toMatchObject({ status: 2, reason: null });
    // All of it, less what the way to the link took.
    const told = smsc.submitted.map(({ pdu }) => ("validity_period" in pdu ? pdu.validity_period : ""));
    expect(told).toEqual([expect.stringMatching(/^0000000(20000|159\d\d)000R$/)]);
  });

  it("case 25: part 2 is refused for good after part 1 was taken: 4 with the whole refund, the receipt of part 1 changes nothing", async () => {
    const behaviours = [
      answering("0060", ({ part }) =>
        part === 2
          ? { commandStatus: 11, answer: "at once", receipts: [] }
          : { commandStatus: 0, answer: "at once", receipts: [{ state: "DELIVRD" }] },
      ),
    ];
    await setUp({}, { behaviours, receiptDelayMs: 50 });
    node = await startBoundNode(world);
    const before = await readMoney(world);
    const receipt = smsc.next("receiptAnswered");
    const id = await storeMessage(world, { content: longText(3), recipient: recipientOf("0060") });
    await receipt;
    await eventually(async () => (await statusOf(id)) === 4);
    await node.receipts.applyParked();
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1303 });
    expect(await readMoney(world)).toEqual(before);
    await expectIdle();
  });

  it("cannot be carried by the connector's alphabet: ends at once with 1310, however many wait", async () => {
    await setUp({ defaultAlphabet: "ascii", window: 10_000 });
    const content = "€".repeat(71);
    const ids = await storeCall(world, { messages: Array.from({ length: 100 }, () => ({ content })) });
    for (let batch = 0; batch < 29; batch += 1) {
      await storeCall(world, { messages: Array.from({ length: 100 }, () => ({ content })) });
    }
    node = await startBoundNode(world);
    await eventually(async () => (await count(world, "message where status = 4")) === 3000);
    expect((await readMessage(world, ids[0] ?? "")).reason).toBe(1310);
    await expectIdle();
  });
});

describe("a link that is told to slow down", () => {
  it("case 22: a message that is turned away for ever steps aside, and the others go past it", async () => {
    await setUp();
    node = await startBoundNode(world);
    const blocked = await storeMessage(world, { recipient: recipientOf("0015") });
    await eventually(() => smsc.submitted.length === 2);
    const others = await storeCall(world, { messages: Array.from({ length: 20 }, () => ({})) });
    await eventually(async () => (await readMessages(world, others)).every(({ status }) => status === 2));
    expect(await readMessage(world, blocked)).toMatchObject({ status: 0, reason: null });
    expect(await count(world, "message_queue")).toBe(1);
  });
});

describe("a part that is not answered", () => {
  const impatient = { responseTimeoutMs: 300 };

  /**
   * An SMSC that answers nothing until so many parts have been given up, and then everything.
   * `submitted`: how many it had got by then.
   */
  function silentUntilUnknown(
    { telemetry }: TestNode,
    parts: number,
  ): { submitted: Promise<number>; unknown: () => number } {
    let unknown = 0;
    smsc.pauseAnswers();
    const submitted = new Promise<number>((resolve) => {
      telemetry.on("submission.settled", ({ outcome }) => {
        unknown += Number(outcome === "unknown");
        if (unknown !== parts) return;
        resolve(smsc.submitted.length);
        smsc.resumeAnswers();
      });
    });
    return { submitted, unknown: () => unknown };
  }

  it("case 12: what went unanswered keeps its place in the window: a silent SMSC makes no more than one uncertain, however they came", async () => {
    await setUp({ ...impatient, uncertain: "hold", window: 20 });
    node = await startBoundNode(world);
    const { submitted, unknown } = silentUntilUnknown(node, 22);
    await storeCall(world, { messages: Array.from({ length: 9 }, () => ({})) });
    await eventually(() => unknown() === 9);
    await storeCall(world, { messages: Array.from({ length: 60 }, () => ({})) });
    expect(await submitted).toBeLessThanOrEqual(23);
    await eventually(async () => (await readMessages(world)).every(({ status }) => status === 2));
    expect(smsc.submitted).toHaveLength(69);
    await expectIdle();
  });

  it("case 12: hold: the other parts of the message are still written", async () => {
    const silentSecond = answering("0070", ({ part }) => ({
      commandStatus: 0,
      answer: part === 2 ? "never" : "at once",
      receipts: [],
    }));
    await setUp({ ...impatient, uncertain: "hold", window: 1 }, { behaviours: [silentSecond] });
    node = await startBoundNode(world);
    const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(3) });
    await eventually(async () => (await readMessage(world, id)).reason === 1302);
    expect(await readMessage(world, id)).toMatchObject({ status: 0, taken: 5 });
    expect(smsc.submitted.map(({ part }) => part.number)).toEqual([1, 2, 3]);
    expect(await world.rows("select part from held_message")).toEqual([{ part: 2 }]);
    await expectIdle();
  });

  it("case 12 and 25: hold: parts that were turned away or never written are submitted later, and the held one is not", async () => {
    const awkward = answering("0070", ({ part, attempt }) => ({
      commandStatus: part === 2 && attempt === 1 ? 8 : 0,
      answer: part === 1 ? "never" : "at once",
      receipts: [{ state: "DELIVRD" }],
    }));
    await setUp({ ...impatient, uncertain: "hold", window: 2 }, { behaviours: [awkward], receiptDelayMs: 30 });
    node = await startBoundNode(world);
    const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(3) });
    await eventually(async () => (await readMessage(world, id)).delivered === 0b110);
    expect(smsc.submitted.map(({ part }) => part.number).toSorted()).toEqual([1, 2, 2, 3]);
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302, taken: 0b110 });
    expect(await world.rows("select part from held_message")).toEqual([{ part: 1 }]);
    await expectIdle();
  });

  it("case 23: hold: parts that are turned away late are not held any longer, and are submitted again", async () => {
    const lateThrottled = answering("0070", ({ attempt }) => ({
      commandStatus: attempt === 1 ? 0x58 : 0,
      answer: attempt === 1 ? "late" : "at once",
      receipts: [],
    }));
    await setUp({ ...impatient, uncertain: "hold" }, { behaviours: [lateThrottled], lateAnswerMs: 500 });
    node = await startBoundNode(world);
    const givenUp = node.telemetry.next("submission.settled", ({ outcome }) => outcome === "unknown");
    const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(2) });
    await givenUp;
    await eventually(async () => (await statusOf(id)) === 1);
    expect(await readMessage(world, id)).toMatchObject({ reason: null, taken: 0b11 });
    expect(smsc.submitted.map(({ part }) => part.number).toSorted()).toEqual([1, 1, 2, 2]);
    expect(await count(world, "held_message")).toBe(0);
    await expectIdle();
  });

  it("case 23: resend: what is turned away late, however often, does not count as unanswered", async () => {
    const lateThrottled = answering("0070", ({ attempt }) => ({
      commandStatus: attempt <= 4 ? 0x58 : 0,
      answer: attempt <= 4 ? "late" : "at once",
      receipts: [],
    }));
    await setUp({ responseTimeoutMs: 800, uncertain: "resend" }, { behaviours: [lateThrottled], lateAnswerMs: 900 });
    node = await startBoundNode(world);
    const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(2) });
    await eventually(async () => (await statusOf(id)) === 1);
    expect(smsc.submitted).toHaveLength(10);
    await expectIdle();
  });

  it.each(["hold", "resend"] as const)(
    "case 23: %s: a part that is turned away late, while another part of its message waits for its answer, is submitted again",
    async (uncertain) => {
      const lateThrottled = answering("0070", ({ attempt }) => ({
        commandStatus: attempt === 1 ? 0x58 : 0,
        answer: attempt === 1 ? "late" : "at once",
        receipts: [],
      }));
      // Part 2 is written when part 1 is given up, and waits when the answer to part 1 comes.
      await setUp(
        { responseTimeoutMs: 1000, uncertain, window: 1 },
        { behaviours: [lateThrottled], lateAnswerMs: 1500 },
      );
      node = await startBoundNode(world);
      const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(2) });
      await eventually(async () => (await statusOf(id)) === 1);
      expect(smsc.submitted.map(({ part }) => part.number)).toEqual([1, 2, 1, 2]);
      expect(await readMessage(world, id)).toMatchObject({ reason: null, taken: 0b11 });
      await expectIdle();
    },
  );

  it("case 23: hold: a part that is turned away late is submitted again also when the rest of its message was taken meanwhile", async () => {
    const lateThrottled = answering("0070", ({ part, attempt }) => ({
      commandStatus: attempt === 1 ? 0x58 : 0,
      answer: part === 1 && attempt === 1 ? "late" : "at once",
      receipts: [],
    }));
    await setUp({ ...impatient, uncertain: "hold" }, { behaviours: [lateThrottled], lateAnswerMs: 4000 });
    node = await startBoundNode(world);
    const id = await storeMessage(world, { recipient: recipientOf("0070"), content: longText(2) });
    await eventually(async () => (await readMessage(world, id)).taken === 0b10);
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    await eventually(async () => (await statusOf(id)) === 1, promptMs);
    expect(smsc.submitted.map(({ part }) => part.number)).toEqual([1, 2, 2, 1]);
    expect(new Set(smsc.submitted.map(({ part }) => part.reference)).size).toBe(1);
    await expectIdle();
  });

  it("case 23: resend: it is held after four submissions, and a late refusal of one does not end it: an earlier one may be taken", async () => {
    const refusedLate = answering("0070", ({ attempt }) => ({
      commandStatus: attempt === 4 ? 11 : 0,
      answer: attempt === 4 ? "late" : "never",
      receipts: [],
    }));
    const soon = { responseTimeoutMs: 100, uncertain: "resend" } as const;
    await setUp(soon, { behaviours: [refusedLate], lateAnswerMs: 400 });
    node = await startBoundNode(world);
    const before = await readMoney(world);
    const id = await storeMessage(world, { recipient: recipientOf("0070") });
    await eventually(async () => (await count(world, "message where late_answers is not null")) === 1);
    await expectIdle();
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1302 });
    expect(smsc.submitted).toHaveLength(4);
    expect((await readMoney(world)).balance).toBe(before.balance - otherPrice);
  });
});

describe("an operator that breaks the protocol", () => {
  it("case 24: is told of, once a minute and not with each PDU, and its link goes on", async () => {
    await setUp();
    node = await startBoundNode(world);
    const told: object[] = [];
    node.telemetry.on("link.fault", (fault) => told.push(fault));
    const header = { command_status: 0, sequence_number: 4711, tlvs: [] } as const;
    const unasked = encodePdu({ command: "submit_sm_resp", message_id: "x", ...header });
    smsc.sendRaw(Buffer.concat([unasked, unasked]));
    const id = await storeMessage(world);
    await eventually(async () => (await statusOf(id)) === 2);
    const fault = "unexpected submit_sm_resp, sequence_number 4711";
    expect(told).toEqual([{ connector: "sim", bindNumber: 1, fault, count: 1 }]);
  });
});

describe("claims", () => {
  it("go on with the next account where the window has fewer places than accounts wait", async () => {
    smsc = await startSimulatedSmsc();
    const names = ["one", "two", "three", "four", "five", "six"];
    world = await openWorld({
      accounts: names.map((name) => ({ name })),
      connectors: [{ name: "sim", settings: { port: smsc.port, window: 2 } }],
    });
    for (const name of names) {
      const messages = Array.from({ length: 4 }, () => ({ content: name }));
      await storeCall(world, { account: world.account(name), messages, priority: 2 });
    }
    node = await startBoundNode(world);
    await eventually(() => smsc.counters.accepted === 24);
    const order = smsc.submitted.map(({ text }) => text);
    // Each has had its turn before anybody has a third one.
    expect(new Set(order.slice(0, 12))).toEqual(new Set(names));
    await expectIdle();
  });

  it("an answer that says the bind is no bind makes the connector bind anew", async () => {
    const unboundOnce = answering("0071", ({ attempt }) => ({
      commandStatus: attempt === 1 ? 4 : 0,
      answer: "at once",
      receipts: [],
    }));
    await setUp({}, { behaviours: [unboundOnce] });
    node = await startBoundNode(world);
    const again = smsc.next("bind");
    const id = await storeMessage(world, { recipient: recipientOf("0071") });
    await again;
    await eventually(async () => (await statusOf(id)) === 1);
    await expectIdle();
  });
});

describe("a lane", () => {
  /** A link that takes everything and answers when the test says so. */
  class LinkDouble implements ConnectorLink {
    readonly replies: ((reply: SubmitReply) => void)[] = [];
    bound = true;
    /** Places in the window of the session. */
    free = 100;
    openBind(): void {
      this.bound = true;
    }
    async closeBind(): Promise<void> {
      this.bound = false;
    }
    isBound(): boolean {
      return this.bound;
    }
    inFlight(): number {
      return this.replies.length;
    }
    submit(_bind: number, _part: PartToSubmit, submitter: Submitter): boolean {
      if (this.replies.length >= this.free) return false;
      this.replies.push((reply) => submitter.onReply(reply));
      return true;
    }
  }

  /** `looks`: it also looks at the queue from time to time, unasked. */
  async function startDispatcher({ window = 2, looks = true, isOptedOut = (): boolean => false } = {}) {
    await setUp({ window });
    const { db, telemetry } = world;
    const link = new LinkDouble();
    const recorder = new OutcomeRecorder({ db, telemetry });
    const configuration = { current: { version: 1n }, onChange: () => () => undefined };
    const membership = new Membership({ db, telemetry, directory: configuration, alone: true, dispatches: true });
    await membership.start();
    const dispatcher = new Dispatcher({
      connector: world.connector(),
      link,
      db,
      recorder,
      membership,
      telemetry,
      routeIds: () => world.routeIds,
      variantElsewhere: () => undefined,
      directory: { current: { ...world.directory.current, optOuts: { has: isOptedOut } } },
      partsPerSecond: 0,
    });
    dispatcher.addBind(1);
    if (looks) dispatcher.start();
    const looking = setInterval(() => {
      if (looks) dispatcher.poll();
    }, 1000);
    const claims: number[] = [];
    telemetry.on("message.claimed", ({ count: claimed }) => claims.push(claimed));
    const stop = async (): Promise<void> => {
      clearInterval(looking);
      await dispatcher.stop();
      await recorder.stop();
      await membership.stop();
    };
    return { dispatcher, link, recorder, membership, claims, stop };
  }

  it("writes nothing to who has opted out while the message waited for room in the session", async () => {
    let isOptedOut = false;
    const { dispatcher, link, claims, stop } = await startDispatcher({ isOptedOut: () => isOptedOut });
    link.free = 0;
    const id = await storeMessage(world);
    dispatcher.wake();
    await eventually(() => claims.length === 1);
    isOptedOut = true;
    link.free = 100;
    dispatcher.wake();
    await eventually(async () => (await statusOf(id)) === 4);
    expect(await readMessage(world, id)).toMatchObject({ reason: 1307 });
    expect(link.replies).toEqual([]);
    await stop();
  });

  it("writes nothing of a message whose validity ended while it waited for room in the session", async () => {
    const { dispatcher, link, claims, stop } = await startDispatcher();
    link.free = 0;
    const before = await readMoney(world);
    const id = await storeMessage(world, {}, { validSeconds: 2 });
    dispatcher.wake();
    await eventually(() => claims.length === 1);
    await delay(2100);
    link.free = 100;
    dispatcher.wake();
    await eventually(() => link.replies.length > 0 || dispatcher.openClaims.length === 0);
    expect(link.replies).toEqual([]);
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1304 });
    expect(await readMoney(world)).toEqual(before);
    await stop();
  });

  it("that was given up claims nothing more, though its bind still stands and drains", async () => {
    const { dispatcher, link, claims, recorder, stop } = await startDispatcher();
    await storeCall(world, { messages: [{}, {}, {}, {}] });
    dispatcher.wake();
    await eventually(() => link.replies.length === 2);
    dispatcher.removeBind(1);
    for (const reply of link.replies) reply({ kind: "accepted", smscMessageId: "1" });
    await recorder.flushed();
    dispatcher.wake();
    await recorder.flushed();
    expect(claims.reduce((sum, claimed) => sum + claimed, 0)).toBe(2);
    expect(await count(world, "message_queue")).toBe(2);
    await stop();
  });

  it("keeps to its window until what was answered is on disk, and knows its claim until then", async () => {
    const { dispatcher, link, stop } = await startDispatcher();
    await storeCall(world, { messages: Array.from({ length: 6 }, () => ({})) });
    dispatcher.wake();
    for (let answered = 0; answered < 6; answered += 2) {
      await eventually(() => link.replies.length === answered + 2);
      const open = dispatcher.openClaims.length;
      expect(open).toBeGreaterThan(0);
      for (const reply of link.replies.slice(answered)) reply({ kind: "accepted", smscMessageId: "1" });
      expect(dispatcher.openClaims).toHaveLength(open);
      expect(link.replies).toHaveLength(answered + 2);
    }
    await eventually(() => dispatcher.openClaims.length === 0);
    expect(await count(world, "claim")).toBe(0);
    expect(await count(world, "message where status = 1")).toBe(6);
    await stop();
  });

  it("claims a one-time code for any free place, and anything else only for a quarter of its window", async () => {
    const { dispatcher, link, claims, stop } = await startDispatcher({ window: 8, looks: false });
    await storeCall(world, { messages: Array.from({ length: 7 }, () => ({})) });
    dispatcher.wake({ urgent: false });
    await eventually(() => link.replies.length === 7);
    await storeCall(world, { priority: 0 });
    const queries = vi.spyOn(world.db, "query");
    dispatcher.wake({ urgent: false });
    expect(queries).not.toHaveBeenCalled();
    dispatcher.wake({ urgent: true });
    await eventually(() => link.replies.length === 8, promptMs);
    expect(claims).toEqual([7, 1]);
    await stop();
  });

  it("claims again what fell due while a claim was on its way that had looked before", async () => {
    const { dispatcher, link, stop } = await startDispatcher({ looks: false });
    // Holds a claim back after it has looked: its snapshot is older than the lock.
    await world.rows(
      `create function hold_claim() returns trigger language plpgsql as $$
       begin if nextval('held') = 1 then perform pg_advisory_xact_lock_shared(4711); end if; return null; end $$`,
    );
    await world.rows("create sequence held");
    await world.rows(
      "create trigger hold_claim before insert on claim for each statement execute function hold_claim()",
    );
    await world.db.transaction(async (tx) => {
      await tx.query({ name: "", text: "select pg_advisory_xact_lock(4711)", values: [] });
      dispatcher.wake({ urgent: false });
      const waiting = "pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
      await eventually(async () => (await count(world, waiting)) === 1);
      await storeCall(world);
      dispatcher.wake({ urgent: false });
    });
    await eventually(() => link.replies.length === 1, promptMs);
    await stop();
  });

  it("gives back what it has not written when the SMSC is busy: it must not overtake what was turned away", async () => {
    const { dispatcher, link, stop } = await startDispatcher({ looks: false });
    link.free = 1;
    const ids = await storeCall(world, { messages: [{}, {}] });
    dispatcher.wake({ urgent: false });
    await eventually(() => link.replies.length === 1);
    link.replies[0]?.({ kind: "refused", answer: "ESME_RTHROTTLED", answerClass: "throttled" });
    await eventually(async () => (await readMessages(world, ids)).every(({ tries }) => tries > 0), promptMs);
    await stop();
  });

  it("case 22: rests when the SMSC takes one and throttles the next, also where each had a temporary refusal before", async () => {
    const { dispatcher, link, stop } = await startDispatcher({ window: 4, looks: false });
    link.free = 3;
    const ids = await storeCall(world, { messages: [{}, {}, {}, {}] });
    await world.rows("update message_queue set attempt = 1");
    dispatcher.wake({ urgent: false });
    await eventually(() => link.replies.length === 3);
    link.replies[0]?.({ kind: "accepted", smscMessageId: "1" });
    link.replies[1]?.({ kind: "refused", answer: "ESME_RTHROTTLED", answerClass: "throttled" });
    // Both go back: what was turned away, at its old place, and what was not written yet.
    const backs = [ids[1] ?? "", ids[3] ?? ""];
    await eventually(async () => (await readMessages(world, backs)).every(({ tries }) => tries > 0), promptMs);
    expect(await count(world, "message_queue where attempt = 1 and due_at <= now()")).toBe(2);
    await stop();
  });

  it("never finishes a claim of which something could not be recorded, and never takes it for lost", async () => {
    const { dispatcher, link, recorder, stop } = await startDispatcher({ looks: false });
    const ids = await storeCall(world, { messages: [{ content: "refused by the database" }, { content: "fine" }] });
    await world.rows(
      `create function refuse_progress() returns trigger language plpgsql as $$
       begin if new.content like 'refused by%' then raise exception 'no' using errcode = '23514'; end if; return new; end $$`,
    );
    await world.rows(
      "create trigger refuse_progress before update on message for each row execute function refuse_progress()",
    );
    // Of the dispatcher: the recorder tells of its first try, and tries again.
    const failed = world.telemetry.next("service.failed", ({ service }) => service.startsWith("dispatcher"));
    dispatcher.wake({ urgent: false });
    await eventually(() => link.replies.length === 2);
    link.replies[0]?.({ kind: "accepted", smscMessageId: "1" });
    await failed;
    link.replies[1]?.({ kind: "accepted", smscMessageId: "2" });
    await eventually(async () => (await readMessages(world, ids)).some(({ status }) => status === 1), promptMs);
    await recorder.flushed();
    expect(await count(world, "claim")).toBe(1);
    expect(recorder.unfinishable).toHaveLength(1);
    await stop();
  });

  it("keeps no room twice: not for fresh messages what a claim on its way may fill", async () => {
    const { dispatcher, stop } = await startDispatcher();
    const reserveAll = (): number => {
      const windows = [1, 2, 3].map(() => dispatcher.reserve(1)).filter((window) => window !== undefined);
      for (const window of windows) dispatcher.releaseReserved(window, 1);
      return windows.length;
    };
    await eventually(() => reserveAll() === 2);
    await world.db.transaction(async (tx) => {
      await tx.query({ name: "", text: "lock table message_queue", values: [] });
      await eventually(
        async () =>
          (await count(world, "pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")) > 0,
      );
      expect(reserveAll()).toBe(1);
    });
    await stop();
  });

  it("writes nothing of what it has claimed once its node has no lease", async () => {
    const { dispatcher, link, membership, claims, stop } = await startDispatcher({ looks: false });
    link.free = 0;
    await storeCall(world, { messages: [{}, {}] });
    dispatcher.wake({ urgent: false });
    await eventually(() => claims.length === 1);
    await membership.stop();
    link.free = 100;
    dispatcher.wake();
    expect(link.replies).toHaveLength(0);
    await stop();
  });

  it("keeps with a part under which registration of its node it was written, though the lease is lost before the answer", async () => {
    const { dispatcher, link, membership, stop } = await startDispatcher();
    await storeCall(world);
    dispatcher.wake();
    await eventually(() => link.replies.length === 1);
    const run = membership.runNumber;
    await world.rows("update node set lease_until = now() - interval '1 second'");
    await membership.renew();
    expect(membership.runNumber).toBeGreaterThan(run);
    for (const reply of link.replies) reply({ kind: "accepted", smscMessageId: "1" });
    await eventually(async () => (await count(world, "submission")) === 1);
    expect(await world.rows("select node from submission")).toEqual([{ node: run }]);
    await stop();
  });

  it("gives back what is not written when its link is lost, once, and takes it again", async () => {
    const { dispatcher, link, stop } = await startDispatcher();
    const ids = await storeCall(world, { messages: [{ content: longText(2) }] });
    dispatcher.wake();
    await eventually(() => link.replies.length === 2);
    link.bound = false;
    for (const reply of link.replies.splice(0)) reply({ kind: "unknown" });
    dispatcher.bindLost(1);
    await eventually(async () => (await count(world, "message_queue")) === 1);
    expect(await readMessages(world, ids)).toMatchObject([{ status: 0, reason: 1302, tries: 1 }]);
    link.bound = true;
    dispatcher.wake();
    await eventually(() => link.replies.length === 2);
    for (const reply of link.replies) reply({ kind: "accepted", smscMessageId: "1" });
    await eventually(async () => (await count(world, "message where status = 1 and reason is null")) === 1);
    await stop();
  });
});
