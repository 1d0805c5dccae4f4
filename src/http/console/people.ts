// People who may sign in: staff, managed by administrators, and users of accounts, managed by owners
// and by staff. Passwords are set here by somebody else, so they must be changed at the next sign-in.
import { boolean, input, oneOf, orAbsent, orDefault, plainText } from "../json-schema.ts";
import { roles, staffRoles, userRoles } from "../../credentials/abilities.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import {
  type PersonChange,
  type WantedPerson,
  isStaffName,
  removePerson,
  resetSecondFactor,
  savePerson,
} from "../../credentials/people.ts";
import { ApiError } from "../../texts/errors.ts";
import { ValueFault } from "../../setup/fault.ts";
import { nameText } from "../../setup/read-value.ts";
import { type PersonRow, findPerson, listPeople } from "../../store/people.ts";
import { passwordFaultKeys, passwordLengths } from "./console-input.ts";
import { tagOfObject, type ConsoleCall, type AccountOfCall } from "./console-call.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";

const ofWhom = { account: orAbsent(plainText("Whose users; absent: for staff the staff, for customers their own.")) };

const body = input({
  role: oneOf(roles, "One of staff, or one of users of accounts."),
  enabled: orDefault(boolean(), true),
  password: orAbsent(
    plainText({
      maxLength: longestPassword,
      description: `${shortestPassword} to ${longestPassword} characters. Needed for somebody new.`,
    }),
  ),
});

const listParameters = { ...pageParameters, ...ofWhom };

const common = { needs: ["manageStaff", "manageAccess"] } as const;
const ofOne = { ...common, query: ofWhom };

/** Whose users they are; undefined: staff. Throws 403 and 404. */
async function accountOf(call: ConsoleCall): Promise<AccountOfCall | undefined> {
  const account = await call.accountNamed(call.readQuery(ofWhom).account);
  call.expectMay([account === undefined ? "manageStaff" : "manageAccess"]);
  return account;
}

function describe(row: PersonRow) {
  const { username, role, enabled, passwordSetBy, secondFactor, createdAt, lastUsedAt } = row;
  return { username, role, enabled, mustChangePassword: passwordSetBy !== null, secondFactor, createdAt, lastUsedAt };
}

/** Of what a change replaces: another password is another state, a use is not. */
function tagOf(row: PersonRow | undefined): string | undefined {
  return row && tagOfObject([row.personId, row.passwordVersion]);
}

/** Throws 404. */
function answerWith(call: ConsoleCall, row: PersonRow | undefined) {
  if (row === undefined) throw ApiError.notThere();
  call.giveTag(tagOf(row));
  return describe(row);
}

/**
 * Throws 1001 where somebody would change themselves: they might lock themselves out, or skip what
 * a profile asks for.
 */
async function changeOf(call: ConsoleCall): Promise<PersonChange> {
  const own = call.session;
  const account = await accountOf(call);
  const username = call.path("username");
  if (own.account?.id === account?.id && username === own.username)
    throw ApiError.invalidParameter("username", "console.yourself");
  return { db: call.changes, actor: call.actor, account, username };
}

/** Looks whether the person is as the call has read them; throws 412. */
function expectTag(call: ConsoleCall, { account, username }: PersonChange): PersonChange["expect"] {
  const traces =
    account === undefined
      ? [{ kind: "staff", name: username }]
      : [
          { kind: "user", name: username, account: account.name },
          // A setup file changes an account with its users.
          { kind: "account", name: account.name, keys: ["users", "roles", "passwordsChanged"] },
        ];
  return (stored) => call.expectVersion(tagOf(stored), traces);
}

/** Throws 1001. */
function readWanted(call: ConsoleCall, { account, username }: PersonChange): WantedPerson {
  const isStaff = account === undefined;
  const isName = isStaff ? isStaffName(username) : !(nameText(username) instanceof ValueFault);
  if (!isName) throw ApiError.invalidParameter("username", isStaff ? "console.staffName" : "console.name");
  const wanted = call.readBody(body);
  const known: readonly string[] = isStaff ? staffRoles : userRoles;
  if (!known.includes(wanted.role))
    throw ApiError.invalidParameter("role", "console.choice", { words: known.join(", ") });
  const fault = wanted.password === undefined ? undefined : passwordFault(wanted.password, username);
  if (fault !== undefined) throw ApiError.invalidParameter("password", passwordFaultKeys[fault], passwordLengths);
  return wanted;
}

export const peopleEndpoints = {
  "GET /people": {
    ...common,
    summary: "Staff, or the users of an account",
    description: "In the order of their names.",
    query: listParameters,
    handle: async (call) => {
      const account = await accountOf(call);
      const { after = "", count } = call.readQuery(pageParameters);
      const found = await listPeople(call.reads, account?.id, { after, limit: count + 1 });
      return pageFrom(found, count, ({ username }) => username, describe);
    },
  },
  "GET /people/{username}": {
    ...ofOne,
    summary: "Get one of them",
    handle: async (call) => {
      const account = await accountOf(call);
      return answerWith(call, await findPerson(call.reads, account?.id, call.path("username")));
    },
  },
  "PUT /people/{username}": {
    ...ofOne,
    summary: "Add somebody, or change one",
    description:
      "A password that is left out stays; one that is given must be changed at the next sign-in, which says who has set it. Another role, " +
      "disabling and another password end the sessions and tokens. Nobody changes themselves so, and an administrator who can sign in stays.",
    condition: "either",
    body,
    handle: async (call) => {
      const change = await changeOf(call);
      const wanted = readWanted(call, change);
      return answerWith(call, await savePerson({ ...change, expect: expectTag(call, change) }, wanted));
    },
  },
  "DELETE /people/{username}": {
    ...ofOne,
    summary: "Remove one of them",
    description:
      "Their sessions and tokens end. Nobody removes themselves, and an administrator who can sign in stays.",
    condition: "If-Match",
    handle: async (call) => {
      const change = await changeOf(call);
      await removePerson({ ...change, expect: expectTag(call, change) });
      return {};
    },
  },
  "POST /people/{username}/reset-second-factor": {
    ...ofOne,
    summary: "Remove somebody's second factor",
    description: "For who has lost the phone. Nobody does it for themselves: the profile asks for the password.",
    handle: async (call) => {
      await resetSecondFactor(await changeOf(call));
      return {};
    },
  },
} satisfies ConsoleEndpoints;
