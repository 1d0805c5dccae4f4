// Saves staff from a setup file. Called in a transaction that holds the locks of the configuration
// and of staff.
import type { Queryable } from "./database.ts";

export interface StaffToSave {
  readonly username: string;
  readonly passwordHash: string;
  readonly role: string;
  readonly enabled: boolean;
}

/** Who changes gets a new password version, which ends the sessions. */
export async function upsertStaff(tx: Queryable, staff: readonly StaffToSave[]): Promise<void> {
  await tx.query({
    name: "upsertStaff",
    text: `/* upsertStaff */
insert into staff (username, password_hash, role, enabled)
select username, "passwordHash", role, enabled
  from jsonb_to_recordset($1::jsonb) as given (username text, "passwordHash" text, role text, enabled boolean)
on conflict (username) do update
   set password_hash = excluded.password_hash, role = excluded.role, enabled = excluded.enabled,
       password_version = staff.password_version + 1,
       must_change_password = staff.must_change_password and staff.password_hash = excluded.password_hash`,
    values: [JSON.stringify(staff)],
  });
}

export async function deleteStaffNamed(tx: Queryable, usernames: readonly string[]): Promise<void> {
  await tx.query({
    name: "deleteStaffNamed",
    text: "/* deleteStaffNamed */ delete from staff where username = any($1::text[])",
    values: [usernames],
  });
}

export interface SetupStaffRow extends StaffToSave {
  readonly role: "administrator" | "operator" | "sales" | "viewer";
}

export function listSetupStaff(tx: Queryable): Promise<SetupStaffRow[]> {
  return tx.query<SetupStaffRow>({
    name: "listSetupStaff",
    text: `/* listSetupStaff */
select username, password_hash as "passwordHash", role, enabled from staff order by username`,
    values: [],
  });
}
