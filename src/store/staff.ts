// Statements on staff: those who use the console for the service, not for an account.
import type { Queryable } from "./database.ts";

export interface StaffRow {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly role: string;
  readonly enabled: boolean;
  readonly mustChangePassword: boolean;
}

export async function findStaff(db: Queryable, username: string): Promise<StaffRow | undefined> {
  const [row] = await db.query<StaffRow>({
    name: "findStaff",
    text: `/* findStaff */
select id, username, password_hash as "passwordHash", password_version as "passwordVersion", role, enabled,
       must_change_password as "mustChangePassword"
  from staff where username = $1`,
    values: [username],
  });
  return row;
}

export interface ListedStaff {
  readonly username: string;
  readonly role: string;
  readonly enabled: boolean;
  readonly secondFactor: boolean;
  readonly mustChangePassword: boolean;
  readonly createdAt: Date;
  /** Null: no session of the last seven days. */
  readonly lastUsedAt: Date | null;
}

const listed = `
select s.username, s.role, s.enabled, f.secret is not null as "secondFactor", s.must_change_password as "mustChangePassword",
       s.created_at as "createdAt", (select max(c.last_used_at) from console_session c where c.staff_id = s.id) as "lastUsedAt"
  from staff s left join second_factor f on f.staff_id = s.id`;

export function listStaff(db: Queryable): Promise<ListedStaff[]> {
  return db.query<ListedStaff>({
    name: "listStaff",
    text: `/* listStaff */ ${listed} order by s.username`,
    values: [],
  });
}

export async function findListedStaff(db: Queryable, username: string): Promise<ListedStaff | undefined> {
  const [row] = await db.query<ListedStaff>({
    name: "findListedStaff",
    text: `/* findListedStaff */ ${listed} where s.username = $1`,
    values: [username],
  });
  return row;
}

export async function hasStaff(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>({
    name: "hasStaff",
    text: "/* hasStaff */ select exists (select from staff) as has",
    values: [],
  });
  return row?.has ?? false;
}

/** Answers false where the name is taken. */
export async function insertStaff(tx: Queryable, staff: Omit<StaffRow, "id" | "passwordVersion">): Promise<boolean> {
  const rows = await tx.query({
    name: "insertStaff",
    text: `/* insertStaff */
insert into staff (username, password_hash, role, enabled, must_change_password) values ($1, $2, $3, $4, $5)
on conflict (username) do nothing returning id`,
    values: [staff.username, staff.passwordHash, staff.role, staff.enabled, staff.mustChangePassword],
  });
  return rows.length > 0;
}

/**
 * As a new password does, another role ends the sessions: they would not come back with the old
 * role.
 */
export async function updateStaffRole(tx: Queryable, id: number, role: string): Promise<void> {
  await tx.query({
    name: "updateStaffRole",
    text: "/* updateStaffRole */ update staff set role = $2, password_version = password_version + 1 where id = $1",
    values: [id, role],
  });
}

export async function updateStaffEnabled(tx: Queryable, id: number, enabled: boolean): Promise<void> {
  await tx.query({
    name: "updateStaffEnabled",
    text: "/* updateStaffEnabled */ update staff set enabled = $2, password_version = password_version + 1 where id = $1",
    values: [id, enabled],
  });
}

export async function deleteStaff(tx: Queryable, id: number): Promise<void> {
  await tx.query({ name: "deleteStaff", text: "/* deleteStaff */ delete from staff where id = $1", values: [id] });
}

/** With a new password version, which ends the sessions. Answers it. */
export async function updateStaffPassword(
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
    /** Changes nothing where the password is another by now, or the person disabled. */
    readonly ofVersion?: number;
  },
): Promise<number | undefined> {
  const [row] = await tx.query<{ version: number }>({
    name: "updateStaffPassword",
    text: `/* updateStaffPassword */
update staff set password_hash = $2, password_version = password_version + 1, must_change_password = $3
 where id = $1 and ($4::int is null or password_version = $4 and enabled) returning password_version as version`,
    values: [id, passwordHash, mustChange, ofVersion ?? null],
  });
  return row?.version;
}

/** Any number that no other lock of the program takes. */
const staffLock = 4_718_281_004;

/**
 * Keeps other changes of staff waiting until the transaction ends. Answers how many administrators
 * can sign in.
 */
export async function lockStaff(tx: Queryable): Promise<number> {
  await tx.query({
    name: "lockStaff",
    text: "/* lockStaff */ select pg_advisory_xact_lock($1)",
    values: [staffLock],
  });
  return countAdministrators(tx);
}

export async function countAdministrators(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: "countAdministrators",
    text: "/* countAdministrators */ select count(*)::int as count from staff where role = 'administrator' and enabled",
    values: [],
  });
  return row?.count ?? 0;
}
