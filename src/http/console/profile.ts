// The own profile: sessions, password, second factor. Works also for those who must change the
// password or set a second factor first; whatever weakens or replaces a credential asks for the
// present password again.
import type { FastifyRequest } from "fastify";
import { array, boolean, input, integer, object, plainText, time, uuidText } from "../json-schema.ts";
import { userSubject } from "../../credentials/authenticator.ts";
import { type ConsoleSession, sessionOf } from "../../credentials/console-sessions.ts";
import { longestPassword, passwordFault, shortestPassword } from "../../credentials/new-password.ts";
import { changeOneself, changeOwnPassword } from "../../credentials/own-password.ts";
import { confirmSecondFactor, enrolSecondFactor } from "../../credentials/second-factor.ts";
import { staffSubject } from "../../credentials/sign-in.ts";
import { ApiError } from "../../texts/errors.ts";
import { deleteSession, listSessions } from "../../store/console-sessions.ts";
import { deleteSecondFactor, findSecondFactor } from "../../store/second-factors.ts";
import { requireJsonBody } from "../json-body.ts";
import { isAbsent, scalarText, type JsonFields } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleCall, type ConsoleEndpoint, consoleResponses, notThere } from "./console-endpoint.ts";
import { pathId } from "./narrow.ts";
import { passwordFaultKeys, passwordLengths } from "./console-body.ts";
import { describeSession, whoAmI } from "./who-am-i.ts";

const done = object({});
const secret = plainText("The present password.");

const session = object({
  id: uuidText(),
  current: boolean("Whether it is the one of this call."),
  createdAt: time("When it was signed in."),
  lastUsedAt: time("To the minute."),
  address: plainText(),
  userAgent: plainText("What the browser calls itself, up to 200 characters."),
});

export function profileEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [
    ownSessions(context),
    endOwnSession(context),
    getProfile(context),
    setPassword(context),
    enrol(context),
    confirm(context),
    removeFactor(context),
  ];
}

function ownSessions(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/sessions",
    needs: "session",
    schema: {
      operationId: "listSessions",
      summary: "My sessions",
      description: "The one used last first.",
      tags: ["Profile"],
      response: consoleResponses(object({ items: array(session) })),
    },
    answer: async ({ request }) => {
      const { id: current, personId } = context.sessionOf(request);
      const sessions = await listSessions(context.dbOf(request), personId);
      return { items: sessions.map((each) => ({ ...each, current: each.id === current })) };
    },
  };
}

function endOwnSession(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/sessions/:id",
    needs: "session",
    schema: {
      operationId: "endSession",
      summary: "End one of my sessions",
      tags: ["Profile"],
      params: input({ id: uuidText() }),
      response: consoleResponses(done, 404),
    },
    answer: async ({ request }) => {
      if (!(await deleteSession(context.dbOf(request), context.sessionOf(request).personId, pathId(request))))
        throw notThere();
      return {};
    },
  };
}

function getProfile(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/profile",
    needs: "session",
    schema: {
      operationId: "getProfile",
      summary: "My second factor",
      tags: ["Profile"],
      response: consoleResponses(
        object({
          secondFactor: boolean("Whether a code is asked for at each sign-in."),
          recoveryCodes: integer("How many are left."),
        }),
      ),
    },
    answer: async ({ request }) => {
      const { isSet, recoveryCodes } = await findSecondFactor(
        context.dbOf(request),
        context.sessionOf(request).personId,
      );
      return { secondFactor: isSet, recoveryCodes };
    },
  };
}

function setPassword(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/profile/password",
    needs: "session",
    schema: {
      operationId: "setPassword",
      summary: "Change my password",
      description: "Ends all my sessions but this one, which gets a new cookie.",
      tags: ["Profile"],
      body: input({
        password: secret,
        newPassword: plainText(`${shortestPassword} to ${longestPassword} characters.`),
      }),
      response: consoleResponses(whoAmI, 400),
    },
    answer: async ({ request, reply }) => {
      const fields = requireJsonBody(request);
      const newPassword = readText(fields, "newPassword");
      const own = context.sessionOf(request);
      const fault = passwordFault(newPassword, own.username);
      if (fault !== undefined)
        throw ApiError.invalidParameter("newPassword", passwordFaultKeys[fault], passwordLengths);
      const password = await expectPassword(context, request, fields);
      if (password === newPassword) throw ApiError.invalidParameter("newPassword", "console.samePassword");
      const token = await changeOwnPassword(context.changes, {
        session: own,
        actor: context.actorOf(request),
        newPassword,
        address: context.api.addressOf(request),
        userAgent: request.headers["user-agent"] ?? "",
      });
      const renewed = token === undefined ? undefined : await sessionOf(context.dbOf(request), token);
      if (token === undefined || renewed === undefined) throw notThere();
      context.giveCookie(request, reply, token);
      return describeSession(context, renewed);
    },
  };
}

