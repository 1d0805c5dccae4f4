// A database of migration 0014, filled as a gateway of then left it, goes on under this program:
// its people and keys get in, its messages are settled and listed, and of their lives the console
// says what was not kept.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/credentials/password.ts";
import { migrate, readMigrations } from "../../src/store/migrate.ts";
import { uuidFloor, uuidv7 } from "../../src/platform/uuid.ts";
import { createEmptyDatabase, statement, type TestDatabase } from "../support/database.ts";
import { makeFormerPartitions } from "../support/former-partitions.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { callGatewayConsole, signInAdministrator, signInAtGateway } from "../support/gateway-console.ts";

/** The last migration before those of the console's pages. */
const formerMigrations = 14;

let database: TestDatabase;
let gateway: TestGateway;

const key = "key-of-the-shop-0001";
const owner = { username: "owner", password: "password-of-the-shop", organisation: "shop.example" };
const recipient = "989121230000";
const old = { waiting: uuidv7(), sent: uuidv7(), delivered: uuidv7(), refused: uuidv7() };
const [price, opening] = [1390n, 100_000n];

const run = (text: string, values: readonly unknown[] = []): Promise<unknown> =>
  database.db.query(statement(text, values));

async function storeConfiguration(): Promise<void> {
  await run("insert into operator (name) values ('MCI')");
  await run("insert into number_prefix select '912', id from operator");
  await run("insert into tariff (name) values ('standard')");
  await run("insert into tariff_price select id, '*', '*', '*', 1390 from tariff");
  await run("insert into sender_line (number, kind) values ('10001234', 'dedicated')");
  await run("insert into account (name, domain, tariff_id) select 'shop', 'shop.example', id from tariff");
  await run("insert into account_line select a.id, l.id from account a, sender_line l");
  const hash = await hashPassword(owner.password);
  await run("insert into account_user (account_id, username, password_hash) select id, 'owner', $1 from account", [
    hash,
  ]);
  const digest = createHash("sha256").update(key).digest("hex");
  await run("insert into api_key (account_id, name, key_sha256) select id, 'main', decode($1, 'hex') from account", [
    digest,
  ]);
  await run(
    `insert into template (id, account_id, content, sender, approved)
     select t.id, a.id, 'Code {code}', '10001234', t.approved from account a, (values ('Old', true), ('Pending', false)) t (id, approved)`,
  );
  const settings = { type: "smpp", host: "127.0.0.1", port: 1, systemId: "hodhod", password: "secret-7", binds: 1 };
  await run("insert into connector (name, settings) values ('smsc-1', $1)", [JSON.stringify(settings)]);
  await run("insert into route (position, operator, line) values (0, '*', '*')");
  await run("insert into route_connector select r.id, 0, c.id from route r, connector c");
}

async function storeMessage(id: string, { status, bits }: { status: number; bits: [number, number] }): Promise<void> {
  await run(
    `insert into message (account_id, id, batch_id, sender, recipient, content, language, operator, encoding, parts, cost, status, route_id,
       priority, valid_until, connector_id, parts_taken, parts_delivered, sent_at, final_at)
     select a.id, $1, $1, '10001234', $2, 'سلام', 'fa', 'MCI', 'ucs2', 1, $3, $4::smallint, r.id, 1, now() + interval '1 hour',
            case when $4::smallint > 0 then c.id end, $5, $6, case when $4::smallint > 0 then now() end,
            case when $4::smallint > 1 then now() end
       from account a, route r, connector c`,
    [id, recipient, price, status, ...bits],
  );
  await run(
    "insert into ledger_entry (account_id, id, kind, amount, messages) select id, $1, 'charge', $2, 1 from account",
    [id, -price],
  );
}

const submission = (id: string, smscId: string): Promise<unknown> =>
  run(
    `insert into submission (submitted_at, connector_id, message_key, account_id, message_id, part, recipient)
     select now(), connector_id, $2, account_id, id, 1, recipient from message where id = $1`,
    [id, smscId],
  );

