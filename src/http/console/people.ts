// People who may sign in: staff, managed by administrators, and users of accounts, managed by owners
// and by staff. Passwords are set here by somebody else, so they must be changed at the next sign-in.
import type { FastifyReply, FastifyRequest } from "fastify";
import { boolean, input, literal, object, oneOf, orAbsent, plainText, time, type TSchema } from "../json-schema.ts";
import { type Operation, type StaffRole, staffRoles, type UserRole, userRoles } from "../../credentials/abilities.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import {
  isStaffName,
  type PersonChange,
  PersonUnchanged,
  removePerson,
  resetSecondFactor,
  savePerson,
  type WantedPerson,
} from "../../credentials/people.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import { ValueFault } from "../../setup/fault.ts";
import { nameText } from "../../setup/read-value.ts";
import { findPerson, listPeople, type PersonRow } from "../../store/people.ts";
import { ConsoleBody, passwordFaultKeys, passwordLengths } from "./console-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";

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

export function peopleEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return kinds.flatMap((kind) => [list, get, put, remove, reset].map((endpoint) => endpoint(context, kind)));
}

function roleOf({ roles }: Kind): TSchema {
  return oneOf(roles);
}

function personOf(kind: Kind): TSchema {
  return object({
    username: plainText(),
    role: roleOf(kind),
    enabled: boolean("Whether they may sign in."),
    passwordSet: literal(true),
    mustChangePassword: boolean("Somebody else has set the password."),
    secondFactor: boolean("Whether a code is asked for at each sign-in."),
    createdAt: time("When they were added."),
    lastUsedAt: orAbsent(time("Of the newest session; absent: none in the last seven days.")),
  });
}

function bodyOf(kind: Kind): TSchema {
  return input({
    role: roleOf(kind),
    enabled: orAbsent(boolean({ default: true })),
    password: orAbsent(
      plainText({
        maxLength: longestPassword,
        description: `${shortestPassword} to ${longestPassword} characters. Needed for somebody new.`,
      }),
    ),
  });
}

const ofAccount = { name: plainText("Name of the account.") };

/** What the endpoints of one person have in common. */
function ofOne({ isStaff, path, nameInPath, needs, tag }: Kind) {
  const names = { ...(!isStaff && ofAccount), [nameInPath]: plainText("Username.") };
  return { path: `${path}/:${nameInPath}`, needs, common: { tags: [tag] as const, params: input(names) } };
}

const headers = input(conditions);
const nothing = object({});

function list(context: ConsoleContext, kind: Kind): ConsoleEndpoint {
  const { path, needs } = kind;
  return {
    method: "GET",
    path,
    needs,
    schema: {
      operationId: `list${kind.plural}`,
      summary: kind.all,
      description: "In the order of their names.",
      tags: [kind.tag],
      ...(!kind.isStaff && { params: input(ofAccount) }),
      querystring: input(pageParameters),
      response: consoleResponses(pageOf(personOf(kind)), 400, 404),
    },
    answer: async ({ request }) => {
      const account = await accountOf(context, kind, request);
      const query = readQuery(request);
      const count = readPageSize(query);
      const found = await listPeople(context.reads, account?.id, {
        after: query.text("after") ?? "",
        limit: count + 1,
      });
      const items = found.slice(0, count);
      return { items: items.map(describe), ...(found.length > count && { nextCursor: items.at(-1)?.username }) };
    },
  };
}

function get(context: ConsoleContext, kind: Kind): ConsoleEndpoint {
  const { path, needs, common } = ofOne(kind);
  return {
    method: "GET",
    path,
    needs,
    schema: {
      operationId: `get${kind.single}`,
      summary: `Get ${kind.one}`,
      ...common,
      response: consoleResponses(personOf(kind), 404),
    },
    answer: async ({ request, reply }) => {
      const account = await accountOf(context, kind, request);
      return answerWith(reply, await findPerson(context.reads, account?.id, pathParameter(request, kind.nameInPath)));
    },
  };
}

