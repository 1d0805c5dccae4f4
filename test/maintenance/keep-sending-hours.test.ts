import { beforeEach, describe, expect, it } from "vitest";
import type { Directory } from "../../src/directory/directory.ts";
import { decideReview } from "../../src/intake/decide-review.ts";
import { expireWaiting } from "../../src/maintenance/expire-waiting.ts";
import { KeepSendingHours, moveAllWaiting, moveInWindow, movePage } from "../../src/maintenance/move-waiting.ts";
import { settlementOf } from "../../src/dispatch/settlement.ts";
import { compileRules, rulesOfAccount } from "../../src/sms/account-rules.ts";
import type { LineKind, SenderLine } from "../../src/sms/sender-line.ts";
import { type SendingHoursRule, weekdays } from "../../src/sms/sending-hours.ts";
import { claimDueMessages, type ClaimedMessage, requeueMessages } from "../../src/store/message-queue.ts";
import { dequeueExpired, findInWindow } from "../../src/store/queue-times.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, readMessage, seedNode, storeCall, storeMessage, useWorld } from "../support/factories.ts";

const world = useWorld();

beforeEach(async () => {
  await clear(world);
});

const minuteMs = 60_000;
/** Windows end and begin at whole minutes. One for all: a minute may end during a test. */
const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;
const minute = (minutesAhead: number): Date => new Date(thisMinute + minutesAhead * minuteMs);

const clock = (at: Date): string => at.toISOString().slice(11, 16);

/** Open each day from one minute to another, as minutes from now. */
function hours(from: number, to: number): SendingHoursRule {
  const windows = [{ days: [...weekdays], from: clock(minute(from)), to: clock(minute(to)) }];
  return { name: "day", lines: ["*"], accounts: ["*"], timeZone: "UTC", windows, except: [] };
}

/** `kind`: of all lines; absent: as they are. "removed": there are none. */
function under(sendingHours: readonly SendingHoursRule[], kind?: LineKind | "removed") {
  const account = world.account();
  const rules = rulesOfAccount(compileRules({ contentRules: [], sendingHours }), account.name);
  const asTheyAre = [...world.directory.current.lines];
  const lines =
    kind === "removed"
      ? new Map<string, SenderLine>()
      : new Map(asTheyAre.map(([number, line]) => [number, kind ? { ...line, kind } : line]));
  const current = {
    accounts: new Map([[account.id, { ...account, terms: { ...account.terms, rules } }]]),
    lines,
    rules: { blockLists: [], contentRules: [], inboundRules: [], sendingHours },
  } satisfies Pick<Directory, "accounts" | "lines" | "rules">;
  let moves = 0;
  const options = { db: world.db, directory: { current }, onQueued: () => (moves += 1) };
  return { options, told: () => moves };
}

interface QueueRow {
  readonly dueAt: Date;
  readonly wantedAt: Date | null;
  readonly windowEnd: Date | null;
  readonly validUntil: Date;
  readonly priority: number;
}

async function queueRow(id: string): Promise<QueueRow> {
  const [row] = await world.rows<QueueRow>(
    `select due_at as "dueAt", wanted_at as "wantedAt", window_end as "windowEnd", valid_until as "validUntil", priority
       from message_queue where message_id = $1`,
    [id],
  );
  if (row === undefined) throw new Error("not in the queue");
  return row;
}

const claimable = async (): Promise<number> => (await claim()).length;

async function claim(): Promise<readonly ClaimedMessage[]> {
  return claimDueMessages(world.db, {
    claimId: uuidv7(),
    nodeId: await seedNode(world, 60),
    connectorId: world.connector().id,
    bindNumber: 1,
    ranges: [0, 1, 2].flatMap((priority) =>
      world.directory.current.routes.map(({ id }) => ({ priority, routeId: id, after: 0, until: 2 ** 31 - 1 })),
    ),
    partsLimit: 100,
  });
}

