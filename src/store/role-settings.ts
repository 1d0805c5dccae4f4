// What the server and the role allow: how many connections there are, and the settings of sessions that
// the gateway does not configure, those of a pooler that assigns one per transaction. There the role
// must have the settings that the gateway otherwise sets for each of its sessions.
import type { Database, Queryable } from "./database.ts";
import { DatabaseUnfit } from "./database-errors.ts";

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
