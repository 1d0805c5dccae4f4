// POST webhooks/endpoints/{endpointId}/test: one request with webhook.test, from this node and at
// once. It is tried once, and no attempt is kept of it: the answer says all.
import { ApiError } from "../../errors.ts";
import { uuidv7 } from "../../uuid.ts";
import { testRequest } from "../../webhooks/test-request.ts";
import type { Door } from "../door.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { languageOf } from "../language.ts";
import { rateLimitFields } from "../rate-limit.ts";
import { admitToEndpoints, requireEndpoint } from "./endpoint-call.ts";
import { endpointPath, failureText, testAnswer } from "./endpoint-schemas.ts";

const testsPerMinute = 10;
const maximumEndpoints = 10_000;

export function testEndpoint(door: Door): Endpoint {
  const limiter = door.limiterFor("webhookTest", maximumEndpoints, String);
  return {
    method: "POST",
    path: "/webhooks/endpoints/:endpointId/test",
    schema: {
      operationId: "testEndpoint",
      summary: "Test an endpoint",
      description: "Sends the event `webhook.test` once, to a disabled endpoint, too. 10 tests a minute.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      response: responses(testAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admitToEndpoints(door, request, reply);
      const endpoint = await requireEndpoint(door, request, account);
      const perSecond = testsPerMinute / 60;
      const verdict = limiter.take(endpoint.id, perSecond, performance.now(), testsPerMinute);
      if (!verdict.allowed) {
        const headers = rateLimitFields("tests", perSecond, verdict);
        throw new ApiError("tooManyRequests", { values: { seconds: verdict.waitSeconds }, headers });
      }
      const now = Date.now();
      const sent = testRequest(endpoint, uuidv7(now), now);
      const { failure, httpStatus, durationMs } = await door.parts.webhooks.poster.post(sent);
      const language = languageOf(request.headers["accept-language"]);
      return JSON.stringify({
        delivered: failure === undefined,
        httpStatus,
        durationMs,
        errorMessage: failure && failureText(failure, httpStatus, language),
      });
    },
  };
}