describe("what is past its window", () => {
  it("is not claimed, and moves to the next window; its validity stands still and its status tells", async () => {
    const id = await storeMessage(world, {}, { windowEnd: minute(-2) });
    const before = await queueRow(id);
    expect(await claimable()).toBe(0);
    const { options, told } = under([hours(-60, -2)]);
    expect(await moveInWindow(options, "now")).toBe(1);
    expect(told()).toBe(1);
    const next = new Date(minute(-60).getTime() + 24 * 60 * minuteMs);
    const row = await queueRow(id);
    expect(row.dueAt).toEqual(next);
    expect(row.windowEnd).toEqual(new Date(minute(-2).getTime() + 24 * 60 * minuteMs));
    expect(row.priority & 8).toBe(8);
    expect(row.wantedAt?.getTime()).toBeCloseTo(before.dueAt.getTime(), -1);
    const closed = next.getTime() - minute(-2).getTime();
    expect(row.validUntil.getTime() - before.validUntil.getTime()).toBe(closed);
    const [message] = await world.rows<{ sendAt: Date; validUntil: Date }>(
      `select send_at as "sendAt", valid_until as "validUntil" from message where id = $1`,
      [id],
    );
    expect(message).toEqual({ sendAt: next, validUntil: row.validUntil });
    expect(await claimable()).toBe(0);
    expect(await moveInWindow(options, "now")).toBe(0);
  });

  it("is let go, and its validity runs again, when no window comes", async () => {
    const id = await storeMessage(world, {}, { windowEnd: minute(-2) });
    const never = { ...hours(-60, -2), windows: [] };
    expect(await moveInWindow(under([never]).options, "now")).toBe(1);
    expect((await queueRow(id)).windowEnd).toBeNull();
    expect(await claimable()).toBe(1);
  });

  it("does not end for its validity, which runs only within windows", async () => {
    await storeCall(world, { validSeconds: 1, sendAt: minute(-10), windowEnd: minute(-11) });
    await storeCall(world, { validSeconds: 1, sendAt: minute(-10), windowEnd: minute(-5) });
    expect(await dequeueExpired(world.db, 10)).toHaveLength(1);
    expect(await count(world, "message_queue")).toBe(1);
  });

  it("moves in pages, by several nodes at once, each message once", async () => {
    const messages = Array.from({ length: 500 }, () => ({}));
    for (let call = 0; call < 9; call += 1) await storeCall(world, { messages, windowEnd: minute(-2) });
    const { options } = under([hours(-60, -2)]);
    const counts = await Promise.all([1, 2, 3].map(() => moveInWindow(options, "now")));
    expect(counts.reduce((sum, moved) => sum + moved)).toBe(4500);
    expect(await count(world, "message_queue where window_end < now()")).toBe(0);
  });
});

it("what comes back from a lost link is in its window as before, unless something of it was submitted", async () => {
  const [untouched = "", begun = "", unanswered = ""] = await storeCall(world, {
    messages: [{}, {}, {}],
    windowEnd: minute(5),
  });
  const claimed = await claim();
  await world.rows("update message set parts_taken = 1 where id = $1", [begun]);
  const requeued = claimed.flatMap((message) => {
    const isOpen = message.messageId === unanswered;
    const lost = { kind: "deferred", delayMs: undefined, fault: isOpen ? "silence" : "link" } as const;
    const outcome = { ...lost, unanswered: isOpen ? [1] : [] };
    return settlementOf(message, outcome, { connectorId: world.connector().id }).requeue ?? [];
  });
  await requeueMessages(world.db, requeued);
  expect((await queueRow(untouched)).windowEnd).toEqual(minute(5));
  expect((await queueRow(begun)).windowEnd).toBeNull();
  expect((await queueRow(unanswered)).windowEnd).toBeNull();
});

it("two nodes that find a window over while the next one is open let the validity stand still once", async () => {
  const id = await storeMessage(world, {}, { sendAt: minute(-130), windowEnd: minute(-120) });
  const before = await queueRow(id);
  const { options } = under([hours(-60, 60)]);
  const page = await findInWindow(world.db, { endsBy: "now", limit: 10 });
  expect(page).toHaveLength(1);
  expect(await moveInWindow(options, "now")).toBe(1);
  // The other node read the page before, and moves it now.
  expect(await movePage(options, page)).toBe(0);
  const row = await queueRow(id);
  expect(row.dueAt).toEqual(before.dueAt);
  expect(row.windowEnd).toEqual(minute(60));
  expect(row.validUntil.getTime() - before.validUntil.getTime()).toBe(60 * minuteMs);
});

describe("what a content rule keeps for staff", () => {
  /** Hours began three hours ago, and ended after one. Its validity is 100 minutes. */
  async function storeBeforeTheEnd() {
    await world.rows("delete from review");
    const { options } = under([hours(-180, -120)]);
    const sendAt = minute(-180);
    const id = await storeMessage(world, {}, { validSeconds: 6000, review: "look", sendAt });
    const nextBegin = new Date(sendAt.getTime() + 24 * 60 * minuteMs);
    return { id, options, nextBegin, nextEnd: new Date(nextBegin.getTime() + 40 * minuteMs) };
  }

  it("does not end while its hours are closed; its validity runs on in the next window", async () => {
    const { id, options, nextEnd } = await storeBeforeTheEnd();
    expect(await expireWaiting({ ...world, directory: options.directory })).toMatchObject({ unseen: 0 });
    expect(await readMessage(world, id)).toMatchObject({ status: 0, reason: 1308 });
    const [kept] = await world.rows(`select valid_until as "validUntil" from review`);
    expect(kept).toEqual({ validUntil: nextEnd });
    await world.rows("update review set valid_until = now() - interval '1 second'");
    expect(await expireWaiting({ ...world, directory: under([]).options.directory })).toMatchObject({ unseen: 1 });
    expect(await readMessage(world, id)).toMatchObject({ status: 4, reason: 1309 });
  });

  it("keeps the rest of its validity for the next window when it is allowed", async () => {
    const { id, options, nextBegin, nextEnd } = await storeBeforeTheEnd();
    await decideReview(world.db, { who: "test" }, { decision: "allow", choice: { messageIds: [id] } });
    expect(await dequeueExpired(world.db, 10)).toEqual([]);
    expect(await moveInWindow(options, "now")).toBe(1);
    expect(await queueRow(id)).toMatchObject({ dueAt: nextBegin, validUntil: nextEnd });
  });

  it.each([
    ["within its hours", [hours(-60, 60)], minute(60)],
    ["without hours", [], null],
  ])("is claimed when it is allowed, %s, and has their end", async (_, rules, windowEnd) => {
    await world.rows("delete from review");
    const id = await storeMessage(world, {}, { review: "look" });
    await decideReview(world.db, { who: "test" }, { decision: "allow", choice: { messageIds: [id] } });
    expect(await moveInWindow(under(rules).options, "now")).toBe(1);
    expect((await queueRow(id)).windowEnd).toEqual(windowEnd);
    expect(await claimable()).toBe(1);
  });
});

