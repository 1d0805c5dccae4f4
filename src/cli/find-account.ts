// Finds an account by name, or fails with a hint at similar names.
import { didYouMean } from "../setup/fault.ts";
import type { Database } from "../store/database.ts";
import { findAccountByName, listAccountNames } from "../store/ledger.ts";
import { CommandFailed } from "../platform/command-failed.ts";

export async function findAccount(db: Database, name: string): Promise<{ readonly id: number }> {
  const account = await findAccountByName(db, name);
  if (account !== undefined) return account;
  const hint =
    didYouMean(name, await listAccountNames(db)) ?? "hodhod accounts lists the accounts; hodhod apply creates them";
  throw new CommandFailed(`there is no account ${name}`, { hint });
}