function enrol(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/profile/second-factor",
    needs: "session",
    schema: {
      operationId: "enrolSecondFactor",
      summary: "Begin to set a second factor",
      description:
        "A new secret for an authenticator (TOTP: SHA-1, six digits, 30 s). It counts once a code of it is confirmed; until then what was set " +
        "before stays.",
      tags: ["Profile"],
      body: input({ password: secret }),
      response: consoleResponses(
        object({
          secret: plainText("Base32, to be typed."),
          uri: plainText("otpauth://…, to be shown as a QR code."),
        }),
        400,
      ),
    },
    answer: async ({ request }) => {
      await expectPassword(context, request, requireJsonBody(request));
      const { personId, username, account } = context.sessionOf(request);
      const label = account === undefined ? username : `${username}@${account.name}`;
      return context.work.transaction((tx) => enrolSecondFactor(tx, personId, label));
    },
  };
}

function confirm(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/profile/second-factor/confirm",
    needs: "session",
    schema: {
      operationId: "confirmSecondFactor",
      summary: "Set the second factor",
      description: "Answers ten recovery codes, each good once in place of a code. They are shown this once.",
      tags: ["Profile"],
      body: input({ code: plainText("Of the new secret.") }),
      response: consoleResponses(object({ recoveryCodes: array(plainText()) }), 400),
    },
    answer: async ({ request }) => {
      const session = context.sessionOf(request);
      const code = readText(requireJsonBody(request), "code");
      const own = { session, actor: context.actorOf(request) };
      const recoveryCodes = await changeOneself(context.changes, own, { secondFactor: "set" }, (tx) =>
        confirmSecondFactor(tx, session.personId, code),
      );
      if (recoveryCodes !== undefined) return { recoveryCodes };
      throw ApiError.invalidParameter("code", "console.wrongCode");
    },
  };
}

function removeFactor(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/profile/second-factor/remove",
    needs: "session",
    schema: {
      operationId: "removeSecondFactor",
      summary: "Remove the second factor",
      tags: ["Profile"],
      body: input({ password: secret }),
      response: consoleResponses(done, 400),
    },
    answer: async ({ request }: ConsoleCall) => {
      await expectPassword(context, request, requireJsonBody(request));
      const session = context.sessionOf(request);
      const own = { session, actor: context.actorOf(request) };
      await changeOneself(
        context.changes,
        own,
        { secondFactor: "removed" },
        async (tx) => (await deleteSecondFactor(tx, session.personId)) || undefined,
      );
      return {};
    },
  };
}

/** Throws 1001 for a wrong one, slowed down like any other. Answers it. */
async function expectPassword(context: ConsoleContext, request: FastifyRequest, fields: JsonFields): Promise<string> {
  const password = readText(fields, "password");
  const own = context.sessionOf(request);
  const { personId, kind, username: name, passwordHash, account } = own;
  const owner = { passwordHash, person: { personId, kind, name, account: account?.name } };
  const login = { subject: subjectOf(context, own), address: context.api.addressOf(request) };
  if (await context.parts.authenticator.isPasswordOf(owner, password, login)) return password;
  throw ApiError.invalidParameter("password", "console.wrongPassword");
}

function subjectOf(context: ConsoleContext, { username, account }: ConsoleSession): string {
  if (account === undefined) return staffSubject(username);
  const domain = context.parts.directory.current.accounts.get(account.id)?.domain ?? account.name;
  return userSubject(domain, username);
}

function readText(fields: JsonFields, field: string): string {
  const value = fields.get(field.toLowerCase());
  const text = scalarText(value);
  if (isAbsent(value)) throw ApiError.invalidParameter(field, "field.required");
  if (text === undefined) throw ApiError.invalidParameter(field, "field.notText");
  return text;
}
