// Finds the accounts that a setup file is about, so that a change of few needs no reading of all.
import type { Queryable } from "./database.ts";

/** What a setup file names. */
export interface NamedInSetup {
  readonly accounts: readonly string[];
  /** SHA-256 in hexadecimal: a key must not be another account's, too. */
  readonly apiKeys: readonly string[];
  /** Of the users of these accounts: a name may be there once in each domain. */
  readonly usernames: readonly string[];
  /** Of these accounts, in lower case. */
  readonly domains: readonly string[];
  readonly templates: readonly string[];
}

/** The accounts that are named, that own what is named, or that share a login with those. */
export async function listConcernedAccounts(tx: Queryable, named: NamedInSetup): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>({
    name: "listConcernedAccounts",
    text: `/* listConcernedAccounts */
with named as materialized (select id, name, domain from account where name = any($1::text[])),
domains as materialized (select unnest($4::text[]) as domain union select lower(domain) from named),
usernames as materialized (
  select unnest($3::text[]) as username union select u.username from named join person u on u.account_id = named.id
)
select name from named
union
select a.name from api_key k join account a on a.id = k.account_id
 where k.key_sha256 in (select decode(unnest($2::text[]), 'hex'))
union
select a.name from template t join account a on a.id = t.account_id where t.id = any($5::text[])
union
-- The server may not know the lower case of letters beyond ASCII.
select a.name from account a
 where (lower(a.domain) in (select domain from domains) or octet_length(a.domain) <> char_length(a.domain))
   and exists (select from person u where u.account_id = a.id and u.username in (select username from usernames))`,
    values: [named.accounts, named.apiKeys, named.usernames, named.domains, named.templates],
  });
  return rows.map(({ name }) => name);
}

/** The ids of the templates of these accounts. */
export async function listTemplatesOf(tx: Queryable, accounts: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>({
    name: "listTemplatesOf",
    text: `/* listTemplatesOf */
select t.id from account a join template t on t.account_id = a.id where a.name = any ($1::text[])`,
    values: [accounts],
  });
  return rows.map(({ id }) => id);
}

export interface UsesInAccounts {
  /** Names. */
  readonly accounts: readonly string[];
  /** Ids. */
  readonly templates: readonly string[];
}

// Where all have one line or tariff, an equality lets the planner walk all accounts by id until it
// has found enough; a range with both columns in its order is only found in the index of it.

/** At most `limit` accounts that may send from the line, and as many templates that do. */
export async function listUsesOfLine(tx: Queryable, number: string, limit: number): Promise<UsesInAccounts> {
  const [uses] = await tx.query<UsesInAccounts>({
    name: "listUsesOfLine",
    text: `/* listUsesOfLine */
select array(select (select a.name from account a where a.id = o.account_id)
               from account_line o where o.line_id between (select l.id from sender_line l where l.number = $1)
                                                      and (select l.id from sender_line l where l.number = $1)
              order by o.line_id, o.account_id limit $2) as accounts,
       array(select t.id from template t where t.sender between $1 and $1 order by t.sender, t.id limit $2) as templates`,
    values: [number, limit],
  });
  return uses ?? { accounts: [], templates: [] };
}

/** At most `limit` accounts. */
export async function listUsesOfTariff(tx: Queryable, name: string, limit: number): Promise<UsesInAccounts> {
  const rows = await tx.query<{ name: string }>({
    name: "listUsesOfTariff",
    text: `/* listUsesOfTariff */
select a.name from account a
 where a.tariff_id between (select f.id from tariff f where f.name = $1) and (select f.id from tariff f where f.name = $1)
 order by a.tariff_id, a.id limit $2`,
    values: [name, limit],
  });
  return { accounts: rows.map((row) => row.name), templates: [] };
}
