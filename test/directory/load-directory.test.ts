// A directory that follows changes, beside one read anew from the same database.
import fc from "fast-check";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadDirectory, type LoadedDirectory } from "../../src/directory/load-directory.ts";
import { buildDirectory } from "./build-directory.ts";
import { type AccountPage, readAccounts, type WholeAccount } from "../../src/store/configured-accounts.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { type Queryable, statementOf, type Transactional } from "../../src/store/database.ts";
import { statement, useTestDatabase } from "../support/database.ts";
import { readable, type Questions } from "./readable.ts";
import { addObject, changeObjects } from "../support/object-sql.ts";

const limits = { maximumParts: 10 };

const names = ["a1", "a2", "a3", "a4"] as const;
const keys = ["k1", "k2", "k3", "k4", "k5"] as const;
const people = ["ali", "sara"] as const;
const numbers = ["1001", "1002", "1003"] as const;
const ported = ["989120000001", "989120000002", "989350000003"] as const;
/** The first is one of `ported`, too; three blocks. */
const lists = ["regulator", "own"] as const;
const imported = ["989120000001", "989120000009", "989350000003", "989999999999"] as const;
const templates = ["T1", "T2", "T3"] as const;
const operators = ["MCI", "Irancell"] as const;
const connectors = ["up", "down"] as const;

const asked: Questions = {
  apiKeys: keys.map((key) => Buffer.from(key).toString("hex")),
  logins: names.flatMap((name) => people.map((username) => [`${name}.Example`, username] as const)),
  userIds: Array.from({ length: 400 }, (_, index) => index + 1),
  lines: [...numbers, "9999"],
  templates,
  ported: [...ported, ...imported],
};

const database = useTestDatabase();
const run = (text: string, values: readonly unknown[] = [], on: Queryable = database.db) =>
  on.query(statement(text, values));

beforeAll(async () => {
  await run(addObject("tariffs", "'cheap'", priced("100")));
  await run(addObject("tariffs", "'dear'", priced("200")));
});
beforeEach(async () => {
  await run("truncate account, template cascade");
  await run("delete from configured_object where section <> 'tariffs'");
  await run("insert into account (name, domain, tariff) select n, n || '.example', 'cheap' from unnest($1::text[]) n", [
    names.slice(0, 2),
  ]);
  await run("insert into account_balance (account_id) select id from account");
  for (const number of numbers) await run(addObject("lines", "$1"), [number]);
  for (const operator of operators) await run(addObject("operators", "$1"), [operator]);
  await raise();
});

const raise = (on?: Queryable) => run("update configuration set version = version + 1", [], on);
const load = (before?: LoadedDirectory) => loadDirectory(database.db, limits, before);

const settings = '{"type": "smpp", "host": "h", "port": 1, "systemId": "s", "password": "p"}';

const put = (section: string, name: string, body: string) =>
  `insert into configured_object (section, name, body) values ('${section}', ${name}, ${body}) on conflict (section, name) do update set body = excluded.body`;
const priced = (price: string) =>
  `json_build_object('prices', json_build_array(json_build_object('operator', '*', 'line', '*', 'language', '*', 'price', ${price})))`;
const drop = (section: string) => `delete from configured_object where section = '${section}' and name = $1`;

/** The numbers as the table has them: blocks with the rest of each number in two octets. */
const blocksOf = (parameter: string) => `(
  select place / 65536 as block,
         string_agg(substring(int4send((place % 65536)::int) from 4 for 1) || substring(int4send((place % 65536)::int) from 3 for 1), '' order by place) as numbers
    from (select number::bigint - 989000000000 as place from unnest(${parameter}::text[]) number) as given group by 1
) as p`;

const oneOf = (values: readonly string[]) => fc.constantFrom(...values);
const account = oneOf(names);

type Change = readonly [text: string, values: readonly unknown[]];
const change = (text: string, ...values: fc.Arbitrary<unknown>[]): fc.Arbitrary<Change> =>
  fc.tuple(...values).map((given) => [text, given] as const);

