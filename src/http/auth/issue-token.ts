// POST auth/token (decisions §3): issues an access token for username, password and domain. Only
// this method and the URL endpoints accept a password.
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { unauthenticated } from "../authenticate.ts";
import { refuseConsoleOnly, requireAllowedAddress } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { responses, type Endpoint } from "../endpoint.ts";
import { requireJsonBody } from "../json-body.ts";
import { isAbsent, notText, scalarText, type JsonFields } from "../read-parameters.ts";
import { tokenAnswer, tokenBody } from "../schemas.ts";

export function issueToken(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/auth/token",
    schema: {
      operationId: "issueToken",
      summary: "Get an access token",
      description:
        "Send the token as `Authorization: Bearer <accessToken>`. It becomes invalid when it expires, when its user is removed, and " +
        "when the password changes.",
      tags: ["Account"],
      body: tokenBody,
      response: responses(tokenAnswer, 400),
    },
    answer: async (request) => {
      const address = context.addressOf(request);
      const fields = requireJsonBody(request);
      const issued = await context.parts.authenticator.issueToken({ ...readCredentials(fields), address });
      if (issued === undefined) throw unauthenticated();
      requireAllowedAddress(address, [issued.caller.allowedIps]);
      refuseConsoleOnly(issued.caller);
      const { accessToken, expiresInSeconds } = issued;
      return `{"accessToken":"${accessToken}","tokenType":"Bearer","expiresIn":${expiresInSeconds}}`;
    },
  };
}

function readCredentials(fields: JsonFields): { username: string; password: string; domain: string } {
  const findings: FieldFinding[] = [];
  // Field names as in the published manual.
  const credentials = {
    username: readText(fields, "UserName", findings),
    password: readText(fields, "Password", findings),
    domain: readText(fields, "Domain", findings),
  };
  if (findings.length > 0) throw ApiError.invalidParameters(findings);
  return credentials;
}

function readText(fields: JsonFields, field: string, findings: FieldFinding[]): string {
  const value = fields.get(field.toLowerCase());
  const text = scalarText(value);
  if (isAbsent(value)) findings.push({ field, messageKey: "field.required" });
  else if (text === undefined) findings.push(notText(field, value));
  return text ?? "";
}
