// How many rows a piece of work reads, whatever plan its statements have.
import type { Database, Queryable } from "../../src/store/database.ts";
import { statement } from "./database.ts";
import { found } from "./factories.ts";

class Rollback extends Error {}

export interface Measured {
  readonly plans: string;
  /** A condition on the columns of pg_stat_xact_user_tables; without it all tables count. */
  readonly tables?: string;
}

/**
 * By this session alone: the server adds up what others have read only once a second. What the work
 * changes is undone.
 */
export async function rowsReadBy(
  db: Database,
  { plans, tables = "true" }: Measured,
  work: (tx: Queryable) => Promise<unknown>,
): Promise<number> {
  let read = 0n;
  const count = async (tx: Queryable): Promise<bigint> => {
    const text = `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint as read from pg_stat_xact_user_tables where ${tables}`;
    const [row] = await tx.query<{ read: bigint }>(statement(text));
    return found(row).read;
  };
  await db
    .transaction(async (tx) => {
      await tx.query(statement(`set local plan_cache_mode = ${plans}`));
      const before = await count(tx);
      await work(tx);
      read = (await count(tx)) - before;
      throw new Rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
  return Number(read);
}