/** One of each table, of each way to write it, and of what the foreign keys do to others. */
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  change(
    "insert into account (name, domain, tariff, permissions) values ($1, $1 || '.example', 'cheap', $2) on conflict (name) do update set permissions = excluded.permissions",
    account,
    fc.subarray(["send", "status", "balance"]),
  ),
  change(
    "insert into account_balance (account_id, unlimited) select id, $1 from account on conflict (account_id) do update set unlimited = $1",
    fc.boolean(),
  ),
  change(
    "update account set tariff = case tariff when 'cheap' then 'dear' else 'cheap' end, requests_per_second = $2 where name = $1",
    account,
    fc.nat(9),
  ),
  change(
    "update account set blocked_recipients = $2, allowed_ips = $3 where name = $1",
    account,
    fc.subarray([...ported]),
    fc.subarray(["10.0.0.1"]),
  ),
  change("update account set domain = lower(domain) || $1", oneOf(["", "x"])),
  change("update account set low_credit = low_credit + 1"),
  change("delete from account where name = $1", account),
  change("update account set lines = $2 where name = $1", account, fc.subarray([...numbers])),
  change(
    "insert into person (account_id, username, password_hash, role) select id, $2, 'hash', 'owner' from account where name = $1 on conflict do nothing",
    account,
    oneOf(people),
  ),
  change(
    "update person set enabled = not enabled, password_version = password_version + 1 where username = $1",
    oneOf(people),
  ),
  change("update person set factor_step = factor_step + 1"),
  change("delete from person where username = $1", oneOf(people)),
  change(
    "insert into api_key (account_id, name, key_sha256) select id, $2, convert_to($2, 'UTF8') from account where name = $1 on conflict do nothing",
    account,
    oneOf(keys),
  ),
  change(
    "update api_key set account_id = a.id from account a where a.name = $1 and api_key.name = $2",
    account,
    oneOf(keys),
  ),
  change("update api_key set expires_at = timestamptz '2030-01-01', last_used_at = now() where name = $1", oneOf(keys)),
  change("update api_key set last_used_at = now()"),
  change("delete from api_key where name = $1", oneOf(keys)),
  change(
    "insert into template (id, account_id, content) select $2, id, 'text' from account where name = $1 on conflict (id) do update set account_id = excluded.account_id",
    account,
    oneOf(templates),
  ),
  change("update template set approved = not approved where id = $1", oneOf(templates)),
  change("delete from template where id = $1", oneOf(templates)),
  change(changeObjects("lines", "json_build_object('inbound', $1::text)", "$2"), account, oneOf(numbers)),
  change(put("lines", "$1", "json_build_object('kind', $2::text)"), oneOf(numbers), oneOf(["service", "advertising"])),
  change(drop("lines"), oneOf(numbers)),
  change(put("connectors", "$1", `'${settings}'`), oneOf(connectors)),
  change(
    changeObjects("connectors", "json_build_object('enabled', $2::boolean)", "$1"),
    oneOf(connectors),
    fc.boolean(),
  ),
  change(drop("connectors"), oneOf(connectors)),
  change(
    "insert into removed_connector (connector_id, settings) select coalesce(max(connector_id), 0) + 1000, $1::jsonb from removed_connector",
    fc.constant(settings),
  ),
  change(
    changeObjects("lines", "json_build_object('connectors', $2::text[])", "$1"),
    oneOf(numbers),
    fc.subarray([...connectors]),
  ),
  change(
    put("routes", "$1", "json_build_object('operator', $1::text, 'connectors', $2::text[])"),
    oneOf(operators),
    fc.subarray([...connectors]),
  ),
  change(
    "update configured_object set position = position + 1 where section = 'routes' and name = $1",
    oneOf(operators),
  ),
  change(changeObjects("operators", "json_build_object('enabled', $2::boolean)", "$1"), oneOf(operators), fc.boolean()),
  change(changeObjects("operators", `'{"prefixes": ["912"]}'`, "$1"), oneOf(operators)),
  change(drop("operators"), oneOf(operators)),
  change(
    "insert into ported_number select $1, id from configured_object where name = $2 and section = 'operators' on conflict (number) do update set operator_id = excluded.operator_id",
    oneOf(ported),
    oneOf(operators),
  ),
  change("delete from ported_number where number = $1", oneOf(ported)),
  change("truncate ported_number"),
  change(
    `insert into ported_block select p.block, o.id, p.numbers from configured_object o, ${blocksOf("$2")} where o.section = 'operators' and o.name = $1
       on conflict (block, operator_id) do update set numbers = excluded.numbers`,
    oneOf(operators),
    fc.subarray([...imported]),
  ),
  change(`delete from ported_block where block = ($1::bigint - 989000000000) / 65536`, oneOf(imported)),
  change("truncate ported_block"),
  change("insert into block_list (name) values ($1) on conflict do nothing", oneOf(lists)),
  change(
    `insert into listed_block select p.block, l.id, p.numbers from block_list l, ${blocksOf("$2")} where l.name = $1
       on conflict (block, list_id) do update set numbers = excluded.numbers`,
    oneOf(lists),
    fc.subarray([...imported]),
  ),
  change(`delete from listed_block where block = ($1::bigint - 989000000000) / 65536`, oneOf(imported)),
  change("delete from block_list where name = $1", oneOf(lists)),
  change("truncate listed_block"),
  change(changeObjects("tariffs", priced("$1::int"), "'cheap'"), fc.nat(9)),
  change("insert into token_key (secret) values ('secret')"),
  change(
    put("settings", "'settings'", "json_build_object('service', $1::text, 'retentionDays', $2::int)"),
    oneOf(numbers),
    fc.integer({ min: 1, max: 9 }),
  ),
);

