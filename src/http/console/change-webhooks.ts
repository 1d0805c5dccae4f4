// Making, changing, testing and deleting endpoints of webhooks: for an account's owners, and staff
// who keep accounts. A secret is shown once, when it is made.
import { input, integer, object, plainText, time } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import {
  type ConcernedEndpoint,
  EndpointRefused,
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  renewSecret,
} from "../../setup/change-endpoints.ts";
import { instantText } from "../../setup/read-value.ts";
import { ReplayRefused, replayEvents } from "../../setup/replay-events.ts";
import type { EndpointRow } from "../../store/webhook-endpoints.ts";
import { changeAtOnce, replayRefusal, sendTest } from "../webhooks/endpoint-call.ts";
import { changeEndpointBody, createEndpointBody, failureText, testAnswer } from "../webhooks/endpoint-schemas.ts";
import { readEndpointChanges, readNewEndpoint } from "../webhooks/endpoint-call.ts";
import { ConsoleBody } from "./console-body.ts";
import { notThere } from "./console-context.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
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
import type { ConsoleCall } from "./console-call.ts";

const newSecret = plainText("Shown this once.");
const made = object({ ...webhookShape, secret: newSecret });

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
      throw error instanceof EndpointRefused && error.refusal === "unknown" ? notThere() : error;
    }),
  );
}

export const changingWebhooks: readonly ConsoleEndpoint[] = [
  {
    method: "POST",
    path,
    needs: "changeWebhooks",
    operationId: "createWebhook",
    summary: "Make a webhook",
    description: "Events that happen from then on are sent to it. The answer has the secret that signs them, once.",
    tag: "Accounts",
    params: ofAccount,
    body: createEndpointBody,
    result: made,
    handle: async (call) => {
      const owner = ownerIn(call);
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(call.fields, call.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(call, () => createEndpoint(call.changes, owner, given));
      return { ...tellNew(call, row), secret: row.secret };
    },
  },
  {
    method: "PATCH",
    path: `${path}/:id`,
    needs: "changeWebhooks",
    operationId: "changeWebhook",
    summary: "Change, enable or disable a webhook",
    description:
      "Changes what is given. Disabling drops what waits; enabling begins with what happens from then on. " +
      "Where what its sending has come to cannot be read in time, the answer leaves it out.",
    tag: "Accounts",
    params: one,
    condition: "If-Match",
    body: changeEndpointBody,
    result: webhook,
    handle: async (call) => {
      const owner = concernedIn(call);
      const findings: FieldFinding[] = [];
      const wanted = readEndpointChanges(call.fields, call.parts.webhooks.rules, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changed(call, () => changeEndpoint(call.changes, owner, wanted));
      return tellChanged(call, row);
    },
  },
  {
    method: "DELETE",
    path: `${path}/:id`,
    needs: "changeWebhooks",
    operationId: "deleteWebhook",
    summary: "Delete a webhook",
    description: "What waited for it is dropped.",
    tag: "Accounts",
    params: one,
    condition: "If-Match",
    result: object({}),
    handle: async (call) => {
      const owner = concernedIn(call);
      await changed(call, () => removeEndpoint(call.changes, owner));
      return {};
    },
  },
  {
    method: "POST",
    path: `${path}/:id/secret`,
    needs: "changeWebhooks",
    operationId: "renewWebhookSecret",
    summary: "Replace the secret of a webhook",
    description: "The answer has the new one, once. For 24 hours the one before it signs, too.",
    tag: "Accounts",
    params: one,
    condition: "If-Match",
    result: object({ secret: newSecret }),
    handle: async (call) => {
      const owner = concernedIn(call);
      const { secret } = await changed(call, () => renewSecret(call.changes, owner));
      return { secret };
    },
  },
  {
    method: "POST",
    path: `${path}/:id/test`,
    needs: "changeWebhooks",
    operationId: "testWebhook",
    summary: "Test a webhook",
    description: "Sends the event `webhook.test` once, to a disabled one, too. 10 tests a minute.",
    tag: "Accounts",
    params: one,
    result: testAnswer,
    handle: async (call) => {
      const endpoint = await endpointIn(call);
      const { failure, httpStatus, durationMs } = await sendTest(call, endpoint, notThere);
      const errorMessage = failure && failureText(failure, httpStatus, call.language);
      return { delivered: failure === undefined, httpStatus, durationMs, errorMessage };
    },
  },
  {
    method: "POST",
    path: `${path}/:id/replay`,
    needs: "changeWebhooks",
    operationId: "replayWebhook",
    summary: "Send the events of a time again",
    description: "What the log holds and the webhook wants, behind what is new. One at a time: else 409.",
    tag: "Accounts",
    params: one,
    body: input({ from: time("The first moment."), to: time("The first moment that does not count.") }),
    result: object({ replayedCount: integer() }),
    errors: [409],
    handle: async (call) => {
      const endpoint = await endpointIn(call);
      const body = new ConsoleBody(call.fields);
      const given = {
        from: body.value("from", instantText, "console.time", { required: true }),
        to: body.value("to", instantText, "console.time", { required: true }),
      };
      const wanted = body.finishWith(given);
      if (wanted.from >= wanted.to) throw ApiError.invalidParameter("to", "time.notLater");
      const { eventDays } = call.parts.directory.current;
      const replayedCount = await replayEvents({ db: call.work }, { endpoint, wanted, eventDays }).catch(
        (error: unknown) => {
          throw error instanceof ReplayRefused ? replayRefusal(error) : error;
        },
      );
      return { replayedCount };
    },
  },
];
