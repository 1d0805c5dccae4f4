// People who may sign in: staff, managed by administrators, and users of accounts, managed by owners
// and by staff. Passwords are set here by somebody else, so they must be changed at the next sign-in.
import {
  type TSchema,
  boolean,
  input,
  literal,
  object,
  oneOf,
  orAbsent,
  orDefault,
  plainText,
  time,
} from "../json-schema.ts";
import { type Operation, type StaffRole, type UserRole, staffRoles, userRoles } from "../../credentials/abilities.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import {
  type PersonChange,
  PersonUnchanged,
  type WantedPerson,
  isStaffName,
  removePerson,
  resetSecondFactor,
  savePerson,
} from "../../credentials/people.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import { ValueFault } from "../../setup/fault.ts";
import { nameText } from "../../setup/read-value.ts";
import { type PersonRow, findPerson, listPeople } from "../../store/people.ts";
import { passwordFaultKeys, passwordLengths } from "./console-input.ts";
import { tagOfObject, type ConsoleCall } from "./console-call.ts";
import { notThere } from "./console-context.ts";
import { type ConsoleEndpoint, pageFrom, pageOf, pageParameters } from "./console-endpoint.ts";

/** Staff, or the users of an account. */
interface Kind {
  readonly isStaff: boolean;
  /** Of all of them; of one it ends with the username. */
  readonly path: string;
  readonly nameInPath: string;
  readonly needs: Operation;
  readonly roles: readonly (StaffRole | UserRole)[];
  readonly tag: string;
  /** In ids of operations. */
  readonly plural: string;
  readonly single: string;
  /** In words. */
  readonly all: string;
  readonly one: string;
}

const kinds: readonly Kind[] = [
  {
    ...{ isStaff: true, path: "/staff", nameInPath: "name", needs: "manageStaff", roles: staffRoles, tag: "Staff" },
    ...{ plural: "Staff", single: "Staff", all: "Staff", one: "a staff member" },
  },
  {
    ...{
      isStaff: false,
      path: "/accounts/:name/users",
      nameInPath: "username",
      needs: "manageAccess",
      roles: userRoles,
    },
    ...{
      tag: "Accounts",
      plural: "Users",
      single: "User",
      all: "The users of an account",
      one: "a user of an account",
    },
  },
];

function personOf(kind: Kind): TSchema {
  return object({
    username: plainText(),
    role: oneOf(kind.roles),
    enabled: boolean("Whether they may sign in."),
    passwordSet: literal(true),
    mustChangePassword: boolean("Somebody else has set the password."),
    secondFactor: boolean("Whether a code is asked for at each sign-in."),
    createdAt: time("When they were added."),
    lastUsedAt: orAbsent(time("Of the newest session; absent: none in the last seven days.")),
  });
}

function bodyOf(kind: Kind) {
  return input({
    role: oneOf(kind.roles),
    enabled: orDefault(boolean(), true),
    password: orAbsent(
      plainText({
        maxLength: longestPassword,
        description: `${shortestPassword} to ${longestPassword} characters. Needed for somebody new.`,
      }),
    ),
  });
}

/** What the endpoints of one person have in common. */
function ofOne({ path, nameInPath, needs, tag }: Kind) {
  return { path: `${path}/:${nameInPath}`, needs, tag };
}

const nothing = object({});

function list(kind: Kind): ConsoleEndpoint {
  const { path, needs } = kind;
  return {
    method: "GET",
    path,
    needs,
    operationId: `list${kind.plural}`,
    summary: kind.all,
    description: "In the order of their names.",
    tag: kind.tag,
    query: pageParameters,
    result: pageOf(personOf(kind)),
    handle: async (call) => {
      const account = await accountOf(call, kind);
      const { after = "", count } = call.readQuery(pageParameters);
      const found = await listPeople(call.reads, account?.id, { after, limit: count + 1 });
      return pageFrom(found, count, ({ username }) => username, describe);
    },
  };
}

function get(kind: Kind): ConsoleEndpoint {
  const { path, ...common } = ofOne(kind);
  return {
    method: "GET",
    path,
    operationId: `get${kind.single}`,
    summary: `Get ${kind.one}`,
    ...common,
    result: personOf(kind),
    handle: async (call) => {
      const account = await accountOf(call, kind);
      return answerWith(call, await findPerson(call.reads, account?.id, call.path(kind.nameInPath)));
    },
  };
}

