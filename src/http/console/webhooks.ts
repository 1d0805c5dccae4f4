// The endpoints of webhooks of an account as people look at them, with what their sending has come
// to. What changes them is in change-webhooks.ts.
import { array, integer, object, orAbsent, plainText, time } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { type AttemptRow, listAttempts } from "../../store/webhook-attempts.ts";
import { listEndpointsOf } from "../../store/webhook-endpoints.ts";
import { failureText } from "../webhooks/endpoint-schemas.ts";
import { changingWebhooks } from "./change-webhooks.ts";
import { type ConsoleEndpoint, pageOf, pageParameters, readId, readPageSize } from "./console-endpoint.ts";
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

function describe({ failure, ...row }: AttemptRow, language: AnswerLanguage): object {
  return { ...row, errorMessage: failure && failureText(failure, row.httpStatus, language) };
}

export const webhookEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: webhooksPath,
    needs: "readWebhooks",
    operationId: "listWebhooks",
    summary: "The webhooks of an account",
    description: "All of them, in the order of their making, with what their sending has come to.",
    tag: "Accounts",
    params: ofAccount,
    result: pageOf(webhook),
    handle: async (call) => {
      const { id } = accountIn(call);
      return { items: await tellAll(call, await listEndpointsOf(call.reads, [id])) };
    },
  },
  {
    method: "GET",
    path: `${webhooksPath}/:id`,
    needs: "readWebhooks",
    operationId: "getWebhook",
    summary: "One webhook of an account",
    description: "The ETag is what a change names.",
    tag: "Accounts",
    params: oneWebhook,
    result: webhook,
    handle: async (call) => tellOne(call, await endpointIn(call)),
  },
  {
    method: "GET",
    path: `${webhooksPath}/:id/attempts`,
    needs: "readEvents",
    operationId: "listWebhookAttempts",
    summary: "The attempts of a webhook",
    description: "Newest first: of 7 days, at most 1,000; every failure, and of successes the first in each 10 s.",
    tag: "Accounts",
    params: oneWebhook,
    query: pageParameters,
    result: pageOf(attempt),
    handle: async (call) => {
      const { id: endpointId } = await endpointIn(call);
      const query = call.query;
      const count = readPageSize(query);
      const after = readId(query, "after");
      const found = await listAttempts(call.reads, { endpointId, after, limit: count + 1 });
      const items = found.slice(0, count);
      const language = call.language;
      return {
        items: items.map((each) => describe(each, language)),
        ...(found.length > count && { nextCursor: items.at(-1)?.id }),
      };
    },
  },
  ...changingWebhooks,
];
