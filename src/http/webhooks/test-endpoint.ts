// POST webhooks/endpoints/{endpointId}/test: whether the endpoint takes a request.
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { languageOf } from "../language.ts";
import { requireEndpoint, sendTest, unknownEndpoint } from "./endpoint-call.ts";
import { endpointPath, failureText, testAnswer } from "./endpoint-schemas.ts";

export function testEndpoint(context: ApiContext): Endpoint {
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
      const { account } = await admit(context, request, reply, "changeWebhooks");
      const endpoint = await requireEndpoint(context, request, account);
      const { failure, httpStatus, durationMs } = await sendTest(context, endpoint, unknownEndpoint);
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
