// hodhod people: manages who may sign in: staff, who run the service in the console, and with
// --account the users of an account.
import { type StaffRole, staffRoles, type UserRole, userRoles } from "../credentials/abilities.ts";
import {
  isStaffName,
  type PersonChange,
  removePerson,
  resetSecondFactor,
  savePerson,
  type WantedPerson,
} from "../credentials/people.ts";
import { ValueFault } from "../setup/fault.ts";
import { nameText } from "../setup/read-value.ts";
import type { Database } from "../store/database.ts";
import { listPeople, type PersonRow } from "../store/people.ts";
import { ApiError } from "../texts/errors.ts";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import type { Command, CommandContext, CommandLine } from "./command.ts";
import { commandActor, findAccount, withDatabase } from "./database.ts";
import { formatTime, print, printList, readPages, rowsOfPage } from "./output.ts";
import { readNewPassword } from "./terminal.ts";

const endsSessions = "Sessions of this person end at once, on all nodes.";
const ofAccount = { "account <name>": "a user of this account; otherwise one of the staff" };
const withPassword = { ...ofAccount, "password-stdin": "read the password from standard input" };

export const commands: readonly Command[] = [
  {
    name: "people add",
    arguments: "<name>",
    options: { "role <role>": "what the person may do; required", ...withPassword },
    help: `Adds somebody to the staff, who signs in at /console, or a user to an account. Asks for the password twice, or reads it
from standard input. Roles of staff: administrator (everything), operator (the network, texts, canceling, audit), sales
(accounts and credit), viewer (read only). Roles of users: owner, sender, reader.`,
    examples: [
      "hodhod people add ali --role administrator",
      "hodhod people add sara --account demo --role sender --password-stdin < password",
    ],
    run: add,
  },
  {
    name: "people list",
    options: { ...ofAccount, json: "print them as JSON" },
    help: `Lists the staff, or the users of an account: role, whether they can sign in, second factor, and when they last used
the console.`,
    examples: ["hodhod people list", "hodhod people list --account demo --json"],
    run: list,
  },
  {
    name: "people disable",
    arguments: "<name>",
    options: ofAccount,
    help: `Stops somebody from signing in. ${endsSessions}`,
    examples: ["hodhod people disable ali"],
    run: (context, given) => save(context, given, { enabled: false }, "can no longer sign in"),
  },
  {
    name: "people enable",
    arguments: "<name>",
    options: ofAccount,
    help: "Lets somebody sign in again.",
    examples: ["hodhod people enable ali"],
    run: (context, given) => save(context, given, { enabled: true }, "can sign in"),
  },
  {
    name: "people remove",
    arguments: "<name>",
    options: ofAccount,
    help: `Removes somebody. ${endsSessions}`,
    examples: ["hodhod people remove ali"],
    run: async (context, given) => {
      await change(context, given, removePerson);
      print(context, `${given.args[0]} is removed.`);
    },
  },
  {
    name: "people role",
    arguments: "<name> <role>",
    options: ofAccount,
    help: `Gives somebody another role. ${endsSessions}`,
    examples: ["hodhod people role ali operator"],
    run: (context, given) => {
      const role = expectRole(given, given.args[1]);
      return save(context, given, { role }, `has the role ${role}`);
    },
  },
  {
    name: "people password",
    arguments: "<name>",
    options: withPassword,
    help: `Gives somebody a new password, asked for as with add. ${endsSessions}`,
    examples: ["hodhod people password ali"],
    run: async (context, given) => {
      const password = await readPassword(context, given);
      await save(context, given, { password, keepsPassword: true }, "has a new password");
    },
  },
  {
    name: "people reset-second-factor",
    arguments: "<name>",
    options: ofAccount,
    help: `Removes somebody's second factor and recovery codes, such as after the loss of a phone. ${endsSessions}`,
    examples: ["hodhod people reset-second-factor ali", "hodhod people reset-second-factor sara --account demo"],
    run: async (context, given) => {
      const wasThere = await change(context, given, resetSecondFactor);
      print(context, `${given.args[0]} has no second factor${wasThere ? " any more" : ""}.`);
    },
  },
];

