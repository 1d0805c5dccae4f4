// What became of messages of the account, whichever of its keys sent them, by batch or by message id;
// canceling scheduled ones; and what subscribers sent to its lines.
import { ApiError, type FieldFinding, findingCatalogue } from "../../texts/errors.ts";
import { findMessagesByIds, findMessagesOfBatch } from "../../store/message-reads.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  type GivenParameters,
  isAbsent,
  type JsonFields,
  readBatchId,
  readCount,
  scalarText,
} from "../read-parameters.ts";
import { messageState, receivedMessage, unknownMessage } from "../../events/representations.ts";
import {
  batchIdParameter,
  batchStatusAnswer,
  cancelAnswer,
  countParameter,
  messagesStatusAnswer,
  receivedAnswer,
  recentAnswer,
  statusBody,
} from "../schemas.ts";
import { anyOf, orAbsent, plainText } from "../json-schema.ts";
import { type CancelRefusal, cancelScheduledBatch, whyNotCanceled } from "../../intake/cancel.ts";
import type { ApiCall } from "../call.ts";
import { listReceivedMessages } from "../../store/received-lists.ts";
import { withUnknownOutcome } from "../error-response.ts";

const maximumIds = 100;

const ofStatus = {
  description:
    "Status 0: waiting, 1: sent to the operator, 2: delivered, 3: not delivered, 4: not sent. At 3 and 4, while an outcome is " +
    "open, and while staff review a message, errorCode and errorMessage give the reason (1301 to 1310).",
  tag: "Status",
  needs: "readMessages",
} as const;

async function answerBatch({ account, parts, language }: ApiCall, given: unknown): Promise<string> {
  const batchId = readBatchId(given);
  const messages = await findMessagesOfBatch(parts.db, { accountId: account.id, batchId });
  if (messages.length === 0) throw new ApiError("unknownMessageId");
  return `{"batchId":"${batchId}","messages":[${messages.map((message) => messageState(message, language)).join(",")}]}`;
}

async function answerMessages({ account, parts, language }: ApiCall, ids: readonly string[]): Promise<string> {
  // An id that is no UUID belongs to no message. Its element says so; the others are reported
  // normally.
  const messages = await findMessagesByIds(parts.db, { accountId: account.id, ids: ids.filter(isUuid) });
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

function refuseCancel(refusal: CancelRefusal): ApiError {
  switch (refusal.kind) {
    case "unknown":
      return new ApiError("unknownMessageId");
    case "notScheduled":
      return new ApiError("unknownMessageId", { text: findingCatalogue["cancel.notScheduled"] });
    case "alreadyCanceled":
      return refuseAt("cancel.alreadyCanceled", refusal.at);
    case "tooLate":
      return refuseAt("cancel.tooLate", refusal.since);
  }
}

function refuseAt(key: "cancel.alreadyCanceled" | "cancel.tooLate", time: Date): ApiError {
  // Without the fraction: "2026-01-31T08:30:00Z".
  const values = { time: time.toISOString().replace(/\.[0-9]+/, "") };
  return new ApiError("unknownMessageId", { text: findingCatalogue[key], values });
}

export const sentMessageEndpoints: readonly Endpoint[] = [
  {
    method: "POST",
    path: "/messages/status",
    operationId: "findMessageStatus",
    summary: "Status of messages by their ids or by batch",
    ...ofStatus,
    body: statusBody,
    result: anyOf([messagesStatusAnswer, batchStatusAnswer]),
    handle: async (call) => {
      const { fields } = call;
      const named = ["sentMessageIdes", "sentMessageIds"].find((name) => !isAbsent(fields.get(name.toLowerCase())));
      if (named !== undefined) return answerMessages(call, readIds(named, fields));
      if (isAbsent(fields.get("batchid"))) throw nothingAsked();
      return answerBatch(call, fields.get("batchid"));
    },
  },
  {
    method: "GET",
    path: "/messages/status",
    operationId: "getBatchStatusByQuery",
    summary: "Status of a batch",
    ...ofStatus,
    query: batchIdParameter,
    result: batchStatusAnswer,
    handle: (call) => answerBatch(call, call.query.text("batchId") ?? ""),
  },
  {
    method: "GET",
    path: "/messages/status/:batchId",
    operationId: "getBatchStatus",
    summary: "Status of a batch",
    ...ofStatus,
    params: batchIdParameter,
    result: batchStatusAnswer,
    handle: (call) => answerBatch(call, call.path("batchId")),
  },
  {
    method: "DELETE",
    path: "/messages/send/scheduled/:batchId",
    operationId: "cancelScheduled",
    summary: "Cancel a scheduled batch",
    description:
      "Cancels the messages of a call with `sendTimestamp`, until 30 seconds before that time, and refunds their cost. Otherwise the " +
      "answer is 1106: the batch is unknown, not scheduled, or too close to its time. For your own batches errorMessage says which.",
    tag: "Sending",
    needs: "cancel",
    params: batchIdParameter,
    result: cancelAnswer,
    handle: async (call) => {
      const { db, telemetry } = call.parts;
      const batch = { accountId: call.account.id, batchId: readBatchId(call.path("batchId")) };
      const canceledCount = await withUnknownOutcome(cancelScheduledBatch({ db, telemetry }, batch));
      if (canceledCount === 0) throw refuseCancel(await whyNotCanceled(db, batch));
      return `{"batchId":"${batch.batchId}","canceledCount":${canceledCount}}`;
    },
  },
];

const cursor = /^(?:0|[1-9][0-9]{0,17})$/;

/** A cursor is the sequence number of the last message seen. It is opaque to callers. */
function readCursor(parameters: GivenParameters, findings: FieldFinding[]): bigint {
  const given = parameters.text("after");
  if (given === undefined) return 0n;
  if (cursor.test(given)) return BigInt(given);
  findings.push({ field: "after", messageKey: "after.form" });
  return 0n;
}

export const receivedEndpointsOfClients: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/messages/received/recent",
    operationId: "listRecentReceived",
    summary: "List the newest received messages",
    description: "The latest messages, newest first. Clients that must not miss a message use `messages/received`.",
    tag: "Receiving",
    needs: "readReceived",
    query: { count: countParameter },
    result: recentAnswer,
    handle: async (call) => {
      const { account } = call;
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listReceivedMessages(call.parts.db, { accountId: account.id, count });
      return `{"messages":[${messages.map(receivedMessage).join(",")}]}`;
    },
  },
  {
    method: "GET",
    path: "/messages/received",
    operationId: "listReceived",
    summary: "List all received messages",
    description:
      "Oldest first. Pass the `nextCursor` of each answer as `after` in the next call; without `after` the list starts at the beginning. A " +
      "message that is stored late is never skipped. An empty page returns the same cursor.",
    tag: "Receiving",
    needs: "readReceived",
    query: {
      after: orAbsent(plainText({ description: "nextCursor of the previous answer.", examples: ["0"] })),
      count: countParameter,
    },
    result: receivedAnswer,
    handle: async (call) => {
      const { account } = call;
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const start = readCursor(parameters, findings);
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listReceivedMessages(call.parts.db, { accountId: account.id, after: start, count });
      const nextCursor = messages.at(-1)?.sequence ?? start;
      return `{"messages":[${messages.map(receivedMessage).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  },
];
