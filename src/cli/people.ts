// hodhod staff: manages the people who run the service in the console. hodhod user: helps a user of
// an account who cannot sign in any more; users are otherwise kept in the console and in setup files.
import { Argument, Command, Option } from "commander";
import { staffRoles, type StaffRole } from "../credentials/abilities.ts";
import {
  isStaffName,
  type PersonChange,
  PersonUnchanged,
  removePerson,
  resetSecondFactor,
  savePerson,
} from "../credentials/people.ts";
import { didYouMean } from "../setup/fault.ts";
import type { Database } from "../store/database.ts";
import { listPeople, type PersonRow } from "../store/people.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { findAccount } from "./find-account.ts";
import { readNewPassword } from "./read-password.ts";
import { formatTime } from "./read-time.ts";
import { tableLines } from "./text-table.ts";
import { withDatabase } from "./with-database.ts";

interface PasswordFlags {
  readonly passwordStdin?: boolean;
}

const addText = `Adds somebody to the staff, who signs in at /console. Asks for the password twice, or reads it from standard input. Roles:
administrator (everything), operator (the network, texts, canceling, audit), sales (accounts and credit), viewer (read only).`;
/** Of the subcommands that take more or less than a name. */
const examples: Readonly<Record<string, readonly string[]>> = {
  add: ["hodhod staff add ali --role administrator", "hodhod staff add ali --role viewer --password-stdin < password"],
  list: ["hodhod staff list", "hodhod staff list --json"],
  role: ["hodhod staff role ali operator"],
};
const endsSessions = "Sessions of this person end at once, on all nodes.";

export function staffCommand(context: CommandContext): Command {
  const command = new Command("staff").description(
    "Manages the staff: the people who use the console for the service.",
  );
  for (const subcommand of subcommands(context)) {
    const name = subcommand.name();
    command.addCommand(withExamples(subcommand, ...(examples[name] ?? [`hodhod staff ${name} ali`])));
  }
  return withExamples(command, "hodhod staff add ali --role administrator", "hodhod staff list");
}

export function userCommand(context: CommandContext): Command {
  const command = new Command("user").description("Helps a user of an account who cannot sign in.");
  const subcommand = new Command("reset-second-factor")
    .description(
      "Removes a user's second factor and recovery codes, such as after the loss of a phone. The user's sessions end at once, on all nodes.",
    )
    .argument("<account>", "name of the account")
    .argument("<name>", "username of the user")
    .action((account: string, username: string) =>
      resetFactor(context, { account, username }, `${username} of ${account}`),
    );
  const example = "hodhod user reset-second-factor demo ali";
  command.addCommand(withExamples(subcommand, example));
  return withExamples(command, example);
}

function subcommands(context: CommandContext): readonly Command[] {
  const named = (name: string, description: string): Command =>
    new Command(name).description(description).argument("<name>", "username of the person");
  const stdin = ["--password-stdin", "read the password from standard input"] as const;
  const role = new Argument("<role>", "the new role").choices(staffRoles);
  return [
    named("add", addText)
      .addOption(new Option("--role <role>", "what the person may do").choices(staffRoles).makeOptionMandatory())
      .option(...stdin)
      .action((name: string, flags: PasswordFlags & { readonly role: StaffRole }) => add(context, name, flags)),
    new Command("list")
      .description(
        "Lists the staff: role, whether they can sign in, second factor, and when they last used the console.",
      )
      .option("--json", "print the staff as JSON")
      .action((flags: { readonly json?: boolean }) => list(context, flags)),
    named("disable", `Stops somebody from signing in. ${endsSessions}`).action((name: string) =>
      save(context, name, { enabled: false }, `${name} can no longer sign in.`),
    ),
    named("enable", "Lets somebody sign in again.").action((name: string) =>
      save(context, name, { enabled: true }, `${name} can sign in.`),
    ),
    named("remove", `Removes somebody from the staff. ${endsSessions}`).action((name: string) =>
      change(context, { username: name }, removePerson, `${name} is removed.`),
    ),
    named("role", `Gives somebody another role. ${endsSessions}`)
      .addArgument(role)
      .action((name: string, given: StaffRole) =>
        save(context, name, { role: given }, `${name} has the role ${given}.`),
      ),
    named("password", `Gives somebody a new password, asked for as with add. ${endsSessions}`)
      .option(...stdin)
      .action((name: string, flags: PasswordFlags) => setPassword(context, name, flags)),
    named(
      "reset-second-factor",
      `Removes somebody's second factor and recovery codes, such as after the loss of a phone. ${endsSessions}`,
    ).action((name: string) => resetFactor(context, { username: name }, name)),
  ];
}

