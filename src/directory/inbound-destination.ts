// To which account a message from a subscriber goes, and by which rule.
import type { Directory } from "./directory.ts";
import type { InboundRule } from "../sms/replies.ts";

export interface Destination {
  /** 0: nobody's yet (decisions §3). */
  readonly accountId: number;
  /** By which the account gets the message. */
  readonly rule?: InboundRule | undefined;
}

export const nobodys: Destination = { accountId: 0 };

export function destinationOf(directory: Directory, line: string, content: string): Destination {
  const rule = directory.inboundRules.find(line, content);
  const named = rule && directory.findAccount(rule.account);
  return named === undefined ? { accountId: directory.inboundAccountOf(line) } : { accountId: named.id, rule };
}
