// What became of calls: the answers kept under idempotency keys, and calls whose commit was in doubt.
import type { Queryable } from "./database.ts";
import { bytea, int4, rows, rowStatement, single, text, uuid } from "./row-statement.ts";

export interface KeyOfAccount {
  readonly accountId: number;
  readonly key: string;
}

export interface KeptAnswer extends KeyOfAccount {
  /** Of the request that the answer belongs to. */
  readonly fingerprint: Buffer;
  readonly answer: string;
}

export const insertIdempotencyKeysStatement = rowStatement(
  "insertIdempotencyKeys",
  {
    kept: rows<KeptAnswer>({
      account_id: int4("accountId"),
      key: text("key"),
      fingerprint: bytea("fingerprint"),
      answer: text("answer"),
    }),
    idempotencyHours: single<number>(),
  },
  ({ kept, idempotencyHours }) => `insert into idempotency_key (account_id, key, fingerprint, answer)
select account_id, key, fingerprint, answer from ${kept.as("k")} order by account_id, key
on conflict (account_id, key) do update
   set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
 where idempotency_key.created_at < now() - make_interval(hours => ${idempotencyHours})
returning key`,
);

/**
 * Keeps answers under keys that are free or have lapsed. To be called under the locks of the
 * accounts' balances (`lockBalances`), taken before the keys were looked up: so no other call gets
 * them meanwhile.
 */
export async function insertIdempotencyKeys(
  tx: Queryable,
  kept: readonly KeptAnswer[],
  idempotencyHours: number,
): Promise<void> {
  const inserted = await tx.query(insertIdempotencyKeysStatement.with({ kept, idempotencyHours }));
  if (inserted.length < kept.length) throw new Error("another call has got a key without the lock of the balance");
}

export const findKeptAnswersStatement = rowStatement(
  "findKeptAnswers",
  {
    asked: rows<KeyOfAccount>({ account_id: int4("accountId"), key: text("key") }),
    idempotencyHours: single<number>(),
  },
  ({ asked, idempotencyHours }) => `select k.account_id as "accountId", k.key, k.fingerprint, k.answer
  from ${asked.as("a")} join idempotency_key k using (account_id, key)
 where k.created_at >= now() - make_interval(hours => ${idempotencyHours})`,
);

export function findKeptAnswers(
  db: Queryable,
  asked: readonly KeyOfAccount[],
  idempotencyHours: number,
): Promise<readonly KeptAnswer[]> {
  return db.query<KeptAnswer>(findKeptAnswersStatement.with({ asked, idempotencyHours }));
}

interface CallInDoubt {
  readonly accountId: number;
  readonly batchId: string;
}

export const settleDoubtedCallsStatement = rowStatement(
  "settleDoubtedCalls",
  { call: rows<CallInDoubt>({ account_id: int4("accountId"), id: uuid("batchId") }) },
  ({ call }) => `insert into ledger_entry as e (account_id, id, kind, amount)
select account_id, id, 'void', 0 from ${call.as("d")} order by id
on conflict (account_id, id) do update set kind = e.kind
returning e.id, e.kind = 'charge' as "isStored"`,
);

/**
 * Settles calls whose accepting statement was interrupted, and returns the batch ids that were
 * stored. It writes a zero entry under each batch id that has none: the ledger's key admits only one
 * entry, so a statement that still runs on the server cannot commit after its batch was reported as
 * not stored. Where there is an entry already, the conflict shows which, however late it committed.
 */
export async function settleCallsInDoubt(db: Queryable, calls: readonly CallInDoubt[]): Promise<Set<string>> {
  const settled = await db.query<{ id: string; isStored: boolean }>(settleDoubtedCallsStatement.with({ call: calls }));
  return new Set(settled.flatMap(({ id, isStored }) => (isStored ? [id] : [])));
}
