// Finds the account that a command names, or fails with a hint at names that are nearly the same.
import { hintFor } from "../setup/fault.ts";
import type { Database } from "../store/database.ts";
import { findAccountByName, listAccountNames } from "../store/ledger.ts";
import { CommandFailed } from "./command-context.ts";

export async function findAccount(db: Database, name: string): Promise<{ readonly id: number }> {
  const account = await findAccountByName(db, name);
  if (account !== undefined) return account;
  const hint = hintFor(name, await listAccountNames(db)) ?? "accounts are created by hodhod apply";
  throw new CommandFailed(`there is no account ${name}`, { hint });
}
