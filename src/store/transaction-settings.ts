// Settings: for the rest of a transaction (if it is pipelined, the next statements need not wait), and
// those that a role must have behind a pooler.
import { DatabaseUnfit } from "./database-errors.ts";
import type { Database, Queryable } from "./database.ts";

type SetInTransaction = (tx: Queryable) => Promise<void>;

function setting(name: string, text: string): SetInTransaction {
  return async (tx) => {
    await tx.query(name, `set ${text}`);
  };
}

/**
 * Reads everything as of one instant. Must be the first statement of the transaction, which can then
 * only read.
 */
export const readAsOfNow = setting("readAsOfNow", "transaction isolation level repeatable read, read only");

/**
 * Reads by indexes where statistics are missing or mislead: the planner would rather read
 * everything.
 */
export const preferIndexes = setting("preferIndexes", "local enable_seqscan = off");

/**
 * Each statement is planned once for all values. Otherwise PostgreSQL plans it again each time, as
 * long as it expects a plan for known values to be cheaper. Planning a large statement may take as
 * long as running it.
 */
export const planOnce = setting("planOnce", "local plan_cache_mode = force_generic_plan");

/**
 * Rows are read in an index's order and no more than are asked for, not all of them first and then
 * sorted.
 */
export const preferIndexOrder = setting("preferIndexOrder", "local enable_sort = off");

/** Ends `preferIndexOrder` where statements of another kind follow in the transaction. */
export const sortAgain = setting("sortAgain", "local enable_sort = on");

/**
 * The commit does not wait for the disk, where calls wait for theirs. A crash may undo the last
 * transactions, each with how far it came: they are done again.
 */
export const commitLater = setting("commitLater", "local synchronous_commit = off");

/** Each statement that follows ends after so long, whatever the session allows otherwise. */
export async function limitTime(tx: Queryable, milliseconds: number): Promise<void> {
  await tx.query("limitTime", `select set_config('statement_timeout', $1::text, true)`, [String(milliseconds)]);
}

/**
 * Takes locks on these names until the transaction ends. In one order everywhere, so that nobody
 * waits in a circle.
 */
export async function lockNames(tx: Queryable, names: readonly string[]): Promise<void> {
  await tx.query(
    "lockNames",
    `select pg_advisory_xact_lock(key) from (
  select distinct hashtextextended(name, 0) as key from unnest($1::text[]) as n (name) order by 1) k`,
    [names],
  );
}

interface RoleSettings {
  readonly role: string;
  readonly synchronousCommit: string;
  /** Milliseconds. */
  readonly statementTimeout: string;
  readonly idleTimeout: string;
}

/**
 * Throws DatabaseUnfit, with the statements that fix it, when sessions of the role would break what
 * the gateway promises.
 */
export async function checkRoleSettings(db: Database): Promise<void> {
  const settings = await db.dedicatedSession(
    async (client) => (await client.query<RoleSettings>(readSettings)).rows[0],
  );
  if (settings === undefined) return;
  const lacking = [
    ...(settings.synchronousCommit === "off" ? ["synchronous_commit = 'on'"] : []),
    ...(settings.statementTimeout === "0" ? ["statement_timeout = '15s'"] : []),
    ...(settings.idleTimeout === "0" ? ["idle_in_transaction_session_timeout = '30s'"] : []),
  ];
  if (lacking.length === 0) return;
  const help = lacking.map((setting) => `alter role "${settings.role}" set ${setting};`).join(" ");
  throw new DatabaseUnfit(
    `behind a pooler, sessions have the settings of the role, and some are missing: run ${help} and reconnect the pooler`,
  );
}

// reset_val is the value that a new session starts with, whatever was set in this one.
const readSettings = `/* readRoleSettings */
select current_user as role,
       max(reset_val) filter (where name = 'synchronous_commit') as "synchronousCommit",
       max(reset_val) filter (where name = 'statement_timeout') as "statementTimeout",
       max(reset_val) filter (where name = 'idle_in_transaction_session_timeout') as "idleTimeout"
  from pg_settings`;

export async function connectionLimit(db: Queryable): Promise<number> {
  const rows = await db.query<{ limit: number }>(
    "connectionLimit",
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as "limit"`,
  );
  return rows[0]?.limit ?? 0;
}
