import { expect, it } from "vitest";
import { LimitedDatabase } from "../../src/store/limited-database.ts";
import { DatabaseUnavailable } from "../../src/store/database-errors.ts";
import { statement, useTestDatabase } from "../support/database.ts";

const test = useTestDatabase({ poolSize: 4 });

const one = statement("select 1 as one");

/** Transactions that stay open until they are told to end. */
function openTransactions(share: LimitedDatabase, count: number) {
  const ends: (() => void)[] = [];
  let open = 0;
  let mostOpen = 0;
  const begun = Array.from({ length: count }, () =>
    share.transaction(async (tx) => {
      await tx.query(one);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await new Promise<void>((resolve) => ends.push(resolve));
      open -= 1;
    }),
  );
  return { begun, ends, mostOpen: () => mostOpen };
}

async function endAll({ begun, ends }: ReturnType<typeof openTransactions>): Promise<void> {
  for (let ended = 0; ended < begun.length; ended += 1) {
    while (ends.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    ends.shift()?.();
  }
  await Promise.all(begun);
}

it("takes no more than its sessions: the others of the pool stay free, and what waits comes in turn", async () => {
  const share = new LimitedDatabase(test.db, { total: 2 });
  const opened = openTransactions(share, 6);
  while (opened.ends.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  // The two others of the pool of four.
  await test.db.transaction(async (tx) => {
    await tx.query(one);
    expect(await test.db.query(one)).toEqual([{ one: 1 }]);
  });
  await endAll(opened);
  expect(opened.mostOpen()).toBe(2);
  expect(await share.query(one)).toEqual([{ one: 1 }]);
});

it("tells what waits too long that the database is not available, and gives every session back, after failures, too", async () => {
  const share = new LimitedDatabase(test.db, { total: 1, waitMs: 50 });
  const opened = openTransactions(share, 1);
  while (opened.ends.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  const failure: unknown = await share.query(one).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DatabaseUnavailable);
  expect((failure as DatabaseUnavailable).inDoubt).toBe(false);
  await endAll(opened);
  await expect(share.query(statement("select 1 / 0"))).rejects.toThrow("division by zero");
  expect(await share.query(one)).toEqual([{ one: 1 }]);
});
