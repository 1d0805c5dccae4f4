// Statements on sessions of the console. A session is looked up at each call, so that whatever ends
// it ends it on all nodes at once. Tokens stand here as hashes only.
import type { Queryable } from "./database.ts";

/** Somebody who may have sessions: one of staff, or a user of an account. */
export type Person = { readonly staffId: number } | { readonly userId: number };

export function idsOf(person: Person): { readonly staffId: number | null; readonly userId: number | null } {
  return "staffId" in person ? { staffId: person.staffId, userId: null } : { staffId: null, userId: person.userId };
}

export interface NewSession {
  readonly id: string;
  readonly tokenSha256: Buffer;
  readonly person: Person;
  /** Of the password that was checked: another one may have been set meanwhile. */
  readonly passwordVersion: number;
  readonly address: string;
  readonly userAgent: string;
  /** With this one. The oldest of a person go. */
  readonly sessionsOfPerson: number;
}

/** Answers false where the person is gone, disabled, or has another password by now. */
export async function insertSession(tx: Queryable, session: NewSession): Promise<boolean> {
  const { staffId, userId } = idsOf(session.person);
  const rows = await tx.query({
    name: "insertSession",
    text: `/* insertSession */
insert into console_session (id, token_sha256, staff_id, user_id, password_version, role, address, user_agent)
select $1::uuid, $2::bytea, s.id, null::int, s.password_version, s.role, $6::text, $7::text
  from staff s where s.id = $3 and s.enabled and s.password_version = $5
union all
select $1, $2, null, u.id, u.password_version, u.role, $6, $7
  from account_user u where u.id = $4 and u.enabled and u.password_version = $5
returning id`,
    values: [
      session.id,
      session.tokenSha256,
      staffId,
      userId,
      session.passwordVersion,
      session.address,
      session.userAgent,
    ],
  });
  if (rows.length === 0) return false;
  await tx.query({
    name: "deleteSurplusSessions",
    text: `/* deleteSurplusSessions */
delete from console_session where id in (
  select id from console_session where staff_id = $1 or user_id = $2 order by last_used_at desc, id desc offset $3)`,
    values: [staffId, userId, session.sessionsOfPerson],
  });
  return true;
}

export interface SessionRow {
  readonly id: string;
  readonly staffId: number | null;
  readonly userId: number | null;
  readonly username: string;
  readonly role: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly accountId: number | null;
  readonly account: string | null;
  readonly mustChangePassword: boolean;
  readonly hasSecondFactor: boolean;
  /** Whether the service demands a second factor of this person. */
  readonly needsSecondFactor: boolean;
  /** So long nobody has written down that it is used. */
  readonly unnotedSeconds: number;
}

export interface SessionLimits {
  readonly unusedHours: number;
  readonly days: number;
}

/** When a session is over by time: so long unused, or so old. */
export const sessionLimits: SessionLimits = { unusedHours: 12, days: 7 };

export async function findSession(
  db: Queryable,
  tokenSha256: Buffer,
  { unusedHours, days }: SessionLimits,
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>({
    name: "findSession",
    text: `/* findSession */
select c.id, t.id as "staffId", u.id as "userId", coalesce(t.username, u.username) as username, c.role, a.id as "accountId", a.name as account,
       coalesce(t.password_hash, u.password_hash) as "passwordHash", c.password_version as "passwordVersion",
       coalesce(t.must_change_password, u.must_change_password) as "mustChangePassword", f.secret is not null as "hasSecondFactor",
       t.id is not null and (select staff_second_factor = 'required' from configuration) as "needsSecondFactor",
       extract(epoch from now() - c.last_used_at)::float8 as "unnotedSeconds"
  from console_session c
  left join staff t on t.id = c.staff_id and t.enabled
  left join account_user u on u.id = c.user_id and u.enabled
  left join account a on a.id = u.account_id
  left join second_factor f on f.staff_id = t.id or f.user_id = u.id
 where c.token_sha256 = $1 and c.last_used_at > now() - make_interval(hours => $2) and c.created_at > now() - make_interval(days => $3)
   and c.password_version = coalesce(t.password_version, u.password_version) and c.role = coalesce(t.role, u.role)`,
    values: [tokenSha256, unusedHours, days],
  });
  return row;
}

