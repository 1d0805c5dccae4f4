// POST, GET and DELETE /console/api/session: signing in, who I am, signing out.
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { staffRoles, userRoles } from "../../credentials/abilities.ts";
import { sessionOf, type ConsoleSession } from "../../credentials/console-sessions.ts";
import { signIn } from "../../credentials/sign-in.ts";
import { ApiError, findingCatalogue, type FieldFinding } from "../../errors.ts";
import { deleteSession } from "../../store/console-sessions.ts";
import { limitLogins } from "../auth/issue-token.ts";
import { requireJsonBody } from "../json-body.ts";
import { isAbsent, textOf, type JsonFields } from "../read-parameters.ts";
import type { ConsoleDoor } from "./console-door.ts";
import { type ConsoleEndpoint, consoleResponses, exactly } from "./console-endpoint.ts";

const user = Type.Object(
  {
    kind: Type.Union([Type.Literal("staff"), Type.Literal("customer")]),
    username: Type.String(),
    role: Type.Union([...staffRoles, ...userRoles].map((role) => Type.Literal(role))),
    account: Type.Optional(Type.String({ description: "Of a customer: the name of the account." })),
    abilities: Type.Array(Type.String(), { description: "What the role allows; see docs/console.md." }),
  },
  exactly,
);

export const whoAmI = Type.Object(
  {
    user,
    mustChangePassword: Type.Optional(
      Type.Literal(true, {
        description: "Somebody else has set the password: until it is changed, nothing else works.",
      }),
    ),
    mustSetSecondFactor: Type.Optional(
      Type.Literal(true, { description: "The service demands a second factor: until it is set, nothing else works." }),
    ),
  },
  exactly,
);

const codeNeeded = Type.Object(
  { secondFactorRequired: Type.Literal(true, { description: "Repeat the call with `code`. There is no cookie yet." }) },
  exactly,
);

const signInBody = Type.Object({
  username: Type.String(),
  password: Type.String(),
  organisation: Type.Optional(Type.String({ description: "The domain of the account; absent for staff." })),
  code: Type.Optional(Type.String({ description: "Of the second factor: six digits, or a recovery code." })),
});

export function sessionEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [postSession(door), getSession(door), endSession(door)];
}

function postSession(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/session",
    needs: "nobody",
    schema: {
      operationId: "signIn",
      summary: "Sign in",
      description:
        "Sets the cookie `hodhod_session`. Whatever is wrong, the answer is the same 401, slower as it repeats. A session ends after 12 " +
        "hours unused, or after 7 days.",
      tags: ["Session"],
      body: signInBody,
      response: consoleResponses(Type.Union([whoAmI, codeNeeded]), 400),
    },
    answer: async ({ request, reply }) => {
      const origin = door.door.originOf(request);
      const { directory, authenticator, config, telemetry } = door.parts;
      await limitLogins(door.door, origin.address).catch((error: unknown) => {
        telemetry.emit("console.signIn", { outcome: "limited" });
        throw error;
      });
      const given = readSignIn(requireJsonBody(request.body));
      const parts = { db: door.dbOf(request), directory, authenticator, staffAllow: config.staffAllow };
      const userAgent = request.headers["user-agent"] ?? "";
      const outcome = await signIn(parts, { ...given, ...origin, userAgent });
      telemetry.emit("console.signIn", { outcome: outcome.kind });
      if (outcome.kind === "wrong") throw wrongSignIn();
      if (outcome.kind === "codeNeeded") return { secondFactorRequired: true };
      return enter(door, { request, reply }, outcome.token);
    },
  };
}

/** Gives the browser the new session in the place of the one it has. */
export async function enter(
  door: ConsoleDoor,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  token: string,
): Promise<object> {
  await endSessionOf(door, request);
  const session = await sessionOf(door.dbOf(request), token);
  // Ended in this very moment.
  if (session === undefined) throw wrongSignIn();
  door.giveCookie(request, reply, token);
  return describeSession(session);
}

/**
 * Ends the session of the cookie. The browser forgets its token, so that nobody shall find it
 * again.
 */
async function endSessionOf(door: ConsoleDoor, request: FastifyRequest): Promise<void> {
  const session = await door.peekSession(request);
  if (session !== undefined) await deleteSession(door.dbOf(request), session.person, session.id);
}

function readSignIn(fields: JsonFields) {
  const findings: FieldFinding[] = [];
  const read = (field: string, isRequired: boolean): string | undefined => {
    const value = fields.get(field);
    if (isAbsent(value)) {
      if (isRequired) findings.push({ field, messageKey: "field.required" });
      return undefined;
    }
    const text = textOf(value);
    if (text === undefined) findings.push({ field, messageKey: "field.notText" });
    else if (text.includes("\0")) findings.push({ field, messageKey: "console.nullCharacter" });
    return text;
  };
  const given = {
    username: read("username", true) ?? "",
    password: read("password", true) ?? "",
    organisation: read("organisation", false),
    code: read("code", false),
  };
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
  return given;
}

function wrongSignIn(): ApiError {
  return new ApiError("unauthenticated", { wording: findingCatalogue["console.wrongSignIn"] });
}

function getSession(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/session",
    needs: "session",
    schema: {
      operationId: "getSession",
      summary: "Who I am",
      tags: ["Session"],
      response: consoleResponses(whoAmI),
    },
    answer: async ({ request }) => describeSession(door.sessionOf(request)),
  };
}

function endSession(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/session",
    needs: "nobody",
    schema: {
      operationId: "signOut",
      summary: "Sign out",
      description: "Ends the session of the cookie, if there is one, and takes the cookie back.",
      tags: ["Session"],
      response: consoleResponses(Type.Object({}, exactly)),
    },
    answer: async ({ request, reply }) => {
      await endSessionOf(door, request);
      door.takeCookie(request, reply);
      return {};
    },
  };
}

export function describeSession(session: ConsoleSession): object {
  const { kind, username, role, account, abilities, mustChangePassword, mustSetSecondFactor } = session;
  return {
    user: { kind, username, role, account: account?.name, abilities },
    ...(mustChangePassword && { mustChangePassword }),
    ...(mustSetSecondFactor && { mustSetSecondFactor }),
  };
}
