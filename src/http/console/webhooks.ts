// The endpoints of webhooks of an account as people look at them, with what their sending has come
// to. What changes them is in change-webhooks.ts.
import type { FastifyRequest } from "fastify";
import { array, input, integer, object, orAbsent, plainText, time } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { type AttemptRow, listAttempts } from "../../store/webhook-attempts.ts";
import { listEndpointsOf } from "../../store/webhook-endpoints.ts";
import { languageOf } from "../language.ts";
import { failureText } from "../webhooks/endpoint-schemas.ts";
import { changingWebhooks } from "./change-webhooks.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  pageOf,
  pageParameters,
  readPageSize,
  readQuery,
} from "./console-endpoint.ts";
import { readId } from "./narrow.ts";
import {
  accountIn,
  endpointIn,
  ofAccount,
  oneWebhook,
  tellAll,
  tellOne,
  webhook,
  webhooksPath,
} from "./webhook-parts.ts";

const attempt = object({
  id: plainText(),
  eventIds: array(plainText()),
  startedAt: time("When it began."),
  durationMs: integer(),
  httpStatus: orAbsent(integer("Absent: there was no answer.")),
  errorMessage: orAbsent(plainText("Why it failed; absent: it succeeded.")),
  nextAttemptAt: orAbsent(time("When it is tried again.")),
});

const tags = ["Accounts"] as const;

export function webhookEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [list(context), get(context), attempts(context), ...changingWebhooks(context)];
}

function list(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: webhooksPath,
    needs: "readWebhooks",
    schema: {
      operationId: "listWebhooks",
      summary: "The webhooks of an account",
      description: "All of them, in the order of their making, with what their sending has come to.",
      tags,
      params: ofAccount,
      response: consoleResponses(pageOf(webhook), 404),
    },
    answer: async ({ request }) => {
      const { id } = accountIn(context, request);
      return { items: await tellAll(context, request, await listEndpointsOf(context.reads, [id])) };
    },
  };
}

function get(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: `${webhooksPath}/:id`,
    needs: "readWebhooks",
    schema: {
      operationId: "getWebhook",
      summary: "One webhook of an account",
      description: "The ETag is what a change names.",
      tags,
      params: oneWebhook,
      response: consoleResponses(webhook, 404),
    },
    answer: async (call) => tellOne(context, call, await endpointIn(context, call.request)),
  };
}

function languageIn({ headers }: FastifyRequest): AnswerLanguage {
  return languageOf(headers["accept-language"]);
}

function attempts(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: `${webhooksPath}/:id/attempts`,
    needs: "readEvents",
    schema: {
      operationId: "listWebhookAttempts",
      summary: "The attempts of a webhook",
      description: "Newest first: of 7 days, at most 1,000; every failure, and of successes the first in each 10 s.",
      tags,
      params: oneWebhook,
      querystring: input(pageParameters),
      response: consoleResponses(pageOf(attempt), 400, 404),
    },
    answer: async ({ request }) => {
      const { id: endpointId } = await endpointIn(context, request);
      const query = readQuery(request);
      const count = readPageSize(query);
      const after = readId(query, "after");
      const found = await listAttempts(context.reads, { endpointId, after, limit: count + 1 });
      const items = found.slice(0, count);
      const language = languageIn(request);
      return {
        items: items.map((each) => describe(each, language)),
        ...(found.length > count && { nextCursor: items.at(-1)?.id }),
      };
    },
  };
}

function describe({ failure, ...row }: AttemptRow, language: AnswerLanguage): object {
  return { ...row, errorMessage: failure && failureText(failure, row.httpStatus, language) };
}
