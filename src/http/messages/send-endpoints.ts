// The methods that send, and the preview of them: one message, one
// of a template, several by JSON lists, and several by URL. Sending by URL takes repeated parameters
// in the query, in a form or in JSON. Its credentials are parameters and must never reach a log.
import type { FastifyRequest } from "fastify";
import { identifyByCredentials, identifyByKeyParameter, type Identity } from "../authenticate.ts";
import type { ApiContext } from "../api-context.ts";
import { type Endpoint, headerSecurity, idempotencyHeader, multiAnswers } from "../endpoint.ts";
import { readJsonBody } from "../json-body.ts";
import {
  bulkSendBody,
  previewAnswerSchema,
  previewBody,
  shared,
  singleSendAnswer,
  singleSendBody,
  templateSendBody,
  urlLists,
  urlSendExample,
} from "../schemas.ts";
import { ApiError } from "../../texts/errors.ts";
import { GivenParameters, isAbsent, type JsonFields } from "../read-parameters.ts";
import { previewAnswer, previewBatchAnswer } from "../../events/representations.ts";
import type { Operation } from "../../credentials/abilities.ts";
import { input, orAbsent, plainText, type TSchema } from "../json-schema.ts";
import { readUrlParameters } from "../request-input.ts";
import type { ApiCall } from "../call.ts";
import { acceptMulti, checkAndSend, refuseMulti, refuseSingle } from "./accept-send.ts";
import { completeFindings, isTemplateSend, readSingleSend } from "./single-send.ts";
import {
  completeListFindings,
  type ListNames,
  type MultiSend,
  pluralNames,
  readMultiSend,
  singularNames,
} from "./multi-send.ts";

/**
 * The names of the lists if the body is that of a multi-message call. Bulk has plural names. The
 * URL endpoints have lists, or several numbers separated by commas, under the singular names. A
 * body with a template is always a template send.
 */
function listNamesOf(fields: JsonFields): ListNames | undefined {
  if (isTemplatePreview(fields)) return undefined;
  const given = ({ senders, recipients, contents }: ListNames) =>
    [senders, recipients, contents].map((name) => fields.get(name.toLowerCase()));
  if (given(pluralNames).some((value) => value !== undefined && value !== null)) return pluralNames;
  const [sender, recipient, content] = given(singularNames);
  const isList = [sender, recipient].some(holdsSeveral) || Array.isArray(content);
  return isList ? singularNames : undefined;
}

function holdsSeveral(number: unknown): boolean {
  return Array.isArray(number) || (typeof number === "string" && number.includes(","));
}

function isTemplatePreview(fields: JsonFields): boolean {
  return !isAbsent(fields.get("templateid"));
}

async function previewSingle({ account, parts, language }: ApiCall, fields: JsonFields): Promise<string> {
  const send = readSingleSend(fields, isTemplatePreview(fields) ? "template" : "text", Date.now());
  if (send.findings.length > 0) throw ApiError.invalidParameters(completeFindings(send, account.terms));
  const [message] = await parts.intake.preview(account, [send.draft], send.sendAt);
  if (message === undefined) throw new Error("a preview has no message");
  if (message.kind === "rejected") throw refuseSingle([message]);
  return previewAnswer(message, language);
}

async function previewMulti({ account, parts, language }: ApiCall, send: MultiSend): Promise<string> {
  if (send.findings.length > 0) throw ApiError.invalidParameters(completeListFindings(send, account.terms));
  const messages = await parts.intake.preview(account, send.drafts, send.sendAt);
  const rejected = messages.filter((message) => message.kind === "rejected");
  if (rejected.length === messages.length) throw refuseMulti(rejected);
  return previewBatchAnswer(messages, language);
}

interface UrlMethod {
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  readonly needs: Operation;
  readonly credentials: Readonly<Record<string, TSchema>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly identify: (context: ApiContext, request: FastifyRequest, parameters: GivenParameters) => Promise<Identity>;
}

const byKey: UrlMethod = {
  path: "/api/v1/messages/send/url",
  operation: "ByUrl",
  summary: "Send several messages by URL, with an API key",
  needs: "sendByUrl",
  credentials: { apiKey: plainText("The API key.") },
  security: [{ apiKeyParameter: [] }],
  identify: identifyByKeyParameter,
};

const byCredentials: UrlMethod = {
  path: "/api/v1/messages/send/url/credentials",
  operation: "ByUrlWithCredentials",
  summary: "Send several messages by URL, with username, password and domain",
  needs: "sendByCredentials",
  credentials: {
    username: plainText("User name."),
    password: plainText("Password."),
    domain: plainText("Domain of the account."),
  },
  security: [{ usernameParameter: [], passwordParameter: [], domainParameter: [] }],
  identify: identifyByCredentials,
};

