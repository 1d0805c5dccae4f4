// Changes of the users of an account by people: each in one transaction with its entry in the
// audit, under the lock of the configuration, because users are part of it. Whoever is changed is
// signed out on all nodes.
import {
  type AccountUser,
  countUsersOf,
  deleteUser,
  findDomainsOf,
  findUserOf,
  insertUser,
  updateUserRole,
} from "../store/account-users.ts";
import { type Actor, type AuditedChange, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { updateUserPassword } from "../store/console-sessions.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import type { UserRole } from "./abilities.ts";
import { hashPassword } from "./password.ts";
import { loseSecondFactor } from "./second-factor.ts";

/** Why nothing of a user was changed. */
export class UserUnchanged extends Error {
  override readonly name = "UserUnchanged";
  readonly reason: "unknown" | "taken" | "tooMany" | "noPassword";

  constructor(reason: UserUnchanged["reason"]) {
    super(`the user was not changed: ${reason}`);
    this.reason = reason;
  }
}

/** Whose user it is, and who changes it. */
export interface UserChange {
  readonly db: Transactional;
  readonly actor: Actor;
  readonly account: { readonly id: number; readonly name: string };
  readonly username: string;
  /** Looks at what is stored while nobody else can change it; throws to change nothing. */
  readonly expect?: (stored: AccountUser | undefined) => void;
}

export interface WantedUser {
  readonly role: UserRole;
  readonly enabled: boolean;
  /**
   * Absent: the password stays. A new one is chosen by somebody else, so it must be changed at the
   * next sign-in.
   */
  readonly password?: string | undefined;
}

/** Enough for any organisation; each is held in the memory of every node. */
const mostUsers = 1_000;

/** Adds the user, or changes the one that is there. */
export async function saveUser(change: UserChange, { role, enabled, password }: WantedUser): Promise<AccountUser> {
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return changeUser(change, async (tx, old) => {
    if (old === undefined) return addUser(tx, change, { role, enabled, passwordHash });
    const isOther = old.role !== role || old.enabled !== enabled;
    if (isOther) await updateUserRole(tx, { id: old.id, role, enabled });
    if (passwordHash !== undefined) await updateUserPassword(tx, { id: old.id, passwordHash, mustChange: true });
    if (!isOther && passwordHash === undefined) return undefined;
    return {
      action: "change",
      ...(isOther && { before: { role: old.role, enabled: old.enabled } }),
      after: { ...(isOther && { role, enabled }), ...(passwordHash !== undefined && { password: "changed" }) },
    };
  }).then((saved) => saved ?? expectUser(undefined));
}

async function addUser(
  tx: Queryable,
  { account, username }: UserChange,
  user: { readonly role: UserRole; readonly enabled: boolean; readonly passwordHash: string | undefined },
): Promise<Change> {
  const { role, enabled, passwordHash } = user;
  if (passwordHash === undefined) throw new UserUnchanged("noPassword");
  if ((await countUsersOf(tx, account.id)) >= mostUsers) throw new UserUnchanged("tooMany");
  // Users sign in with their name and the domain; domains are host names, whose case has no
  // meaning.
  const { own, others } = await findDomainsOf(tx, account.id, username);
  if (others.some((domain) => domain.toLowerCase() === own.toLowerCase())) throw new UserUnchanged("taken");
  await insertUser(tx, { accountId: account.id, username, passwordHash, role, enabled });
  return { action: "create", after: { role, enabled } };
}

export async function removeUser(change: UserChange): Promise<void> {
  await changeUser(change, async (tx, old) => {
    const { id, role, enabled } = expectUser(old);
    await deleteUser(tx, id);
    return { action: "remove", before: { role, enabled } };
  });
}

/**
 * For somebody who has lost the phone: also ends the sessions. Returns false if there was no second
 * factor.
 */
export async function resetUserSecondFactor(change: UserChange): Promise<boolean> {
  let wasThere = false;
  await changeUser(change, async (tx, old) => {
    const { id } = expectUser(old);
    wasThere = await loseSecondFactor(tx, { userId: id });
    return wasThere ? { action: "change", after: { secondFactor: "removed" } } : undefined;
  });
  return wasThere;
}

type Change = Pick<AuditedChange, "action" | "before" | "after">;

/** Answers the user afterwards. */
async function changeUser(
  { db, actor, account, username, expect }: UserChange,
  change: (tx: Queryable, stored: AccountUser | undefined) => Promise<Change | undefined>,
): Promise<AccountUser | undefined> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const stored = await findUserOf(tx, account.id, username);
    expect?.(stored);
    const audited = await change(tx, stored);
    if (audited === undefined) return stored;
    await insertAuditEntries(tx, actor, [{ kind: "user", name: username, account: account.name, ...audited }]);
    const saved = await findUserOf(tx, account.id, username);
    await raiseConfigurationVersion(tx);
    return saved;
  });
}

function expectUser(user: AccountUser | undefined): AccountUser {
  if (user === undefined) throw new UserUnchanged("unknown");
  return user;
}
