// Who charges and who counts locks balances first, and in one order: nobody waits in a circle.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { PeriodicService } from "../../src/platform/service.ts";
import { sendReplies } from "../../src/intake/send-replies.ts";
import { endCounting } from "../../src/store/account-usage.ts";
import { insertReply } from "../../src/store/inbound-replies.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { statement } from "../support/database.ts";
import { clear, count, eventually, line, openWorld, type World } from "../support/factories.ts";
import { applyDocument } from "../support/apply-document.ts";

let world: World;
let limited: number;
let free: number;

beforeAll(async () => {
  world = await openWorld({ accounts: [{ name: "limited" }, { name: "free" }] });
  [limited, free] = [world.account("limited").id, world.account("free").id];
  await world.reconfigure("update account set daily_messages = 1000 where id = $1", [limited]);
});
afterAll(() => world.close());
beforeEach(async () => {
  await clear(world);
  await world.rows("delete from inbound_reply");
});

const replies = (): PeriodicService => sendReplies({ ...world, announceDue: () => undefined });

async function owe(accountId: number, to: string): Promise<void> {
  await world.db.transaction(async (tx) => {
    const part = await tx.query<{ id: bigint }>(
      statement(
        `insert into inbound_part (connector_id, fingerprint, sender, recipient, text_utf16, joined, confirmed)
         values ($1, '', $2, $3, '', true, true) returning id`,
        [world.connector().id, to, line],
      ),
    );
    const reply = {
      id: uuidv7(),
      accountId,
      line,
      number: to,
      content: "Welcome",
      askedBy: uuidv7(),
      rule: "any",
      maxPerHour: 600,
    };
    await insertReply(tx, { ...reply, partIds: part.map(({ id }) => id) });
  });
}

/** Somebody who has locked the balance of the account with limits, until the work is done. */
async function whileCharging(work: (other: pg.Client) => Promise<void>): Promise<void> {
  const other = new pg.Client({ connectionString: world.url });
  await other.connect();
  try {
    await other.query("begin");
    await other.query("select from account_balance where account_id = $1 for update", [limited]);
    await work(other);
    await other.query("commit");
  } finally {
    await other.end();
  }
}

/** Until a statement of that name waits for a lock. */
const waits = (name: string): Promise<void> =>
  eventually(
    async () =>
      (
        await world.rows(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1",
          [`%${name}%`],
        )
      ).length === 1,
  );

it("replies of accounts without limits hold no balance while those with limits wait", async () => {
  expect(limited).toBeLessThan(free);
  await owe(free, "989127770001");
  await owe(limited, "989127770002");
  let sending: Promise<unknown> | undefined;
  await whileCharging(async (other) => {
    sending = replies().runNow();
    await waits("/* lockBalances */");
    await other.query("select from account_balance where account_id = $1 for update nowait", [free]);
  });
  await sending;
  expect(await count(world, "message")).toBe(2);
});

it("the end of a counting waits for a balance before it holds what is counted", async () => {
  await world.rows("truncate account_usage");
  await world.rows("insert into account_usage (account_id, day_from, messages) values ($1, now(), 5)", [limited]);
  await world.rows("update account set daily_messages = 0 where id = $1", [limited]);
  try {
    let ending: Promise<unknown> | undefined;
    await whileCharging(async (other) => {
      ending = world.db.transaction((tx) => endCounting(tx));
      await waits("/* endCounting */");
      await other.query("select from account_usage where account_id = $1 for update nowait", [limited]);
    });
    await ending;
    expect(await world.rows("select day_from as day, messages from account_usage")).toEqual([
      { day: null, messages: 0n },
    ]);
  } finally {
    await world.rows("update account set daily_messages = 1000 where id = $1", [limited]);
  }
});

it("a setup that ends a counting and changes other balances waits for all of them before it holds any", async () => {
  await world.rows("truncate account_usage");
  await world.rows("insert into account_usage (account_id, day_from, messages) values ($1, now(), 5)", [free]);
  const text = JSON.stringify({ accounts: [{ name: "limited", credit: "unlimited" }] });
  let saving: Promise<unknown> | undefined;
  await whileCharging(async (other) => {
    saving = applyDocument(world.db, text);
    await waits("/* endCounting */");
    await other.query("select from account_balance where account_id = $1 for update nowait", [free]);
  });
  await saving;
  expect(await world.rows("select unlimited from account_balance where account_id = $1", [limited])).toEqual([
    { unlimited: true },
  ]);
});
