// What people who are signed in change of themselves, in one transaction with its entry in the
// audit. Users are configuration: tokens and the URL methods follow on all nodes.
import { type Actor, insertAuditEntries } from "../store/audit.ts";
import { lockConfiguration, raiseConfigurationVersion } from "../store/configuration-version.ts";
import type { Queryable, Transactional } from "../store/database.ts";
import { updatePerson } from "../store/people.ts";
import { type ConsoleSession, openSession } from "./console-sessions.ts";
import { hashPassword } from "./password.ts";

export interface OwnChange {
  readonly session: ConsoleSession;
  readonly actor: Actor;
}

/** Undefined where `change` answers it: nothing was changed. */
export function changeOneself<Result>(
  db: Transactional,
  { session: { kind, username, account }, actor }: OwnChange,
  after: { readonly password: "changed" } | { readonly secondFactor: "set" | "removed" },
  change: (tx: Queryable) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  return db.transaction(async (tx) => {
    await lockConfiguration(tx);
    const result = await change(tx);
    if (result === undefined) return undefined;
    await insertAuditEntries(tx, actor, [{ action: "change", kind, name: username, account: account?.name, after }]);
    await raiseConfigurationVersion(tx);
    return result;
  });
}

export interface OwnPassword extends OwnChange {
  readonly newPassword: string;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * The other sessions end, and this one goes on under the token that is answered; undefined where
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
