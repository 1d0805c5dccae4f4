import { afterEach, describe, expect, it } from "vitest";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import type { CapacityAtBinds } from "../../src/intake/commit-attempt.ts";
import { CallCommitter } from "../../src/intake/commit-calls.ts";
import type { Reservation } from "../../src/dispatch/direct-dispatch.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import type { SimulatedSmscOptions } from "../../src/simulator/simulator-options.ts";
import { storeCalls } from "../../src/store/accept-calls.ts";
import {
  callOf,
  callToAccept,
  count,
  eventually,
  found,
  longText,
  openWorld,
  readMessage,
  readMessages,
  readMoney,
  storeCall,
  type World,
} from "../support/factories.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import { startBoundNode, type TestNode } from "../support/node.ts";

/**
 * Sooner than the supervisor takes back a claim that nobody knows (30 s), which would hide that it
 * was never taken.
 */
const promptMs = 20_000;

let world: World;
let smsc: SimulatedSmsc;
let node: TestNode;

async function setUp(
  settings: Partial<ConnectorSettings> = {},
  simulator: SimulatedSmscOptions = {},
  standby: readonly Partial<ConnectorSettings>[] = [],
): Promise<void> {
  smsc = await startSimulatedSmsc(simulator);
  const connectors = [settings, ...standby].map((own, index) => ({
    name: index === 0 ? "sim" : `standby${String(index)}`,
    settings: { port: smsc.port, ...own },
  }));
  const names = connectors.map(({ name }) => name);
  world = await openWorld({
    accounts: [{ name: "rich" }, { name: "poor", credit: 0n }],
    connectors,
    routes: [{ connectors: names }],
  });
  node = await startBoundNode(world, {}, names);
  // Nothing waits, as the first claim has said, and no look at the queue is on its way, for which
  // room is kept.
  await untilRoomFor(settings.window ?? 1);
}

/** Resolves when binds would take that many messages straight. */
const untilRoomFor = (messages: number): Promise<void> =>
  eventually(() => {
    // Twice: room that is given back is used at once for a look at the queue, if one fell due
    // during another.
    const inRow = [1, 2].map(() => {
      const reservation = node.directDispatch.reserve(Array.from({ length: messages }, () => toDispatch()));
      reservation.release();
      return claimedParts(reservation);
    });
    return inRow.every((parts) => parts === messages);
  }, promptMs);

afterEach(async () => {
  await node.stop();
  await smsc.stop();
  await world.close();
});

const toDispatch = (parts = 1): { routeId: number; parts: number } => ({ routeId: found(world.routeIds[0]), parts });

const committer = (db = world.db, directDispatch: CapacityAtBinds = node.directDispatch): CallCommitter =>
  new CallCommitter({
    db,
    telemetry: world.telemetry,
    idempotencyHours: 24,
    validitySeconds: 3600,
    announceDue: (due) => node.wakeUp.announce(due),
    directDispatch,
  });

const claimedParts = (reservation: Reservation): number =>
  reservation.claimOf.filter((claim) => typeof claim === "number").length;

/** As after the commit. */
function takeAll(
  reservation: Reservation,
  { accountId, messages }: ReturnType<typeof callOf>,
  times: { readonly dueAt: Date; readonly validForMs: number },
): void {
  const fresh = { priority: 1, attempt: 0, unanswered: 0, isFree: false, tries: 0, partsTaken: 0 };
  reservation.take(messages.map((message) => ({ ...message, accountId, messageId: message.id, ...fresh, ...times })));
}

