// What was typed and is kept in the tab beyond a reload (send/attempt.ts, open-call.ts): for the
// one who typed it alone. A tab may be used by several people, one after the other.
import type { Person } from "./who-is-signed-in.ts";

const prefix = "hodhod.";
/** Whose it is. */
const ownerKey = "hodhod.keptOf";
/** Of no person (main.tsx). */
const reloadedKey = "hodhod.reloaded";

/** Before any page reads: what another person has left is dropped. */
export function keepOnlyOf({ kind, username, account = "" }: Person): void {
  try {
    const owner = JSON.stringify([kind, account, username]);
    const before = sessionStorage.getItem(ownerKey);
    if (before !== null && before !== owner) dropAll();
    sessionStorage.setItem(ownerKey, owner);
  } catch {
    // Storage is closed to us: nothing is kept there.
    return;
  }
}

function dropAll(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(prefix) && key !== reloadedKey) sessionStorage.removeItem(key);
}
