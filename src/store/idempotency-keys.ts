// Idempotency keys of calls that the accepting statement does not store.
import type { Queryable } from "./database.ts";

/** To be called in the transaction of the call. False: another call has the key. */
export async function insertIdempotencyKey(
  tx: Queryable,
  {
    accountId,
    key,
    fingerprint,
    answer,
    idempotencyHours,
  }: { accountId: number; key: string; fingerprint: Buffer; answer: string; idempotencyHours: number },
): Promise<boolean> {
  const rows = await tx.query<{ key: string }>({
    name: "insertIdempotencyKey",
    text: `/* insertIdempotencyKey */
insert into idempotency_key (account_id, key, fingerprint, answer) values ($1, $2, $3, $4)
on conflict (account_id, key) do update set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = now()
 where idempotency_key.created_at < now() - make_interval(hours => $5)
returning key`,
    values: [accountId, key, fingerprint, answer, idempotencyHours],
  });
  return rows.length > 0;
}
