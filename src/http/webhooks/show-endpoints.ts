// GET webhooks/endpoints, one of them, and its attempts.
import { input, orAbsent, plainText } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { listAttempts } from "../../store/webhook-attempts.ts";
import { listEndpointsOf } from "../../store/webhook-endpoints.ts";
import { isUuid } from "../../platform/uuid.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { languageOf } from "../language.ts";
import { readCount, type GivenParameters } from "../read-parameters.ts";
import { countParameter } from "../schemas.ts";
import { readQueryParameters } from "../url-parameters.ts";
import { requireEndpoint } from "./endpoint-call.ts";
import {
  attemptJson,
  attemptsAnswer,
  endpointAnswer,
  endpointJson,
  endpointPath,
  endpointsAnswer,
} from "./endpoint-schemas.ts";
import { describeEndpoints } from "./describe-endpoints.ts";

export function showEndpoints(context: ApiContext): readonly Endpoint[] {
  return [listEndpoints(context), getEndpoint(context), listEndpointAttempts(context)];
}

function listEndpoints(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/webhooks/endpoints",
    schema: {
      operationId: "listEndpoints",
      summary: "List the endpoints",
      description: "All of them, on one page. Secrets are not shown.",
      tags: ["Webhooks"],
      security: headerSecurity,
      response: responses(endpointsAnswer),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "changeWebhooks");
      const told = await describeEndpoints(context.lists, await listEndpointsOf(context.parts.db, [account.id]));
      return `{"endpoints":[${told.map((each) => endpointJson(each)).join(",")}]}`;
    },
  };
}

function getEndpoint(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/webhooks/endpoints/:endpointId",
    schema: {
      operationId: "getEndpoint",
      summary: "Get an endpoint",
      description: "With what its sending has come to.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      response: responses(endpointAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "changeWebhooks");
      const [told] = await describeEndpoints(context.lists, [await requireEndpoint(context, request, account)]);
      return told === undefined ? "" : endpointJson(told);
    },
  };
}

function listEndpointAttempts(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/webhooks/endpoints/:endpointId/attempts",
    schema: {
      operationId: "listEndpointAttempts",
      summary: "List the attempts of an endpoint",
      description:
        "Newest first. Pass the `nextCursor` of each answer as `after` in the next call. Attempts are kept for 7 days, at most the newest " +
        "1,000 of an endpoint: every failure, and of successes the first in each 10 seconds.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      querystring: input({
        after: orAbsent(plainText("nextCursor of an earlier answer.")),
        count: countParameter,
      }),
      response: responses(attemptsAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "changeWebhooks");
      const parameters = readQueryParameters(request);
      const findings: FieldFinding[] = [];
      const after = readAfter(parameters, findings);
      const limit = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const { id: endpointId } = await requireEndpoint(context, request, account);
      const attempts = await listAttempts(context.parts.db, { endpointId, after, limit });
      const language = languageOf(request.headers["accept-language"]);
      const nextCursor = attempts.at(-1)?.id ?? after ?? beginning;
      return `{"attempts":[${attempts.map((each) => attemptJson(each, language)).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  };
}

const beginning = "0";

/** A cursor is the id of the last attempt seen. It is opaque to callers. */
function readAfter(parameters: GivenParameters, findings: FieldFinding[]): string | undefined {
  const given = parameters.text("after");
  if (given === undefined || given === beginning || isUuid(given)) return given === beginning ? undefined : given;
  findings.push({ field: "after", messageKey: "after.form" });
  return undefined;
}
