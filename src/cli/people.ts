// hodhod staff: manages the people who run the service in the console. hodhod user: helps a user of
// an account who cannot sign in any more; users are otherwise kept in the console and in setup files.
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
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, findAccount, withDatabase } from "./database.ts";
import { formatTime, print, printJson, tableLines } from "./output.ts";
import { readNewPassword } from "./terminal.ts";

const endsSessions = "Sessions of this person end at once, on all nodes.";
const passwordStdin = { "password-stdin": "read the password from standard input" };

export const staffCommands: readonly Command[] = [
  {
    name: "staff add",
    arguments: "<name>",
    options: { "role <role>": `what the person may do: ${staffRoles.join(", ")}; required`, ...passwordStdin },
    help: `Adds somebody to the staff, who signs in at /console. Asks for the password twice, or reads it from standard input.
Roles: administrator (everything), operator (the network, texts, canceling, audit), sales (accounts and credit), viewer
(read only).`,
    examples: [
      "hodhod staff add ali --role administrator",
      "hodhod staff add ali --role viewer --password-stdin < password",
    ],
    run: add,
  },
  {
    name: "staff list",
    options: { json: "print the staff as JSON" },
    help: "Lists the staff: role, whether they can sign in, second factor, and when they last used the console.",
    examples: ["hodhod staff list", "hodhod staff list --json"],
    run: list,
  },
  {
    name: "staff disable",
    arguments: "<name>",
    help: `Stops somebody from signing in. ${endsSessions}`,
    examples: ["hodhod staff disable ali"],
    run: (context, { args: [name = ""] }) => save(context, name, { enabled: false }, `${name} can no longer sign in.`),
  },
  {
    name: "staff enable",
    arguments: "<name>",
    help: "Lets somebody sign in again.",
    examples: ["hodhod staff enable ali"],
    run: (context, { args: [name = ""] }) => save(context, name, { enabled: true }, `${name} can sign in.`),
  },
  {
    name: "staff remove",
    arguments: "<name>",
    help: `Removes somebody from the staff. ${endsSessions}`,
    examples: ["hodhod staff remove ali"],
    run: (context, { args: [name = ""] }) => change(context, { username: name }, removePerson, `${name} is removed.`),
  },
  {
    name: "staff role",
    arguments: "<name> <role>",
    help: `Gives somebody another role. ${endsSessions}`,
    examples: ["hodhod staff role ali operator"],
    run: (context, { args: [name = "", role = ""] }) =>
      save(context, name, { role: expectRole(role) }, `${name} has the role ${role}.`),
  },
  {
    name: "staff password",
    arguments: "<name>",
    options: passwordStdin,
    help: `Gives somebody a new password, asked for as with add. ${endsSessions}`,
    examples: ["hodhod staff password ali"],
    run: setPassword,
  },
  {
    name: "staff reset-second-factor",
    arguments: "<name>",
    help: `Removes somebody's second factor and recovery codes, such as after the loss of a phone. ${endsSessions}`,
    examples: ["hodhod staff reset-second-factor ali"],
    run: (context, { args: [name = ""] }) => resetFactor(context, { username: name }, name),
  },
];

export const userCommands: readonly Command[] = [
  {
    name: "user reset-second-factor",
    arguments: "<account> <name>",
    help: `Removes a user's second factor and recovery codes, such as after the loss of a phone. The user's sessions end at once,
on all nodes.`,
    examples: ["hodhod user reset-second-factor demo ali"],
    run: (context, { args: [account = "", username = ""] }) =>
      resetFactor(context, { account, username }, `${username} of ${account}`),
  },
];

async function add(context: CommandContext, given: CommandLine): Promise<void> {
  const [username = ""] = given.args;
  const role = expectRole(given.required("role"));
  if (!isStaffName(username)) {
    throw wrongUsage(
      `${username} is not a username of staff`,
      "1 to 64 letters a to z, digits, and . _ @ -, beginning with a letter or digit",
    );
  }
  const password = await readNewPassword(context, username, given.has("password-stdin"));
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

function expectRole(role: string): StaffRole {
  const found = staffRoles.find((each) => each === role);
  if (found !== undefined) return found;
  throw wrongUsage(`there is no role ${role}`, `roles: ${staffRoles.join(", ")}`);
}

async function setPassword(context: CommandContext, given: CommandLine): Promise<void> {
  const [username = ""] = given.args;
  const password = await readNewPassword(context, username, given.has("password-stdin"));
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
  return new CommandFailed(error.message, { hint });
}

async function list(context: CommandContext, given: CommandLine): Promise<void> {
  const staff = await withDatabase(context, { mode: "read" }, (db) => listPeople(db, undefined, { limit: mostNames }));
  if (given.has("json")) printJson(context, staff.map(staffJson));
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
