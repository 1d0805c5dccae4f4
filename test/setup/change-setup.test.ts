// A change of one object in the console, among many accounts: what is read, and what is found all
// the same.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { changeSetup, type SetupEdit } from "../../src/setup/change-setup.ts";
import type { LookedAt } from "../../src/setup/concerned-rows.ts";
import { localizedFault, SetupFaults } from "../../src/setup/fault.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
const by = { who: "staff:test", address: "10.0.0.1" };
const account = (name: string, rest: object = {}) => ({ name, tariff: "standard", ...rest });

beforeAll(async () => {
  database = await createTestDatabase();
  const setup = {
    tariffs: [{ name: "standard", prices: [{ operator: "*", line: "*", language: "*", price: 1 }] }],
    lines: [{ number: "1000", inbound: "two" }, { number: "2000" }],
    accounts: [
      account("one", { domain: "shared.example", users: [{ username: "ali", password: "a-long-password-1" }] }),
      account("two", { users: [{ username: "ali", password: "a-long-password-1" }] }),
      account("far", { lines: ["2000"] }),
      account("away"),
    ],
    templates: [
      { id: "T1", account: "two", content: "text" },
      { id: "T2", account: "far", content: "text" },
    ],
  };
  await applySetup(database.db, { text: JSON.stringify(setup), folder: ".", prune: false, dryRun: false });
});
afterAll(() => database.drop());

interface Seen {
  readonly accounts: readonly string[];
  readonly templates: readonly string[];
}

/** What the change saw of accounts and templates each time it was asked, and its faults. */
async function change(about: LookedAt, edit: SetupEdit): Promise<{ seen: readonly Seen[]; faults: readonly string[] }> {
  const seen: Seen[] = [];
  const work = changeSetup(database.db, {
    by,
    about,
    edit: ({ state: { accounts, templates } }) => {
      seen.push({ accounts: [...accounts.keys()].sort(), templates: [...templates.keys()].sort() });
      return edit;
    },
  });
  try {
    await work;
    return { seen, faults: [] };
  } catch (error) {
    if (!(error instanceof SetupFaults)) throw error;
    return { seen, faults: error.faults.map((fault) => localizedFault(fault).en) };
  }
}

describe("a change in the console", () => {
  it("of an account reads that account, and those that share its logins", async () => {
    const edit = { given: { accounts: [{ name: "one", lowCredit: 5 }] } };
    expect(await change({ accounts: ["one"] }, edit)).toEqual({
      seen: [{ accounts: ["one"], templates: [] }],
      faults: [],
    });
  });

  it("reads anew with what it names besides, such as the account that receives on a line", async () => {
    const edit = { given: { lines: [{ number: "1000", inbound: "away" }] } };
    const { seen, faults } = await change({}, edit);
    expect(faults).toEqual([]);
    expect(seen).toEqual([
      { accounts: [], templates: [] },
      { accounts: ["away"], templates: [] },
    ]);
  });

  it("finds a login that another account has, which nobody named", async () => {
    const edit = { given: { accounts: [{ name: "two", domain: "shared.example" }] } };
    const { faults } = await change({ accounts: ["two"] }, edit);
    expect(faults.join()).toContain("ali");
  });

  it("finds what uses a line or a tariff among all accounts", async () => {
    expect((await change({}, { remove: { section: "tariffs", name: "standard" } })).faults.join()).toMatch(
      /account away, account far|account far, account away/,
    );
    expect((await change({}, { remove: { section: "lines", name: "2000" } })).faults).toEqual([
      expect.stringContaining("is used by account far"),
    ]);
  });

  it("reads of those who use a line or a tariff no more than it names, and says that there are more", async () => {
    await database.db.query(
      statement(
        `insert into account (name, domain, tariff_id)
         select 'many ' || n, 'many-' || n || '.example', (select id from tariff where name = 'standard') from generate_series(1, 30) n`,
      ),
    );
    await database.db.query(
      statement(
        `insert into account_line (account_id, line_id)
         select id, (select id from sender_line where number = '2000') from account where name like 'many %'`,
      ),
    );
    for (const remove of [
      { section: "tariffs", name: "standard" },
      { section: "lines", name: "2000" },
    ] as const) {
      const { seen, faults } = await change({}, { remove });
      expect(seen.at(-1)?.accounts).toHaveLength(11);
      expect(faults.join()).toMatch(/^is used by (account [^,]+, ){10}and more \(/);
    }
  });

  it("finds a template of an account that sends from a line", async () => {
    await database.db.query(statement("update template set sender = '1000' where id = 'T2'"));
    expect((await change({}, { remove: { section: "lines", name: "1000" } })).faults).toEqual([
      expect.stringContaining("is used by template T2 ("),
    ]);
    await database.db.query(statement("update template set sender = null where id = 'T2'"));
  });

  it("tells of a name that is wrong which right one is like it, though that was not read", async () => {
    const { seen, faults } = await change({}, { given: { lines: [{ number: "1000", inbound: "awai" }] } });
    expect(seen.every(({ accounts }) => accounts.length === 0)).toBe(true);
    expect(faults.join()).toContain("away");
  });

  it("that removes an account takes its templates along, and no others", async () => {
    const edit: SetupEdit = { remove: { section: "accounts", name: "two" } };
    const { seen, faults } = await change({ accounts: ["two"], templatesOf: ["two"] }, edit);
    expect({ seen, faults }).toEqual({ seen: [{ accounts: ["two"], templates: ["T1"] }], faults: [] });
    const { seen: after } = await change({ templates: ["T1", "T2"] }, { given: {} });
    expect(after[0]?.templates).toEqual(["T2"]);
  });
});
