// Answers kept under the Idempotency-Keys of calls. A key belongs to its first call for as many
// hours as the setting says.
import type { Queryable } from "./database.ts";
import { bytea, int4, rows, rowStatement, single, text } from "./row-statement.ts";

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
