// Statements on the addresses from which users logged in. Addresses are stored as hashes with the
// user's id.
import type { Queryable } from "./database.ts";

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
  await db.query({
    name: "upsertLoginOrigins",
    text: `/* upsertLoginOrigins */
insert into login_origin (person_id, address_hash, seen_at)
select given.person_id, decode(given.hash, 'hex'), now()
  from unnest($1::int[], $2::text[]) as given (person_id, hash)
 order by given.person_id, given.hash
on conflict (person_id, address_hash) do update set seen_at = excluded.seen_at`,
    values: [origins.map(({ personId }) => personId), origins.map(({ addressHash }) => addressHash.toString("hex"))],
  });
}

/**
 * The origins seen within this many seconds, oldest first; when there are too many, only the
 * newest.
 */
export async function listLoginOrigins(db: Queryable, withinSeconds: number): Promise<SeenLoginOrigin[]> {
  return db.query<SeenLoginOrigin>({
    name: "listLoginOrigins",
    text: `/* listLoginOrigins */
select * from (
  select person_id as "personId", address_hash as "addressHash",
         greatest(0, extract(epoch from now() - seen_at))::float8 as "ageSeconds"
    from login_origin where seen_at > now() - make_interval(secs => $1)
   order by seen_at desc limit $2) as newest
 order by "ageSeconds" desc`,
    values: [withinSeconds, maximumRows],
  });
}

/** Deletes expired origins, and each user's origins beyond the newest ones. Returns how many. */
export async function dropOldLoginOrigins(db: Queryable): Promise<number> {
  const rows = await db.query<{ dropped: number }>({
    name: "dropOldLoginOrigins",
    text: `/* dropOldLoginOrigins */
with ranked as (
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
    values: [keptHours, maximumOfUser],
  });
  return rows[0]?.dropped ?? 0;
}
