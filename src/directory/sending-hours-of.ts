// The sending hours of a message that was accepted before: those that count now. Pure.
import type { LineKind } from "../sms/sender-line.ts";
import type { SendingHours } from "../sms/sending-hours.ts";
import type { Directory } from "./directory.ts";

export interface MessageOfLine {
  readonly accountId: number;
  /** The number of its line. */
  readonly sender: string;
  /** Goes out at any hour. */
  readonly isFree: boolean;
}

/** Of a line that is gone while messages from it wait. */
export const kindOfRemoved: LineKind = "dedicated";

/** Undefined: it may go out at any hour. */
export function sendingHoursOf(
  { accounts, lines }: Pick<Directory, "accounts" | "lines">,
  { accountId, sender, isFree }: MessageOfLine,
): SendingHours | undefined {
  if (isFree) return undefined;
  const rules = accounts.get(accountId)?.terms.rules;
  return rules?.ofLine(lines.get(sender) ?? { number: sender, kind: kindOfRemoved }).hours;
}
