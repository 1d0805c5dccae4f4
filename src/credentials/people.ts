// Changes of people who may sign in, staff and users of accounts, by whatever way they come: each in
// one transaction with its entry in the audit, under the lock of the configuration, because users
// are part of it. Whoever is changed is signed out on all nodes. An administrator who can sign in
// stays.
import { type Actor, type AuditedChange, changeAudited } from "../store/audit.ts";
import { upsertPeople } from "../store/credentials.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import {
  deletePerson,
  findNamesakes,
  findPerson,
  type PersonRow,
  type PersonUpdate,
  updatePerson,
} from "../store/people.ts";
import { ApiError } from "../texts/errors.ts";
import type { StaffRole, UserRole } from "./abilities.ts";
import { auditedPerson } from "./sign-ins.ts";
import { hashPassword } from "./password-check.ts";
import { loseSecondFactor } from "./second-factor.ts";
import { countRows } from "../store/figures.ts";
import { type ConsoleSession, openSession } from "./console-sessions.ts";

const staffNameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** A name of staff, used in the audit, in commands and in setup files. */
export function isStaffName(name: string): boolean {
  return staffNameForm.test(name);
}

/** Who is changed, and by whom. */
export interface PersonChange {
  readonly db: Transactional;
  readonly actor: Actor;
  /** Whose user it is; absent: one of the staff. */
  readonly account?: { readonly id: number; readonly name: string } | undefined;
  readonly username: string;
  /** Looks at what is stored while nobody else can change it; throws to change nothing. */
  readonly expect?: ((stored: PersonRow | undefined) => void) | undefined;
}

/** What is absent stays as it is. */
export interface WantedPerson {
  readonly role?: StaffRole | UserRole;
  readonly enabled?: boolean;
  readonly password?: string | undefined;
  /** Whether the password stays: otherwise it must be changed at the next sign-in. */
  readonly keepsPassword?: boolean;
}

/** Enough for any organisation; each is held in the memory of every node. */
const mostUsers = 1_000;

/** Adds the person, or changes the one that is there. */
export async function savePerson(change: PersonChange, wanted: WantedPerson): Promise<PersonRow> {
  const { role, enabled, password, keepsPassword = false } = wanted;
  const setBy = keepsPassword ? null : change.actor.who;
  const saved = password === undefined ? undefined : { hash: await hashPassword(password), setBy };
  const person = await changePerson(change, async (tx, old) => {
    if (old === undefined) return addPerson(tx, change, { role, enabled, password: saved });
    const after = { role: role ?? old.role, enabled: enabled ?? old.enabled };
    const isOther = old.role !== after.role || old.enabled !== after.enabled;
    if (!isOther && saved === undefined) return undefined;
    await updatePerson(tx, old.personId, { role, enabled, password: saved });
    return {
      action: "change",
      ...(isOther && { before: { role: old.role, enabled: old.enabled } }),
      after: { ...(isOther && after), ...(saved && { password: "set" }) },
    };
  });
  return expectPerson(person);
}

async function addPerson(
  tx: Queryable,
  change: PersonChange,
  { role, enabled = true, password }: PersonUpdate,
): Promise<Change> {
  const { account, username } = change;
  if (role === undefined) throw ApiError.notThere();
  if (password === undefined) throw ApiError.invalidParameter("password", "field.required");
  if (account !== undefined) await expectRoom(tx, account.id, username);
  const { hash, setBy } = password;
  await upsertPeople(tx, [{ account: account?.name, username, password: hash, role, enabled, setBy: setBy ?? "" }]);
  return { action: "create", after: { role, enabled, password: "set" } };
}

/**
 * Users sign in with their name and the domain of the account; domains are host names, whose case
 * has no meaning.
 */
async function expectRoom(tx: Queryable, accountId: number, username: string): Promise<void> {
  const { users, domain, others } = await findNamesakes(tx, accountId, username);
  if (users >= mostUsers) throw ApiError.invalidParameter("username", "console.tooManyUsers");
  if (others.some((other) => other.toLowerCase() === domain.toLowerCase()))
    throw ApiError.invalidParameter("username", "console.usernameTaken");
}

export async function removePerson(change: PersonChange): Promise<void> {
  await changePerson(change, async (tx, old) => {
    const { personId, role, enabled } = expectPerson(old);
    await deletePerson(tx, personId);
    return { action: "remove", before: { role, enabled } };
  });
}

/**
 * For somebody who has lost the phone: also ends the sessions. Returns false if there was no second
 * factor.
 */
export async function resetSecondFactor(change: PersonChange): Promise<boolean> {
  let wasThere = false;
  await changePerson(change, async (tx, old) => {
    wasThere = await loseSecondFactor(tx, expectPerson(old).personId);
    return wasThere ? { action: "change", after: { secondFactor: "removed" } } : undefined;
  });
  return wasThere;
}

type Change = Pick<AuditedChange, "action" | "before" | "after">;

/** Answers the person afterwards. */
async function changePerson(
  { db, actor, account, username, expect }: PersonChange,
  change: (tx: Queryable, stored: PersonRow | undefined) => Promise<Change | undefined>,
): Promise<PersonRow | undefined> {
  return changeAudited(db, actor, async (tx) => {
    const administrators = await countRows(tx, "administrators");
    const stored = await findPerson(tx, account?.id, username);
    expect?.(stored);
    const made = await change(tx, stored);
    if (made === undefined) return { result: stored };
    if (administrators > 0 && (await countRows(tx, "administrators")) === 0)
      throw ApiError.invalidParameter("role", "console.lastAdministrator");
    const result = await findPerson(tx, account?.id, username);
    return { result, audited: { ...auditedPerson({ username, account }), ...made } };
  });
}

function expectPerson(person: PersonRow | undefined): PersonRow {
  if (person === undefined) throw ApiError.notThere();
  return person;
}

// What people who are signed in change of themselves, in one transaction with its entry in the
// audit. Users are configuration: tokens and the URL methods follow on all nodes.

export interface OwnChange {
  readonly session: ConsoleSession;
  readonly actor: Actor;
}

/** Undefined where `change` answers it: nothing was changed. */
export function changeOneself<Result>(
  db: Transactional,
  { session, actor }: OwnChange,
  after: { readonly password: "changed" } | { readonly secondFactor: "set" | "removed" },
  change: (tx: Queryable) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  return changeAudited(db, actor, async (tx) => {
    const result = await change(tx);
    return {
      result,
      audited: result === undefined ? undefined : { action: "change", ...auditedPerson(session), after },
    };
  });
}

export interface OwnPassword extends OwnChange {
  readonly newPassword: string;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The other sessions end, and this one continues under the token that is returned; undefined where
 * the person was removed, disabled, or given another password meanwhile.
 */
export async function changeOwnPassword(db: Transactional, change: OwnPassword): Promise<string | undefined> {
  const { session, newPassword, address, userAgent } = change;
  const { personId, passwordVersion: ofVersion } = session;
  const password = { hash: await hashPassword(newPassword), setBy: null };
  return changeOneself(db, change, { password: "changed" }, async (tx) => {
    const passwordVersion = await updatePerson(tx, personId, { password, ofVersion });
    if (passwordVersion === undefined) return undefined;
    return openSession(tx, { personId, passwordVersion, address, userAgent });
  });
}