async function storeTraffic(): Promise<void> {
  const spent = price * BigInt(Object.keys(old).length);
  await run("insert into account_balance (account_id, balance) select id, $1 from account", [opening - spent]);
  await run("insert into ledger_entry (account_id, id, kind, amount) select id, $1, 'opening', $2 from account", [
    uuidFloor(1),
    opening,
  ]);
  await storeMessage(old.waiting, { status: 0, bits: [0, 0] });
  await run(
    `insert into message_queue (route_id, priority, account_id, due_at, message_id, valid_until, parts)
     select route_id, priority, account_id, now(), id, valid_until, parts from message where id = $1`,
    [old.waiting],
  );
  await storeMessage(old.sent, { status: 1, bits: [1, 0] });
  await submission(old.sent, "4711");
  await run(
    `insert into unmatched_receipt (connector_id, smsc_message_id, keys, exact, recipient, verdict, state)
     select id, '4711', array['4711'], true, $1, 'delivered', 'DELIVRD' from connector`,
    [recipient],
  );
  await storeMessage(old.delivered, { status: 2, bits: [1, 1] });
  await submission(old.delivered, "4712");
  // Turned away for now, then taken.
  await storeMessage(old.refused, { status: 2, bits: [1, 1] });
  await submission(old.refused, "4713");
  await run(
    `update message set turned_away = 2, turned_away_by = connector_id, turned_away_answer = 'ESME_RTHROTTLED', turned_away_at = now()
      where id = $1`,
    [old.refused],
  );
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  await migrate(database.db, { migrations: readMigrations().slice(0, formerMigrations) });
  await makeFormerPartitions(database.db);
  await storeConfiguration();
  await storeTraffic();
  gateway = await startTestGateway({ databaseUrl: database.url, smsc: { behaviours: [], receiptDelayMs: 10 } });
});

afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const read = async (path: string, cookie: string): Promise<Readonly<Record<string, unknown>>> => {
  const { status, body } = await callGatewayConsole(gateway, "GET", path, { headers: { cookie } });
  expect(status).toBe(200);
  return body;
};

describe("a database from before the console's pages", () => {
  it("goes on: its key and its approved template send, what waited is sent, and a receipt that came before is applied", async () => {
    for (const id of Object.values(old)) await gateway.untilStatus(id, 2, { key });
    const template = (templateId: string) =>
      gateway.call("POST", "messages/send/template", {
        key,
        body: { recipientNumber: `0${recipient.slice(2)}`, templateId, parameters: [{ name: "code", value: "1" }] },
      });
    const { status, body } = await template("Old");
    expect(status).toBe(200);
    await gateway.untilStatus(body.message?.sentMessageId ?? "", 2, { key });
    expect((await template("Pending")).body).toMatchObject({ errorCode: 1107 });
    expect(await gateway.ledger("shop")).toMatchObject({ refunds: 0, charges: 5 });
  });

  it("lets its owner in, who sees the old messages and what of their lives was not kept", async () => {
    const cookie = await signInAtGateway(gateway, owner);
    const { items } = await read("/messages", cookie);
    const listed = (items as { sentMessageId: string }[]).map(({ sentMessageId }) => sentMessageId);
    expect(listed).toEqual(expect.arrayContaining(Object.values(old)));
    const lost = async (id: string) => (await read(`/messages/${id}`, cookie))["notKept"];
    expect(await lost(old.delivered)).toEqual(["submissions", "receipts"]);
    expect(await lost(old.refused)).toEqual(["submissions", "answers", "receipts"]);
    // Submitted before, its receipt applied since.
    expect(await lost(old.sent)).toContain("submissions");
    expect(await lost(old.waiting)).toEqual([]);
    expect(await read(`/messages/${old.delivered}`, cookie)).toMatchObject({
      ...{ messageStatus: 2, partStates: [{ part: 1, state: "delivered" }] },
    });
  });

  it("shows staff its people, keys, templates and connectors as they were", async () => {
    const cookie = await signInAdministrator(gateway);
    expect(await read("/accounts/shop", cookie)).toMatchObject({
      users: [{ username: "owner", role: "owner", passwordSet: true }],
      apiKeys: [{ name: "main", allowedIps: [] }],
      lowCredit: 0,
    });
    expect((await read("/accounts/shop/api-keys", cookie))["items"]).toEqual([
      expect.not.objectContaining({ expires: expect.anything() as unknown }),
    ]);
    expect((await read("/templates?account=shop", cookie))["items"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: "Old", state: "approved" }),
        expect.objectContaining({ id: "Pending", state: "pending" }),
      ]),
    );
    expect(await read("/connectors/smsc-1", cookie)).toMatchObject({ paused: false });
    expect(await read("/settings", cookie)).toMatchObject({ timeZone: "Asia/Tehran", staffSecondFactor: "optional" });
  });
});