async function add(context: CommandContext, given: CommandLine): Promise<void> {
  const [username = ""] = given.args;
  const role = expectRole(given, given.required("role"));
  const isName = given.has("account") ? !(nameText(username) instanceof ValueFault) : isStaffName(username);
  if (!isName)
    throw wrongUsage(
      `${username} is not a username`,
      given.has("account")
        ? "a name has 1 to 100 characters in one line"
        : "a name of staff has 1 to 64 letters a to z, digits, . _ @ -",
    );
  const password = await readPassword(context, given);
  await change(context, given, (person) =>
    savePerson({ ...person, expect: expectNobody }, { role, password, keepsPassword: true }),
  );
  print(context, `${username} can sign in at /console with the role ${role}.`);
}

function expectNobody(stored: PersonRow | undefined): void {
  if (stored !== undefined) throw new CommandFailed(`there is already a person ${stored.username}`);
}

function expectRole(given: CommandLine, role = ""): StaffRole | UserRole {
  const roles = given.has("account") ? userRoles : staffRoles;
  const found = roles.find((each) => each === role);
  if (found !== undefined) return found;
  throw wrongUsage(`there is no role ${role}`, `roles: ${roles.join(", ")}`);
}

function readPassword(context: CommandContext, given: CommandLine): Promise<string> {
  return readNewPassword(context, given.args[0] ?? "", given.has("password-stdin"));
}

async function save(context: CommandContext, given: CommandLine, wanted: WantedPerson, done: string): Promise<void> {
  await change(context, given, (person) => savePerson(person, wanted));
  print(context, `${given.args[0]} ${done}.`);
}

async function accountOf(db: Database, given: CommandLine): Promise<PersonChange["account"]> {
  const name = given.text("account");
  return name === undefined ? undefined : { id: (await findAccount(db, name)).id, name };
}

/** Changes the person that the command names. */
async function change<Result>(
  context: CommandContext,
  given: CommandLine,
  work: (change: PersonChange) => Promise<Result>,
): Promise<Result> {
  const [username = ""] = given.args;
  return withDatabase(context, { mode: "write" }, async (db) => {
    const account = await accountOf(db, given);
    return work({ db, actor: commandActor(), account, username }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.errorName !== "notFound") throw error;
      throw new CommandFailed(`${account === undefined ? "the staff" : account.name} has no ${username}`, {
        hint: "hodhod people list shows them",
      });
    });
  });
}

async function list(context: CommandContext, given: CommandLine): Promise<void> {
  await withDatabase(context, { mode: "read" }, async (db) => {
    const account = await accountOf(db, given);
    const pages = readPages<PersonRow>((last) =>
      listPeople(db, account?.id, { after: last?.username ?? "", limit: rowsOfPage }),
    );
    await printList(context, pages, {
      json: given.has("json") ? personJson : undefined,
      headings: ["name", "role", "state", "second factor", "added (UTC)", "last used (UTC)"],
      row: ({ username, role, enabled, secondFactor, createdAt, lastUsedAt }) => [
        username,
        role,
        enabled ? "enabled" : "disabled",
        secondFactor ? "yes" : "no",
        formatTime(createdAt),
        lastUsedAt === null ? "" : formatTime(lastUsedAt),
      ],
      none: `Nobody. hodhod people add NAME ${account === undefined ? "--role administrator" : `--account ${account.name} --role owner`} adds the first.`,
    });
  });
}

function personJson({
  username,
  role,
  enabled,
  secondFactor,
  passwordSetBy,
  createdAt,
  lastUsedAt,
}: PersonRow): object {
  const mustChangePassword = passwordSetBy !== null;
  return { username, role, enabled, secondFactor, mustChangePassword, createdAt, lastUsedAt: lastUsedAt ?? undefined };
}
