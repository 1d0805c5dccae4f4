// The test of an endpoint: one request with webhook.test, from this node and at once. It is tried
// once, and no attempt is kept of it: the answer says all.
import { ApiError } from "../../texts/errors.ts";
import type { EndpointRow } from "../../store/webhook-endpoints.ts";
import { takeTest } from "../../store/webhook-tests.ts";
import { uuidv7 } from "../../platform/uuid.ts";
import type { PostOutcome } from "../../webhooks/request-poster.ts";
import { testRequest } from "../../webhooks/event-requests.ts";
import type { ApiContext } from "../api-context.ts";
import { rateLimitFields } from "../rate-limit.ts";

/** Of an endpoint, whoever asks for them, on all nodes together. */
const testsPerMinute = 10;

/** Throws 429, and what `gone` makes if the endpoint was deleted meanwhile. */
export async function sendTest(context: ApiContext, endpoint: EndpointRow, gone: () => ApiError): Promise<PostOutcome> {
  const verdict = await takeTest(context.parts.db, endpoint.id, testsPerMinute);
  if (verdict === undefined) throw gone();
  if (!verdict.allowed) {
    const headers = rateLimitFields("tests", testsPerMinute / 60, verdict);
    throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
  }
  const now = context.parts.db.clock.now();
  return context.parts.webhooks.poster.post(testRequest(endpoint, uuidv7(now), new Date(now)));
}
