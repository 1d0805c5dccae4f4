// hodhod staff: manages the people who run the service in the console. Customers are users of
// accounts instead.
import { Argument, Command, Option } from "commander";
import { staffRoles, type StaffRole } from "../credentials/abilities.ts";
import {
  addStaff,
  isStaffName,
  removeStaff,
  resetSecondFactor,
  setStaffEnabled,
  setStaffPassword,
  setStaffRole,
  type StaffChanges,
  StaffUnchanged,
} from "../credentials/staff.ts";
import { listStaff, type ListedStaff } from "../store/staff.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { commandActor } from "./command-actor.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
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
      change(context, (changes) => setStaffEnabled(changes, name, false), `${name} can no longer sign in.`),
    ),
    named("enable", "Lets somebody sign in again.").action((name: string) =>
      change(context, (changes) => setStaffEnabled(changes, name, true), `${name} can sign in.`),
    ),
    named("remove", `Removes somebody from the staff. ${endsSessions}`).action((name: string) =>
      change(context, (changes) => removeStaff(changes, name), `${name} is removed.`),
    ),
    named("role", `Gives somebody another role. ${endsSessions}`)
      .addArgument(role)
      .action((name: string, given: StaffRole) =>
        change(context, (changes) => setStaffRole(changes, name, given), `${name} has the role ${given}.`),
      ),
    named("password", `Gives somebody a new password, asked for as with add. ${endsSessions}`)
      .option(...stdin)
      .action((name: string, flags: PasswordFlags) => setPassword(context, name, flags)),
    named(
      "reset-second-factor",
      `Removes somebody's second factor and recovery codes, such as after the loss of a phone. ${endsSessions}`,
    ).action((name: string) => resetFactor(context, name)),
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
  await change(context, (changes) => addStaff(changes, { username, password, role }), added);
}

async function setPassword(
  context: CommandContext,
  username: string,
  { passwordStdin = false }: PasswordFlags,
): Promise<void> {
  const password = await readNewPassword(context, username, passwordStdin);
  const changed = `${username} has a new password.`;
  await change(context, (changes) => setStaffPassword(changes, username, { password, mustChange: false }), changed);
}

async function resetFactor(context: CommandContext, username: string): Promise<void> {
  const wasThere = await change(context, (changes) => resetSecondFactor(changes, username));
  print(context, wasThere ? `${username} has no second factor any more.` : `${username} has no second factor.`);
}

async function change<Result>(
  context: CommandContext,
  work: (changes: StaffChanges) => Promise<Result>,
  done?: string,
): Promise<Result> {
  try {
    const result = await withDatabase(context, { mode: "write" }, (db) => work({ db, actor: commandActor() }));
    if (done !== undefined) print(context, done);
    return result;
  } catch (error) {
    if (!(error instanceof StaffUnchanged)) throw error;
    const hint =
      error.reason === "lastAdministrator" ? "add another administrator first" : "hodhod staff list shows the staff";
    throw new CommandFailed(error.message, { hint });
  }
}

async function list(context: CommandContext, { json = false }: { readonly json?: boolean }): Promise<void> {
  const staff = await withDatabase(context, { mode: "read" }, listStaff);
  if (json) printJson(context, staff.map(staffJson));
  else for (const line of staffLines(staff)) print(context, line);
}

function staffJson({ lastUsedAt, ...staff }: ListedStaff): object {
  return { ...staff, ...(lastUsedAt !== null && { lastUsedAt }) };
}

function staffLines(staff: readonly ListedStaff[]): readonly string[] {
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
