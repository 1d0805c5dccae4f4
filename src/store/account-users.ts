// Statements on single users of accounts, as people manage them. A setup file saves whole lists
// (credentials.ts).
import type { Queryable } from "./database.ts";

export interface AccountUser {
  readonly id: number;
  readonly username: string;
  readonly role: string;
  readonly enabled: boolean;
  readonly mustChangePassword: boolean;
  readonly secondFactor: boolean;
  /** Null: no session of the last seven days. */
  readonly lastUsedAt: Date | null;
  /** Another one with each new password, role, and end of being enabled. */
  readonly passwordVersion: number;
}

const selected = `
select u.id, u.username, u.role, u.enabled, u.must_change_password as "mustChangePassword", f.secret is not null as "secondFactor",
       (select max(c.last_used_at) from console_session c where c.user_id = u.id) as "lastUsedAt", u.password_version as "passwordVersion"
  from account_user u left join second_factor f on f.user_id = u.id`;

export function listUsersOf(
  db: Queryable,
  { accountId, after, limit }: { readonly accountId: number; readonly after: string; readonly limit: number },
): Promise<AccountUser[]> {
  return db.query<AccountUser>({
    name: "listUsersOf",
    text: `/* listUsersOf */ ${selected} where u.account_id = $1 and u.username > $2 order by u.username limit $3`,
    values: [accountId, after, limit],
  });
}

export async function findUserOf(db: Queryable, accountId: number, username: string): Promise<AccountUser | undefined> {
  const [row] = await db.query<AccountUser>({
    name: "findUserOf",
    text: `/* findUserOf */ ${selected} where u.account_id = $1 and u.username = $2`,
    values: [accountId, username],
  });
  return row;
}

export async function countUsersOf(tx: Queryable, accountId: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: "countUsersOf",
    text: "/* countUsersOf */ select count(*)::int as count from account_user where account_id = $1",
    values: [accountId],
  });
  return row?.count ?? 0;
}

/**
 * The domains of all accounts that have a user of this name, with that of the account itself apart.
 */
export async function findDomainsOf(
  tx: Queryable,
  accountId: number,
  username: string,
): Promise<{ readonly own: string; readonly others: readonly string[] }> {
  const [row] = await tx.query<{ own: string; others: readonly string[] }>({
    name: "findDomainsOf",
    text: `/* findDomainsOf */
select a.domain as own,
       array(select o.domain from account o join account_user u on u.account_id = o.id where u.username = $2 and o.id <> $1) as others
  from account a where a.id = $1`,
    values: [accountId, username],
  });
  return row ?? { own: "", others: [] };
}

export interface UserToInsert {
  readonly accountId: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly role: string;
  readonly enabled: boolean;
}

/** Somebody else has chosen the password. */
export async function insertUser(tx: Queryable, user: UserToInsert): Promise<void> {
  await tx.query({
    name: "insertUser",
    text: `/* insertUser */
insert into account_user (account_id, username, password_hash, role, enabled, must_change_password) values ($1, $2, $3, $4, $5, true)`,
    values: [user.accountId, user.username, user.passwordHash, user.role, user.enabled],
  });
}

/**
 * A new password version ends the sessions and access tokens: they would not come back with the old
 * role.
 */
export async function updateUserRole(
  tx: Queryable,
  { id, role, enabled }: { readonly id: number; readonly role: string; readonly enabled: boolean },
): Promise<void> {
  await tx.query({
    name: "updateUserRole",
    text: `/* updateUserRole */
update account_user set role = $2, enabled = $3, password_version = password_version + 1 where id = $1`,
    values: [id, role, enabled],
  });
}

export async function deleteUser(tx: Queryable, id: number): Promise<void> {
  await tx.query({ name: "deleteUser", text: "/* deleteUser */ delete from account_user where id = $1", values: [id] });
}
