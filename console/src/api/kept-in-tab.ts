// Typed text that the tab keeps over a reload (send/attempt.ts, open-call.ts). Only the person who
// typed it may see it, but several people may use a tab one after the other.
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