function put(kind: Kind): ConsoleEndpoint {
  const { path, ...common } = ofOne(kind);
  return {
    method: "PUT",
    path,
    operationId: `put${kind.single}`,
    summary: `Add ${kind.one}, or change one`,
    description:
      "A password that is left out stays; one that is given must be changed at the next sign-in, which says who has set it. Another role, " +
      "disabling and another password end the sessions and tokens. Nobody changes themselves so, and an administrator who can sign in stays.",
    ...common,
    condition: "either",
    body: bodyOf(kind),
    result: personOf(kind),
    handle: async (call) => {
      const change = await changeOf(call, kind);
      const wanted = readWanted(kind, call, change.username);
      return answerWith(call, await orRefuse(savePerson({ ...change, expect: expectTag(call, change) }, wanted)));
    },
  };
}

function remove(kind: Kind): ConsoleEndpoint {
  const { path, ...common } = ofOne(kind);
  return {
    method: "DELETE",
    path,
    operationId: `delete${kind.single}`,
    summary: `Remove ${kind.one}`,
    description:
      "Their sessions and tokens end. Nobody removes themselves, and an administrator who can sign in stays.",
    ...common,
    condition: "If-Match",
    result: nothing,
    handle: async (call) => {
      const change = await changeOf(call, kind);
      await orRefuse(removePerson({ ...change, expect: expectTag(call, change) }));
      return {};
    },
  };
}

function reset(kind: Kind): ConsoleEndpoint {
  const { path, ...common } = ofOne(kind);
  return {
    method: "POST",
    path: `${path}/reset-second-factor`,
    operationId: `reset${kind.single}SecondFactor`,
    summary: `Remove the second factor of ${kind.one}`,
    description: "For who has lost the phone. Nobody does it for themselves: the profile asks for the password.",
    ...common,
    result: nothing,
    handle: async (call) => {
      await orRefuse(resetSecondFactor(await changeOf(call, kind)));
      return {};
    },
  };
}

/** Undefined for staff. Throws 404. */
async function accountOf(call: ConsoleCall, { isStaff }: Kind) {
  return isStaff ? undefined : call.account();
}

function describe(person: PersonRow): object {
  const { username, role, enabled, passwordSetBy, secondFactor, createdAt, lastUsedAt } = person;
  const mustChangePassword = passwordSetBy !== null;
  return { username, role, enabled, passwordSet: true, mustChangePassword, secondFactor, createdAt, lastUsedAt };
}

/** Of what a change replaces: another password is another state, a use is not. */
function tagOf(person: PersonRow | undefined): string | undefined {
  return person && tagOfObject([person.id, person.passwordVersion]);
}

/** Throws 404. */
function answerWith(call: ConsoleCall, person: PersonRow | undefined): object {
  if (person === undefined) throw notThere();
  call.giveTag(tagOf(person));
  return describe(person);
}

/**
 * Throws 1001 where somebody would change themselves: they might lock themselves out, or skip what
 * a profile asks for.
 */
async function changeOf(call: ConsoleCall, kind: Kind): Promise<PersonChange> {
  const own = call.session;
  const account = await accountOf(call, kind);
  const username = call.path(kind.nameInPath);
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
function readWanted(kind: Kind, call: ConsoleCall, username: string): WantedPerson {
  const isName = kind.isStaff ? isStaffName(username) : !(nameText(username) instanceof ValueFault);
  if (!isName) throw ApiError.invalidParameter("username", kind.isStaff ? "console.staffName" : "console.name");
  const wanted = call.readBody(bodyOf(kind));
  const fault = wanted.password === undefined ? undefined : passwordFault(wanted.password, username);
  if (fault !== undefined) throw ApiError.invalidParameter("password", passwordFaultKeys[fault], passwordLengths);
  return wanted;
}

const refusals: Readonly<Record<Exclude<PersonUnchanged["reason"], "unknown">, readonly [string, FindingKey]>> = {
  taken: ["username", "console.usernameTaken"],
  tooMany: ["username", "console.tooManyUsers"],
  lastAdministrator: ["role", "console.lastAdministrator"],
  noPassword: ["password", "field.required"],
};

async function orRefuse<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PersonUnchanged)) throw error;
    throw error.reason === "unknown" ? notThere() : ApiError.invalidParameter(...refusals[error.reason]);
  }
}

export const peopleEndpoints: readonly ConsoleEndpoint[] = kinds.flatMap((kind) =>
  [list, get, put, remove, reset].map((endpoint) => endpoint(kind)),
);