describe("a message that skips the queue", () => {
  it("case 5: never enters the queue, stands in a claim while it is on its way, and ends as any other", async () => {
    await setUp();
    await world.rows(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'entered the queue'; end $$",
    );
    await world.rows("create trigger refuse before insert on message_queue for each row execute function refuse()");
    const calls = [callToAccept(world), callToAccept(world, { messages: [{ content: longText(3) }, {}] })];
    const direct = committer();
    const fates = await Promise.all(calls.map((call) => direct.add(call)));
    const ids = fates.flatMap((fate) => (fate.kind === "accepted" ? fate.call.messages.map(({ id }) => id) : []));
    await eventually(async () => (await readMessages(world, ids)).every(({ status }) => status === 2), promptMs);
    expect((await readMessages(world, ids)).map(({ tries }) => tries)).toEqual([0, 0, 0]);
    expect(smsc.submitted).toHaveLength(5);
    await eventually(async () => (await count(world, "claim")) === 0);
  });

  it("is only one for which the window has room; the others wait, and follow", async () => {
    await setUp({ window: 4 });
    const reservation = node.directDispatch.reserve(Array.from({ length: 6 }, () => toDispatch()));
    expect(claimedParts(reservation)).toBe(4);
    expect(claimedParts(node.directDispatch.reserve([toDispatch()]))).toBe(0);
    reservation.release();
    const whole = node.directDispatch.reserve([toDispatch(3), toDispatch(2), toDispatch(1)]);
    expect(whole.claimOf).toEqual([0, null, 0]);
    whole.release();
    const call = callToAccept(world, { messages: Array.from({ length: 40 }, () => ({})) });
    await committer().add(call);
    await eventually(async () => (await count(world, "message where status = 2")) === 40);
  });

  it("is a one-time code before what came with it", async () => {
    await setUp({ window: 1 });
    const calls = [
      callToAccept(world, { priority: 2, messages: [{ content: "bulk" }, { content: "bulk" }] }),
      callToAccept(world, { priority: 0, messages: [{ content: "code" }] }),
    ];
    const direct = committer();
    await Promise.all(calls.map((call) => direct.add(call)));
    await eventually(async () => (await count(world, "message where status = 2")) === 3);
    expect(smsc.submitted.map(({ text }) => text)).toEqual(["code", "bulk", "bulk"]);
  });

  it("case 11: does not overtake what waits", async () => {
    await setUp();
    await storeCall(world, { messages: Array.from({ length: 300 }, () => ({})) });
    node.wakeUp.announce({ urgent: false });
    expect(claimedParts(node.directDispatch.reserve([toDispatch()]))).toBe(0);
    await untilRoomFor(1);
    expect(await count(world, "message_queue")).toBe(0);
  });

  it("goes back to the queue when its link is lost before the commit is answered", async () => {
    await setUp();
    const call = callOf(world, { messages: [{}, {}] });
    const reservation = node.directDispatch.reserve(call.messages);
    const { isClaimed, storedAt } = await storeCalls(world.db, [call], reservation);
    expect(isClaimed).toBe(true);
    expect(await count(world, "claim")).toBe(1);
    const closed = node.telemetry.next("bind.changed", ({ state }) => state !== "bound");
    await smsc.stop();
    await closed;
    takeAll(reservation, call, { dueAt: storedAt, validForMs: 60_000 });
    await eventually(async () => (await count(world, "claim")) === 0);
    expect(await count(world, "message_queue")).toBe(2);
    expect(await readMessage(world, found(call.messages[0]).id)).toMatchObject({ status: 0, tries: 1 });
  });

  it("case 4: whose commit was cut off has not left: it goes to the queue at once, and nothing of it is uncertain", async () => {
    await setUp({ uncertain: "fail" });
    const wire = await openDatabaseWire(world.url);
    const kept: Reservation[] = [];
    const overWire = committer(wire.db, {
      reserve: (messages) => found(kept[kept.push(node.directDispatch.reserve(messages)) - 1]),
    });
    const call = callToAccept(world, { messages: [{}, {}] });
    wire.cutAt("storeCalls", "after the server");
    expect((await overWire.add(call)).kind).toBe("accepted");
    await wire.close();
    // Gone when the call is answered: the supervisor would take them back only after half a minute.
    const claimIds = kept.flatMap(({ claims }) => claims.map(({ claimId }) => claimId));
    expect(claimIds).not.toEqual([]);
    expect(await world.rows("select id from claim where id = any ($1::uuid[])", [claimIds])).toEqual([]);
    await eventually(async () => (await count(world, "message where status = 2")) === 2);
    expect(smsc.submitted).toHaveLength(2);
    await eventually(async () => (await count(world, "claim")) === 0);
  });

  it("is valid from its acceptance on, however long the commit took", async () => {
    await setUp();
    const call = callOf(world);
    const reservation = node.directDispatch.reserve(call.messages);
    const { storedAt } = await storeCalls(world.db, [call], reservation);
    takeAll(reservation, call, { dueAt: storedAt, validForMs: 1 });
    await eventually(async () => (await count(world, "message where status = 4 and reason = 1304")) === 1);
    expect(smsc.submitted).toHaveLength(0);
  });

  it("case 53: is not one that the credit does not cover: its claim goes, and the room is free again", async () => {
    await setUp({ window: 2 });
    const call = callToAccept(world, { account: world.account("poor"), messages: [{}, {}] });
    expect((await committer().add(call)).kind).toBe("refused");
    await eventually(async () => (await count(world, "claim")) === 0);
    await untilRoomFor(2);
    expect(await readMoney(world, world.account("poor"))).toEqual({ balance: 0n, ledger: 0n });
    expect(await count(world, "message")).toBe(0);
  });

  it("is one of the next call beside few others that wait, whatever comes in without a pause", async () => {
    await setUp({ window: 6 });
    const reservation = node.directDispatch.reserve(Array.from({ length: 6 }, () => toDispatch()));
    await storeCall(world, { messages: [{}, {}] });
    node.wakeUp.announce({ urgent: false, parts: 2 });
    reservation.release();
    // The claim for the two is under way.
    const beside = node.directDispatch.reserve(Array.from({ length: 6 }, () => toDispatch()));
    expect(claimedParts(beside)).toBe(3);
    beside.release();
    await eventually(async () => (await count(world, "message where status = 2")) === 2);
  });

  it("is one of the next call again, once a claim found less than it had room for", async () => {
    await setUp({ window: 6 });
    const claimed = node.telemetry.next("message.claimed", ({ count: messages }) => messages === 2);
    // Nobody announces them: a look at the queue finds the first, and the next claim the others.
    await storeCall(world, { messages: [{}, {}, {}] });
    await claimed;
    // The claim ends in the turn in which it is told of.
    await new Promise((resolve) => setImmediate(resolve));
    const reservation = node.directDispatch.reserve([toDispatch()]);
    expect(claimedParts(reservation)).toBe(1);
    reservation.release();
  });

  it("is none on a route that no bind of this node serves, and none that is not due", async () => {
    await setUp();
    const reservation = node.directDispatch.reserve([{ routeId: 99_999, parts: 1 }, undefined, toDispatch()]);
    expect(reservation.claimOf).toEqual([null, null, 0]);
    reservation.release();
  });
});
