// The endpoints of webhooks in the clients' API: what they are, changing them, new secrets, the attempts
// to send, a test, and sending events of the log again.
import { orAbsent, plainText } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { listAttempts } from "../../store/webhook-attempts.ts";
import { type EndpointRow, listEndpointsOf } from "../../store/webhook-endpoints.ts";
import { isUuid } from "../../platform/uuid.ts";
import type { Endpoint } from "../endpoint.ts";
import { type GivenParameters, isAbsent, type JsonFields, readCount, readInteger } from "../read-parameters.ts";
import { countParameter } from "../schemas.ts";
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  renewSecret,
  replayEvents,
  unknownEndpoint,
  type WantedReplay,
} from "../../setup/change-endpoints.ts";
import { withUnknownOutcome } from "../error-response.ts";
import type { ApiCall } from "../call.ts";
import {
  callerOf,
  changeAtOnce,
  readEndpointChanges,
  readEndpointId,
  readNewEndpoint,
  readSecret,
  requireEndpoint,
  sendTest,
} from "./endpoint-call.ts";
import {
  attemptJson,
  attemptsAnswer,
  changeEndpointBody,
  createdEndpointAnswer,
  createEndpointBody,
  endpointAnswer,
  endpointDeletedAnswer,
  endpointJson,
  endpointPath,
  endpointsAnswer,
  replayAnswer,
  replayBody,
  secretAnswer,
  secretBody,
  testAnswer,
  describeChangedEndpoint,
  describeEndpoints,
  describeNewEndpoint,
  describeTest,
} from "./endpoint-schemas.ts";

const beginning = "0";

/** A cursor is the id of the last attempt seen. It is opaque to callers. */
function readAfter(parameters: GivenParameters, findings: FieldFinding[]): string | undefined {
  const given = parameters.text("after");
  if (given === undefined || given === beginning || isUuid(given)) return given === beginning ? undefined : given;
  findings.push({ field: "after", messageKey: "after.form" });
  return undefined;
}

const path = "/webhooks/endpoints";

/** No body says as much as an empty object. */
function fieldsOf(call: ApiCall): JsonFields {
  const { body } = call.request;
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? new Map() : call.fields;
}

async function answerWith(call: ApiCall, row: EndpointRow): Promise<string> {
  return endpointJson(await describeChangedEndpoint(call.api.lists, row));
}

const mostIds = 100;
/** The year 9999. */
const latestSecond = 253_402_300_799;

/** Undefined where there are findings. */
function readReplay(fields: JsonFields, findings: FieldFinding[]): WantedReplay | undefined {
  const hasTimes = !isAbsent(fields.get("from")) || !isAbsent(fields.get("to"));
  const ids = fields.get("eventids");
  if (isAbsent(ids)) {
    if (!hasTimes) findings.push({ field: "eventIds", messageKey: "replay.nothing" });
    return hasTimes ? readTimes(fields, findings) : undefined;
  }
  if (hasTimes) findings.push({ field: "eventIds", messageKey: "replay.nothing" });
  const texts = Array.isArray(ids) ? (ids as unknown[]) : [];
  if (texts.length === 0 || texts.length > mostIds)
    findings.push({ field: "eventIds", messageKey: "ids.count", values: { maximum: mostIds } });
  else if (!texts.every((id) => typeof id === "string" && isUuid(id)))
    findings.push({ field: "eventIds", messageKey: "id.form" });
  return findings.length > 0 ? undefined : { eventIds: [...new Set(texts.map((id) => String(id).toLowerCase()))] };
}

function readTimes(fields: JsonFields, findings: FieldFinding[]): WantedReplay | undefined {
  const [from, to] = ["from", "to"].map((field) => {
    const seconds = readInteger(fields.get(field));
    if (seconds !== undefined && seconds >= 0 && seconds <= latestSecond) return seconds;
    findings.push({ field, messageKey: isAbsent(fields.get(field)) ? "field.required" : "time.notInteger" });
    return undefined;
  });
  if (from === undefined || to === undefined) return undefined;
  if (from < to) return { from: new Date(from * 1000), to: new Date(to * 1000) };
  findings.push({ field: "to", messageKey: "time.notLater" });
  return undefined;
}

