// Databases of the fuzz targets, and a short digest of their contents that shows whether anything
// changed.
import { randomBytes } from "node:crypto";
import { execute } from "../faults/servers.ts";
import { Database } from "../src/store/database.ts";
import { Telemetry } from "../src/platform/telemetry.ts";

export interface OwnDatabase {
  readonly db: Database;
  readonly telemetry: Telemetry;
  readonly name: string;
  readonly drop: () => Promise<void>;
}

const poolSize = 5;

/** Empty, or a copy of `template`, to which nobody may be connected. */
export async function createDatabase(server: string | undefined, template = "template0"): Promise<OwnDatabase> {
  if (server === undefined) throw new Error("this target needs a PostgreSQL server");
  const name = `fuzz_${randomBytes(8).toString("hex")}`;
  await execute(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const telemetry = new Telemetry();
  const db = Database.open({ url: url.href, poolSize, telemetry });
  const drop = async (): Promise<void> => {
    await db.close();
    // Not "with (force)": that is refused to whoever is no superuser while autovacuum works in the
    // database; this ends it.
    await execute(server, `drop database ${name}`);
  };
  return { db, telemetry, name, drop };
}

/**
 * They tell of the node and change by themselves, or count numbers that were drawn, which nobody
 * gives back.
 */
const restless = [
  "node",
  "bind_lease",
  "concatenation_reference",
  "webhook_progress",
  "webhook_retry",
  "webhook_attempt",
  "node_figures",
  "rate_demand",
  "figures_of_minute",
  // Written down some time after the login that it tells of.
  "login_origin",
];
/** When a key was used last is written down some time after the call. */
const restlessColumn = { table: "api_key", column: "last_used_at" } as const;
/** Logins are audited some seconds after the call. */
const restlessRows = { table: "audit_entry", condition: "action in ('signIn', 'signInFailed')" } as const;

const listTables = {
  name: "fuzzListTables",
  text: `select quote_ident(relname) as name from pg_class
 where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all ($1)
 order by relname`,
  values: [restless],
};

export interface Digest {
  readonly rows: number;
  /** Table by table: how many rows, and the sum of their hashes. */
  readonly text: string;
}

/** Of all rows of all tables. */
export class Digester {
  readonly #db: Database;
  #text: string | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  async digest(): Promise<Digest> {
    this.#text ??= await this.#statement();
    const name = "fuzzDigest";
    const tables = await this.#db.query<{ name: string; count: number; hash: string }>({
      name,
      text: this.#text,
      values: [],
    });
    const rows = tables.reduce((sum, { count }) => sum + count, 0);
    return { rows, text: tables.map(({ name: table, count, hash }) => `${table} ${count} ${hash}`).join("\n") };
  }

  async #statement(): Promise<string> {
    const tables = await this.#db.query<{ name: string }>(listTables);
    return tables
      .map(({ name }) => {
        const row = name === restlessColumn.table ? `(to_jsonb(t) - '${restlessColumn.column}')::text` : "t::text";
        const rows = name === restlessRows.table ? `${name} t where not (${restlessRows.condition})` : `${name} t`;
        return `select '${name}' as name, count(*)::int as count, coalesce(sum(hashtextextended(${row}, 0)), 0)::text as hash from ${rows}`;
      })
      .join(" union all ");
  }
}

/** The tables in which two digests differ. */
export function changedTables(before: Digest, after: Digest): string {
  const known = new Set(before.text.split("\n"));
  return after.text
    .split("\n")
    .filter((line) => !known.has(line))
    .join(", ");
}
