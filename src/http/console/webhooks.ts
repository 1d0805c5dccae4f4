// The endpoints of webhooks of an account: kept by its owners, and by staff. A secret is shown
// once, when it is made.
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Account } from "../../directory/directory.ts";
import { ApiError, type FieldFinding, type Language } from "../../errors.ts";
import {
  changeEndpoint,
  createEndpoint,
  EndpointRefused,
  removeEndpoint,
  renewSecret,
} from "../../setup/change-endpoints.ts";
import { instant } from "../../setup/read-values.ts";
import { ReplayRefused, replayEvents } from "../../setup/replay-events.ts";
import { type AttemptRow, listAttempts } from "../../store/webhook-attempts.ts";
import { type EndpointRow, findEndpoint, listEndpointsOf } from "../../store/webhook-endpoints.ts";
import { requireJsonBody } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { changeAtOnce } from "../webhooks/endpoint-call.ts";
import { changeEndpointBody, createEndpointBody, failureText, testAnswer } from "../webhooks/endpoint-schemas.ts";
import { readEndpointChanges, readNewEndpoint } from "../webhooks/read-endpoint.ts";
import { replayRefusal } from "../webhooks/replay-events.ts";
import { sendTest } from "../webhooks/send-test.ts";
import { tellEndpoints } from "../webhooks/told-endpoints.ts";
import { ConsoleBody } from "./console-body.ts";
import type { ConsoleDoor } from "./console-door.ts";
import {
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  notThere,
  pageOf,
  pageParameters,
  readCount,
  readQuery,
  time,
} from "./console-endpoint.ts";
import { pathId, pathParameter, readId } from "./narrow.ts";
import { accountOf, expectPermission } from "./own-account.ts";

const keys = {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String(), { description: "Types, beginnings of types with `.*`, or `*`." }),
  batchSize: Type.Integer({ description: "Events of a request at most." }),
  enabled: Type.Boolean(),
  disabledReason: Type.Optional(
    Type.String({ description: "gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it." }),
  ),
  createdAt: time("When it was made."),
  lastSuccessAt: Type.Optional(time("When it last took a request.")),
  lastFailureAt: Type.Optional(time("When a request to it last failed.")),
  oldestWaitingAt: Type.Optional(time("When the oldest event happened that waits for it.")),
};
const webhook = Type.Object(keys, exactly);
const made = Type.Object({ ...keys, secret: Type.String({ description: "Shown this once." }) }, exactly);
const attempt = Type.Object(
  {
    id: Type.String(),
    eventIds: Type.Array(Type.String()),
    startedAt: time("When it began."),
    durationMs: Type.Integer(),
    httpStatus: Type.Optional(Type.Integer({ description: "Absent: there was no answer." })),
    errorMessage: Type.Optional(Type.String({ description: "Why it failed; absent: it succeeded." })),
    nextAttemptAt: Type.Optional(time("When it is tried again.")),
  },
  exactly,
);

const ofAccount = Type.Object({ name: Type.String({ description: "Name of the account." }) });
const one = Type.Object({ name: Type.String({ description: "Name of the account." }), id: Type.String() });
const path = "/accounts/:name/webhooks";
const sees = ["see", "look"] as const;
const changes = ["accounts", "manage"] as const;
const tags = ["Accounts"] as const;

export function webhookEndpoints(door: ConsoleDoor): ConsoleEndpoint[] {
  return [list(door), create(door), change(door), remove(door), renew(door), test(door), attempts(door), replay(door)];
}

/** Throws 404, and 1005 for a customer whose account may not use webhooks. */
function accountIn(door: ConsoleDoor, request: FastifyRequest): Account {
  const name = pathParameter(request, "name");
  const own = door.sessionOf(request).account;
  if (own === undefined) {
    for (const account of door.parts.directory.current.accounts.values()) if (account.name === name) return account;
    throw notThere();
  }
  if (name !== own.name) throw notThere();
  const account = accountOf(door, { request });
  expectPermission(account, "webhooks");
  return account;
}

function ownerIn(door: ConsoleDoor, request: FastifyRequest) {
  const { id: accountId, name: account } = accountIn(door, request);
  return { accountId, account, by: door.actorOf(request) };
}

/** Throws 404. */
async function endpointIn(door: ConsoleDoor, request: FastifyRequest): Promise<EndpointRow> {
  const { id: accountId } = accountIn(door, request);
  const found = await findEndpoint(door.reads, { accountId, id: pathId(request, "id") });
  if (found === undefined) throw notThere();
  return found;
}

/** Throws 404 for an endpoint that is not there. */
function changed(door: ConsoleDoor, make: () => Promise<EndpointRow>): Promise<EndpointRow> {
  return changeAtOnce(door.door, () =>
    make().catch((error: unknown) => {
      throw error instanceof EndpointRefused && error.refusal === "unknown" ? notThere() : error;
    }),
  );
}

async function tell(door: ConsoleDoor, rows: readonly EndpointRow[]): Promise<readonly object[]> {
  const told = await tellEndpoints(door.reads, rows);
  // Each key by its name: secrets stand beside them.
  return told.map(({ id, name, url, events, batchSize, enabled, disabledReason, createdAt, ...progress }) => ({
    ...{ id, name, url, events, batchSize, enabled, disabledReason, createdAt },
    lastSuccessAt: progress.lastSuccessAt,
    lastFailureAt: progress.lastFailureAt,
    oldestWaitingAt: progress.oldestWaitingAt,
  }));
}

async function tellOne(door: ConsoleDoor, row: EndpointRow): Promise<object> {
  const [told = {}] = await tell(door, [row]);
  return told;
}

