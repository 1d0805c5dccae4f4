// References that triggers look up, beside foreign keys in their place: a database with the
// triggers and one with the foreign keys refuse and remove the same.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const references = [
  ["account", "tariff_id", "tariff", "no action"],
  ["account_balance", "account_id", "account", "cascade"],
  ["account_line", "account_id", "account", "cascade"],
  ["account_line", "line_id", "sender_line", "cascade"],
  ["api_key", "account_id", "account", "cascade"],
] as const;

/** Puts foreign keys in the place of the triggers. */
async function useForeignKeys(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; of: string }>(
    `select tgname as name, tgrelid::regclass::text as of from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where proname in ('expect_referred', 'keep_references')`,
  );
  expect(rows).toHaveLength(5 * references.length);
  for (const { name, of } of rows) await client.query(`drop trigger ${name} on ${of}`);
  for (const [from, column, to, fate] of references)
    await client.query(
      `alter table ${from} add constraint ${from}_${column}_fkey foreign key (${column}) references ${to} on delete ${fate}`,
    );
}

const counted = ["tariff", "account", "account_balance", "account_line", "sender_line", "api_key"] as const;

interface Outcome {
  readonly error?: object;
  readonly rows: readonly unknown[];
}

const databases: TestDatabase[] = [];
const clients: pg.Client[] = [];
let former: pg.Client;
let now: pg.Client;
let beside: pg.Client;

beforeAll(async () => {
  for (const isFormer of [true, false]) {
    const database = await createTestDatabase();
    databases.push(database);
    const client = await connect(database);
    if (isFormer) await useForeignKeys(client);
    await fill(client);
  }
  [former, now] = clients as [pg.Client, pg.Client];
  beside = await connect(databases[1] as TestDatabase);
});
afterAll(async () => {
  for (const client of clients) await client.end();
  for (const database of databases) await database.drop();
});
beforeEach(async () => {
  await beside.query("rollback");
  for (const client of [former, now]) {
    // To truncate them takes four times as long, for all that refers to them is truncated, too.
    await client.query("begin; delete from account; delete from sender_line; delete from tariff; commit");
    await fill(client);
  }
});

