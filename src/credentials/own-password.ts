// A person who is signed in gives a new password to themselves: the present one is asked for, the
// other sessions end, and this one goes on under a new token.
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import { updateUserPassword } from "../store/console-sessions.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { updateStaffPassword } from "../store/staff.ts";
import { type ConsoleSession, openSession } from "./console-sessions.ts";
import { hashPassword } from "./password.ts";

export interface OwnPassword {
  readonly session: ConsoleSession;
  readonly actor: Actor;
  readonly newPassword: string;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * Answers the token of the new session; undefined where the person was removed, disabled, or given
 * another password meanwhile.
 */
export async function changeOwnPassword(db: Transactional, change: OwnPassword): Promise<string | undefined> {
  const { session, actor, newPassword, address, userAgent } = change;
  const passwordHash = await hashPassword(newPassword);
  return db.transaction(async (tx) => {
    const passwordVersion = await savePassword(tx, session, passwordHash);
    if (passwordVersion === undefined) return undefined;
    await insertAuditEntries(tx, actor, [{ ...personChanged(session), after: { password: "changed" } }]);
    return openSession(tx, { person: session.person, passwordVersion, address, userAgent });
  });
}

async function savePassword(
  tx: Queryable,
  { person, passwordVersion }: ConsoleSession,
  passwordHash: string,
): Promise<number | undefined> {
  const change = { passwordHash, mustChange: false, ofVersion: passwordVersion };
  if ("staffId" in person) return updateStaffPassword(tx, { id: person.staffId, ...change });
  // Users are configuration: tokens and the URL methods follow the new password on all nodes.
  await lockConfiguration(tx);
  const version = await updateUserPassword(tx, { id: person.userId, ...change });
  if (version !== undefined) await raiseConfigurationVersion(tx);
  return version;
}

/** The person as an object of the audit. */
export function personChanged({ kind, username, account }: ConsoleSession) {
  return {
    action: "change",
    kind: kind === "staff" ? "staff" : "user",
    name: username,
    account: account?.name,
  } as const;
}
