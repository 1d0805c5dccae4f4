// POST messages/preview (decisions §3): what a send call would answer, plus the encoding of each
// text. Stores and charges nothing.
import { ApiError } from "../../texts/errors.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import type { Identity } from "../authenticate.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { described, errorResponses, headerSecurity, type Endpoint } from "../endpoint.ts";
import { languageOf } from "../language.ts";
import { GivenParameters, isAbsent, type JsonFields } from "../read-parameters.ts";
import { previewAnswer, previewBatchAnswer } from "../../events/representations.ts";
import { requireJsonBody } from "../json-body.ts";
import { previewAnswerSchema, previewBody, shared } from "../schemas.ts";
import { refuseMulti, refuseSingle } from "./accept-send.ts";
import {
  completeListFindings,
  pluralNames,
  readMultiSend,
  singularNames,
  type ListNames,
  type MultiSend,
} from "./multi-send.ts";
import { completeFindings, readSingleSend } from "./single-send.ts";

export function previewMessages(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/messages/preview",
    schema: {
      operationId: "previewMessages",
      summary: "Preview a send and its cost",
      description:
        "Takes the body of any send call and answers as that call would, without ids and with the encoding of each text. " +
        "Nothing is sent or charged.",
      tags: ["Sending"],
      security: headerSecurity,
      body: previewBody,
      response: {
        200: described("As the send call would answer.", previewAnswerSchema),
        ...errorResponses([400, 401, 403, 413, 415, 429, 500, 503], { 400: shared("BatchError") }),
      },
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "preview");
      const fields = requireJsonBody(request);
      const names = listNamesOf(fields);
      const language = languageOf(request.headers["accept-language"]);
      if (names === undefined) return previewSingle(context, identity, fields, language);
      const parameters = new GivenParameters();
      parameters.addJson(fields);
      if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
      const send = readMultiSend(parameters, names, Date.now());
      return previewMulti(context, identity, send, language);
    },
  };
}

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

async function previewSingle(
  context: ApiContext,
  { account }: Identity,
  fields: JsonFields,
  language: AnswerLanguage,
): Promise<string> {
  const send = readSingleSend(fields, isTemplatePreview(fields) ? "template" : "text", Date.now());
  if (send.findings.length > 0) throw ApiError.invalidParameters(completeFindings(send, account.terms));
  const [message] = await context.parts.intake.preview(account, [send.draft], send.sendAt);
  if (message === undefined) throw new Error("a preview has no message");
  if (message.kind === "rejected") throw refuseSingle([message]);
  return previewAnswer(message, language);
}

async function previewMulti(
  context: ApiContext,
  { account }: Identity,
  send: MultiSend,
  language: AnswerLanguage,
): Promise<string> {
  if (send.findings.length > 0) throw ApiError.invalidParameters(completeListFindings(send, account.terms));
  const messages = await context.parts.intake.preview(account, send.drafts, send.sendAt);
  const rejected = messages.filter((message) => message.kind === "rejected");
  if (rejected.length === messages.length) throw refuseMulti(rejected);
  return previewBatchAnswer(messages, language);
}
