// POST, GET and DELETE /console/api/session: signing in, who I am, signing out.
import { anyOf, input, literal, object, orAbsent, plainText } from "../json-schema.ts";
import { signIn } from "../../credentials/sign-in.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { type JsonFields, isAbsent, scalarText } from "../read-parameters.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
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

export const sessionEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "POST",
    path: "/session",
    needs: "nobody",
    operationId: "signIn",
    summary: "Sign in",
    description:
      "Sets the cookie `hodhod_session`. Whatever is wrong, the answer is the same 401, slower as it repeats. A session ends after 12 " +
      "hours unused, or after 7 days.",
    tag: "Session",
    body: signInBody,
    result: anyOf([whoAmI, codeNeeded]),
    handle: async (call) => {
      const address = call.address;
      const { directory, authenticator, config, telemetry } = call.parts;
      const given = readSignIn(call.fields);
      const parts = { db: call.sessions, directory, authenticator, staffAllow: config.staffAllow };
      const userAgent = call.userAgent;
      const outcome = await signIn(parts, { ...given, address, userAgent });
      telemetry.emit("console.signIn", { outcome: outcome.kind });
      if (outcome.kind === "wrong") throw wrongSignIn();
      if (outcome.kind === "codeNeeded") return { secondFactorRequired: true };
      return enter(call, outcome.token);
    },
  },
  {
    method: "GET",
    path: "/session",
    needs: "session",
    operationId: "getSession",
    summary: "Who I am",
    tag: "Session",
    result: whoAmI,
    handle: async (call) => describeSession(call, call.session),
  },
  {
    method: "DELETE",
    path: "/session",
    needs: "nobody",
    operationId: "signOut",
    summary: "Sign out",
    description: "Ends the session of the cookie, if there is one, and takes the cookie back.",
    tag: "Session",
    result: object({}),
    handle: async (call) => {
      await endSessionOf(call);
      call.context.takeCookie(call.request, call.reply);
      return {};
    },
  },
];