async function connect({ url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

/** Accounts 1 to 3 with everything; account 4 with nothing; tariff 2, line 2 that nobody uses. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(`
insert into tariff (id, name) overriding system value select n, 't' || n from generate_series(1, 2) n;
insert into account (id, name, domain, tariff_id) overriding system value select n, 'a' || n, 'd', 1 from generate_series(1, 4) n;
insert into sender_line (id, number, kind) overriding system value select n, '100' || n, 'dedicated' from generate_series(1, 2) n;
insert into account_balance (account_id, balance) select n, 5 from generate_series(1, 3) n;
insert into account_line select n, 1 from generate_series(1, 3) n;
insert into api_key (id, account_id, name, key_sha256) overriding system value
select n, n, 'k', decode(md5(n::text), 'hex') from generate_series(1, 3) n;
${["tariff", "account", "sender_line", "api_key"].map((table) => `alter table ${table} alter id restart with 100`).join("; ")}`);
}

async function outcomeOf(client: pg.Client, text: string): Promise<Outcome> {
  let refused: object | undefined;
  try {
    await client.query(text);
  } catch (error) {
    const { code, table, constraint, message, detail } = error as pg.DatabaseError;
    refused = { code, table, constraint, message, detail };
    await client.query("rollback");
  }
  const select = counted.map(
    (table) => `(select json_agg(to_jsonb(t) - 'created_at' order by t) from ${table} t) as ${table}`,
  );
  const { rows } = await client.query<object>(`select ${select.join(", ")}`);
  return { ...(refused && { error: refused }), rows };
}

const refusedAlike: readonly (readonly [title: string, text: string])[] = [
  ["a new account of no tariff", "insert into account (name, domain, tariff_id) values ('x', 'd', 9)"],
  [
    "some new accounts of no tariff",
    "insert into account (name, domain, tariff_id) values ('x', 'd', 1), ('y', 'd', 9)",
  ],
  ["an account that changes to no tariff", "update account set tariff_id = case id when 2 then 9 else 2 end"],
  ["a balance of no account", "insert into account_balance (account_id) values (4), (9)"],
  ["a balance that changes to no account", "update account_balance set account_id = 9 where account_id = 2"],
  ["a line of no account", "insert into account_line values (9, 1)"],
  ["a line that is none", "insert into account_line values (4, 1), (4, 9)"],
  ["a line that changes to none", "update account_line set line_id = 9 where account_id = 2"],
  ["a line that changes to no account", "update account_line set account_id = 9 where account_id = 2"],
  ["a key of no account", "insert into api_key (account_id, name, key_sha256) values (4, 'x', 'x'), (9, 'y', 'y')"],
  ["a key that changes to no account", "update api_key set account_id = 9 where account_id = 2"],
  ["the removal of a tariff in use", "delete from tariff"],
  ["another id of a tariff in use", "update tariff set id = default where id = 1"],
  ["another id of a line in use", "update sender_line set id = default where id = 1"],
  [
    "another id of an account with a balance",
    "begin; delete from account_line; delete from api_key; update account set id = default where id = 1",
  ],
  [
    "another id of an account with a line",
    "begin; delete from account_balance; delete from api_key; update account set id = default where id = 1",
  ],
  [
    "another id of an account with a key",
    "begin; delete from account_line; delete from account_balance; update account set id = default where id = 1",
  ],
  [
    "an account without its tariff, in one transaction",
    "begin; delete from account where id = 9; delete from tariff; commit",
  ],
  [
    "copied rows of no account",
    "do $$ begin insert into account_line select id, 1 from generate_series(4, 5) id; end $$",
  ],
];

const doneAlike: readonly (readonly [title: string, text: string])[] = [
  [
    "a new account with all it has",
    `with made as (insert into account (name, domain, tariff_id) values ('x', 'd', 2) returning name)
    insert into account_line select 4, 2 from made`,
  ],
  [
    "rows of an account of the same transaction",
    `begin;
    insert into account (id, name, domain, tariff_id) overriding system value values (7, 'x', 'd', 1);
    insert into account_balance (account_id) values (7), (4); insert into account_line values (7, 1);
    insert into api_key (account_id, name, key_sha256) values (7, 'x', 'x'); commit`,
  ],
  ["another tariff for all accounts", "update account set tariff_id = 2"],
  ["the same tariff for all accounts", "update account set tariff_id = tariff_id, domain = 'e'"],
  [
    "another account of a key, a line and a balance",
    `update api_key set account_id = 4 where account_id = 2;
    update account_line set account_id = 4 where account_id = 2; update account_balance set account_id = 4 where account_id = 2`,
  ],
  ["a charge", "update account_balance set balance = balance - 1"],
  ["a tariff that nobody uses", "delete from tariff where id = 2"],
  [
    "another id of what nobody refers to",
    "update account set id = default where id = 4; update sender_line set id = default where id = 2",
  ],
  ["accounts with all they have", "delete from account where id in (1, 3, 4)"],
  ["no account", "delete from account where id = 9"],
  ["a line", "delete from sender_line where id = 1"],
  ["accounts, and then their tariff", "begin; delete from account; delete from tariff; commit"],
  ["a tariff with all its accounts", "with gone as (delete from account) delete from tariff"],
  ["accounts by truncating", "truncate account cascade"],
  ["tariffs by truncating", "truncate tariff cascade"],
  ["lines by truncating", "truncate sender_line cascade"],
];

describe("refuses", () => {
  it.each(refusedAlike)("%s", async (_, text) => {
    const before = await outcomeOf(former, text);
    expect(before.error).toMatchObject({ code: "23503" });
    expect(await outcomeOf(now, text)).toEqual(before);
  });

  it("a truncation without what refers to it", async () => {
    for (const table of ["account", "tariff", "sender_line"]) {
      const outcomes = [await outcomeOf(former, `truncate ${table}`), await outcomeOf(now, `truncate ${table}`)];
      for (const { error } of outcomes) expect(error).toMatchObject({ code: "0A000" });
      expect(outcomes[1]?.rows).toEqual(outcomes[0]?.rows);
    }
  });

  it("a removal that cannot see what others have committed", async () => {
    for (const level of ["repeatable read", "serializable"])
      for (const table of ["account", "tariff", "sender_line"]) {
        const { error } = await outcomeOf(now, `begin isolation level ${level}; delete from ${table}; commit`);
        expect(error).toMatchObject({ code: "0A000", message: expect.stringContaining("READ COMMITTED") as string });
      }
  });
});

describe("does", () => {
  it.each(doneAlike)("%s", async (_, text) => {
    const before = await outcomeOf(former, text);
    expect(before.error).toBeUndefined();
    const after = await outcomeOf(now, text);
    // Ids that the database gives go on from where they were.
    expect(withoutGiven(after)).toEqual(withoutGiven(before));
  });

  it("notes the accounts whose rows go with a removed one once, not one by one", async () => {
    await now.query("update configuration set version = version + 1; delete from account where id < 4");
    const { rows } = await now.query<{ kind: string; keys: string[] }>(
      "select kind, keys from configuration_change where version > (select version from configuration)",
    );
    expect(rows).toHaveLength(4);
    for (const { kind, keys } of rows) expect([kind, keys.toSorted()]).toEqual(["account", ["1", "2", "3"]]);
  });
});

function withoutGiven(outcome: Outcome): unknown {
  return JSON.parse(JSON.stringify(outcome).replaceAll(/"id":\d+,?/g, ""));
}

const children = [
  ["account", "delete from account where id = 4", "insert into account_balance (account_id) values (4)"],
  ["account", "delete from account where id = 4", "insert into account_line values (4, 1)"],
  [
    "account",
    "delete from account where id = 4",
    "insert into api_key (account_id, name, key_sha256) values (4, 'x', 'x')",
  ],
  ["sender_line", "delete from sender_line where id = 2", "insert into account_line values (4, 2)"],
  ["tariff", "delete from tariff where id = 2", "insert into account (name, domain, tariff_id) values ('x', 'd', 2)"],
  ["tariff", "delete from tariff where id = 2", "update account set tariff_id = 2"],
] as const;

// What notes changes of the configuration would let one wait for the other by itself.
describe("beside another session, without the lock of the configuration", () => {
  beforeAll(async () => {
    for (const client of [now, beside]) await client.query("set hodhod.restoring = 'on'");
  });

  it.each(children)("of %s: %s waits for and sees: %s", async (_, remove, refer) => {
    await beside.query("begin");
    await beside.query(refer);
    const removing = outcomeOf(now, remove);
    await untilWaiting();
    await beside.query("commit");
    const { error } = await removing;
    if (remove.includes("tariff")) expect(error).toMatchObject({ code: "23503" });
    else expect(error).toBeUndefined();
    expect(await lostReferences()).toBe(0);
  });

  it.each(children)("of %s: after %s is refused: %s", async (_, remove, refer) => {
    await beside.query("begin");
    await beside.query(remove);
    const referring = outcomeOf(now, refer);
    await untilWaiting();
    await beside.query("commit");
    expect((await referring).error).toMatchObject({ code: "23503" });
    expect(await lostReferences()).toBe(0);
  });

  it("of accounts: a change of another column makes nobody wait", async () => {
    await beside.query("begin");
    await beside.query("update account set domain = 'other' where id = 4");
    expect((await outcomeOf(now, "insert into account_line values (4, 1)")).error).toBeUndefined();
    await beside.query("commit");
    await now.query("begin");
    await now.query("select from account");
    await beside.query("update account set domain = 'third' where id = 4");
    expect((await outcomeOf(now, "insert into account_balance (account_id) values (4); commit")).error).toBeUndefined();
  });
});

async function untilWaiting(): Promise<void> {
  for (;;) {
    const { rows } = await beside.query<{ waits: boolean }>(
      "select exists (select from pg_locks where not granted and pid <> pg_backend_pid()) as waits",
    );
    if (rows[0]?.waits === true) return;
  }
}

async function lostReferences(): Promise<number> {
  const { rows } = await now.query<{ lost: number }>(`
select (select count(*) from account where tariff_id not in (select id from tariff))::int
     + (select count(*) from account_balance where account_id not in (select id from account))::int
     + (select count(*) from account_line where account_id not in (select id from account) or line_id not in (select id from sender_line))::int
     + (select count(*) from api_key where account_id not in (select id from account))::int as lost`);
  return rows[0]?.lost ?? -1;
}
