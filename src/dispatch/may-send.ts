// Whether a claimed message may still go out when its first part is about to be written: the
// recipient may have opted out since it was accepted, its window may have ended, and its rule may
// have changed.
import { type Directory, sendingHoursOf, type MessageOfLine } from "../directory/directory.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import type { DatabaseClock } from "../store/database.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";

export function isOptedOut(message: ClaimedMessage, { optOuts }: Pick<Directory, "optOuts">): boolean {
  const { accountId, sender, recipient, isFree } = message;
  // If something of the message may have been submitted, the rest is still sent.
  if (isFree || message.partsTaken !== 0 || message.unanswered > 0) return false;
  // Recipients are stored in this form.
  return optOuts.has(sender, accountId, recipient as Msisdn);
}

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
