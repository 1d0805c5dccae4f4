// Staff: who of them may use the console, and as what. The last administrator who can sign in
// stays, whoever asks.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "../json-schema.ts";
import { staffRoles } from "../../credentials/abilities.ts";
import {
  isStaffName,
  removeStaff,
  resetSecondFactor,
  saveStaff,
  type StaffChanges,
  StaffUnchanged,
} from "../../credentials/staff.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import type { Transactional } from "../../store/database.ts";
import { findListedStaff, findStaff, type ListedStaff, listStaff, type StaffRow } from "../../store/staff.ts";
import { ConsoleBody } from "./console-body.ts";
import { conditions, expectCondition, expectMatch, expectVersion, giveTag, tagOfObject } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, exactly, notThere, time } from "./console-endpoint.ts";
import { pathParameter } from "./narrow.ts";
import { personKeys, personToSave, readPersonToSave } from "./person.ts";

const somebody = Type.Object({ ...personKeys(staffRoles), createdAt: time("When they were added.") }, exactly);
const inPath = Type.Object({ name: Type.String({ description: "Username." }) });

export function staffEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), get(context), put(context), remove(context), reset(context)];
}

function describe(staff: ListedStaff): object {
  return { ...staff, passwordSet: true };
}

/** Of what a change replaces: a new password is another state, a use is not. */
function tagOf(found: StaffRow | undefined): string | undefined {
  return found && tagOfObject([found.id, found.passwordVersion]);
}

/** Throws 404. */
async function tell(db: Transactional, reply: FastifyReply, username: string): Promise<object> {
  const [stored, found] = await db.transaction(async (tx) => [
    await findStaff(tx, username),
    await findListedStaff(tx, username),
  ]);
  if (found === undefined) throw notThere();
  giveTag(reply, tagOf(stored));
  return describe(found);
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/staff",
    needs: "manageStaff",
    schema: {
      operationId: "listStaff",
      summary: "Staff",
      description: "All of them, in the order of their names.",
      tags: ["Staff"],
      response: consoleResponses(Type.Object({ items: Type.Array(somebody) }, exactly)),
    },
    answer: async () => ({ items: (await listStaff(context.reads)).map(describe) }),
  };
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/staff/:name",
    needs: "manageStaff",
    schema: {
      operationId: "getStaff",
      summary: "One of staff",
      tags: ["Staff"],
      params: inPath,
      response: consoleResponses(somebody, 404),
    },
    answer: ({ request, reply }) => tell(context.reads, reply, pathParameter(request, "name")),
  };
}

function put(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PUT",
    path: "/staff/:name",
    needs: "manageStaff",
    schema: {
      operationId: "putStaff",
      summary: "Add somebody to staff, or change them",
      description:
        "A password that is left out stays; one that is given must be changed at the next sign-in. Another role, disabling and another password end their sessions. Nobody changes themselves so, and an administrator who can sign in stays.",
      tags: ["Staff"],
      params: inPath,
      headers: Type.Object(conditions),
      body: personToSave(staffRoles),
      response: consoleResponses(somebody, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      expectCondition(request.headers);
      const username = pathParameter(request, "name");
      const changes = changesOf(context, request, username);
      const body = new ConsoleBody(request);
      if (!isStaffName(username)) body.fault("username", "console.staffName");
      const wanted = readPersonToSave(body, username, staffRoles);
      await orRefuse(() => saveStaff(changes, username, wanted));
      return tell(context.work, reply, username);
    },
  };
}

/**
 * Throws 1001 where somebody would change themselves: they might lock themselves out, or skip what
 * a profile asks for.
 */
function changesOf(context: ConsoleContext, request: FastifyRequest, username: string): StaffChanges {
  if (username === context.sessionOf(request).username) throw ApiError.invalidParameter("username", "console.yourself");
  const expect = (stored: StaffRow | undefined): void =>
    expectVersion(request.headers, tagOf(stored), [{ kind: "staff", name: username }]);
  return { db: context.changes, actor: context.actorOf(request), expect };
}

const refusals: Readonly<Record<Exclude<StaffUnchanged["reason"], "unknown">, readonly [string, FindingKey]>> = {
  taken: ["username", "console.usernameTaken"],
  lastAdministrator: ["role", "console.lastAdministrator"],
  noPassword: ["password", "field.required"],
};

async function orRefuse<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StaffUnchanged)) throw error;
    throw error.reason === "unknown" ? notThere() : ApiError.invalidParameter(...refusals[error.reason]);
  }
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/staff/:name",
    needs: "manageStaff",
    schema: {
      operationId: "deleteStaff",
      summary: "Remove somebody from staff",
      description: "Their sessions end. Nobody removes themselves, and an administrator who can sign in stays.",
      tags: ["Staff"],
      params: inPath,
      headers: Type.Object(conditions),
      response: consoleResponses(Type.Object({}, exactly), 400, 404, 412, 428),
    },
    answer: async ({ request }) => {
      expectMatch(request.headers);
      const username = pathParameter(request, "name");
      const changes = changesOf(context, request, username);
      await orRefuse(() => removeStaff(changes, username));
      return {};
    },
  };
}

function reset(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/staff/:name/reset-second-factor",
    needs: "manageStaff",
    schema: {
      operationId: "resetStaffSecondFactor",
      summary: "Remove the second factor of a staff member",
      description: "For who has lost the phone. Nobody does it for themselves: the profile asks for the password.",
      tags: ["Staff"],
      params: inPath,
      response: consoleResponses(Type.Object({}, exactly), 400, 404),
    },
    answer: async ({ request }) => {
      const username = pathParameter(request, "name");
      const { db, actor } = changesOf(context, request, username);
      await orRefuse(() => resetSecondFactor({ db, actor }, username));
      return {};
    },
  };
}