describe("a changed rule", () => {
  it("leaves alone codes, and messages of which a part was submitted", async () => {
    const code = await storeMessage(world, {}, { purpose: 1 });
    const reply = await storeMessage(world, {}, { purpose: 2 });
    const begun = await storeMessage(world);
    const open = await storeMessage(world);
    await world.rows("update message set parts_taken = 1 where id = $1", [begun]);
    await world.rows("update message set reason = 1302 where id = $1", [open]);
    const before = await Promise.all([code, reply, begun, open].map(queueRow));
    expect(await moveAllWaiting(under([hours(10, 20)]).options)).toBe(0);
    expect(await Promise.all([code, reply, begun, open].map(queueRow))).toEqual(before);
    expect((await readMessage(world, begun)).status).toBe(0);
  });
});

/** The service under a configuration that the test changes. */
function serviceUnder({ options }: ReturnType<typeof under>) {
  let { current } = options.directory;
  let tell = (): void => undefined;
  const directory = {
    get current() {
      return current;
    },
    onChange: (listener: () => void) => (tell = listener),
  };
  const service = new KeepSendingHours({ ...options, directory });
  const change = (next: ReturnType<typeof under>): void => {
    current = next.options.directory.current;
    tell();
  };
  return { service, change };
}

describe("a line that becomes one of another kind", () => {
  const advertising: SendingHoursRule = { ...hours(10, 20), lines: ["advertising"] };

  it.each([
    ["that waits", undefined],
    ["planned for a time outside its new hours", minute(30)],
  ])("has its rule count for a message %s, and no more when it is what it was", async (_, sendAt) => {
    const [id = ""] = await storeCall(world, sendAt && { sendAt });
    const before = await queueRow(id);
    const usual = under([advertising]);
    const { service, change } = serviceUnder(usual);
    expect(await service.run(new AbortController().signal)).toEqual({ moved: 0 });
    change(under([advertising], "advertising"));
    expect(await service.run(new AbortController().signal)).toEqual({ moved: 1 });
    const next = sendAt ? minute(10 + 24 * 60) : minute(10);
    expect((await queueRow(id)).dueAt).toEqual(next);
    change(usual);
    expect(await service.run(new AbortController().signal)).toEqual({ moved: 1 });
    expect(await queueRow(id)).toMatchObject({ windowEnd: null, wantedAt: null });
    if (sendAt) expect((await queueRow(id)).dueAt).toEqual(before.dueAt);
    else expect(await claimable()).toBe(1);
  });

  it("lets go what waits for its hours when it is removed, and counts as dedicated", async () => {
    const id = await storeMessage(world);
    const { service, change } = serviceUnder(under([advertising], "advertising"));
    expect(await service.run(new AbortController().signal)).toEqual({ moved: 1 });
    change(under([advertising], "removed"));
    expect(await service.run(new AbortController().signal)).toEqual({ moved: 1 });
    expect(await queueRow(id)).toMatchObject({ windowEnd: null, wantedAt: null });
  });
});

it("rules that come and go between two rounds leave nothing in their window", async () => {
  const id = await storeMessage(world);
  const [none, closed] = [under([]), under([hours(60, 120)])];
  const { service, change } = serviceUnder(none);
  await service.run(new AbortController().signal);
  for (const rules of [closed, none]) {
    change(rules);
    // As a dispatcher does with what it has claimed meanwhile.
    if (rules === closed) await moveAllWaiting(closed.options);
  }
  expect((await queueRow(id)).windowEnd).not.toBeNull();
  await service.run(new AbortController().signal);
  expect((await queueRow(id)).windowEnd).toBeNull();
});

it("rules that change while messages are moved by others move them once more", async () => {
  const id = await storeMessage(world);
  const [first, second] = [under([hours(60, 120)]), under([hours(30, 120)])];
  // After the only page is moved, and before the round ends.
  const onQueued = (): number => {
    change(second);
    return 1;
  };
  const { service, change } = serviceUnder({ ...first, options: { ...first.options, onQueued } });
  await service.run(new AbortController().signal);
  expect((await queueRow(id)).dueAt).toEqual(minute(60));
  await service.run(new AbortController().signal);
  expect((await queueRow(id)).dueAt).toEqual(minute(30));
});
