// The replies of received messages, as several nodes send them at once.
import { beforeEach, expect, it } from "vitest";
import type { PeriodicService } from "../../src/platform/service.ts";
import { sendReplies } from "../../src/intake/send-replies.ts";
import { insertReply, keepRepliesSeconds } from "../../src/store/inbound-replies.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { clear, count, line, otherPrice, readMoney, seedNode, useWorld } from "../support/factories.ts";
import { dropOldRows } from "../../src/store/old-rows.ts";

const world = useWorld();
beforeEach(async () => {
  await clear(world);
  await world.rows("delete from inbound_reply");
});

const node = (): PeriodicService => sendReplies({ ...world, announceDue: () => undefined });
const number = (index: number): string => `98912777${String(index).padStart(4, "0")}`;

interface DuePlan {
  readonly to?: string;
  readonly askedBy?: string;
  /** The node that owes the answer to the part; without one it is answered. */
  readonly owedBy?: string;
  readonly ageMinutes?: number;
  readonly rule?: string;
  readonly maxPerHour?: number;
}

async function owe({ to = number(1), askedBy = uuidv7(), owedBy, ageMinutes = 0, ...of }: DuePlan = {}): Promise<void> {
  const { rule = "any", maxPerHour = 600 } = of;
  await world.db.transaction(async (tx) => {
    const [part] = await tx.query<{ id: bigint }>({
      name: "",
      text: `insert into inbound_part (connector_id, fingerprint, sender, recipient, text_utf16, joined, confirmed, carried_by, received_at)
        values ($1, $2, $3, $4, '', true, $5, $6, now() - make_interval(mins => $7)) returning id`,
      values: [world.connector().id, Buffer.alloc(8), to, line, owedBy === undefined, owedBy ?? null, ageMinutes],
    });
    const reply = {
      id: uuidv7(),
      accountId: world.account().id,
      line,
      number: to,
      content: "Welcome",
      askedBy,
      rule,
      maxPerHour,
    };
    await insertReply(tx, { ...reply, partIds: part === undefined ? [] : [part.id] });
  });
}

it("accepts each reply once when two nodes send at the same time, with the money", async () => {
  const before = await readMoney(world);
  for (let index = 0; index < 250; index += 1) await owe({ to: number(index) });
  const rounds = await Promise.all([node(), node(), node()].map((each) => each.runNow()));
  expect(rounds.reduce((sum, { sent = 0 }) => sum + sent, 0)).toBe(250);
  expect(await count(world, "message where purpose = 2 and priority = 1")).toBe(250);
  expect(await count(world, "(select distinct recipient from message) m")).toBe(250);
  expect(await count(world, "inbound_reply where content is not null")).toBe(0);
  const after = await readMoney(world);
  expect(before.balance - after.balance).toBe(250n * otherPrice);
  expect(after.balance).toBe(after.ledger);
});

it("counts to three replies from a line to a number over nodes that send at the same time", async () => {
  for (let index = 0; index < 12; index += 1) await owe();
  await Promise.all([node(), node(), node()].map((each) => each.runNow()));
  await node().runNow();
  expect(await count(world, "message")).toBe(3);
  expect(await count(world, "inbound_reply where content is not null")).toBe(0);
});

it("counts the replies of a rule to all numbers, over nodes that send at the same time", async () => {
  const limited: number[] = [];
  world.telemetry.on(
    "replies.settled",
    ({ outcome, count: settled }) => outcome === "limited" && limited.push(settled),
  );
  for (let index = 0; index < 12; index += 1) await owe({ to: number(index), maxPerHour: 5 });
  await owe({ to: number(20), rule: "other", maxPerHour: 5 });
  await Promise.all([node(), node(), node()].map((each) => each.runNow()));
  expect(await count(world, "message")).toBe(6);
  expect(await count(world, "inbound_reply where content is not null")).toBe(0);
  expect(limited.reduce((sum, each) => sum + each, 0)).toBe(7);
  await world.rows("update inbound_reply set sent_at = sent_at - interval '1 hour'");
  await owe({ to: number(30), maxPerHour: 5 });
  await node().runNow();
  expect(await count(world, "message")).toBe(7);
});

