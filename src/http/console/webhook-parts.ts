// What the endpoints about webhooks share: which webhook a call means, what is shown of it and to
// whom, and the tag of its state. Never shows a secret. Shows the whole URL only to people who
// manage webhooks or may read the audit, which contains it, because the path or query of a URL may
// be secret.
import type { FastifyReply, FastifyRequest } from "fastify";
import { array, boolean, input, integer, object, orAbsent, plainText, time } from "../json-schema.ts";
import type { Account } from "../../directory/directory.ts";
import { type EndpointRow, findEndpoint } from "../../store/webhook-endpoints.ts";
import type { DescribedEndpoint } from "../webhooks/endpoint-schemas.ts";
import { describeChangedEndpoint, describeEndpoints, describeNewEndpoint } from "../webhooks/describe-endpoints.ts";
import { giveTag, tagOfObject } from "./conditions.ts";
import type { ConsoleContext } from "./console-context.ts";
import { notThere } from "./console-endpoint.ts";
import { accountOf, pathId, pathParameter } from "./narrow.ts";

export const webhookShape = {
  id: plainText(),
  name: plainText(),
  host: plainText("Of the URL, with its port where that is not the usual one."),
  url: orAbsent(plainText("Only for those with one of the abilities `manage`, `accounts`, `audit`.")),
  events: array(plainText(), "Types, beginnings of types with `.*`, or `*`."),
  batchSize: integer("Events of a request at most."),
  enabled: boolean(),
  disabledReason: orAbsent(
    plainText("gone: it answered 410. failing: 5 days of failures. Absent if somebody disabled it."),
  ),
  createdAt: time("When it was made."),
  lastSuccessAt: orAbsent(time("When it last took a request.")),
  lastFailureAt: orAbsent(time("When a request to it last failed.")),
  oldestWaitingAt: orAbsent(time("When the oldest event happened that waits for it.")),
  pausedUntil: orAbsent(time("Nothing is sent to it before, because requests failed. Absent: it does not pause.")),
};
export const webhook = object(webhookShape);
export const ofAccount = input({ name: plainText("Name of the account.") });
export const oneWebhook = input({ ...ofAccount.properties, id: plainText() });
export const webhooksPath = "/accounts/:name/webhooks";

/** Throws 404. */
export function accountIn(context: ConsoleContext, request: FastifyRequest): Account {
  const name = pathParameter(request, "name");
  const own = context.sessionOf(request).account;
  if (own === undefined) {
    const named = context.parts.directory.current.findAccount(name);
    if (named === undefined) throw notThere();
    return named;
  }
  if (name !== own.name) throw notThere();
  return accountOf(context, { request });
}

/** Throws 404. */
export async function endpointIn(context: ConsoleContext, request: FastifyRequest): Promise<EndpointRow> {
  const { id: accountId } = accountIn(context, request);
  const found = await findEndpoint(context.reads, { accountId, id: pathId(request) });
  if (found === undefined) throw notThere();
  return found;
}

/** What a change of the webhook names. Its sending changes nothing of that, but disabling does. */
export function tagOf({ id, name, url, events, batchSize, enabled, oldSecretUntil }: EndpointRow): string {
  return tagOfObject([id, name, url, events, batchSize, enabled, oldSecretUntil]) ?? "";
}

export async function tellAll(
  context: ConsoleContext,
  request: FastifyRequest,
  rows: readonly EndpointRow[],
): Promise<readonly object[]> {
  const told = await describeEndpoints(context.reads, rows);
  return told.map((each) => describe(context, request, each));
}

/** Throws 404 where it is gone meanwhile. */
export async function tellOne(
  context: ConsoleContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  row: EndpointRow,
): Promise<object> {
  const [told] = await tellAll(context, request, [row]);
  if (told === undefined) throw notThere();
  giveTag(reply, tagOf(row));
  return told;
}

/** Of a change that is stored. */
export async function tellChanged(
  context: ConsoleContext,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  row: EndpointRow,
): Promise<object> {
  const told = await describeChangedEndpoint(context.reads, row);
  giveTag(reply, tagOf(row));
  return describe(context, request, told);
}

export function tellNew(context: ConsoleContext, request: FastifyRequest, row: EndpointRow): object {
  return describe(context, request, describeNewEndpoint(row));
}

/** Copies each key by its name, because the row also holds the secrets. */
function describe(context: ConsoleContext, request: FastifyRequest, told: DescribedEndpoint): object {
  const { id, name, url, events, batchSize, enabled, disabledReason, createdAt } = told;
  const { lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil } = told;
  const seesUrl = context.may(request, "changeWebhooks") || context.may(request, "readAudit");
  return {
    ...{ id, name, host: new URL(url).host, ...(seesUrl && { url }) },
    ...{ events, batchSize, enabled, disabledReason, createdAt },
    ...{ lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil },
  };
}
