// Whether the recipient of a claimed message has opted out since the message was accepted. Asked
// before anything of it is submitted. Pure.
import type { Directory } from "../directory/directory.ts";
import type { Msisdn } from "../sms/msisdn.ts";
import { isCode } from "../sms/template.ts";
import type { ClaimedMessage } from "../store/message-queue.ts";

export function isOptedOut(
  message: ClaimedMessage,
  { optOuts, accounts }: Pick<Directory, "optOuts" | "accounts">,
): boolean {
  const { accountId, sender, recipient, templateId } = message;
  // A message of which something may have been submitted is completed.
  if (message.partsTaken !== 0 || message.unanswered > 0) return false;
  // Recipients are stored in this form.
  if (!optOuts.has(sender, accountId, recipient as Msisdn)) return false;
  if (templateId === undefined || templateId === null) return true;
  const template = accounts.get(accountId)?.terms.template(templateId);
  return template !== undefined && !isCode(template);
}
