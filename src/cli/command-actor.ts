// Who runs a command, as the audit names them.
import { hostname, userInfo } from "node:os";
import type { Actor } from "../store/audit.ts";

export function commandActor(): Actor {
  return { who: `command:${userName()}@${hostname()}` };
}

/** A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
