// The endpoints of webhooks of an account as people look at them, with what their sending has come
// to, and making, changing, testing and deleting them. A secret is shown once, when it is made.
import { input, orAbsent, time, uuidText } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import { type AttemptRow, listAttempts } from "../../store/webhook-attempts.ts";
import { listEndpointsOf, type EndpointRow, findEndpoint } from "../../store/webhook-endpoints.ts";
import {
  failureText,
  type DescribedEndpoint,
  changeEndpointBody,
  createEndpointBody,
  describeChangedEndpoint,
  describeEndpoints,
  describeNewEndpoint,
  describeTest,
} from "../webhooks/endpoint-schemas.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import type { Account } from "../../directory/directory.ts";
import { tagOfObject, type ConsoleCall } from "./console-call.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import {
  changeEndpoint,
  type ConcernedEndpoint,
  createEndpoint,
  removeEndpoint,
  renewSecret,
  replayEvents,
} from "../../setup/change-endpoints.ts";
import { instantText } from "../../setup/read-value.ts";
import { changeAtOnce, sendTest, readEndpointChanges, readNewEndpoint } from "../webhooks/endpoint-call.ts";
import { byRule } from "./console-input.ts";

function describeAttempt({ failure, ...row }: AttemptRow, language: AnswerLanguage) {
  return { ...row, errorMessage: failure && failureText(failure, row.httpStatus, language) };
}

const attemptParameters = { ...pageParameters, after: orAbsent(uuidText()) };
const period = input({
  from: byRule(time("The first moment."), instantText, "console.time"),
  to: byRule(time("The first moment that does not count."), instantText, "console.time"),
});

/** Throws 404. */
function accountIn(call: ConsoleCall): Account {
  const name = call.path("name");
  const own = call.session.account;
  if (own === undefined) {
    const named = call.parts.directory.current.findAccount(name);
    if (named === undefined) throw ApiError.notThere();
    return named;
  }
  if (name !== own.name) throw ApiError.notThere();
  return call.ownAccount;
}

/** Throws 404. */
async function endpointIn(call: ConsoleCall): Promise<EndpointRow> {
  const { id: accountId } = accountIn(call);
  const found = await findEndpoint(call.reads, { accountId, id: call.id });
  if (found === undefined) throw ApiError.notThere();
  return found;
}

/** What a change of the webhook names. Its sending changes nothing of that, but disabling does. */
function tagOf({ id, name, url, events, batchSize, enabled, oldSecretUntil }: EndpointRow): string {
  return tagOfObject([id, name, url, events, batchSize, enabled, oldSecretUntil]) ?? "";
}

async function describeAll(call: ConsoleCall, rows: readonly EndpointRow[]) {
  const described = await describeEndpoints(call.reads, rows);
  return described.map((each) => describe(call, each));
}

/** Throws 404 where it is gone meanwhile. */
async function answerOne(call: ConsoleCall, row: EndpointRow) {
  const [described] = await describeAll(call, [row]);
  if (described === undefined) throw ApiError.notThere();
  call.giveTag(tagOf(row));
  return described;
}

/** Of a change that is stored. */
async function answerChanged(call: ConsoleCall, row: EndpointRow) {
  const described = await describeChangedEndpoint(call.reads, row);
  call.giveTag(tagOf(row));
  return describe(call, described);
}

function answerNew(call: ConsoleCall, row: EndpointRow) {
  return describe(call, describeNewEndpoint(row));
}

/**
 * Copies each key by its name, because the row also holds the secrets. Shows the whole URL only to
 * people who manage webhooks or may read the audit, which contains it, because the path or query of
 * a URL may be secret.
 */
function describe(call: ConsoleCall, described: DescribedEndpoint) {
  const { id, name, url, events, batchSize, enabled, disabledReason, createdAt } = described;
  const { lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil } = described;
  const seesUrl = call.may("changeWebhooks") || call.may("readAudit");
  return {
    ...{ id, name, host: new URL(url).host, ...(seesUrl && { url }) },
    ...{ events, batchSize, enabled, disabledReason, createdAt },
    ...{ lastSuccessAt, lastFailureAt, oldestWaitingAt, pausedUntil },
  };
}

function ownerIn(call: ConsoleCall) {
  const { id: accountId, name: account } = accountIn(call);
  return { accountId, account, by: call.actor };
}