interface Step {
  /** In one transaction. */
  readonly changes: readonly Change[];
  /** Loads itself after this step. */
  readonly otherFollows: boolean;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ changes: fc.array(anyChange, { minLength: 1, maxLength: 3 }), otherFollows: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

/** False: a foreign key or a unique index refused it, so it changed nothing. */
const apply = ({ changes }: Step): Promise<boolean> =>
  database.db
    .transaction(async (tx) => {
      for (const [text, values] of changes) await run(text, values, tx);
      await raise(tx);
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof pg.DatabaseError && error.code?.startsWith("23") === true) return false;
      throw error;
    });

describe("a directory that follows its changes", () => {
  it(
    "equals one read anew, after any changes, on nodes that load at different times",
    { timeout: 300_000 },
    async () => {
      let one = await load();
      let other = await load();
      let applied = 0;
      const property = fc.asyncProperty(steps, async (given) => {
        for (const step of given) {
          if (await apply(step)) applied += 1;
          one = await load(one);
          expect(readable(one.directory, asked)).toEqual(readable((await load()).directory, asked));
          if (step.otherFollows) other = await load(other);
        }
        other = await load(other);
        expect(readable(other.directory, asked)).toEqual(readable(one.directory, asked));
      });
      await fc.assert(property, { numRuns: 30, endOnFailure: true });
      expect(applied).toBeGreaterThan(100);
    },
  );
});

/** Told of each statement that a load makes; accounts come as one row of many. */
function listening(
  told: (name: string, rows: number, accounts?: readonly WholeAccount[]) => void,
): Pick<Transactional, "transaction"> {
  const wrap = (tx: Queryable): Queryable => ({
    query: async (...asked) => {
      const rows = await tx.query<never>(...asked);
      const { name } = statementOf(asked);
      const isOfAccounts = name === "listAccountPage" || name === "listAccountsById";
      const pages = isOfAccounts ? (rows as (AccountPage | { last: null })[]) : [];
      const accounts = pages.flatMap((page) => (page.last === null ? [] : readAccounts(page)));
      if (isOfAccounts) told(name, accounts.length, accounts);
      else told(name, rows.length);
      return rows;
    },
  });
  return { transaction: (work) => database.db.transaction((tx) => work(wrap(tx))) };
}

interface Read {
  readonly name: string;
  readonly rows: number;
}

async function loadNoting(
  before?: LoadedDirectory,
): Promise<{ readonly loaded: LoadedDirectory; readonly reads: readonly Read[] }> {
  const reads: Read[] = [];
  const loaded = await loadDirectory(
    listening((name, rows) => reads.push({ name, rows })),
    limits,
    before,
  );
  return { loaded, reads };
}

const rowsOf = (reads: readonly Read[], name: string): number =>
  reads.reduce((sum, read) => sum + (read.name === name ? read.rows : 0), 0);

const manyAccounts = (count: number) =>
  run(
    "insert into account (name, domain, tariff) select 'n' || n, 'many.example', 'cheap' from generate_series(1, $1) n",
    [count],
  );

const change1 = (on?: Queryable) =>
  run("update account set requests_per_second = requests_per_second + 1 where name = 'a1'", [], on);

async function expectAsAnew(loaded: LoadedDirectory): Promise<void> {
  expect(readable(loaded.directory, asked)).toEqual(readable((await load()).directory, asked));
}