const description =
  "Repeat `senderNumber`, `recipientNumber` and `content` once per value (`a=1&a=2`, `a[]=1&a[]=2` and `a[0]=1&a[1]=2` are " +
  "equivalent; the two number lists also accept `a=1,2`). Every list has one value or as many as the longest one. At most 1,000 parameters in query " +
  "and body together. ";

function urlEndpoint(method: UrlMethod, httpMethod: "GET" | "POST"): Endpoint {
  const { credentials } = method;
  // Those of a POST may be in its query instead.
  const optionalCredentials = Object.fromEntries(
    Object.entries(credentials).map(([name, schema]) => [name, orAbsent(schema)]),
  );
  const inBody = "The parameters may be in the query, in a form or JSON body, or in both.";
  return {
    method: httpMethod,
    path: method.path,
    operationId: (httpMethod === "GET" ? "sendMessages" : "postMessages") + method.operation,
    summary: method.summary,
    description: description + (httpMethod === "POST" ? inBody : ""),
    tag: "Sending by URL",
    security: method.security,
    headers: idempotencyHeader,
    ...(httpMethod === "GET"
      ? { query: { ...credentials, ...urlLists } }
      : {
          body: orAbsent(input({ ...optionalCredentials, ...urlLists }, { examples: [urlSendExample] })),
          consumes: ["application/x-www-form-urlencoded", "application/json", "multipart/form-data"],
        }),
    ...multiAnswers,
    handle: async (call) => {
      const { parameters: given, finding } = readUrlParameters(call.request);
      await method.identify(call.api, call.request, given);
      call.authorize(method.needs);
      if (finding !== undefined) throw ApiError.invalidParameters([finding]);
      const send = readMultiSend(given, singularNames, Date.now());
      const endpoint = method.path.slice(1);
      return acceptMulti(call, send, {
        endpoint,
        keyParameter: given.text("idempotencyKey"),
      });
    },
  };
}

export const sendEndpoints: readonly Endpoint[] = [
  {
    method: "POST",
    path: "/messages/send",
    operationId: "sendMessage",
    summary: "Send a single message",
    description:
      "Sends one text to one recipient. 200 means that the message is stored and will be sent; `messages/status` shows its progress. " +
      "A call with `templateId` and without `content` is handled like `messages/send/template`.",
    tag: "Sending",
    security: headerSecurity,
    headers: idempotencyHeader,
    body: singleSendBody,
    result: singleSendAnswer,
    errors: [409, 422],
    handle: (call) => {
      const body = readJsonBody(call.request.body);
      // A published sample sends a template so.
      const kind = "fields" in body && isTemplateSend(body.fields) ? "template" : "text";
      return checkAndSend(call, body, kind);
    },
  },
  {
    method: "POST",
    path: "/messages/send/template",
    operationId: "sendTemplateMessage",
    summary: "Send a message from a template",
    description:
      "Fills an approved template with `parameters` and sends it. `senderNumber` in the call takes precedence over the template's own line; " +
      "without it, the template's line, service line or advertising line is used.",
    tag: "Sending",
    security: headerSecurity,
    headers: idempotencyHeader,
    body: templateSendBody,
    result: singleSendAnswer,
    errors: [409, 422],
    handle: async (call) => {
      return checkAndSend(call, readJsonBody(call.request.body), "template");
    },
  },
  {
    method: "POST",
    path: "/messages/send/bulk",
    operationId: "sendBulk",
    summary: "Send several messages in one call",
    description:
      "Up to 100 senders, recipients and texts. Every list has one value or as many as the longest one: a single value applies to all " +
      "messages; message i takes the i-th value of each longer list. Each message is validated by " +
      "itself, so a 200 can contain both sent and failed messages.",
    tag: "Sending",
    needs: "sendBulk",
    headers: idempotencyHeader,
    body: bulkSendBody,
    ...multiAnswers,
    handle: async (call) => {
      const fields = call.fields;
      const parameters = new GivenParameters();
      parameters.addJson(fields);
      if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
      const send = readMultiSend(parameters, pluralNames, Date.now());
      return acceptMulti(call, send, {
        endpoint: "messages/send/bulk",
      });
    },
  },
  {
    method: "POST",
    path: "/messages/preview",
    operationId: "previewMessages",
    summary: "Preview a send and its cost",
    description:
      "Takes the body of any send call and answers as that call would, without ids and with the encoding of each text. " +
      "Nothing is sent or charged.",
    tag: "Sending",
    needs: "preview",
    body: previewBody,
    done: "As the send call would answer.",
    result: previewAnswerSchema,
    errorBodies: { 400: shared("BatchError") },
    handle: async (call) => {
      const fields = call.fields;
      const names = listNamesOf(fields);
      if (names === undefined) return previewSingle(call, fields);
      const parameters = new GivenParameters();
      parameters.addJson(fields);
      if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
      const send = readMultiSend(parameters, names, Date.now());
      return previewMulti(call, send);
    },
  },
  ...[byKey, byCredentials].flatMap((method) => [urlEndpoint(method, "GET"), urlEndpoint(method, "POST")]),
];
