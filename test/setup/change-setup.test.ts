// A change of one object in the console, among many accounts: what is read, and what is found all
// the same.
import { beforeAll, describe, expect, it } from "vitest";
import { changeSetup, type SetupEdit } from "../../src/setup/change-setup.ts";
import type { LookedAt } from "../../src/setup/configured-object.ts";
import { localizedFault, SetupFaults } from "../../src/setup/fault.ts";
import { useTestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

const database = useTestDatabase();
const by = { who: "staff:test", address: "10.0.0.1" };
const account = (name: string, rest: object = {}) => ({ name, tariff: "standard", ...rest });

beforeAll(async () => {
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
  await applyDocument(database.db, setup);
});

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

  it("finds a template of an account that sends from a line", async () => {
    await database.rows("update template set sender = '1000' where id = 'T2'");
    expect((await change({}, { remove: { section: "lines", name: "1000" } })).faults).toEqual([
      expect.stringContaining("is used by template T2 ("),
    ]);
    await database.rows("update template set sender = null where id = 'T2'");
  });

  it("that removes an account takes its templates along, and no others", async () => {
    const edit: SetupEdit = { remove: { section: "accounts", name: "two" } };
    const { seen, faults } = await change({ accounts: ["two"] }, edit);
    expect({ seen, faults }).toEqual({ seen: [{ accounts: ["two"], templates: ["T1"] }], faults: [] });
    const { seen: after } = await change({ templates: ["T1", "T2"] }, { given: {} });
    expect(after[0]?.templates).toEqual(["T2"]);
  });
});
