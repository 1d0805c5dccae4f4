// The audit: who changed what, when and from where. Rows are added in the transaction of the
// change and dropped with the retention. They are never changed, but for the number of a test
// message, which erasing that person empties. Never holds a secret.
import { lockConfiguration, raiseConfigurationVersion } from "./configuration-version.ts";
import type { Queryable, Transactional } from "./database.ts";

/**
 * Who makes a change: `staff:NAME`, `user:ACCOUNT/NAME` (also by a token), `command:OSUSER@HOST`,
 * `key:ACCOUNT/NAME` (an API key), or `gateway`.
 */
export interface Actor {
  readonly who: string;
  /** Source address of a call; absent for commands. */
  readonly address?: string | undefined;
}

/** For what nobody has asked for by a command or a call. */
export const gatewayActor: Actor = { who: "gateway" };

export type AuditAction = "create" | "change" | "remove" | "use" | "signIn" | "signInFailed";

/**
 * One object that was changed, with what differs: keys of `before` and `after` as the setup file or
 * the API names them. Rials fit into a number.
 */
export interface AuditedChange {
  readonly action: AuditAction;
  readonly kind: string;
  readonly name: string;
  /** The account that it belongs to. */
  readonly account?: string | undefined;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  /** Who did it from where, if not the actor of the others. */
  readonly who?: string;
  readonly address?: string;
}

/** To be called in the transaction of the changes. */
export async function insertAuditEntries(
  tx: Queryable,
  { who, address }: Actor,
  changes: readonly AuditedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    "insertAuditEntries",
    `insert into audit_entry (who, address, action, kind, name, account, before, after)
select coalesce(given.who, $1), coalesce(given.address, $2), given.action, given.kind, given.name, given.account, given.before, given.after
  from jsonb_to_recordset($3::jsonb) as given (who text, address text, action text, kind text, name text, account text, before jsonb,
       after jsonb)`,
    [who, address, JSON.stringify(changes, (_, item: unknown) => (typeof item === "bigint" ? Number(item) : item))],
  );
}

/** Without an entry nothing was changed. */
export interface AuditedResult<Result> {
  readonly result: Result;
  readonly audited?: AuditedChange | undefined;
}

/** A change of the configuration: one transaction under its lock, with its entry. Nodes follow. */
export function changeAudited<Result>(
  db: Transactional,
  by: Actor,
  change: (tx: Queryable) => Promise<AuditedResult<Result>>,
): Promise<Result> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const { result, audited } = await change(tx);
    if (audited === undefined) return result;
    await insertAuditEntries(tx, by, [audited]);
    await raiseConfigurationVersion(tx);
    return result;
  });
}

export interface AuditEntry {
  readonly id: bigint;
  readonly at: Date;
  readonly who: string;
  readonly address: string | null;
  readonly action: AuditAction;
  readonly kind: string;
  readonly name: string;
  readonly account: string | null;
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditRequest {
  /** The id of the last entry of the page before. */
  readonly before?: bigint | undefined;
  readonly limit: number;
  readonly account?: string | undefined;
  readonly who?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

const highestId = 9_223_372_036_854_775_807n;
/** Rows that one call reads at most, whatever it looks for. */
const rowsRead = 20_000;

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; absent where nothing older is stored. */
  readonly next?: bigint;
}

/**
 * Newest first. A call reads a bounded number of rows, so that a page may hold fewer than asked for
 * and have a next one.
 */
export async function listAuditEntries(db: Queryable, request: AuditRequest): Promise<AuditPage> {
  const { before = highestId, limit, account, who, kind, name, from, to } = request;
  const rows = await db.query<AuditEntry & { readonly lastRead: bigint }>(
    "listAuditEntries",
    `with walked as materialized (
  select * from audit_entry where id < $1 order by id desc limit $9
),
ends as (
  select min(id) as id, count(*) as rows from walked
),
found as (
  select id, at, who, address, action, kind, name, account, before, after from walked
   where ($3::text is null or account = $3) and ($4::text is null or who = $4) and ($5::text is null or kind = $5)
     and ($6::text is null or name = $6) and ($7::timestamptz is null or at >= $7) and ($8::timestamptz is null or at < $8)
   order by id desc limit $2
)
select f.*, case when e.rows = $9 then e.id end as "lastRead" from ends e left join found f on true order by f.id desc`,
    [before, limit + 1, account, who, kind, name, from, to, rowsRead],
  );
  // The row of the left join without an entry tells only how far the search went.
  const found = rows.filter(({ id }) => (id as bigint | null) !== null);
  const entries = found.slice(0, limit);
  const next = found.length > limit ? entries.at(-1)?.id : (rows[0]?.lastRead as bigint | null | undefined);
  return { entries, ...(next !== undefined && next !== null && { next }) };
}

// Who changed an object last by hand, so that a file does not undo it unseen.

/**
 * How the audit names the object of a change: what it calls the object, or the one it is a part of. That
 * one's entry counts where it names one of these keys.
 */
export interface SoughtChange {
  readonly kind: string;
  readonly name: string;
  readonly account?: string | undefined;
  readonly keys?: readonly string[] | undefined;
}

export interface FoundChange {
  readonly who: string;
  readonly at: Date;
  readonly action: string;
}

/** Of one `given`. */
const lastEntry = `select id, who, at, action from audit_entry a
     where a.kind = given.kind and a.name = given.name and a.action <> 'use'
       and (given.account is null or a.account = given.account)
       and (given.keys is null or a.before ?| given.keys or a.after ?| given.keys)
     order by a.id desc limit 1`;

/** Of each of these objects the newest entry in the audit, if there is one. The newest of all comes first. */
export function listLastChanges(
  db: Queryable,
  sought: readonly SoughtChange[],
): Promise<(FoundChange & Pick<SoughtChange, "kind" | "name">)[]> {
  return db.query(
    "listLastChanges",
    `select given.kind, given.name, last.who, last.at, last.action
  from jsonb_to_recordset($1::jsonb) as given (kind text, name text, account text, keys text[]) cross join lateral (${lastEntry}) last
 order by last.id desc`,
    [JSON.stringify(sought)],
  );
}
