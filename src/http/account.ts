// GET account/balance: the account's credit in rials. GET templates: its templates,
// with what the staff of the service decided on them. POST auth/token: an access token.
import { formatRials } from "../sms/money.ts";
import { placeholdersOf, type Template } from "../sms/template.ts";
import { findBalance } from "../store/ledger.ts";
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { array, object, oneOf, orAbsent, plainText } from "./json-schema.ts";
import { balanceAnswer, tokenAnswer, tokenBody } from "./schemas.ts";
import { refuseConsoleOnly, requireAllowedAddress, unauthenticated } from "./authenticate.ts";
import { isAbsent, type JsonFields, notText, scalarText } from "./read-parameters.ts";

// POST auth/token: issues an access token for username, password and domain. Only
// this method and the URL endpoints accept a password.

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

const listedTemplate = object({
  id: plainText({ description: "The `templateId` of a call.", examples: ["TydSt1skQE"] }),
  state: oneOf(["pending", "approved", "refused"], "Only approved templates can be used (1107 for others)."),
  reason: orAbsent(plainText("Why it was refused.")),
  content: plainText({ examples: ["کد ورود شما: {code}"] }),
  parameters: array(plainText(), { description: "The names of its placeholders.", examples: [["code"]] }),
});

function describeTemplate(template: Template): object {
  const { id, approved, refused: reason, content } = template;
  const state = approved ? "approved" : reason === undefined ? "pending" : "refused";
  return { id, state, reason, content, parameters: placeholdersOf(template) };
}

export const ownAccountEndpoints: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/account/balance",
    operationId: "getBalance",
    summary: "The account's credit",
    description:
      "Whole rials with thousands separators. The charge of messages that end at status 4 is refunded. " +
      "An account without a limit has `unlimited`, and its balance may be negative.",
    tag: "Account",
    needs: "readCredit",
    result: balanceAnswer,
    handle: async (call) => {
      const found = await findBalance(call.parts.db, { accountId: call.account.id });
      const unlimited = found?.unlimited === true ? ',"unlimited":true' : "";
      return `{"balance":"${formatRials(found?.balance ?? 0n)}","currency":"IRR"${unlimited}}`;
    },
  },
  {
    method: "GET",
    path: "/templates",
    operationId: "listTemplates",
    summary: "The account's templates",
    description:
      "In the order of their ids. A template is requested in the console, and the staff of the service decide on it.",
    tag: "Account",
    needs: "readTemplates",
    result: object({ templates: array(listedTemplate) }),
    handle: async ({ account }) => {
      const templates = account.templates.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return JSON.stringify({ templates: templates.map(describeTemplate) });
    },
  },
  {
    method: "POST",
    path: "/auth/token",
    operationId: "issueToken",
    summary: "Get an access token",
    description:
      "Send the token as `Authorization: Bearer <accessToken>`. It becomes invalid when it expires, when its user is removed, and " +
      "when the password changes.",
    tag: "Account",
    body: tokenBody,
    result: tokenAnswer,
    handle: async (call) => {
      const address = call.address;
      const fields = call.fields;
      const issued = await call.parts.authenticator.issueToken({ ...readCredentials(fields), address });
      if (issued === undefined) throw unauthenticated();
      requireAllowedAddress(address, [issued.caller.allowedIps]);
      refuseConsoleOnly(issued.caller);
      const { accessToken, expiresInSeconds } = issued;
      return `{"accessToken":"${accessToken}","tokenType":"Bearer","expiresIn":${expiresInSeconds}}`;
    },
  },
];
