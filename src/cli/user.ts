// hodhod user: helps a user of an account who cannot sign in any more. Users are otherwise kept in
// the console and in setup files.
import { Command } from "commander";
import { resetUserSecondFactor, UserUnchanged } from "../credentials/account-users.ts";
import { hintFor } from "../setup/fault.ts";
import { listUsersOf } from "../store/account-users.ts";
import type { Database } from "../store/database.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { print, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { findAccount } from "./find-account.ts";
import { withDatabase } from "./with-database.ts";

const mostUsers = 1_000;

export function userCommand(context: CommandContext): Command {
  const command = new Command("user").description("Helps a user of an account who cannot sign in.");
  const subcommand = new Command("reset-second-factor")
    .description(
      "Removes a user's second factor and recovery codes, such as after the loss of a phone. The user's sessions end at once, on all nodes.",
    )
    .argument("<account>", "name of the account")
    .argument("<name>", "username of the user")
    .action((account: string, username: string) => resetFactor(context, account, username));
  const example = "hodhod user reset-second-factor demo ali";
  command.addCommand(withExamples(subcommand, example));
  return withExamples(command, example);
}

async function resetFactor(context: CommandContext, account: string, username: string): Promise<void> {
  const wasThere = await withDatabase(context, { mode: "write" }, (db) => reset(db, account, username));
  print(context, `${username} of ${account} has no second factor${wasThere ? " any more" : ""}.`);
}

async function reset(db: Database, name: string, username: string): Promise<boolean> {
  const account = { id: (await findAccount(db, name)).id, name };
  try {
    return await resetUserSecondFactor({ db, actor: commandActor(), account, username });
  } catch (error) {
    if (!(error instanceof UserUnchanged)) throw error;
    const users = await listUsersOf(db, { accountId: account.id, after: "", limit: mostUsers });
    const hint = hintFor(
      username,
      users.map((user) => user.username),
    );
    throw new CommandFailed(`${name} has no user ${username}`, { ...(hint !== undefined && { hint }) });
  }
}
