import { beforeEach, expect, it } from "vitest";
import type { ReservedCapacity } from "../../src/intake/commit-attempt.ts";
import { CallCommitter, type CallToAccept } from "../../src/intake/commit-calls.ts";
import type { CallToStore } from "../../src/store/accept-calls.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { callToAccept, clear, seedNode, useWorld } from "../support/factories.ts";

const world = useWorld();
beforeEach(() => clear(world));

const windowEnd = new Date(Date.now() + 3_600_000);

let released: number;

/** A committer with room for all at one bind of the node. */
function committerOf(nodeId: string, take: () => void = () => undefined): CallCommitter {
  released = 0;
  const room = (messages: readonly unknown[]): ReservedCapacity => ({
    nodeId,
    claims: [{ claimId: uuidv7(), connectorId: world.connector().id, bindNumber: 1 }],
    claimOf: messages.map((message) => (message === undefined ? null : 0)),
    take,
    release: () => void (released += 1),
  });
  return new CallCommitter({
    db: world.db,
    telemetry: new Telemetry(),
    idempotencyHours: 24,
    validitySeconds: 3600,
    announceDue: () => undefined,
    directDispatch: { reserve: room },
  });
}

async function storedBy(committer: CallCommitter, call: CallToAccept): Promise<CallToStore> {
  const fate = await committer.add(call);
  if (fate.kind !== "accepted") throw new Error(fate.kind);
  return fate.call;
}

const windowsOf = ({ messages }: CallToStore) =>
  world.rows<{ windowEnd: Date | null }>(
    'select window_end as "windowEnd" from message_queue where message_id = any ($1)',
    [messages.map(({ id }) => id)],
  );

it.each([{}, { idempotency: { key: "k", fingerprint: Buffer.alloc(32), answerOf: () => "{}" } }])(
  "a message that its bind cannot take after all waits in its window (%o)",
  async (more) => {
    const committer = committerOf(await seedNode(world, -1));
    const call = await storedBy(committer, { ...callToAccept(world, { windowEnd }), ...more });
    expect(await windowsOf(call)).toEqual([{ windowEnd }]);
    expect(released).toBe(1);
  },
);

it("what fails after the commit stores and charges no call again", async () => {
  const committer = committerOf(await seedNode(world, 60), () => {
    throw new Error("the bind is broken");
  });
  const calls = await Promise.all([1, 2].map(() => storedBy(committer, callToAccept(world))));
  const ids = calls.flatMap(({ messages }) => messages.map(({ id }) => id));
  const stored = await world.rows<{ id: string }>("select id from message");
  expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

it("messages of one group wait in their own windows, and one without a window in none", async () => {
  const committer = committerOf(await seedNode(world, -1));
  const later = new Date(windowEnd.getTime() + 60_000);
  const calls = [callToAccept(world, { windowEnd }), callToAccept(world, { windowEnd: later }), callToAccept(world)];
  const stored = await Promise.all(calls.map((call) => storedBy(committer, call)));
  const windows = await Promise.all(stored.map(windowsOf));
  expect(windows.flat()).toEqual([{ windowEnd }, { windowEnd: later }, { windowEnd: null }]);
});

it("a call that conflicts with another transaction is judged again", async () => {
  const committer = committerOf(await seedNode(world, 60));
  await world.rows("create sequence tried");
  await world.rows(
    `create function conflict_once() returns trigger language plpgsql as $$
     begin if nextval('tried') = 1 then raise exception 'in each other''s way' using errcode = '40P01'; end if; return new; end $$`,
  );
  await world.rows(
    "create trigger conflict_once before insert on idempotency_key for each row when (new.key = 'conflict') execute function conflict_once()",
  );
  const idempotency = { key: "conflict", fingerprint: Buffer.alloc(32, 7), answerOf: () => "{}" };
  const call = await storedBy(committer, { ...callToAccept(world), idempotency });
  expect(await world.rows("select id from message")).toEqual(call.messages.map(({ id }) => ({ id })));
  expect(await world.rows("select last_value::int as tries from tried")).toEqual([{ tries: 2 }]);
});

it("a message that waits beside one that goes at once keeps its window, its purpose and its time", async () => {
  const committer = committerOf(await seedNode(world, 60));
  const sendAt = new Date(Date.now() + 600_000);
  const calls = [callToAccept(world, { windowEnd }), callToAccept(world, { sendAt, windowEnd, purpose: 0 })];
  await Promise.all(calls.map((call) => storedBy(committer, call)));
  const queued = await world.rows(
    `select q.window_end, m.send_at, m.purpose from message_queue q join message m on m.account_id = q.account_id and m.id = q.message_id`,
  );
  expect(queued).toEqual([{ window_end: windowEnd, send_at: sendAt, purpose: 0 }]);
});

it("the validity of a message begins when it is stored, not when its call began to wait for the account", async () => {
  const committer = committerOf(await seedNode(world, -1));
  const idempotency = { key: "waits", fingerprint: Buffer.alloc(32), answerOf: () => "{}" };
  let stored: Promise<CallToStore> | undefined;
  let lockedUntil: Date | undefined;
  await world.db.transaction(async (tx) => {
    await tx.query({ name: "", text: "select from account_balance for update", values: [] });
    stored = storedBy(committer, { ...callToAccept(world), idempotency });
    await expect.poll(() => world.rows("select from pg_locks where not granted")).not.toHaveLength(0);
    [{ lockedUntil }] = (await tx.query({
      name: "",
      text: 'select clock_timestamp() as "lockedUntil"',
      values: [],
    })) as [{ lockedUntil: Date }];
  });
  const [message] = (await stored)?.messages ?? [];
  const [row] = await world.rows<{ dueAt: Date; validUntil: Date; priority: number }>(
    'select due_at as "dueAt", valid_until as "validUntil", priority from message_queue where message_id = $1',
    [message?.id],
  );
  expect(row?.dueAt.getTime()).toBeGreaterThanOrEqual(lockedUntil?.getTime() ?? Infinity);
  expect(row?.validUntil.getTime()).toBe((row?.dueAt.getTime() ?? 0) + 3_600_000);
  expect(row?.priority).toBeLessThan(8);
});