/** Those of these sessions that are still good and need nothing first. */
export async function findGoodSessions(
  db: Queryable,
  ids: readonly string[],
  { unusedHours, days }: SessionLimits,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>({
    name: "findGoodSessions",
    text: `/* findGoodSessions */
select c.id
  from console_session c
  left join staff t on t.id = c.staff_id and t.enabled
  left join account_user u on u.id = c.user_id
  left join second_factor f on f.staff_id = t.id
 where c.id = any ($1::uuid[]) and c.last_used_at > now() - make_interval(hours => $2) and c.created_at > now() - make_interval(days => $3)
   and c.password_version = coalesce(t.password_version, u.password_version) and c.role = coalesce(t.role, u.role)
   and not coalesce(t.must_change_password, u.must_change_password)
   and (t.id is null or f.secret is not null or (select staff_second_factor <> 'required' from configuration))`,
    values: [ids, unusedHours, days],
  });
  return new Set(rows.map(({ id }) => id));
}

export async function noteSessionUse(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "noteSessionUse",
    text: "/* noteSessionUse */ update console_session set last_used_at = now() where id = $1",
    values: [id],
  });
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** Those of a person that are still good, the one used last first. */
export function listSessions(
  db: Queryable,
  person: Person,
  { unusedHours, days }: SessionLimits,
): Promise<ListedSession[]> {
  const { staffId, userId } = idsOf(person);
  return db.query<ListedSession>({
    name: "listSessions",
    text: `/* listSessions */
select c.id, c.created_at as "createdAt", c.last_used_at as "lastUsedAt", c.address, c.user_agent as "userAgent"
  from console_session c left join staff t on t.id = c.staff_id left join account_user u on u.id = c.user_id
 where (c.staff_id = $1 or c.user_id = $2)
   and c.last_used_at > now() - make_interval(hours => $3) and c.created_at > now() - make_interval(days => $4)
   and c.password_version = coalesce(t.password_version, u.password_version) and c.role = coalesce(t.role, u.role)
 order by c.last_used_at desc, c.id desc`,
    values: [staffId, userId, unusedHours, days],
  });
}

/** Answers false where the person has no such session. */
export async function deleteSession(tx: Queryable, person: Person, id: string): Promise<boolean> {
  const { staffId, userId } = idsOf(person);
  const rows = await tx.query({
    name: "deleteSession",
    text: "/* deleteSession */ delete from console_session where id = $1 and (staff_id = $2 or user_id = $3) returning id",
    values: [id, staffId, userId],
  });
  return rows.length > 0;
}

/** Ends all of a person. */
export async function deleteSessionsOf(tx: Queryable, person: Person): Promise<void> {
  const { staffId, userId } = idsOf(person);
  await tx.query({
    name: "deleteSessionsOf",
    text: "/* deleteSessionsOf */ delete from console_session where staff_id = $1 or user_id = $2",
    values: [staffId, userId],
  });
}

/** Whether somebody has used a session within so many seconds; uses are noted once a minute. */
export async function isAnySessionInUse(db: Queryable, withinSeconds: number): Promise<boolean> {
  const [row] = await db.query<{ used: boolean }>({
    name: "isAnySessionInUse",
    text: `/* isAnySessionInUse */
select exists (select from console_session where last_used_at > now() - make_interval(secs => $1)) as used`,
    values: [withinSeconds],
  });
  return row?.used ?? false;
}

/** Drops those that are over by time or by their person. Answers how many. */
export async function dropOldSessions(db: Queryable, { unusedHours, days }: SessionLimits): Promise<number> {
  const rows = await db.query<{ dropped: number }>({
    name: "dropOldSessions",
    text: `/* dropOldSessions */
with dropped as (
  delete from console_session c
   where c.last_used_at < now() - make_interval(hours => $1) or c.created_at < now() - make_interval(days => $2)
      or exists (select from staff t where t.id = c.staff_id and t.password_version <> c.password_version)
      or exists (select from account_user u where u.id = c.user_id and u.password_version <> c.password_version)
  returning 1
)
select count(*)::int as dropped from dropped`,
    values: [unusedHours, days],
  });
  return rows[0]?.dropped ?? 0;
}

/**
 * With a new password version, which ends sessions and access tokens. The configuration's version
 * is to be raised afterwards.
 */
export async function updateUserPassword(
  tx: Queryable,
  {
    id,
    passwordHash,
    mustChange,
    ofVersion,
  }: {
    readonly id: number;
    readonly passwordHash: string;
    readonly mustChange: boolean;
    /** Changes nothing where the password is another by now. */
    readonly ofVersion?: number;
  },
): Promise<number | undefined> {
  const [row] = await tx.query<{ version: number }>({
    name: "updateUserPassword",
    text: `/* updateUserPassword */
update account_user set password_hash = $2, password_version = password_version + 1, must_change_password = $3
 where id = $1 and ($4::int is null or password_version = $4) returning password_version as version`,
    values: [id, passwordHash, mustChange, ofVersion ?? null],
  });
  return row?.version;
}