function list(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path,
    needs: sees,
    schema: {
      operationId: "listWebhooks",
      summary: "The webhooks of an account",
      description: "All of them, in the order of their making, with what their sending has come to.",
      tags,
      params: ofAccount,
      response: consoleResponses(pageOf(webhook), 404),
    },
    answer: async ({ request }) => {
      const { id } = accountIn(door, request);
      return { items: await tell(door, await listEndpointsOf(door.reads, [id])) };
    },
  };
}

function create(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "POST",
    path,
    needs: changes,
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
      const owner = ownerIn(door, request);
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(requireJsonBody(request.body), door.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(door, () => createEndpoint(door.changes, owner, given));
      return { ...(await tellOne(door, row)), secret: row.secret };
    },
  };
}

function change(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "PATCH",
    path: `${path}/:id`,
    needs: changes,
    schema: {
      operationId: "changeWebhook",
      summary: "Change, enable or disable a webhook",
      description: "Changes what is given. Disabling drops what waits; enabling begins with what happens from then on.",
      tags,
      params: one,
      body: changeEndpointBody,
      response: consoleResponses(webhook, 400, 404),
    },
    answer: async ({ request }) => {
      const owner = { ...ownerIn(door, request), id: pathId(request, "id") };
      const findings: FieldFinding[] = [];
      const wanted = readEndpointChanges(requireJsonBody(request.body), door.parts.webhooks.rules, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      return tellOne(door, await changed(door, () => changeEndpoint(door.changes, owner, wanted)));
    },
  };
}

function remove(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "DELETE",
    path: `${path}/:id`,
    needs: changes,
    schema: {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "What waited for it is dropped.",
      tags,
      params: one,
      response: consoleResponses(Type.Object({}, exactly), 404),
    },
    answer: async ({ request }) => {
      const owner = { ...ownerIn(door, request), id: pathId(request, "id") };
      await changed(door, () => removeEndpoint(door.changes, owner));
      return {};
    },
  };
}

function renew(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/secret`,
    needs: changes,
    schema: {
      operationId: "renewWebhookSecret",
      summary: "Replace the secret of a webhook",
      description: "The answer has the new one, once. For 24 hours the one before it signs, too.",
      tags,
      params: one,
      response: consoleResponses(
        Type.Object({ secret: Type.String({ description: "Shown this once." }) }, exactly),
        404,
      ),
    },
    answer: async ({ request }) => {
      const owner = { ...ownerIn(door, request), id: pathId(request, "id") };
      const { secret } = await changed(door, () => renewSecret(door.changes, owner));
      return { secret };
    },
  };
}

function test(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/test`,
    needs: changes,
    schema: {
      operationId: "testWebhook",
      summary: "Test a webhook",
      description: "Sends the event `webhook.test` once, to a disabled one, too. 10 tests a minute.",
      tags,
      params: one,
      response: consoleResponses(testAnswer, 404),
    },
    answer: async ({ request }) => {
      const endpoint = await endpointIn(door, request);
      const { failure, httpStatus, durationMs } = await sendTest(door.door, endpoint);
      const errorMessage = failure && failureText(failure, httpStatus, languageIn(request));
      return { delivered: failure === undefined, httpStatus, durationMs, errorMessage };
    },
  };
}

function languageIn({ headers }: FastifyRequest): Language {
  return languageOf(headers["accept-language"]);
}

function attempts(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "GET",
    path: `${path}/:id/attempts`,
    needs: sees,
    schema: {
      operationId: "listWebhookAttempts",
      summary: "The attempts of a webhook",
      description: "Newest first: of 7 days, at most 1,000; every failure, and of successes the first in each 10 s.",
      tags,
      params: one,
      querystring: Type.Object(pageParameters),
      response: consoleResponses(pageOf(attempt), 400, 404),
    },
    answer: async ({ request }) => {
      const { id: endpointId } = await endpointIn(door, request);
      const query = readQuery(request);
      const count = readCount(query);
      const after = readId(query, "after");
      const found = await listAttempts(door.reads, { endpointId, after, limit: count + 1 });
      const items = found.slice(0, count);
      const language = languageIn(request);
      return {
        items: items.map((each) => describe(each, language)),
        ...(found.length > count && { nextCursor: items.at(-1)?.id }),
      };
    },
  };
}

function describe({ failure, ...row }: AttemptRow, language: Language): object {
  return { ...row, errorMessage: failure && failureText(failure, row.httpStatus, language) };
}

function replay(door: ConsoleDoor): ConsoleEndpoint {
  return {
    method: "POST",
    path: `${path}/:id/replay`,
    needs: changes,
    schema: {
      operationId: "replayWebhook",
      summary: "Send the events of a time again",
      description: "What the log holds and the webhook wants, behind what is new. One at a time: else 409.",
      tags,
      params: one,
      body: Type.Object({ from: time("The first moment."), to: time("The first moment that does not count.") }),
      response: consoleResponses(Type.Object({ replayedCount: Type.Integer() }, exactly), 400, 404, 409),
    },
    answer: async ({ request }) => {
      const endpoint = await endpointIn(door, request);
      const body = new ConsoleBody(request);
      const given = {
        from: body.value("from", instant, "console.time", { required: true }),
        to: body.value("to", instant, "console.time", { required: true }),
      };
      const wanted = body.finishWith(given);
      if (wanted.from >= wanted.to) throw ApiError.invalidParameters([{ field: "to", messageKey: "time.notLater" }]);
      const { eventDays } = door.parts.directory.current;
      const replayedCount = await replayEvents(door.work, { endpoint, wanted, eventDays }).catch((error: unknown) => {
        throw error instanceof ReplayRefused ? replayRefusal(error) : error;
      });
      return { replayedCount };
    },
  };
}
