// Making, changing, testing and deleting endpoints of webhooks: for an account's owners, and staff
// who keep accounts. A secret is shown once, when it is made.
import type { FastifyRequest } from "fastify";
import { input, integer, object, plainText, time } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import {
  changeEndpoint,
  type ConcernedEndpoint,
  createEndpoint,
  EndpointRefused,
  removeEndpoint,
  renewSecret,
} from "../../setup/change-endpoints.ts";
import { instantText } from "../../setup/read-value.ts";
import { ReplayRefused, replayEvents } from "../../setup/replay-events.ts";
import type { EndpointRow } from "../../store/webhook-endpoints.ts";
import { requireJsonBody } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { changeAtOnce, replayRefusal, sendTest } from "../webhooks/endpoint-call.ts";
import { changeEndpointBody, createEndpointBody, failureText, testAnswer } from "../webhooks/endpoint-schemas.ts";
import { readEndpointChanges, readNewEndpoint } from "../webhooks/read-endpoint.ts";
import { conditions, expectMatch, expectVersion } from "./conditions.ts";
import { ConsoleBody } from "./console-body.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, notThere } from "./console-endpoint.ts";
import { pathId } from "./narrow.ts";
import {
  accountIn,
  endpointIn,
  ofAccount,
  oneWebhook as one,
  tagOf,
  tellChanged,
  tellNew,
  webhook,
  webhookShape,
  webhooksPath as path,
} from "./webhook-parts.ts";

const newSecret = plainText("Shown this once.");
const made = object({ ...webhookShape, secret: newSecret });
const tags = ["Accounts"] as const;
const headers = input({ "If-Match": conditions["If-Match"] });

export function changingWebhooks(context: ConsoleContext): ConsoleEndpoint[] {
  return [create(context), change(context), remove(context), renew(context), test(context), replay(context)];
}

function ownerIn(context: ConsoleContext, request: FastifyRequest) {
  const { id: accountId, name: account } = accountIn(context, request);
  return { accountId, account, by: context.actorOf(request) };
}

/** Throws 428 for a call that does not say what it changes. */
function concernedIn(context: ConsoleContext, request: FastifyRequest): ConcernedEndpoint {
  const owner = ownerIn(context, request);
  expectMatch(request.headers);
  return {
    ...owner,
    id: pathId(request),
    expect: (stored) => expectVersion(request.headers, tagOf(stored), tracesOf(stored, owner.account)),
  };
}

/**
 * The audit has no entry for an endpoint that the gateway disabled, so an older entry would
 * mislead.
 */
function tracesOf({ name, disabledReason }: EndpointRow, account: string) {
  if (disabledReason !== null) return [];
  return [
    { kind: "webhookEndpoint", name, account },
    // A setup file changes an account with its webhooks.
    { kind: "account", name: account, keys: ["webhooks", "secretsChanged"] },
  ];
}

/** Throws 404 for an endpoint that is not there. */
function changed(context: ConsoleContext, make: () => Promise<EndpointRow>): Promise<EndpointRow> {
  return changeAtOnce(context.api, () =>
    make().catch((error: unknown) => {
      throw error instanceof EndpointRefused && error.refusal === "unknown" ? notThere() : error;
    }),
  );
}

function create(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path,
    needs: "changeWebhooks",
    schema: {
      operationId: "createWebhook",
      summary: "Make a webhook",
      description: "Events that happen from then on are sent to it. The answer has the secret that signs them, once.",
      tags,
      params: ofAccount,
      body: createEndpointBody,
      response: consoleResponses(made, 400, 404),
    },
    answer: async ({ request }) => {
      const owner = ownerIn(context, request);
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(requireJsonBody(request), context.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(context, () => createEndpoint(context.changes, owner, given));
      return { ...tellNew(context, request, row), secret: row.secret };
    },
  };
}

function change(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "PATCH",
    path: `${path}/:id`,
    needs: "changeWebhooks",
    schema: {
      operationId: "changeWebhook",
      summary: "Change, enable or disable a webhook",
      description:
        "Changes what is given. Disabling drops what waits; enabling begins with what happens from then on. " +
        "Where what its sending has come to cannot be read in time, the answer leaves it out.",
      tags,
      params: one,
      headers,
      body: changeEndpointBody,
      response: consoleResponses(webhook, 400, 404, 412, 428),
    },
    answer: async ({ request, reply }) => {
      const owner = concernedIn(context, request);
      const findings: FieldFinding[] = [];
      const wanted = readEndpointChanges(requireJsonBody(request), context.parts.webhooks.rules, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(context, () => changeEndpoint(context.changes, owner, wanted));
      return tellChanged(context, { request, reply }, row);
    },
  };
}

function remove(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: `${path}/:id`,
    needs: "changeWebhooks",
    schema: {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "What waited for it is dropped.",
      tags,
      params: one,
      headers,
      response: consoleResponses(object({}), 404, 412, 428),
    },
    answer: async ({ request }) => {
      const owner = concernedIn(context, request);
      await changed(context, () => removeEndpoint(context.changes, owner));
      return {};
    },
  };
}

function renew(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/secret`,
    needs: "changeWebhooks",
    schema: {
      operationId: "renewWebhookSecret",
      summary: "Replace the secret of a webhook",
      description: "The answer has the new one, once. For 24 hours the one before it signs, too.",
      tags,
      params: one,
      headers,
      response: consoleResponses(object({ secret: newSecret }), 404, 412, 428),
    },
    answer: async ({ request }) => {
      const owner = concernedIn(context, request);
      const { secret } = await changed(context, () => renewSecret(context.changes, owner));
      return { secret };
    },
  };
}

function test(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/test`,
    needs: "changeWebhooks",
    schema: {
      operationId: "testWebhook",
      summary: "Test a webhook",
      description: "Sends the event `webhook.test` once, to a disabled one, too. 10 tests a minute.",
      tags,
      params: one,
      response: consoleResponses(testAnswer, 404),
    },
    answer: async ({ request }) => {
      const endpoint = await endpointIn(context, request);
      const { failure, httpStatus, durationMs } = await sendTest(context.api, endpoint, notThere);
      const errorMessage = failure && failureText(failure, httpStatus, languageOf(request.headers["accept-language"]));
      return { delivered: failure === undefined, httpStatus, durationMs, errorMessage };
    },
  };
}

function replay(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/replay`,
    needs: "changeWebhooks",
    schema: {
      operationId: "replayWebhook",
      summary: "Send the events of a time again",
      description: "What the log holds and the webhook wants, behind what is new. One at a time: else 409.",
      tags,
      params: one,
      body: input({ from: time("The first moment."), to: time("The first moment that does not count.") }),
      response: consoleResponses(object({ replayedCount: integer() }), 400, 404, 409),
    },
    answer: async ({ request }) => {
      const endpoint = await endpointIn(context, request);
      const body = new ConsoleBody(request);
      const given = {
        from: body.value("from", instantText, "console.time", { required: true }),
        to: body.value("to", instantText, "console.time", { required: true }),
      };
      const wanted = body.finishWith(given);
      if (wanted.from >= wanted.to) throw ApiError.invalidParameter("to", "time.notLater");
      const { eventDays } = context.parts.directory.current;
      const replayedCount = await replayEvents({ db: context.work }, { endpoint, wanted, eventDays }).catch(
        (error: unknown) => {
          throw error instanceof ReplayRefused ? replayRefusal(error) : error;
        },
      );
      return { replayedCount };
    },
  };
}
