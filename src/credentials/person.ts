// Somebody who may sign in: one of the staff, or a user of an account. How the audit and the limits
// of wrong passwords name them. Pure.
import type { AuditedChange } from "../store/audit.ts";

export interface Person {
  readonly personId: number;
  readonly username: string;
  /** Whose user it is; absent: one of the staff. */
  readonly account?: { readonly id: number; readonly name: string } | undefined;
}

/** As an actor of the audit. */
export function whoOf({ username, account }: Pick<Person, "username" | "account">): string {
  return account === undefined ? `staff:${username}` : `user:${account.name}/${username}`;
}

/** As an object of the audit. */
export function auditedPerson({
  username,
  account,
}: Pick<Person, "username" | "account">): Pick<AuditedChange, "kind" | "name" | "account"> {
  return { kind: account === undefined ? "staff" : "user", name: username, account: account?.name };
}

/**
 * The name under which wrong attempts are counted. The person need not exist. `organisation`: the
 * domain of an account; absent for staff.
 */
export function loginSubject(username: string, organisation?: string): string {
  return organisation === undefined ? `staff ${username}` : `${organisation.toLowerCase()} ${username}`;
}