it("lets nobody wait long behind a machine that wrote thousands of times", async () => {
  let ends = 0;
  world.telemetry.on("replies.settled", () => (ends += 1));
  await owe({ to: number(1), askedBy: "again" });
  await world.rows(
    `insert into inbound_reply (id, account_id, line, number, content, digest, part_ids, asked_at, expires_at, rule, max_per_hour)
     select gen_random_uuid(), account_id, line, number, content, digest, part_ids, asked_at + n * interval '1 microsecond', expires_at, rule, max_per_hour
       from inbound_reply cross join generate_series(1, 3000) n`,
  );
  await owe({ to: number(2) });
  // A round ends after five seconds, which a busy machine may need.
  do await node().runNow();
  while ((await count(world, "inbound_reply where content is not null")) > 0);
  expect(await world.rows("select recipient, count(*)::int as count from message group by 1 order by 1")).toEqual([
    { recipient: number(1), count: 2 },
    { recipient: number(2), count: 1 },
  ]);
  expect(ends).toBeLessThan(100);
});

it("waits for the answer that a living node owes, and for none that a dead one owed", async () => {
  await owe({ to: number(1), owedBy: await seedNode(world, 60) });
  await owe({ to: number(2), owedBy: await seedNode(world, -1) });
  await node().runNow();
  expect(await world.rows("select recipient from message")).toEqual([{ recipient: number(2) }]);
  await world.rows("update inbound_part set confirmed = true");
  await node().runNow();
  expect(await count(world, "message")).toBe(2);
});

it("sends none after ten minutes, and lets none wait longer in the queue", async () => {
  await owe({ to: number(1), ageMinutes: 10, owedBy: await seedNode(world, 60) });
  await owe({ to: number(2), ageMinutes: 8 });
  const told = world.telemetry.next("replies.settled", ({ outcome }) => outcome === "late");
  await node().runNow();
  expect(await told).toMatchObject({ count: 1 });
  expect(await count(world, "message")).toBe(1);
  expect(await count(world, "message_queue where valid_until <= now() + interval '2 minutes'")).toBe(1);
});

it("keeps what a limit counts, and no more", async () => {
  await owe();
  await node().runNow();
  await world.rows("update inbound_reply set asked_at = asked_at - interval '69 minutes'");
  await dropOldRows(world.db, "settledReplies", keepRepliesSeconds);
  expect(await count(world, "inbound_reply")).toBe(1);
  await world.rows("update inbound_reply set asked_at = asked_at - interval '2 minutes'");
  await dropOldRows(world.db, "settledReplies", keepRepliesSeconds);
  expect(await count(world, "inbound_reply")).toBe(0);
});

it("never passes a ceiling, whichever nodes send at the same time, and says which one it was", async () => {
  await world.rows("truncate account_usage");
  await world.reconfigure("update account set daily_messages = 5 where id = $1", [world.account().id]);
  try {
    const ends: (readonly [string, number | undefined, number])[] = [];
    world.telemetry.on("replies.settled", ({ outcome, errorCode, count: settled }) =>
      ends.push([outcome, errorCode, settled]),
    );
    for (let index = 0; index < 12; index += 1) await owe({ to: number(index) });
    await Promise.all([node(), node()].map((each) => each.runNow()));
    expect(await count(world, "message")).toBe(5);
    expect(await world.rows("select messages from account_usage")).toEqual([{ messages: 5n }]);
    const refused = ends.filter(([outcome]) => outcome === "refused");
    expect(refused.reduce((sum, [, , settled]) => sum + settled, 0)).toBe(7);
    expect(new Set(refused.map(([, errorCode]) => errorCode))).toEqual(new Set([1208]));
  } finally {
    await world.reconfigure("update account set daily_messages = 0 where id = $1", [world.account().id]);
  }
});