async function add(
  context: CommandContext,
  username: string,
  { role, passwordStdin = false }: PasswordFlags & { readonly role: StaffRole },
): Promise<void> {
  if (!isStaffName(username)) {
    throw new CommandFailed(`${username} is not a username of staff`, {
      hint: "1 to 64 letters a to z, digits, and . _ @ -, beginning with a letter or digit",
      usage: true,
    });
  }
  const password = await readNewPassword(context, username, passwordStdin);
  const added = `${username} can sign in at /console with the role ${role}.`;
  const expect = (stored: PersonRow | undefined) => {
    if (stored !== undefined) throw new PersonUnchanged("taken", `there is already a staff member ${username}`);
  };
  await change(
    context,
    { username, expect },
    (person) => savePerson(person, { role, password, keepsPassword: true }),
    added,
  );
}

async function setPassword(
  context: CommandContext,
  username: string,
  { passwordStdin = false }: PasswordFlags,
): Promise<void> {
  const password = await readNewPassword(context, username, passwordStdin);
  await save(context, username, { password, keepsPassword: true }, `${username} has a new password.`);
}

async function save(
  context: CommandContext,
  username: string,
  wanted: Parameters<typeof savePerson>[1],
  done: string,
): Promise<void> {
  await change(context, { username }, (person) => savePerson(person, wanted), done);
}

type Named = Pick<PersonChange, "username" | "expect"> & { readonly account?: string };

async function resetFactor(context: CommandContext, named: Named, who: string): Promise<void> {
  const wasThere = await change(context, named, resetSecondFactor);
  print(context, `${who} has no second factor${wasThere ? " any more" : ""}.`);
}

async function change<Result>(
  context: CommandContext,
  { account, ...named }: Named,
  work: (change: PersonChange) => Promise<Result>,
  done?: string,
): Promise<Result> {
  const result = await withDatabase(context, { mode: "write" }, async (db) => {
    const owner = account === undefined ? undefined : { id: (await findAccount(db, account)).id, name: account };
    const person = { db, actor: commandActor(), account: owner, ...named };
    return work(person).catch(async (error: unknown) => {
      throw error instanceof PersonUnchanged ? await failureOf(db, person, error) : error;
    });
  });
  if (done !== undefined) print(context, done);
  return result;
}

const mostNames = 1_000;

async function failureOf(db: Database, { account, username }: PersonChange, error: PersonUnchanged) {
  if (error.reason === "lastAdministrator")
    return new CommandFailed(error.message, { hint: "add another administrator first" });
  const names = (await listPeople(db, account?.id, { limit: mostNames })).map((person) => person.username);
  const hint = didYouMean(username, names) ?? (account === undefined ? "hodhod staff list shows the staff" : undefined);
  return new CommandFailed(error.message, { ...(hint !== undefined && { hint }) });
}

async function list(context: CommandContext, { json = false }: { readonly json?: boolean }): Promise<void> {
  const staff = await withDatabase(context, { mode: "read" }, (db) => listPeople(db, undefined, { limit: mostNames }));
  if (json) printJson(context, staff.map(staffJson));
  else for (const line of staffLines(staff)) print(context, line);
}

function staffJson({ username, role, enabled, secondFactor, passwordSetBy, createdAt, lastUsedAt }: PersonRow): object {
  const mustChangePassword = passwordSetBy !== null;
  const used = lastUsedAt !== null && { lastUsedAt };
  return { username, role, enabled, secondFactor, mustChangePassword, createdAt, ...used };
}

function staffLines(staff: readonly PersonRow[]): readonly string[] {
  if (staff.length === 0) return ["No staff. hodhod staff add NAME --role administrator adds the first."];
  const rows = staff.map(({ username, role, enabled, secondFactor, createdAt, lastUsedAt }) => [
    username,
    role,
    enabled ? "enabled" : "disabled",
    secondFactor ? "yes" : "no",
    formatTime(createdAt),
    lastUsedAt === null ? "" : formatTime(lastUsedAt),
  ]);
  return tableLines(["name", "role", "state", "second factor", "added (UTC)", "last used (UTC)"], rows);
}