/** Throws 428 for a call that does not say what it changes. */
function concernedIn(call: ConsoleCall): ConcernedEndpoint {
  const owner = ownerIn(call);
  return {
    ...owner,
    id: call.id,
    expect: (stored) => call.expectVersion(tagOf(stored), tracesOf(stored, owner.account)),
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
function changed(call: ConsoleCall, make: () => Promise<EndpointRow>): Promise<EndpointRow> {
  return changeAtOnce(call, () =>
    make().catch((error: unknown) => {
      throw error instanceof ApiError && error.errorName === "unknownMessageId" ? ApiError.notThere() : error;
    }),
  );
}

export const webhookEndpoints = {
  "GET /accounts/{name}/webhooks": {
    needs: "readWebhooks",
    summary: "The webhooks of an account",
    description: "All of them, in the order of their making, with what their sending has come to.",
    handle: async (call) => {
      const { id } = accountIn(call);
      return { items: await describeAll(call, await listEndpointsOf(call.reads, [id])) };
    },
  },
  "GET /accounts/{name}/webhooks/{id}": {
    needs: "readWebhooks",
    summary: "One webhook of an account",
    description: "The ETag is what a change names.",
    handle: async (call) => answerOne(call, await endpointIn(call)),
  },
  "GET /accounts/{name}/webhooks/{id}/attempts": {
    needs: "readEvents",
    summary: "The attempts of a webhook",
    description: "Newest first: of 7 days, at most 1,000; every failure, and of successes the first in each 10 s.",
    query: attemptParameters,
    handle: async (call) => {
      const { id: endpointId } = await endpointIn(call);
      const { after, count } = call.readQuery(attemptParameters);
      const found = await listAttempts(call.reads, { endpointId, after, limit: count + 1 });
      const language = call.language;
      return pageFrom(
        found,
        count,
        ({ id }) => id,
        (each) => describeAttempt(each, language),
      );
    },
  },
  "POST /accounts/{name}/webhooks": {
    needs: "changeWebhooks",
    summary: "Make a webhook",
    description: "Events that happen from then on are sent to it. The answer has the secret that signs them, once.",
    body: createEndpointBody,
    handle: async (call) => {
      const owner = ownerIn(call);
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(call.fields, call.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(call, () => createEndpoint(call.changes, owner, given));
      return { ...answerNew(call, row), secret: row.secret };
    },
  },
  "PATCH /accounts/{name}/webhooks/{id}": {
    needs: "changeWebhooks",
    summary: "Change, enable or disable a webhook",
    description:
      "Changes what is given. Disabling drops what waits; enabling begins with what happens from then on. " +
      "Where what its sending has come to cannot be read in time, the answer leaves it out.",
    condition: "If-Match",
    body: changeEndpointBody,
    handle: async (call) => {
      const owner = concernedIn(call);
      const findings: FieldFinding[] = [];
      const wanted = readEndpointChanges(call.fields, call.parts.webhooks.rules, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(call, () => changeEndpoint(call.changes, owner, wanted));
      return answerChanged(call, row);
    },
  },
  "DELETE /accounts/{name}/webhooks/{id}": {
    needs: "changeWebhooks",
    summary: "Delete a webhook",
    description: "What waited for it is dropped.",
    condition: "If-Match",
    handle: async (call) => {
      const owner = concernedIn(call);
      await changed(call, () => removeEndpoint(call.changes, owner));
      return {};
    },
  },
  "POST /accounts/{name}/webhooks/{id}/secret": {
    needs: "changeWebhooks",
    summary: "Replace the secret of a webhook",
    description: "The answer has the new one, once. For 24 hours the one before it signs, too.",
    condition: "If-Match",
    handle: async (call) => {
      const owner = concernedIn(call);
      const { secret } = await changed(call, () => renewSecret(call.changes, owner));
      return { secret };
    },
  },
  "POST /accounts/{name}/webhooks/{id}/test": {
    needs: "changeWebhooks",
    summary: "Test a webhook",
    description: "Sends the event `webhook.test` once, to a disabled one, too. 10 tests a minute.",
    handle: async (call) => {
      const endpoint = await endpointIn(call);
      return describeTest(await sendTest(call, endpoint), call.language);
    },
  },
  "POST /accounts/{name}/webhooks/{id}/replay": {
    needs: "changeWebhooks",
    summary: "Send the events of a time again",
    description: "What the log holds and the webhook wants, behind what is new. One at a time: else 409.",
    body: period,
    errors: [409],
    handle: async (call) => {
      const endpoint = await endpointIn(call);
      const wanted = call.readBody(period);
      if (wanted.from >= wanted.to) throw ApiError.invalidParameter("to", "time.notLater");
      const { eventDays } = call.parts.directory.current;
      return { replayedCount: await replayEvents({ db: call.work }, { endpoint, wanted, eventDays }) };
    },
  },
} satisfies ConsoleEndpoints;
