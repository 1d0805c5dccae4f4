// Whether the recipient of a claimed message has opted out since the message was accepted. Asked
// before anything of it is submitted. Pure.
import type { Directory } from "../directory/directory.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";

export function isOptedOut(message: ClaimedMessage, { optOuts }: Pick<Directory, "optOuts">): boolean {
  const { accountId, sender, recipient, isFree } = message;
  // If something of the message may have been submitted, the rest is still sent.
  if (isFree || message.partsTaken !== 0 || message.unanswered > 0) return false;
  // Recipients are stored in this form.
  return optOuts.has(sender, accountId, recipient as Msisdn);
}
