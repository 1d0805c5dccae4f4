// Money under load: whatever is booked at the same time, the entries of an account add up to its
// balance.
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  bookCredit,
  findAccountByName,
  findBalance,
  listStatement,
  type StatementEntry,
} from "../../src/store/ledger.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { isIdOfNow } from "../support/wrong-clock.ts";
import { applyDocument } from "../support/apply-document.ts";

let database: TestDatabase;
let accountId: number;

beforeEach(async () => {
  // Hundreds of bookings wait for their turn at once, for long on a slow machine.
  database = await createTestDatabase({ poolSize: 10, connectTimeoutMs: 60_000 });
  const text = JSON.stringify({
    tariffs: [{ name: "t", prices: [{ price: 1 }] }],
    accounts: [
      { name: "demo", tariff: "t", credit: 1000 },
      { name: "free", tariff: "t", credit: "unlimited" },
    ],
  });
  await applyDocument(database.db, text);
  accountId = (await findAccountByName(database.db, "demo"))?.id ?? 0;
});
afterEach(() => database.drop());

function book(amount: bigint, reference: string, id = accountId) {
  const credit = { accountId: id, amount, reference, entryId: uuidv7() };
  return database.db.transaction((tx) => bookCredit(tx, credit));
}

const statementOf = (asked: Parameters<typeof listStatement>[1]): ReturnType<typeof listStatement> =>
  database.db.transaction((tx) => listStatement(tx, asked));

async function allEntries(pageSize: number): Promise<StatementEntry[]> {
  const entries: StatementEntry[] = [];
  for (let before: string | undefined; ;) {
    const page = await statementOf({
      accountId,
      limit: pageSize,
      ...(before !== undefined && { before }),
    });
    if (page === undefined) throw new Error("no statement");
    const last = entries.at(-1);
    if (last !== undefined) expect(page.closingBalance).toBe(last.balance - last.amount);
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
    before = page.next;
  }
}

describe("a credit", () => {
  it("is entered in the present week also by a command on a machine whose clock is a year behind", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 400 * 24 * 3_600_000 });
    await book(500n, "behind");
    const text = JSON.stringify({ accounts: [{ name: "late", tariff: "t", credit: 700 }] });
    await applyDocument(database.db, text);
    const entries = await database.rows<{ id: string }>("select id from ledger_entry where amount in (500, 700)");
    expect(await Promise.all(entries.map(({ id }) => isIdOfNow(database.db, id)))).toEqual([true, true]);
    const references = await database.rows<{ id: string }>("select entry_id as id from credit_reference");
    expect(entries).toEqual(expect.arrayContaining(references));
  });

  it("may have the reference of another account's", async () => {
    await book(500n, "invoice");
    const free = await findAccountByName(database.db, "free");
    expect(await book(7n, "invoice", free?.id)).toEqual({ kind: "booked", balance: 7n });
  });

  it("case 53: taken back by many at once never goes below zero", async () => {
    const results = await Promise.all(Array.from({ length: 30 }, (_, n) => book(-90n, `back-${n}`)));
    expect(results.filter(({ kind }) => kind === "booked")).toHaveLength(11);
    expect(results.filter(({ kind }) => kind === "insufficient")).toHaveLength(19);
    expect((await findBalance(database.db, { accountId }))?.balance).toBe(10n);
    // A refused booking leaves its reference free.
    expect(await book(90n, "back-29")).toMatchObject({
      kind: expect.stringMatching(/booked|referenceUsed/) as unknown,
    });
  });

  it("of an unlimited account may take more than there is", async () => {
    const free = await findAccountByName(database.db, "free");
    expect(await book(-5n, "correction", free?.id)).toEqual({ kind: "booked", balance: -5n });
  });
});

describe("a statement", () => {
  it("case 54: adds up to the balance at every moment while credits are booked", async () => {
    const done = new AbortController();
    const watch = (async () => {
      let looks = 0;
      while (!done.signal.aborted) {
        const page = await statementOf({ accountId, limit: 10_000 });
        expect(page?.openingBalance).toBe(0n);
        looks += 1;
      }
      return looks;
    })();
    const amounts = Array.from({ length: 200 }, (_, n) => BigInt(n % 2 === 0 ? n + 1 : -n));
    await Promise.all(amounts.map((amount, n) => book(amount, `ref-${n}`)));
    done.abort();
    expect(await watch).toBeGreaterThan(1);
    const entries = await allEntries(7);
    const sum = entries.reduce((total, { amount }) => total + amount, 0n);
    expect(sum).toBe((await findBalance(database.db, { accountId }))?.balance);
    expect(entries[0]?.balance).toBe(sum);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  });
});
