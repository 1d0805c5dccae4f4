// Finds out what became of calls whose accepting statement was interrupted.
import type { Queryable } from "./database.ts";
import { int4, rows, rowStatement, uuid } from "./row-statement.ts";

interface CallInDoubt {
  readonly accountId: number;
  readonly batchId: string;
}

const doubtedRows = rows<CallInDoubt>({
  account_id: int4("accountId"),
  id: uuid("batchId"),
});

export const voidDoubtedCallsStatement = rowStatement(
  "voidDoubtedCalls",
  { call: doubtedRows },
  ({ call }) => `insert into ledger_entry (account_id, id, kind, amount)
select account_id, id, 'void', 0 from ${call.as("d")} order by id
on conflict (account_id, id) do nothing`,
);

export const findStoredCallsStatement = rowStatement(
  "findStoredCalls",
  { call: doubtedRows },
  ({ call }) => `select e.id from ledger_entry e join ${call.as("d")} using (account_id, id) where e.kind = 'charge'`,
);

/**
 * Settles calls whose accepting statement was interrupted, and returns the batch ids that were
 * stored. First it writes a zero entry under each batch id: the ledger's key admits only one entry,
 * so a statement that still runs on the server cannot commit after its batch was reported as not
 * stored.
 */
export async function settleCallsInDoubt(db: Queryable, calls: readonly CallInDoubt[]): Promise<Set<string>> {
  await db.query(voidDoubtedCallsStatement.with({ call: calls }));
  const stored = await db.query<{ id: string }>(findStoredCallsStatement.with({ call: calls }));
  return new Set(stored.map(({ id }) => id));
}
