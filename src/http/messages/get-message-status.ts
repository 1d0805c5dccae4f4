// messages/status (API spec 4.7, decisions §3): the current status of messages, by batch or by
// message id. Reads only. Shows only the account's own messages, whichever of its keys sent them.
import type { FastifyRequest } from "fastify";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { findMessagesByIds, findMessagesOfBatch } from "../../store/message-reads.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { Identity } from "../authenticate.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint, type EndpointSchema } from "../endpoint.ts";
import { requireJsonBody } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { isAbsent, readBatchId, scalarText, type JsonFields } from "../read-parameters.ts";
import { messageState, unknownMessage } from "../../events/representations.ts";
import { batchIdParameter, batchStatusAnswer, messagesStatusAnswer, statusBody } from "../schemas.ts";
import { anyOf } from "../json-schema.ts";
import { readQueryParameters } from "../url-parameters.ts";

export const maximumIds = 100;

export function getMessageStatus(context: ApiContext): Endpoint[] {
  return [statusByPost(context), statusByQuery(context), statusByPath(context)];
}

function statusSchema(operationId: string, summary: string, rest: Partial<EndpointSchema>): EndpointSchema {
  return {
    operationId,
    summary,
    description:
      "Status 0: waiting, 1: sent to the operator, 2: delivered, 3: not delivered, 4: not sent. At 3 and 4, while an outcome is " +
      "open, and while staff review a message, errorCode and errorMessage give the reason (1301 to 1310).",
    tags: ["Status"],
    security: headerSecurity,
    response: responses(batchStatusAnswer, 400),
    ...rest,
  };
}

function statusByPost(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/messages/status",
    schema: statusSchema("findMessageStatus", "Status of messages by their ids or by batch", {
      body: statusBody,
      response: responses(anyOf([messagesStatusAnswer, batchStatusAnswer]), 400),
    }),
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "readMessages");
      const fields = requireJsonBody(request);
      const language = languageOf(request.headers["accept-language"]);
      const named = ["sentMessageIdes", "sentMessageIds"].find((name) => !isAbsent(fields.get(name.toLowerCase())));
      if (named !== undefined) return answerMessages(context, identity, readIds(named, fields), language);
      if (isAbsent(fields.get("batchid"))) throw nothingAsked();
      return answerBatch(context, identity, fields.get("batchid"), language);
    },
  };
}

function statusByQuery(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/messages/status",
    schema: statusSchema("getBatchStatusByQuery", "Status of a batch", { querystring: batchIdParameter }),
    answer: (request, reply) =>
      answerBatchOf(context, request, reply, () => readQueryParameters(request).text("batchId") ?? ""),
  };
}

function statusByPath(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/messages/status/:batchId",
    schema: statusSchema("getBatchStatus", "Status of a batch", { params: batchIdParameter }),
    answer: (request, reply) =>
      answerBatchOf(context, request, reply, () => (request.params as { batchId: string }).batchId),
  };
}

async function answerBatchOf(
  context: ApiContext,
  request: FastifyRequest,
  reply: Parameters<Endpoint["answer"]>[1],
  readId: () => string,
): Promise<string> {
  const identity = await admit(context, request, reply, "readMessages");
  return answerBatch(context, identity, readId(), languageOf(request.headers["accept-language"]));
}

async function answerBatch(
  context: ApiContext,
  { account }: Identity,
  given: unknown,
  language: AnswerLanguage,
): Promise<string> {
  const batchId = readBatchId(given);
  const messages = await findMessagesOfBatch(context.parts.db, { accountId: account.id, batchId });
  if (messages.length === 0) throw new ApiError("unknownMessageId");
  return `{"batchId":"${batchId}","messages":[${messages.map((message) => messageState(message, language)).join(",")}]}`;
}

async function answerMessages(
  context: ApiContext,
  { account }: Identity,
  ids: readonly string[],
  language: AnswerLanguage,
): Promise<string> {
  // An id that is no UUID belongs to no message. Its element says so; the others are reported
  // normally.
  const messages = await findMessagesByIds(context.parts.db, { accountId: account.id, ids: ids.filter(isUuid) });
  const byId = new Map(messages.map((message) => [message.id, message]));
  const elements = ids.map((id) => {
    const message = byId.get(id);
    return message === undefined ? unknownMessage(id, language) : messageState(message, language);
  });
  return `{"messages":[${elements.join(",")}]}`;
}

function readIds(field: string, fields: JsonFields): string[] {
  const given = fields.get(field.toLowerCase());
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (items.length < 1 || items.length > maximumIds)
    throw ApiError.invalidParameter(field, "ids.count", { maximum: maximumIds });
  const ids = items.map((item) => scalarText(item) ?? "");
  if (ids.includes("")) throw ApiError.invalidParameter(field, "id.form");
  return ids.map((id) => (isUuid(id) ? id.toLowerCase() : id));
}

function nothingAsked(): ApiError {
  const findings: FieldFinding[] = ["batchId", "sentMessageIdes"].map((field) => ({
    field,
    messageKey: "status.nothingAsked",
  }));
  return ApiError.invalidParameters(findings);
}
