// The users of an account: managed by its owners, and by staff. Passwords are set here by somebody
// else than their owner, so they must be changed at the next sign-in.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "../json-schema.ts";
import { userRoles } from "../../credentials/abilities.ts";
import {
  removeUser,
  resetUserSecondFactor,
  saveUser,
  type UserChange,
  UserUnchanged,
} from "../../credentials/account-users.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import { nameText, ValueFault } from "../../setup/read-values.ts";
import { type AccountUser, findUserOf, listUsersOf } from "../../store/account-users.ts";
import { ConsoleBody } from "./console-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  notThere,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { accountWanted, pathParameter } from "./narrow.ts";
import { personKeys, personToSave, readPersonToSave } from "./person.ts";

const user = Type.Object(personKeys(userRoles), exactly);

const ofAccount = Type.Object({ name: Type.String({ description: "Name of the account." }) });
const one = Type.Object({ name: Type.String({ description: "Name of the account." }), username: Type.String() });
const needs = "manageAccess";

export function userEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), get(context), put(context), remove(context), reset(context)];
}

/** Throws 404. */
async function accountOf(context: ConsoleContext, request: FastifyRequest) {
  const account = await accountWanted(context, context.sessionOf(request), pathParameter(request, "name"));
  if (account === undefined) throw notThere();
  return account;
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/users",
    needs,
    schema: {
      operationId: "listUsers",
      summary: "The users of an account",
      description: "In the order of their names.",
      tags: ["Accounts"],
      params: ofAccount,
      querystring: Type.Object(pageParameters),
      response: consoleResponses(pageOf(user), 400, 404),
    },
    answer: async ({ request }) => {
      const { id: accountId } = await accountOf(context, request);
      const query = readQuery(request);
      const count = readPageSize(query);
      const after = query.text("after") ?? "";
      const found = await listUsersOf(context.reads, { accountId, after, limit: count + 1 });
      const items = found.slice(0, count).map(describe);
      return { items, ...(found.length > count && { nextCursor: found[count - 1]?.username }) };
    },
  };
}

function describe({ username, role, enabled, mustChangePassword, secondFactor, lastUsedAt }: AccountUser) {
  return { username, role, enabled, passwordSet: true, mustChangePassword, secondFactor, lastUsedAt };
}

/** Of what a change replaces: another password is another state, a use is not. */
function tagOf(found: AccountUser | undefined): string | undefined {
  return found && tagOfObject([found.id, found.role, found.enabled, found.passwordVersion]);
}

function tell(reply: FastifyReply, found: AccountUser | undefined): object {
  if (found === undefined) throw notThere();
  giveTag(reply, tagOf(found));
  return describe(found);
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/accounts/:name/users/:username",
    needs,
    schema: {
      operationId: "getUser",
      summary: "One user of an account",
      tags: ["Accounts"],
      params: one,
      response: consoleResponses(user, 404),
    },
    answer: async ({ request, reply }) => {
      const { id } = await accountOf(context, request);
      return tell(reply, await findUserOf(context.reads, id, pathParameter(request, "username")));
    },
  };
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path: "/accounts/:name/users/:username",
    needs,
    schema: {
      operationId: "putUser",
      summary: "Add a user to an account, or change one",
      description:
        "A password that is left out stays; one that is given must be changed at the next sign-in. Another role, disabling and another password end the user's sessions and tokens. Nobody changes themselves so.",
      tags: ["Accounts"],
      params: one,
      headers: Type.Object(conditions),
      body: personToSave(userRoles),
      response: consoleResponses(user, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectCondition(request.headers);
      const change = await changeOf(context, request, true);
      const body = new ConsoleBody(request);
      if (nameText(change.username) instanceof ValueFault) body.fault("username", "console.name");
      const wanted = readPersonToSave(body, change.username, userRoles);
      return tell(reply, await orRefuse(() => saveUser(change, wanted)));
    },
  };
}

/**
 * Throws 1001 where somebody would change themselves: they might lock themselves out, or skip what
 * a profile asks for.
 */
async function changeOf(context: ConsoleContext, request: FastifyRequest, isConditional: boolean): Promise<UserChange> {
  const { username: own, account: ownAccount } = context.sessionOf(request);
  const account = await accountOf(context, request);
  const username = pathParameter(request, "username");
  if (ownAccount !== undefined && username === own) throw ApiError.invalidParameter("username", "console.yourself");
  const traces = [
    { kind: "user", name: username, account: account.name },
    // A setup file changes an account with its users.
    { kind: "account", name: account.name, keys: ["users", "roles", "passwordsChanged"] },
  ];
  return {
    db: context.changes,
    actor: context.actorOf(request),
    account,
    username,
    ...(isConditional && { expect: (stored) => expectVersion(request.headers, tagOf(stored), traces) }),
  };
}

const refusals: Readonly<Record<Exclude<UserUnchanged["reason"], "unknown">, readonly [string, FindingKey]>> = {
  taken: ["username", "console.usernameTaken"],
  tooMany: ["username", "console.tooManyUsers"],
  noPassword: ["password", "field.required"],
};

async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserUnchanged)) throw error;
    throw error.reason === "unknown" ? notThere() : ApiError.invalidParameter(...refusals[error.reason]);
  }
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/accounts/:name/users/:username",
    needs,
    schema: {
      operationId: "deleteUser",
      summary: "Remove a user of an account",
      description: "The user's sessions and tokens end. Nobody removes themselves.",
      tags: ["Accounts"],
      params: one,
      headers: Type.Object(conditions),
      response: consoleResponses(Type.Object({}, exactly), 400, 404, 412, 428),
    },
    answer: async ({ request }) => {
      expectMatch(request.headers);
      const change = await changeOf(context, request, true);
      await orRefuse(() => removeUser(change));
      return {};
    },
  };
}

function reset(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/accounts/:name/users/:username/reset-second-factor",
    needs,
    schema: {
      operationId: "resetUserSecondFactor",
      summary: "Remove the second factor of a user",
      description: "For who has lost the phone. Nobody does it for themselves: the profile asks for the password.",
      tags: ["Accounts"],
      params: one,
      response: consoleResponses(Type.Object({}, exactly), 400, 404),
    },
    answer: async ({ request }) => {
      const change = await changeOf(context, request, false);
      await orRefuse(() => resetUserSecondFactor(change));
      return {};
    },
  };
}
