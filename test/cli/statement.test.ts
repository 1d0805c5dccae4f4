import { beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod } from "./run-hodhod.ts";
import { applyDocument } from "../support/apply-document.ts";

interface StatementJson {
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly balance: number;
  readonly entries: readonly { readonly amount: number; readonly balance: number; readonly at: string }[];
}

const database = useTestDatabase();
let env: Record<string, string>;
beforeAll(async () => {
  env = { DATABASE_URL: database.url };
  const text = JSON.stringify({
    tariffs: [{ name: "t", prices: [{ price: 1 }] }],
    accounts: [{ name: "demo", tariff: "t", credit: 10_000 }],
  });
  await applyDocument(database.db, text);
  // More than one page of the statement.
  await database.db.query({
    name: "chargeOften",
    text: `with given as (select a.id as account_id, n, uuidv7_like.id from account a, generate_series(1, 2500) as n,
             lateral (select overlay(overlay(gen_random_uuid()::text placing '01a1fa74-09f6-7' from 1 for 15) placing lpad(n::text, 4, '0') from 33) as id) as uuidv7_like),
           entry as (insert into ledger_entry (account_id, id, kind, amount, messages) select account_id, id::uuid, 'charge', -2, 1 from given)
           update account_balance set balance = balance - 5000 where account_id = (select min(account_id) from given)`,
    values: [],
  });
});

describe("hodhod statement", () => {
  it("adds up to the balance, over many pages", async () => {
    const { code, stdout } = await hodhod(["statement", "demo", "--json"], { env });
    expect(code).toBe(0);
    const statement = JSON.parse(stdout) as StatementJson;
    expect(statement).toMatchObject({ account: "demo", currency: "IRR", openingBalance: 0, unlimited: false });
    expect(statement.entries).toHaveLength(2501);
    const sum = statement.entries.reduce((total, { amount }) => total + amount, statement.openingBalance);
    expect([sum, statement.closingBalance, statement.entries[0]?.balance]).toEqual([5000, 5000, 5000]);
    expect(statement.balance).toBe(5000);
  });

  it("is a table for people", async () => {
    const lines = (await hodhod(["statement", "demo"], { env })).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2501 + 3);
    expect(lines[0]).toBe("Statement of demo, in rials. Closing balance: 5,000");
    expect(
      lines.filter((line) => /charge\s+-2\s+[\d,-]+\s+1 message, batch 01a1fa74-09f6-7[-0-9a-f]{21}$/.test(line)),
    ).toHaveLength(2500);
    expect(lines.some((line) => /opening\s+\+10,000/.test(line))).toBe(true);
    expect(lines.at(-1)).toBe("Opening balance: 0. Balance now: 5,000");
  });

  it("of a time ends with what was before", async () => {
    const until = await hodhod(["statement", "demo", "--to", "2000-01-01", "--json"], { env });
    expect(JSON.parse(until.stdout)).toMatchObject({
      openingBalance: 0,
      closingBalance: 0,
      entries: [],
      balance: 5000,
    });
    const since = await hodhod(["statement", "demo", "--from", "2100-01-01T00:00+03:30", "--json"], { env });
    expect(JSON.parse(since.stdout)).toMatchObject({ openingBalance: 5000, closingBalance: 5000, entries: [] });
  });

  it("of a time that ends before it begins is refused, instead of an empty statement", async () => {
    const period = ["--from", "2026-12-01", "--to", "2026-11-01"];
    expect(await hodhod(["statement", "demo", ...period], { env })).toEqual({
      code: 2,
      stdout: "",
      stderr: "hodhod: --to must be later than --from\n",
    });
  });
});