function put(context: ConsoleContext, kind: Kind): ConsoleEndpoint {
  const { path, needs, common } = ofOne(kind);
  return {
    method: "PUT",
    path,
    needs,
    schema: {
      operationId: `put${kind.single}`,
      summary: `Add ${kind.one}, or change one`,
      description:
        "A password that is left out stays; one that is given must be changed at the next sign-in, which says who has set it. Another role, " +
        "disabling and another password end the sessions and tokens. Nobody changes themselves so, and an administrator who can sign in stays.",
      ...common,
      headers,
      body: bodyOf(kind),
      response: consoleResponses(personOf(kind), 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectCondition(request.headers);
      const change = await changeOf(context, kind, request);
      const wanted = readWanted(kind, request, change.username);
      return answerWith(reply, await orRefuse(savePerson({ ...change, expect: expectTag(request, change) }, wanted)));
    },
  };
}

function remove(context: ConsoleContext, kind: Kind): ConsoleEndpoint {
  const { path, needs, common } = ofOne(kind);
  return {
    method: "DELETE",
    path,
    needs,
    schema: {
      operationId: `delete${kind.single}`,
      summary: `Remove ${kind.one}`,
      description:
        "Their sessions and tokens end. Nobody removes themselves, and an administrator who can sign in stays.",
      ...common,
      headers,
      response: consoleResponses(nothing, 400, 404, 412, 428),
    },
    answer: async ({ request }) => {
      expectMatch(request.headers);
      const change = await changeOf(context, kind, request);
      await orRefuse(removePerson({ ...change, expect: expectTag(request, change) }));
      return {};
    },
  };
}

function reset(context: ConsoleContext, kind: Kind): ConsoleEndpoint {
  const { path, needs, common } = ofOne(kind);
  return {
    method: "POST",
    path: `${path}/reset-second-factor`,
    needs,
    schema: {
      operationId: `reset${kind.single}SecondFactor`,
      summary: `Remove the second factor of ${kind.one}`,
      description: "For who has lost the phone. Nobody does it for themselves: the profile asks for the password.",
      ...common,
      response: consoleResponses(nothing, 400, 404),
    },
    answer: async ({ request }) => {
      await orRefuse(resetSecondFactor(await changeOf(context, kind, request)));
      return {};
    },
  };
}

/** Undefined for staff. Throws 404. */
async function accountOf(context: ConsoleContext, { isStaff }: Kind, request: FastifyRequest) {
  if (isStaff) return undefined;
  const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
  if (account === undefined) throw notThere();
  return account;
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
function answerWith(reply: FastifyReply, person: PersonRow | undefined): object {
  if (person === undefined) throw notThere();
  giveTag(reply, tagOf(person));
  return describe(person);
}

/**
 * Throws 1001 where somebody would change themselves: they might lock themselves out, or skip what
 * a profile asks for.
 */
async function changeOf(context: ConsoleContext, kind: Kind, request: FastifyRequest): Promise<PersonChange> {
  const own = context.sessionOf(request);
  const account = await accountOf(context, kind, request);
  const username = pathParameter(request, kind.nameInPath);
  if (own.account?.id === account?.id && username === own.username)
    throw ApiError.invalidParameter("username", "console.yourself");
  return { db: context.changes, actor: context.actorOf(request), account, username };
}

/** Looks whether the person is as the call has read them; throws 412. */
function expectTag({ headers }: FastifyRequest, { account, username }: PersonChange): PersonChange["expect"] {
  const traces =
    account === undefined
      ? [{ kind: "staff", name: username }]
      : [
          { kind: "user", name: username, account: account.name },
          // A setup file changes an account with its users.
          { kind: "account", name: account.name, keys: ["users", "roles", "passwordsChanged"] },
        ];
  return (stored) => expectVersion(headers, tagOf(stored), traces);
}

/** Throws 1001. */
function readWanted({ isStaff, roles }: Kind, request: FastifyRequest, username: string): WantedPerson {
  const body = new ConsoleBody(request);
  if (isStaff && !isStaffName(username)) body.fault("username", "console.staffName");
  if (!isStaff && nameText(username) instanceof ValueFault) body.fault("username", "console.name");
  const role = body.choice("role", roles, { required: true });
  const enabled = body.yesOrNo("enabled") ?? true;
  const password = body.text("password");
  const fault = password === undefined ? undefined : passwordFault(password, username);
  if (fault !== undefined) body.fault("password", passwordFaultKeys[fault], passwordLengths);
  return { ...body.finishWith({ role }), enabled, password };
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
