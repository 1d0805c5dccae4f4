// Answers kept under the Idempotency-Keys of calls. A key belongs to its first call for as many
// hours as the setting says.
import type { Queryable } from "./database.ts";
import { rowStatement, single } from "./row-statement.ts";

/**
 * The end of an insert of keys: a key that is held stays as it is, and one that has lapsed is taken
 * over. Returns only the keys that the call got.
 */
export function keepOrRenewKey(idempotencyHours: string): string {
  return `on conflict (account_id, key) do update
     set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
   where idempotency_key.created_at < now() - make_interval(hours => ${idempotencyHours})`;
}

interface KeyToKeep {
  readonly accountId: number;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly answer: string;
  readonly idempotencyHours: number;
}

export const insertIdempotencyKeyStatement = rowStatement(
  "insertIdempotencyKey",
  {
    accountId: single<number>(),
    key: single<string>(),
    fingerprint: single<Buffer>(),
    answer: single<string>(),
    idempotencyHours: single<number>(),
  },
  ({
    accountId,
    key,
    fingerprint,
    answer,
    idempotencyHours,
  }) => `insert into idempotency_key (account_id, key, fingerprint, answer)
values (${accountId}, ${key}, ${fingerprint}, ${answer})
${keepOrRenewKey(idempotencyHours)}
returning key`,
);

/**
 * For a call that the accepting statement does not store, in its transaction. False: another call
 * has the key.
 */
export async function insertIdempotencyKey(tx: Queryable, keyToKeep: KeyToKeep): Promise<boolean> {
  const kept = await tx.query<{ key: string }>(insertIdempotencyKeyStatement.with(keyToKeep));
  return kept.length > 0;
}

/** The answer stored under an idempotency key, and the request that it belongs to. */
export async function findIdempotentAnswer(
  db: Queryable,
  { accountId, key, idempotencyHours }: { accountId: number; key: string; idempotencyHours: number },
): Promise<{ fingerprint: Buffer; answer: string } | undefined> {
  const rows = await db.query<{ fingerprint: Buffer; answer: string }>({
    name: "findIdempotentAnswer",
    text: `/* findIdempotentAnswer */
select fingerprint, answer from idempotency_key
 where account_id = $1 and key = $2 and created_at >= now() - make_interval(hours => $3)`,
    values: [accountId, key, idempotencyHours],
  });
  return rows[0];
}

/** Deletes keys that have lapsed. */
export async function dropOldIdempotencyKeys(db: Queryable, idempotencyHours: number): Promise<void> {
  await db.query({
    name: "dropOldIdempotencyKeys",
    text: `/* dropOldIdempotencyKeys */
delete from idempotency_key where created_at < now() - make_interval(hours => $1)`,
    values: [idempotencyHours],
  });
}