describe("what a load reads", () => {
  it("is the same, page by page and of single accounts, as that of all rows at once", async () => {
    // Which are not among these rows.
    await run("truncate block_list, ported_block, removed_connector cascade");
    const before = await load();
    await run(`update account set domain = E'D"\\\\ü\\U0001F600, {x}', permissions = '{send,status}', requests_per_second = 2.5, allowed_ips = '{10.0.0.1,::1}',
                      blocked_recipients = '{989120000001,989120000002}', low_credit = 9007199254740993, duplicate_seconds = 3,
                      daily_messages = 4, monthly_cost = 9007199254740995 where name = 'a1'`);
    await run(
      "update account_balance set unlimited = true where account_id = (select id from account where name = 'a1')",
    );
    await run(
      "update account set lines = (select array_agg(name order by name desc) from configured_object where section = 'lines') where name = 'a1'",
    );
    await run(`insert into api_key (account_id, name, key_sha256, allowed_ips, expires_at)
               select id, k, convert_to(k, 'UTF8'), string_to_array(given.ips, ','), given.at from account,
                      (values ('k2', '10.0.0.2,10.0.0.3', timestamptz '2030-01-01 00:00:00.123999Z'), ('k1', '', null)) as given (k, ips, at)
                where account.name = 'a1'`);
    await run(
      `insert into person (account_id, username, password_hash, role, enabled)
               select id, u, 'hash', 'owner', u <> 'sara' from account, unnest($1::text[]) u where account.name = 'a1'`,
      [people],
    );
    await run(`insert into template (id, account_id, content, sender, approved, valid_seconds, purpose)
               select 'T1', id, E'a "quoted"\\nline, \\\\ \\x07 \\u2028 \\u200c سلام \\U0001F600 \\\\u0041 {"a": [null]}', '1001', true, 60, 'information' from account where name = 'a1'`);
    await run(
      "insert into wanted_events (account_id, by_endpoints, by_reader) select id, 5, 2 from account where name = 'a1'",
    );
    await raise();
    const rows = await database.db.transaction((tx) => loadConfiguration(tx));
    const expected = readable(buildDirectory(rows, limits), asked);
    expect(readable((await load(before)).directory, asked)).toEqual(expected);
    expect(readable((await load()).directory, asked)).toEqual(expected);
  });

  it("is everything after a change of more than 5,000 rows", async () => {
    const before = await load();
    await manyAccounts(5001);
    await raise();
    const { loaded, reads } = await loadNoting(before);
    expect(rowsOf(reads, "listAccountPage")).toBe(5003);
    await run("delete from account where name like 'n%'");
    await raise();
    await expectAsAnew(await load(loaded));
  });

  it("is everything for a node that is more than a thousand versions behind", async () => {
    const before = await load();
    await change1();
    // A transaction each, as `raise` makes them, without a thousand ways to the server.
    await run(
      "do $$ begin for round in 1..1000 loop update configuration set version = version + 1; commit; end loop; end $$",
    );
    const { loaded, reads } = await loadNoting(before);
    expect(rowsOf(reads, "listAccountPage")).toBe(2);
    expect(await run("select from configuration_step")).toHaveLength(1000);
    const kept = await run("select c.version - v.version as age from configuration_change c, configuration v");
    // What nobody reads any more is gone: that of the version that the node has.
    expect(kept).toEqual([{ age: -999n }]);
    await expectAsAnew(loaded);
  });

  it("is everything after the version went back, also when it is as high as before", async () => {
    const before = await load();
    await change1();
    await run("update configuration set version = version - 1");
    await raise();
    const { loaded, reads } = await loadNoting(before);
    expect(loaded.directory.version).toBe(before.directory.version);
    expect(loaded.mark).not.toBe(before.mark);
    expect(rowsOf(reads, "listAccountPage")).toBe(2);
    await expectAsAnew(loaded);
  });

  it("is everything after the version went back and is still below, whatever changed there", async () => {
    const before = await load();
    await run("update configuration set version = version - 2");
    await change1();
    await raise();
    const { loaded, reads } = await loadNoting(before);
    expect(rowsOf(reads, "listAccountPage")).toBe(2);
    await expectAsAnew(loaded);
  });
});

