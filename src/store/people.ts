// Statements on people who may sign in: staff, who run the service, and users of accounts. A setup
// file saves whole lists of users (credentials.ts).
import type { Queryable } from "./database.ts";
import { conditions } from "./conditions.ts";

export interface PersonRow {
  readonly id: number;
  readonly username: string;
  readonly role: string;
  readonly enabled: boolean;
  readonly passwordHash: string;
  /** Another one with each change of the person, which ends sessions and access tokens. */
  readonly passwordVersion: number;
  /** Who has set the password, as the audit names them; null: the person, or a setup file. */
  readonly passwordSetBy: string | null;
  readonly secondFactor: boolean;
  readonly createdAt: Date;
  /** Null: no session of the last seven days. */
  readonly lastUsedAt: Date | null;
}

/** Undefined: of the staff. */
export type AccountId = number | undefined;

interface PeopleAsked {
  readonly username?: string;
  readonly after?: string;
  readonly limit: number;
}

/** In the order of their names. */
export function listPeople(
  db: Queryable,
  accountId: AccountId,
  { username, after, limit }: PeopleAsked,
): Promise<PersonRow[]> {
  const where = conditions({ "p.username = ?": username, "p.username > ?": after });
  return db.query<PersonRow>({
    name: "",
    text: `/* listPeople */
select p.id, p.username, p.role, p.enabled, p.password_hash as "passwordHash", p.password_version as "passwordVersion",
       p.password_set_by as "passwordSetBy", p.factor_secret is not null as "secondFactor", p.created_at as "createdAt",
       (select max(c.last_used_at) from console_session c where c.person_id = p.id) as "lastUsedAt"
  from person p where p.account_id is not distinct from ${where.value(accountId ?? null)}::int and ${where.text}
 order by p.username limit ${where.value(limit)}`,
    values: where.values,
  });
}

export async function findPerson(
  db: Queryable,
  accountId: AccountId,
  username: string,
): Promise<PersonRow | undefined> {
  return (await listPeople(db, accountId, { username, limit: 1 }))[0];
}

export async function hasStaff(db: Queryable): Promise<boolean> {
  return (await listPeople(db, undefined, { limit: 1 })).length > 0;
}

/**
 * How many users the account has, its domain, and the domains of other accounts that have a user of
 * this name.
 */
export async function findNamesakes(
  tx: Queryable,
  accountId: number,
  username: string,
): Promise<{ readonly users: number; readonly domain: string; readonly others: readonly string[] }> {
  const [row] = await tx.query<{ users: number; domain: string; others: readonly string[] }>({
    name: "findNamesakes",
    text: `/* findNamesakes */
select (select count(*)::int from person where account_id = a.id) as users, a.domain,
       array(select o.domain from account o join person p on p.account_id = o.id where p.username = $2 and o.id <> $1) as others
  from account a where a.id = $1`,
    values: [accountId, username],
  });
  return row ?? { users: 0, domain: "", others: [] };
}

export type PersonToInsert = Pick<PersonRow, "username" | "passwordHash" | "role" | "enabled" | "passwordSetBy">;

/** The caller has looked that the name is free, under the lock of the configuration. */
export async function insertPerson(tx: Queryable, accountId: AccountId, person: PersonToInsert): Promise<void> {
  const { username, passwordHash, role, enabled, passwordSetBy } = person;
  await tx.query({
    name: "insertPerson",
    text: `/* insertPerson */
insert into person (account_id, username, password_hash, role, enabled, password_set_by) values ($1, $2, $3, $4, $5, $6)`,
    values: [accountId ?? null, username, passwordHash, role, enabled, passwordSetBy],
  });
}

/** What changes; what is absent stays. */
export interface PersonUpdate {
  readonly role?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly password?: { readonly hash: string; readonly setBy: string | null } | undefined;
  /** Changes nothing where the person is another by now, or disabled. */
  readonly ofVersion?: number;
}

/** Ends sessions and access tokens. Answers the new version. */
export async function updatePerson(
  tx: Queryable,
  id: number,
  { role, enabled, password, ofVersion }: PersonUpdate,
): Promise<number | undefined> {
  const [row] = await tx.query<{ version: number }>({
    name: "updatePerson",
    text: `/* updatePerson */
update person
   set role = coalesce($2, role), enabled = coalesce($3, enabled), password_hash = coalesce($4, password_hash),
       password_set_by = case when $4 is null then password_set_by else $5 end, password_version = password_version + 1
 where id = $1 and ($6::int is null or password_version = $6 and enabled) returning password_version as version`,
    values: [id, role ?? null, enabled ?? null, password?.hash ?? null, password?.setBy ?? null, ofVersion ?? null],
  });
  return row?.version;
}

export async function deletePerson(tx: Queryable, id: number): Promise<void> {
  await tx.query({ name: "deletePerson", text: "/* deletePerson */ delete from person where id = $1", values: [id] });
}
