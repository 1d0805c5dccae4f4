// The account of a customer who calls, and whether it may do what is asked for.
import type { Account } from "../../directory/directory.ts";
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { hasPermission, type Permission } from "../authorize.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleCall, notThere } from "./console-endpoint.ts";

/** The customer's own account, as the rules of sending know it. */
export function accountOf(context: ConsoleContext, { request }: Pick<ConsoleCall, "request">): Account {
  const own = context.sessionOf(request).account;
  const account = own && context.parts.directory.current.accounts.get(own.id);
  if (account === undefined) throw notThere();
  return account;
}

/** Says which permission of the account is missing: people can ask for it. */
export function expectPermission(account: Account, permission: Permission): void {
  if (hasPermission(account, permission)) return;
  const text = findingCatalogue["console.sendPermission"];
  throw new ApiError("noPermission", { text, values: { permission } });
}
