// Warns of passwords in a file that replace others: perhaps their people have changed them since.
// Pure.
import type { SetupFault } from "./fault.ts";
import type { Setup } from "./setup.ts";
import type { SetupState } from "./setup-state.ts";

export function passwordWarnings(
  { accounts, staff = [] }: Setup,
  stored: SetupState,
  desired: SetupState,
): readonly SetupFault[] {
  const hint = "leave password out where people change their own";
  const warn = (path: SetupFault["path"], username: string): SetupFault => ({
    path: [...path, "password"],
    message: `replaces the password that ${username} has now`,
    hint,
  });
  const ofUsers = accounts.flatMap(({ path, name, users = [] }) =>
    users.flatMap(({ username }, index) => {
      const old = stored.accounts.get(name)?.users.get(username);
      const now = desired.accounts.get(name)?.users.get(username);
      return isReplaced(old, now) ? [warn([...path, "users", index], username)] : [];
    }),
  );
  const ofStaff = staff.flatMap(({ path, username }) =>
    isReplaced(stored.staff.get(username), desired.staff.get(username)) ? [warn(path, username)] : [],
  );
  return [...ofUsers, ...ofStaff];
}

interface Hashed {
  readonly passwordHash: string;
}

function isReplaced(old: Hashed | undefined, now: Hashed | undefined): boolean {
  return old !== undefined && now !== undefined && old.passwordHash !== now.passwordHash;
}