describe("what a node would miss", () => {
  const toAnother = "set account_id = (select id from account where name = 'a2')";
  it.each([
    [
      "a truncated table",
      "insert into ported_number select '989120000001', id from configured_object where name = 'MCI'",
      "truncate ported_number",
    ],
    [
      "truncated blocks",
      `insert into ported_block select p.block, o.id, p.numbers from configured_object o, ${blocksOf("array['989120000001']")} where o.name = 'MCI'`,
      "truncate ported_block",
    ],
    [
      "a block that gets another number",
      `insert into ported_block select p.block, o.id, p.numbers from configured_object o, ${blocksOf("array['989120000001']")} where o.name = 'MCI'`,
      `update ported_block b set numbers = p.numbers from ${blocksOf("array['989120000001', '989120000009']")} where b.block = p.block`,
    ],
    [
      "truncated lists",
      `with l as (insert into block_list (name) values ('own') on conflict (name) do update set updated_at = now() returning id)
       insert into listed_block select p.block, l.id, p.numbers from l, ${blocksOf("array['989120000001']")}
       on conflict (block, list_id) do update set numbers = excluded.numbers`,
      "truncate listed_block",
    ],
    [
      "a list that is deleted",
      `with l as (insert into block_list (name) values ('own') on conflict (name) do update set updated_at = now() returning id)
       insert into listed_block select p.block, l.id, p.numbers from l, ${blocksOf("array['989120000001']")}
       on conflict (block, list_id) do update set numbers = excluded.numbers`,
      "delete from block_list",
    ],
    [
      "a template that leaves its account",
      "insert into template (id, account_id, content) select 'T1', id, 'text' from account where name = 'a1'",
      `update template ${toAnother}`,
    ],
  ])("is noted: %s", async (_, prepare, text) => {
    await run(prepare);
    await raise();
    const before = await load();
    const shown = readable(before.directory, asked);
    await run(text);
    await raise();
    const { loaded, reads } = await loadNoting(before);
    expect(reads.map(({ name }) => name)).not.toContain("listAccountPage");
    expect({ ...readable(loaded.directory, asked), version: 0 }).not.toEqual({ ...shown, version: 0 });
    await expectAsAnew(loaded);
  });
});

describe("changes that meet", () => {
  it("a load sees none that is committed while it reads, and the next one sees it", async () => {
    const before = await load();
    await change1();
    await raise();
    let done = Promise.resolve<unknown>(undefined);
    const during = await loadDirectory(
      listening((name) => {
        if (name === "findConfigurationMark") done = run("delete from account where name = 'a2'").then(() => raise());
      }),
      limits,
      before,
    );
    await done;
    expect(during.directory.findAccount("a2")).toBeDefined();
    const after = await load(during);
    expect(after.directory.findAccount("a2")).toBeUndefined();
    await expectAsAnew(after);
  });

  it("two writers at once get a version each, and a node between them misses neither", async () => {
    const before = await load();
    let second: Promise<unknown> = Promise.resolve();
    let isWaiting = true;
    await database.db.transaction(async (tx) => {
      await change1(tx);
      second = database.db.transaction(async (other) => {
        await run("update account set requests_per_second = 7 where name = 'a2'", [], other);
        isWaiting = false;
        await raise(other);
      });
      await run("select pg_sleep(0.2)", [], tx);
      expect(isWaiting).toBe(true);
      await raise(tx);
    });
    const between = await load(before);
    await second;
    await expectAsAnew(await load(between));
  });

  it("notes once for each version that the network changed", async () => {
    const noted = () => run("select from configuration_change where kind = 'network'");
    const before = (await noted()).length;
    for (let round = 0; round < 3; round += 1) await run("update configured_object set position = position + 1");
    expect(await noted()).toHaveLength(before + 1);
    await raise();
    await run("update configured_object set position = position + 1");
    expect(await noted()).toHaveLength(before + 2);
  });

  it("notes nothing for what nodes do not read", async () => {
    await run(
      "insert into api_key (account_id, name, key_sha256) select id, 'k1', 'k1' from account where name = 'a1'",
    );
    await raise();
    const noted = () => run("select from configuration_change");
    const before = await noted();
    await run("update api_key set last_used_at = now(), last_four = '1234'");
    await run("update account_balance set balance = balance + 5");
    await run("update account_balance set unlimited = unlimited");
    await run("update person set factor_tries = 7");
    expect(await noted()).toHaveLength(before.length);
  });
});