export const webhooksOfClients: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/webhooks/endpoints",
    operationId: "listEndpoints",
    summary: "List the endpoints",
    description: "All of them, on one page. Secrets are not shown.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    result: endpointsAnswer,
    handle: async (call) => {
      const { account } = call;
      const described = await describeEndpoints(call.api.lists, await listEndpointsOf(call.parts.db, [account.id]));
      return `{"endpoints":[${described.map((each) => endpointJson(each)).join(",")}]}`;
    },
  },
  {
    method: "GET",
    path: "/webhooks/endpoints/:endpointId",
    operationId: "getEndpoint",
    summary: "Get an endpoint",
    description: "With what its sending has come to.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    result: endpointAnswer,
    handle: async (call) => {
      const [described] = await describeEndpoints(call.api.lists, [await requireEndpoint(call)]);
      // Deleted meanwhile.
      if (described === undefined) throw unknownEndpoint();
      return endpointJson(described);
    },
  },
  {
    method: "GET",
    path: "/webhooks/endpoints/:endpointId/attempts",
    operationId: "listEndpointAttempts",
    summary: "List the attempts of an endpoint",
    description:
      "Newest first. Pass the `nextCursor` of each answer as `after` in the next call. Attempts are kept for 7 days, at most the newest " +
      "1,000 of an endpoint: every failure, and of successes the first in each 10 seconds.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    query: {
      after: orAbsent(plainText("nextCursor of an earlier answer.")),
      count: countParameter,
    },
    result: attemptsAnswer,
    handle: async (call) => {
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const after = readAfter(parameters, findings);
      const limit = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const { id: endpointId } = await requireEndpoint(call);
      const attempts = await listAttempts(call.parts.db, { endpointId, after, limit });
      const language = call.language;
      const nextCursor = attempts.at(-1)?.id ?? after ?? beginning;
      return `{"attempts":[${attempts.map((each) => attemptJson(each, language)).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  },
  {
    method: "POST",
    path,
    operationId: "createEndpoint",
    summary: "Create an endpoint",
    description:
      "Events that happen from then on are sent to it. An account has up to 20. The answer shows the secret that signs the requests, once.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    body: createEndpointBody,
    result: createdEndpointAnswer,
    handle: async (call) => {
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(call.fields, call.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changeAtOnce(call, () => createEndpoint(call.parts.db, callerOf(call), given));
      return endpointJson(describeNewEndpoint(row), { secret: row.secret });
    },
  },
  {
    method: "PATCH",
    path: `${path}/:endpointId`,
    operationId: "changeEndpoint",
    summary: "Change an endpoint",
    description:
      "Counts from the next try on, also for what waits; what is no longer wanted is passed over. Disabling drops what waits. Enabling begins " +
      "with what happens from then on. An answer says that the change is stored. If the times of the last success and failure and of the oldest " +
      "waiting event cannot be read at once, it leaves them out; GET tells them.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    body: changeEndpointBody,
    result: endpointAnswer,
    handle: async (call) => {
      const id = readEndpointId(call);
      const fields = call.fields;
      const findings: FieldFinding[] = [];
      const changes = readEndpointChanges(fields, call.parts.webhooks.rules, findings);
      if (!isAbsent(fields.get("secret")))
        findings.push({ field: "secret", messageKey: "endpoint.secretByPost", values: { endpointId: id } });
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const owner = { ...callerOf(call), id };
      return answerWith(call, await changeAtOnce(call, () => changeEndpoint(call.parts.db, owner, changes)));
    },
  },
  {
    method: "DELETE",
    path: `${path}/:endpointId`,
    operationId: "deleteEndpoint",
    summary: "Delete an endpoint",
    description: "What waited for it is dropped.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    result: endpointDeletedAnswer,
    handle: async (call) => {
      const owner = { ...callerOf(call), id: readEndpointId(call) };
      const { id } = await changeAtOnce(call, () => removeEndpoint(call.parts.db, owner));
      return `{"endpointId":"${id}","deleted":true}`;
    },
  },
  {
    method: "POST",
    path: `${path}/:endpointId/secret`,
    operationId: "renewEndpointSecret",
    summary: "Replace the secret of an endpoint",
    description:
      "For 24 hours the secret before it signs, too; an older one no more. The answer shows the new one, once.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    body: orAbsent(secretBody),
    result: secretAnswer,
    handle: async (call) => {
      const owner = { ...callerOf(call), id: readEndpointId(call) };
      const findings: FieldFinding[] = [];
      const given = readSecret(fieldsOf(call), findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const { secret } = await changeAtOnce(call, () => renewSecret(call.parts.db, owner, given));
      return JSON.stringify({ secret });
    },
  },
  {
    method: "POST",
    path: "/webhooks/endpoints/:endpointId/test",
    operationId: "testEndpoint",
    summary: "Test an endpoint",
    description: "Sends the event `webhook.test` once, to a disabled endpoint, too. 10 tests a minute.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    result: testAnswer,
    handle: async (call) => {
      const endpoint = await requireEndpoint(call);
      return JSON.stringify(describeTest(await sendTest(call, endpoint), call.language));
    },
  },
  {
    method: "POST",
    path: "/webhooks/endpoints/:endpointId/replay",
    operationId: "replayEvents",
    summary: "Send events again",
    description:
      "Either these events, or those of a time: what the log holds and the endpoint wants, with the ids of the first time, behind what is new. " +
      "Unknown ids are not counted. One replay at a time: while one is under way, the answer is 409 with 1209.",
    tag: "Webhooks",
    needs: "changeWebhooks",
    params: endpointPath,
    body: replayBody,
    result: replayAnswer,
    errors: [409],
    handle: async (call) => {
      const endpoint = await requireEndpoint(call);
      const findings: FieldFinding[] = [];
      const wanted = readReplay(call.fields, findings);
      if (wanted === undefined) throw ApiError.invalidParameters(findings);
      const { db, directory } = call.parts;
      const { eventDays } = directory.current;
      const beginning = replayEvents({ db, reads: call.api.replays }, { endpoint, wanted, eventDays });
      const replayedCount = await withUnknownOutcome(beginning);
      return `{"replayedCount":${replayedCount}}`;
    },
  },
];
