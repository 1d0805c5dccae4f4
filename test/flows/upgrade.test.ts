// A database of the first schema, filled as a gateway of then left it, goes on under this program:
// nothing is lost, no money is off.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { createEmptyDatabase, statement, type TestDatabase } from "../support/database.ts";
import { makeFormerPartitions } from "../support/former-partitions.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { findAll } from "../support/messages-to-number.ts";

let database: TestDatabase;
let gateway: TestGateway;

const old = {
  waiting: uuidv7(),
  scheduled: uuidv7(),
  sent: uuidv7(),
  held: uuidv7(),
  claimed: uuidv7(),
};
const recipient = "989121230000";
const price = 1390n;
const balanceBefore = 100_000n;

const run = (text: string, values: readonly unknown[] = []): Promise<unknown> =>
  database.db.query(statement(text, values));

/** What `hodhod apply` of the first version stored. */
async function storeConfiguration(): Promise<void> {
  await run("insert into operator (name) values ('MCI')");
  await run("insert into number_prefix select '912', id from operator");
  await run("insert into tariff (name) values ('standard')");
  await run("insert into tariff_price select id, '*', '*', '*', 1390 from tariff");
  await run("insert into sender_line (number, kind) values ('10001234', 'dedicated')");
  await run("insert into account (name, domain, tariff_id) select 'demo', 'demo.example', id from tariff");
  await run("insert into account_line select a.id, l.id from account a, sender_line l");
  // Settings of a time that knew fewer keys.
  const settings = { type: "smpp", host: "127.0.0.1", port: 1, systemId: "hodhod", password: "secret-7", binds: 1 };
  await run("insert into connector (name, settings) values ('smsc-1', $1)", [JSON.stringify(settings)]);
  await run("insert into route (position, operator, line) values (0, '*', '*')");
  await run("insert into route_connector select r.id, 0, c.id from route r, connector c");
}

async function storeMessage(id: string, state: { status?: number; reason?: number; sendAt?: string; taken?: number }) {
  const { status = 0, reason = null, sendAt = null, taken = 0 } = state;
  await run(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, reason, route_id,
       priority, send_at, valid_until, connector_id, parts_taken, sent_at)
     select a.id, $1, $1, '10001234', $2, 'سلام', 'fa', 'MCI', 'ucs2', 1, $3, $4::smallint, $5, r.id, 1, $6::timestamptz,
            coalesce($6::timestamptz, now()) + interval '1 hour', c.id, $7, case when $4::smallint = 1 then now() end
       from account a, route r, connector c`,
    [id, recipient, price, status, reason, sendAt, taken],
  );
  await run(
    "insert into ledger_entry (account_id, id, kind, amount, messages) select id, $1, 'charge', $2, 1 from account",
    [id, -price],
  );
}

const queue = (id: string): Promise<unknown> =>
  run(
    `insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
     select route_id, priority, account_id, coalesce(send_at, now()), id, valid_until, parts from message where id = $1`,
    [id],
  );

async function storeTraffic(): Promise<void> {
  const opening = balanceBefore + price * BigInt(Object.keys(old).length);
  await run("insert into account_balance (account_id, balance) select id, $1 from account", [balanceBefore]);
  await run("insert into ledger_entry (account_id, id, kind, amount) select id, $1, 'opening', $2 from account", [
    uuidFloor(1),
    opening,
  ]);
  await storeMessage(old.waiting, {});
  await queue(old.waiting);
  await storeMessage(old.scheduled, { sendAt: "2099-01-01" });
  await queue(old.scheduled);
  await storeMessage(old.sent, { status: 1, taken: 1 });
  await run(
    `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
     select now(), connector_id, '4711', account_id, id, 1, recipient from message where id = $1`,
    [old.sent],
  );
  await run(
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
     select id, '4711', array['4711'], true, $1, 'delivered', 'DELIVRD' from connector`,
    [recipient],
  );
  await storeMessage(old.held, { reason: 1302 });
  await run(
    `insert into held_message (account_id, message_id, connector_id, recipient, part, held_until)
     select account_id, id, connector_id, recipient, 1, now() - interval '1 second' from message where id = $1`,
    [old.held],
  );
  await storeMessage(old.claimed, {});
  await run(
    `insert into claim (id, node_id, connector_id, bind_number, account_ids, message_ids, attempts)
     select $1, $2, connector_id, 1, array[account_id], array[id], array[0]::smallint[] from message where id = $3`,
    [uuidv7(), uuidv7(), old.claimed],
  );
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  await migrate(database.db, { migrations: readMigrations().slice(0, 1) });
  await makeFormerPartitions(database.db);
  await storeConfiguration();
  await storeTraffic();
  gateway = await startTestGateway({ databaseUrl: database.url });
});

afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

async function stateOf(id: string): Promise<unknown> {
  const [row] = await database.db.query<{ status: number; reason: number | null }>(
    statement("select status, reason from message where id = $1", [id]),
  );
  return [row?.status, row?.reason];
}

describe("a database of the first schema", () => {
  it("goes on: what waited is sent, what was under way is settled, what was scheduled waits", async () => {
    const wanted = { waiting: [2, null], claimed: [2, null], sent: [2, null], held: [4, 1302], scheduled: [0, null] };
    let last: unknown;
    await gateway.until(
      () => `the old messages; last: ${JSON.stringify(last)}`,
      async () => {
        last = Object.fromEntries(
          await Promise.all(Object.entries(old).map(async ([name, id]) => [name, await stateOf(id)] as const)),
        );
        return isDeepStrictEqual(last, wanted) ? true : undefined;
      },
    );
  });

  it("sets apart what is scheduled, out of the way of claims, and sends it when its time comes", async () => {
    const place = () => database.db.query(statement("select message_id as id, priority from message_queue"));
    await gateway.runNow("set-apart");
    expect(await place()).toEqual([{ id: old.scheduled, priority: 9 }]);
    await run("update message_queue set due_at = now()");
    await gateway.until("the scheduled message", async () =>
      isDeepStrictEqual(await stateOf(old.scheduled), [2, null]) ? true : undefined,
    );
  });

  it("keeps its money to the rial: only what ended unsent is paid back", async () => {
    const [row] = await database.db.query<{ balance: bigint; sum: bigint }>(
      statement(
        `select b.balance, (select sum(amount)::bigint from ledger_entry e where e.account_id = b.account_id) as sum
           from account_balance b join account a on a.id = b.account_id where a.name = 'demo'`,
      ),
    );
    expect(row).toEqual({ balance: balanceBefore + price, sum: balanceBefore + price });
  });

  it("is searched by number like a new one", async () => {
    await gateway.runNow("keep-tables");
    const found = await findAll(database.db, { recipient });
    expect(found.map(({ sentMessageId }) => sentMessageId).sort()).toEqual(Object.values(old).sort());
  });
});
