// POST, GET and DELETE /console/api/session: signing in, who I am, signing out.
import { anyOf, input, literal, object, orAbsent, plainText } from "../json-schema.ts";
import { signIn } from "../../credentials/sign-in.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { requireJsonBody } from "../json-body.ts";
import { isAbsent, scalarText, type JsonFields } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses } from "./console-endpoint.ts";
import { describeSession, endSessionOf, enter, whoAmI, wrongSignIn } from "./who-am-i.ts";

const codeNeeded = object({
  secondFactorRequired: literal(true, "Repeat the call with `code`. There is no cookie yet."),
});

const signInBody = input({
  username: plainText(),
  password: plainText(),
  organisation: orAbsent(plainText("The domain of the account; absent for staff.")),
  code: orAbsent(plainText("Of the second factor: six digits, or a recovery code.")),
});

export function sessionEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [postSession(context), getSession(context), endSession(context)];
}

function postSession(context: ConsoleContext): ConsoleEndpoint {
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
      response: consoleResponses(anyOf([whoAmI, codeNeeded]), 400),
    },
    answer: async ({ request, reply }) => {
      const address = context.api.addressOf(request);
      const { directory, authenticator, config, telemetry } = context.parts;
      const given = readSignIn(requireJsonBody(request));
      const parts = { db: context.dbOf(request), directory, authenticator, staffAllow: config.staffAllow };
      const userAgent = request.headers["user-agent"] ?? "";
      const outcome = await signIn(parts, { ...given, address, userAgent });
      telemetry.emit("console.signIn", { outcome: outcome.kind });
      if (outcome.kind === "wrong") throw wrongSignIn();
      if (outcome.kind === "codeNeeded") return { secondFactorRequired: true };
      return enter(context, { request, reply }, outcome.token);
    },
  };
}

function readSignIn(fields: JsonFields) {
  const findings: FieldFinding[] = [];
  const read = (field: string, isRequired: boolean): string | undefined => {
    const value = fields.get(field);
    if (isAbsent(value)) {
      if (isRequired) findings.push({ field, messageKey: "field.required" });
      return undefined;
    }
    const text = scalarText(value);
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

function getSession(context: ConsoleContext): ConsoleEndpoint {
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
    answer: async ({ request }) => describeSession(context, context.sessionOf(request)),
  };
}

function endSession(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: "/session",
    needs: "nobody",
    schema: {
      operationId: "signOut",
      summary: "Sign out",
      description: "Ends the session of the cookie, if there is one, and takes the cookie back.",
      tags: ["Session"],
      response: consoleResponses(object({})),
    },
    answer: async ({ request, reply }) => {
      await endSessionOf(context, request);
      context.takeCookie(request, reply);
      return {};
    },
  };
}
