// People who may sign in: staff, who run the service, and users of accounts, with their second factors.
// A setup file saves whole lists of users (credentials.ts). Which codes are right is decided in
// credentials/; here each step and each recovery code is taken once, whoever asks at the same time.
import { byteaArray } from "./array-parameters.ts";
import { composed, firstOf, type Queryable } from "./database.ts";
import { conditions } from "./row-statement.ts";

export interface PersonRow {
  readonly personId: number;
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
  /** Absent: all. */
  readonly limit?: number;
}

/** In the order of their names. */
export function listPeople(
  db: Queryable,
  accountId: AccountId,
  { username, after, limit }: PeopleAsked,
): Promise<PersonRow[]> {
  const where = conditions({ "p.username = ?": username, "p.username > ?": after });
  return db.query<PersonRow>(
    composed(
      "listPeople",
      `select p.id as "personId", p.username, p.role, p.enabled, p.password_hash as "passwordHash", p.password_version as "passwordVersion",
       p.password_set_by as "passwordSetBy", p.factor_secret is not null as "secondFactor", p.created_at as "createdAt",
       (select max(c.last_used_at) from console_session c where c.person_id = p.id) as "lastUsedAt"
  from person p where p.account_id is not distinct from ${where.value(accountId)}::int and ${where.text}
 order by p.username limit ${where.value(limit)}`,
      where.values,
    ),
  );
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
  const [row] = await tx.query<{ users: number; domain: string; others: readonly string[] }>(
    "findNamesakes",
    `select (select count(*)::int from person where account_id = a.id) as users, a.domain,
       array(select o.domain from account o join person p on p.account_id = o.id where p.username = $2 and o.id <> $1) as others
  from account a where a.id = $1`,
    [accountId, username],
  );
  return row ?? { users: 0, domain: "", others: [] };
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
  const [row] = await tx.query<{ version: number }>(
    "updatePerson",
    `update person
   set role = coalesce($2, role), enabled = coalesce($3, enabled), password_hash = coalesce($4, password_hash),
       password_set_by = case when $4 is null then password_set_by else $5 end, password_version = password_version + 1
 where id = $1 and ($6::int is null or password_version = $6 and enabled) returning password_version as version`,
    [id, role, enabled, password?.hash, password?.setBy, ofVersion],
  );
  return row?.version;
}

export async function deletePerson(tx: Queryable, id: number): Promise<void> {
  await tx.query("deletePerson", "delete from person where id = $1", [id]);
}

export interface SecondFactor {
  readonly isSet: boolean;
  readonly recoveryCodes: number;
}

export async function findSecondFactor(db: Queryable, personId: number): Promise<SecondFactor> {
  const [row] = await db.query<SecondFactor>(
    "findSecondFactor",
    `select factor_secret is not null as "isSet", cardinality(recovery_codes) as "recoveryCodes" from person where id = $1`,
    [personId],
  );
  return row ?? { isSet: false, recoveryCodes: 0 };
}

export interface CodeTry {
  /** Null: none is in force. */
  readonly secret: Buffer | null;
  /** Given out, and not confirmed by a code yet. */
  readonly pendingSecret: Buffer | null;
  readonly lastStep: number;
  /** Within the period, with this one. */
  readonly tries: number;
  /** By the database's clock. */
  readonly unixSeconds: number;
}

/** Counts a try, and keeps others of the same person waiting until the transaction ends. */
export function countCodeTry(tx: Queryable, personId: number, periodSeconds: number): Promise<CodeTry | undefined> {
  return firstOf(
    tx.query<CodeTry>(
      "countCodeTry",
      `update person
   set factor_tries = case when factor_tries_since < now() - make_interval(secs => $2) then 1 else factor_tries + 1 end,
       factor_tries_since = case when factor_tries_since < now() - make_interval(secs => $2) then now() else factor_tries_since end
 where id = $1
returning factor_secret as secret, pending_secret as "pendingSecret", factor_step::float8 as "lastStep", factor_tries as tries,
          extract(epoch from now())::float8 as "unixSeconds"`,
      [personId, periodSeconds],
    ),
  );
}

/** The step's code was right: it and those before it are taken no more, and tries begin again. */
export async function takeStep(tx: Queryable, personId: number, step: number): Promise<void> {
  await tx.query("takeStep", "update person set factor_step = $2, factor_tries = 0 where id = $1", [personId, step]);
}

/** Answers whether there was such a code; it is used up now. */
export async function takeRecoveryCode(tx: Queryable, personId: number, codeSha256: Buffer): Promise<boolean> {
  const rows = await tx.query(
    "takeRecoveryCode",
    `update person set recovery_codes = array_remove(recovery_codes, $2), factor_tries = 0
 where id = $1 and $2 = any (recovery_codes) returning id`,
    [personId, codeSha256],
  );
  return rows.length > 0;
}

/** What is in force stays so until the new one is confirmed. */
export async function savePendingSecret(tx: Queryable, personId: number, secret: Buffer): Promise<void> {
  await tx.query("savePendingSecret", "update person set pending_secret = $2 where id = $1", [personId, secret]);
}

/** The pending secret comes into force, with recovery codes in the place of all others. */
export async function confirmSecret(
  tx: Queryable,
  personId: number,
  { step, codeHashes }: { readonly step: number; readonly codeHashes: readonly Buffer[] },
): Promise<void> {
  await tx.query(
    "confirmSecret",
    `update person set factor_secret = pending_secret, pending_secret = null, factor_step = $2, factor_tries = 0, recovery_codes = $3 where id = $1`,
    [personId, step, byteaArray(codeHashes)],
  );
}

/** Answers whether there was one, in force or pending. */
export async function deleteSecondFactor(tx: Queryable, personId: number): Promise<boolean> {
  const rows = await tx.query(
    "deleteSecondFactor",
    `update person set factor_secret = null, pending_secret = null, recovery_codes = '{}'
 where id = $1 and num_nonnulls(factor_secret, pending_secret) > 0 returning id`,
    [personId],
  );
  return rows.length > 0;
}
