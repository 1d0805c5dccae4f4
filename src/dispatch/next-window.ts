// Whether a message may still go out when its first part is about to be written: its window may
// have ended since it was claimed, and its rule may have changed.
import type { Directory } from "../directory/directory.ts";
import { sendingHoursOf, type MessageOfLine } from "../directory/sending-hours-of.ts";
import type { DatabaseClock } from "../store/database-clock.ts";

export interface Window {
  readonly from: Date;
  readonly until: Date;
}

/** The next window of a message that may not go out now; undefined if it may. */
export type NextWindow = (message: MessageOfLine) => Window | undefined;

export function nextWindowBy(
  directory: { readonly current: Pick<Directory, "accounts" | "lines"> },
  clock: Pick<DatabaseClock, "now">,
): NextWindow {
  return (message) => {
    const hours = sendingHoursOf(directory.current, message);
    if (hours === undefined) return undefined;
    const now = clock.now();
    const open = hours.openTime(now);
    return open === undefined || open.from === now
      ? undefined
      : { from: new Date(open.from), until: new Date(open.until) };
  };
}
