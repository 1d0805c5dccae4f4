// What the endpoints about webhooks share: which webhook a call means, what is shown of it and to
// whom, and the tag of its state. Never shows a secret. Shows the whole URL only to people who
// manage webhooks or may read the audit, which contains it, because the path or query of a URL may
// be secret.
import { array, boolean, integer, object, orAbsent, plainText, time } from "../json-schema.ts";
import type { Account } from "../../directory/directory.ts";
import { type EndpointRow, findEndpoint } from "../../store/webhook-endpoints.ts";
import type { DescribedEndpoint } from "../webhooks/endpoint-schemas.ts";
import { describeChangedEndpoint, describeEndpoints, describeNewEndpoint } from "../webhooks/describe-endpoints.ts";
import { tagOfObject } from "./conditions.ts";
import { notThere } from "./console-context.ts";
import type { ConsoleCall } from "./console-call.ts";

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
export const ofAccount = { name: plainText("Name of the account.") };
export const oneWebhook = { ...ofAccount, id: plainText() };
export const webhooksPath = "/accounts/:name/webhooks";

/** Throws 404. */
export function accountIn(call: ConsoleCall): Account {
  const name = call.path("name");
  const own = call.session.account;
  if (own === undefined) {
    const named = call.parts.directory.current.findAccount(name);
    if (named === undefined) throw notThere();
    return named;
  }
  if (name !== own.name) throw notThere();
  return call.ownAccount;
}

/** Throws 404. */
export async function endpointIn(call: ConsoleCall): Promise<EndpointRow> {
  const { id: accountId } = accountIn(call);
  const found = await findEndpoint(call.reads, { accountId, id: call.id });
  if (found === undefined) throw notThere();
  return found;
}

/** What a change of the webhook names. Its sending changes nothing of that, but disabling does. */
export function tagOf({ id, name, url, events, batchSize, enabled, oldSecretUntil }: EndpointRow): string {
  return tagOfObject([id, name, url, events, batchSize, enabled, oldSecretUntil]) ?? "";
}

export async function tellAll(call: ConsoleCall, rows: readonly EndpointRow[]): Promise<readonly object[]> {
  const told = await describeEndpoints(call.reads, rows);
  return told.map((each) => describe(call, each));
}

/** Throws 404 where it is gone meanwhile. */
export async function tellOne(call: ConsoleCall, row: EndpointRow): Promise<object> {
  const [told] = await tellAll(call, [row]);
  if (told === undefined) throw notThere();
  call.giveTag(tagOf(row));
  return told;
}

/** Of a change that is stored. */
export async function tellChanged(call: ConsoleCall, row: EndpointRow): Promise<object> {
  const told = await describeChangedEndpoint(call.reads, row);
  call.giveTag(tagOf(row));
  return describe(call, told);
}

export function tellNew(call: ConsoleCall, row: EndpointRow): object {
  return describe(call, describeNewEndpoint(row));
}

/** Copies each key by its name, because the row also holds the secrets. */
function describe(call: ConsoleCall, told: DescribedEndpoint): object {
  const { id, name, url, events, batchSize, enabled, disabledReason, createdAt } = told;
  const { lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil } = told;
  const seesUrl = call.may("changeWebhooks") || call.may("readAudit");
  return {
    ...{ id, name, host: new URL(url).host, ...(seesUrl && { url }) },
    ...{ events, batchSize, enabled, disabledReason, createdAt },
    ...{ lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil },
  };
}
