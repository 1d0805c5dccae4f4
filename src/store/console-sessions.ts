// Sessions of the console, and the addresses from which users logged in. A session is over after 12 hours
// without use, after 7 days, and with every other version of its person (people.ts). Addresses are
// stored as hashes with the person's id.
import { firstOf, type Queryable } from "./database.ts";

/** Those of present persons that are not over. */
const good = `
  from console_session c
  join person p on p.id = c.person_id and p.enabled and p.password_version = c.password_version
 where c.last_used_at > now() - interval '12 hours' and c.created_at > now() - interval '7 days'`;

/** The service demands a second factor of staff, and there is none yet. */
const mustSetFactor = `p.account_id is null and p.factor_secret is null
       and exists (select from configured_object where section = 'settings' and body->>'staffSecondFactor' = 'required')`;

export interface NewSession {
  readonly id: string;
  readonly tokenSha256: Buffer;
  readonly personId: number;
  /** Of the password that was checked: another one may have been set meanwhile. */
  readonly passwordVersion: number;
  readonly address: string;
  readonly userAgent: string;
  /** With this one. The oldest of a person go. */
  readonly sessionsOfPerson: number;
}

/** Answers false where the person is gone, disabled, or has another password by now. */
export async function insertSession(tx: Queryable, session: NewSession): Promise<boolean> {
  const { id, tokenSha256, personId, passwordVersion, address, userAgent, sessionsOfPerson } = session;
  const rows = await tx.query(
    "insertSession",
    `with inserted as (
  insert into console_session (id, token_sha256, person_id, password_version, address, user_agent)
  select $1, $2, id, password_version, $5, $6 from person where id = $3 and enabled and password_version = $4
  returning id, person_id
),
surplus as (
  delete from console_session where id in (
    select c.id from inserted i join console_session c on c.person_id = i.person_id
     order by c.last_used_at desc, c.id desc offset $7::int - 1)
)
select id from inserted`,
    [id, tokenSha256, personId, passwordVersion, address, userAgent, sessionsOfPerson],
  );
  return rows.length > 0;
}

export interface SessionRow {
  readonly id: string;
  readonly personId: number;
  readonly username: string;
  readonly role: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly passwordSetBy: string | null;
  /** Null: one of the staff. */
  readonly account: { readonly id: number; readonly name: string } | null;
  readonly mustSetSecondFactor: boolean;
  /** So long nobody has written down that it is used. */
  readonly unnotedSeconds: number;
}

export function findSession(db: Queryable, tokenSha256: Buffer): Promise<SessionRow | undefined> {
  return firstOf(
    db.query<SessionRow>(
      "findSession",
      `select c.id, p.id as "personId", p.username, p.role, p.password_hash as "passwordHash", p.password_version as "passwordVersion",
       p.password_set_by as "passwordSetBy", ${mustSetFactor} as "mustSetSecondFactor",
       (select json_build_object('id', id, 'name', name) from account where id = p.account_id) as account,
       extract(epoch from now() - c.last_used_at)::float8 as "unnotedSeconds" ${good} and c.token_sha256 = $1`,
      [tokenSha256],
    ),
  );
}

export async function noteSessionUse(db: Queryable, id: string): Promise<void> {
  await db.query("noteSessionUse", "update console_session set last_used_at = now() where id = $1", [id]);
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly address: string;
  readonly userAgent: string;
}

/** Those of a person that are still good, the one used last first. */
export function listSessions(db: Queryable, personId: number): Promise<ListedSession[]> {
  return db.query<ListedSession>(
    "listSessions",
    `select c.id, c.created_at as "createdAt", c.last_used_at as "lastUsedAt", c.address, c.user_agent as "userAgent" ${good} and p.id = $1
 order by c.last_used_at desc, c.id desc`,
    [personId],
  );
}

/** Answers false where the person has no such session. */
export async function deleteSession(tx: Queryable, personId: number, id: string): Promise<boolean> {
  const rows = await tx.query(
    "deleteSession",
    "delete from console_session where id = $1 and person_id = $2 returning id",
    [id, personId],
  );
  return rows.length > 0;
}

/** Whether somebody has used a session within so many seconds; uses are noted once a minute. */
export async function isAnySessionInUse(db: Queryable, withinSeconds: number): Promise<boolean> {
  const [row] = await db.query<{ used: boolean }>(
    "isAnySessionInUse",
    `select exists (select from console_session where last_used_at > now() - make_interval(secs => $1)) as used`,
    [withinSeconds],
  );
  return row?.used ?? false;
}

/** Drops those that are over; of disabled people they are over, too. Answers how many. */
export async function dropOldSessions(db: Queryable): Promise<number> {
  const rows = await db.query<{ dropped: number }>(
    "dropOldSessions",
    `with dropped as (delete from console_session where id not in (select c.id ${good}) returning 1)
select count(*)::int as dropped from dropped`,
  );
  return rows[0]?.dropped ?? 0;
}

export interface LoginOriginRow {
  readonly personId: number;
  readonly addressHash: Buffer;
}

export interface SeenLoginOrigin extends LoginOriginRow {
  readonly ageSeconds: number;
}

/** More than this is not ordinary use. */
const maximumRows = 100_000;
const keptHours = 30 * 24;
/** Rows that one user may leave, however many addresses they call from. */
const maximumOfUser = 32;

/** Records each as seen now. */
export async function upsertLoginOrigins(db: Queryable, origins: readonly LoginOriginRow[]): Promise<void> {
  await db.query(
    "upsertLoginOrigins",
    `insert into login_origin (person_id, address_hash, seen_at)
select given.person_id, decode(given.hash, 'hex'), now()
  from unnest($1::int[], $2::text[]) as given (person_id, hash)
 order by given.person_id, given.hash
on conflict (person_id, address_hash) do update set seen_at = excluded.seen_at`,
    [origins.map(({ personId }) => personId), origins.map(({ addressHash }) => addressHash.toString("hex"))],
  );
}

/**
 * The origins seen within this many seconds, oldest first; when there are too many, only the
 * newest.
 */
export async function listLoginOrigins(db: Queryable, withinSeconds: number): Promise<SeenLoginOrigin[]> {
  return db.query<SeenLoginOrigin>(
    "listLoginOrigins",
    `select * from (
  select person_id as "personId", address_hash as "addressHash",
         greatest(0, extract(epoch from now() - seen_at))::float8 as "ageSeconds"
    from login_origin where seen_at > now() - make_interval(secs => $1)
   order by seen_at desc limit $2) as newest
 order by "ageSeconds" desc`,
    [withinSeconds, maximumRows],
  );
}

/** Deletes expired origins, and each user's origins beyond the newest ones. Returns how many. */
export async function dropOldLoginOrigins(db: Queryable): Promise<number> {
  const rows = await db.query<{ dropped: number }>(
    "dropOldLoginOrigins",
    `with ranked as (
  select person_id, address_hash, seen_at, row_number() over (partition by person_id order by seen_at desc) as place
    from login_origin
),
dropped as (
  delete from login_origin o using ranked r
   where o.person_id = r.person_id and o.address_hash = r.address_hash and o.seen_at = r.seen_at
     and (r.seen_at < now() - make_interval(hours => $1) or r.place > $2)
  returning 1
)
select count(*)::int as dropped from dropped`,
    [keptHours, maximumOfUser],
  );
  return rows[0]?.dropped ?? 0;
}
