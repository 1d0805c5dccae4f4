// Changes of staff, by whatever way they come: each in one transaction with its entry in the audit,
// and never so that no administrator is left who can sign in.
import { type Actor, type AuditedChange, insertAuditEntries } from "../store/audit.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import {
  countAdministrators,
  deleteStaff,
  findStaff,
  insertStaff,
  lockStaff,
  type StaffRow,
  updateStaffEnabled,
  updateStaffPassword,
  updateStaffRole,
} from "../store/staff.ts";
import type { StaffRole } from "./abilities.ts";
import { hashPassword } from "./password.ts";
import { loseSecondFactor } from "./second-factor.ts";

/** Why nothing of staff was changed. */
export class StaffUnchanged extends Error {
  override readonly name = "StaffUnchanged";
  readonly reason: "unknown" | "taken" | "lastAdministrator" | "noPassword";

  constructor(reason: StaffUnchanged["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** A name of staff: it stands in the audit, in commands and in setup files. */
export function isStaffName(name: string): boolean {
  return nameForm.test(name);
}

export interface StaffChanges {
  readonly db: Transactional;
  readonly actor: Actor;
  /** Looks at who is stored while nobody else can change staff; throws to change nothing. */
  readonly expect?: (stored: StaffRow | undefined) => void;
}

export interface WantedStaff {
  readonly role: StaffRole;
  readonly enabled: boolean;
  /**
   * Absent: the password stays. A new one is chosen by somebody else, so it must be changed at the
   * next sign-in.
   */
  readonly password?: string | undefined;
}

/** Adds somebody, or changes who is there. */
export async function saveStaff(
  changes: StaffChanges,
  username: string,
  { role, enabled, password }: WantedStaff,
): Promise<void> {
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  await changeStaff(changes, async (tx) => {
    const old = await findStaff(tx, username);
    changes.expect?.(old);
    if (old === undefined) {
      if (passwordHash === undefined) throw new StaffUnchanged("noPassword", "a new staff member needs a password");
      await insertStaff(tx, { username, passwordHash, role, enabled, mustChangePassword: true });
      return { action: "create", name: username, after: { role, enabled } };
    }
    const { id } = old;
    if (old.role !== role) await updateStaffRole(tx, id, role);
    if (old.enabled !== enabled) await updateStaffEnabled(tx, id, enabled);
    if (passwordHash !== undefined) await updateStaffPassword(tx, { id, passwordHash, mustChange: true });
    const isOther = old.role !== role || old.enabled !== enabled;
    if (!isOther && passwordHash === undefined) return undefined;
    return {
      action: "change",
      name: username,
      ...(isOther && { before: { role: old.role, enabled: old.enabled } }),
      after: { ...(isOther && { role, enabled }), ...(passwordHash !== undefined && { password: "changed" }) },
    };
  });
}

export async function addStaff(
  changes: StaffChanges,
  { username, password, role }: { readonly username: string; readonly password: string; readonly role: StaffRole },
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await changeStaff(changes, async (tx) => {
    if (!(await insertStaff(tx, { username, passwordHash, role, enabled: true, mustChangePassword: false }))) {
      throw new StaffUnchanged("taken", `there is already a staff member ${username}`);
    }
    return { action: "create", name: username, after: { role, enabled: true } };
  });
}

export async function setStaffRole(changes: StaffChanges, username: string, role: StaffRole): Promise<void> {
  await changeStaff(changes, async (tx) => {
    const staff = await expectStaff(tx, username);
    if (staff.role === role) return undefined;
    await updateStaffRole(tx, staff.id, role);
    return { action: "change", name: username, before: { role: staff.role }, after: { role } };
  });
}

export async function setStaffEnabled(changes: StaffChanges, username: string, enabled: boolean): Promise<void> {
  await changeStaff(changes, async (tx) => {
    const staff = await expectStaff(tx, username);
    if (staff.enabled === enabled) return undefined;
    await updateStaffEnabled(tx, staff.id, enabled);
    return { action: "change", name: username, before: { enabled: staff.enabled }, after: { enabled } };
  });
}

export async function removeStaff(changes: StaffChanges, username: string): Promise<void> {
  await changeStaff(changes, async (tx) => {
    const staff = await findStaff(tx, username);
    changes.expect?.(staff);
    const { id, role, enabled } = staff ?? (await expectStaff(tx, username));
    await deleteStaff(tx, id);
    return { action: "remove", name: username, before: { role, enabled } };
  });
}

/** `mustChange`: at the next sign-in, because somebody else knows it. Ends the sessions. */
export async function setStaffPassword(
  changes: StaffChanges,
  username: string,
  { password, mustChange }: { readonly password: string; readonly mustChange: boolean },
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await changeStaff(changes, async (tx) => {
    const { id } = await expectStaff(tx, username);
    await updateStaffPassword(tx, { id, passwordHash, mustChange });
    return { action: "change", name: username, after: { password: "changed" } };
  });
}

/**
 * For somebody who has lost the phone: also ends the sessions. Returns false if there was no second
 * factor.
 */
export async function resetSecondFactor(changes: StaffChanges, username: string): Promise<boolean> {
  let wasThere = false;
  await changeStaff(changes, async (tx) => {
    const { id } = await expectStaff(tx, username);
    wasThere = await loseSecondFactor(tx, { staffId: id });
    return wasThere ? { action: "change", name: username, after: { secondFactor: "removed" } } : undefined;
  });
  return wasThere;
}

type StaffChange = Omit<AuditedChange, "kind">;

async function changeStaff(
  { db, actor }: StaffChanges,
  change: (tx: Queryable) => Promise<StaffChange | undefined>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await keepAnAdministrator(tx, async () => {
      const audited = await change(tx);
      if (audited !== undefined) await insertAuditEntries(tx, actor, [{ kind: "staff", ...audited }]);
    });
  });
}

/**
 * Every change of staff goes through here, whoever makes it. `tx` is a transaction, undone where
 * this throws.
 */
export async function keepAnAdministrator(tx: Queryable, change: () => Promise<void>): Promise<void> {
  const before = await lockStaff(tx);
  await change();
  if (before > 0 && (await countAdministrators(tx)) === 0) {
    throw new StaffUnchanged("lastAdministrator", "this would leave no administrator who can sign in");
  }
}

async function expectStaff(tx: Queryable, username: string): Promise<StaffRow> {
  const staff = await findStaff(tx, username);
  if (staff === undefined) throw new StaffUnchanged("unknown", `there is no staff member ${username}`);
  return staff;
}
