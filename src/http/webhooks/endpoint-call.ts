// What all methods of endpoints have in common: who may use them, which endpoint is meant, and what
// a refused change is answered.
import { type EndpointChanges, type GivenEndpoint, unknownEndpoint } from "../../setup/change-endpoints.ts";
import { type PostOutcome, RequestPoster } from "../../webhooks/request-poster.ts";
import { testRequest } from "../../webhooks/event-requests.ts";
import { rateLimitFields } from "../rate-limit.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { type EndpointRow, findEndpoint } from "../../store/webhook-endpoints.ts";
import { isUuid, uuidv7 } from "../../platform/uuid.ts";
import { faultOfEvents, faultOfUrl, isBatchSize, isEndpointName, mostBatchSize } from "../../webhooks/endpoint-keys.ts";
import type { ApiCall, Call } from "../call.ts";
import { followChange, withUnknownOutcome } from "../error-response.ts";
import { AddressRules } from "../../webhooks/address-rules.ts";
import { isSecret } from "../../webhooks/signing.ts";
import { isAbsent, type JsonFields, readInteger } from "../read-parameters.ts";
import { takeTest } from "../../store/webhook-attempts.ts";
import type { Service } from "../../platform/service.ts";
import { productVersion } from "../openapi.ts";
import type { WebhookParts } from "../server-parts.ts";

export function callerOf({ account: { id, name }, actor }: ApiCall) {
  return { accountId: id, account: name, by: actor };
}

/** Throws 1001. */
export function readEndpointId(call: ApiCall): string {
  const endpointId = call.path("endpointId");
  if (!isUuid(endpointId)) throw ApiError.invalidParameter("endpointId", "id.form");
  return endpointId.toLowerCase();
}

/** Throws 1001 or 1106. */
export async function requireEndpoint(call: ApiCall): Promise<EndpointRow> {
  const found = await findEndpoint(call.parts.db, { accountId: call.account.id, id: readEndpointId(call) });
  if (found === undefined) throw unknownEndpoint();
  return found;
}

/** Makes a change that counts at once on this node. */
export async function changeAtOnce<Result>(call: Call, make: () => Promise<Result>): Promise<Result> {
  const done = await withUnknownOutcome(make());
  await followChange(call);
  return done;
}

/** Of an endpoint, whoever asks for them, on all nodes together. */
const testsPerMinute = 10;

/** Throws 429. */
export async function sendTest(call: Call, endpoint: EndpointRow): Promise<PostOutcome> {
  const waitSeconds = await takeTest(call.parts.db, endpoint.id, testsPerMinute);
  if (waitSeconds > 0) {
    const headers = rateLimitFields("tests", testsPerMinute / 60, { allowed: false, remaining: 0, waitSeconds });
    throw new ApiError("tooManyRequests", { values: { seconds: waitSeconds }, headers });
  }
  const now = call.parts.db.clock.now();
  return call.parts.webhooks.poster.post(testRequest(endpoint, uuidv7(now), new Date(now)));
}

// Reads the keys of an endpoint from the body of a call. Pure: findings are collected.

/** Undefined where there are findings. */
export function readNewEndpoint(
  fields: JsonFields,
  rules: AddressRules,
  findings: FieldFinding[],
): GivenEndpoint | undefined {
  const { name, url, events, batchSize = 1, enabled = true } = readEndpointChanges(fields, rules, findings);
  for (const field of ["name", "url", "events"])
    if (isAbsent(fields.get(field))) findings.push({ field, messageKey: "field.required" });
  const secret = readSecret(fields, findings);
  if (name === undefined || url === undefined || events === undefined) return undefined;
  return { name, url, events, batchSize, enabled, secret };
}

/** Only what was given, and is right. */
export function readEndpointChanges(
  fields: JsonFields,
  rules: AddressRules,
  findings: FieldFinding[],
): EndpointChanges {
  const name = readField(fields, "name", findings, (given) =>
    typeof given === "string" && isEndpointName(given) ? { value: given } : { messageKey: "endpoint.name" },
  );
  const url = readField(fields, "url", findings, (given) => {
    const fault = typeof given === "string" ? faultOfUrl(given, rules) : "form";
    return typeof given === "string" && fault === undefined
      ? { value: given }
      : { messageKey: `url.${fault ?? "form"}` };
  });
  const events = readField(fields, "events", findings, judgeEvents);
  const batchSize = readField(fields, "batchSize", findings, (given) => {
    const size = readInteger(given);
    if (size !== undefined && isBatchSize(size)) return { value: size };
    return { messageKey: "number.range", values: { least: 1, maximum: mostBatchSize } };
  });
  const enabled = readField(fields, "enabled", findings, (given) =>
    typeof given === "boolean" ? { value: given } : { messageKey: "field.yesOrNo" },
  );
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events }),
    ...(batchSize !== undefined && { batchSize }),
    ...(enabled !== undefined && { enabled }),
  };
}

export function readSecret(fields: JsonFields, findings: FieldFinding[]): string | undefined {
  return readField(fields, "secret", findings, (given) =>
    typeof given === "string" && isSecret(given) ? { value: given } : { messageKey: "endpoint.secret" },
  );
}

/** The value, or what is wrong with it. */
type Judged<Value> = { readonly value: Value } | Omit<FieldFinding, "field">;

/** Undefined where it is absent or wrong. */
function readField<Value>(
  fields: JsonFields,
  field: string,
  findings: FieldFinding[],
  judge: (given: unknown) => Judged<Value>,
): Value | undefined {
  const given = fields.get(field.toLowerCase());
  if (isAbsent(given)) return undefined;
  const judged = judge(given);
  if ("value" in judged) return judged.value;
  findings.push({ field, ...judged });
  return undefined;
}

function judgeEvents(given: unknown): Judged<readonly string[]> {
  const patterns = Array.isArray(given) ? [...new Set(given as unknown[])] : [];
  const texts = patterns.filter((pattern) => typeof pattern === "string");
  const fault = faultOfEvents(texts);
  if (fault?.kind === "count") return { messageKey: "events.count", values: { maximum: fault.most } };
  return fault === undefined && texts.length === patterns.length ? { value: texts } : { messageKey: "events.unknown" };
}

// What the methods of endpoints need: where events may be sent to, and what sends tests.

/** `allow`: addresses and networks that are allowed whatever they are. */
export function openWebhookParts(allow: readonly string[]): { parts: WebhookParts; service: Service } {
  const rules = new AddressRules(allow);
  const poster = new RequestPoster({ rules, version: productVersion() });
  return { parts: { rules, poster }, service: { name: "webhook-tests", stop: () => poster.close() } };
}
