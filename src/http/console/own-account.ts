// The account of a customer who calls.
import type { Account } from "../../directory/directory.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleCall, notThere } from "./console-endpoint.ts";

/** The customer's own account, as the rules of sending know it. */
export function accountOf(context: ConsoleContext, { request }: Pick<ConsoleCall, "request">): Account {
  const own = context.sessionOf(request).account;
  const account = own && context.parts.directory.current.accounts.get(own.id);
  if (account === undefined) throw notThere();
  return account;
}
