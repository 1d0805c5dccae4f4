// The endpoints of the console's API in one list, and what they answer and take: the pages have the types from here
// (console/src/api/types.ts).
import type { Readable } from "node:stream";
import type { ValueOf } from "../json-schema.ts";
import type { sharedSchemas } from "../schemas.ts";
import { accountEndpoints, creditEndpoints, statementFiles } from "./accounts.ts";
import { addressEndpoints, apiKeyEndpoints } from "./account-access.ts";
import { auditEndpoints, searchEndpoints } from "./audit.ts";
import { batchEndpoints, sendingEndpoints } from "./sending.ts";
import { testMessage, connectorTest } from "./connector-test.ts";
import { configurationEndpoints } from "./configuration.ts";
import { campaignSteps } from "./campaign-steps.ts";
import { blockListEndpoints } from "./number-lists.ts";
import { campaignEndpoints, campaignFiles } from "./campaigns.ts";
import { demoTicketEndpoints, sessionEndpoints } from "./session.ts";
import { qualityEndpoints } from "./quality.ts";
import { figuresEndpoints, reportEndpoints, reportFiles } from "./reports.ts";
import { liveEndpoints } from "./live.ts";
import { messageLife } from "./message-life.ts";
import { messageEndpoints, messageFiles } from "./messages.ts";
import { connectorList } from "./network.ts";
import { optOutEndpoints } from "./opt-outs.ts";
import { profileEndpoints } from "./profile.ts";
import { receivedEndpoints, receivedFiles } from "./received.ts";
import { setupEndpoints } from "./setup.ts";
import { reviewEndpoints } from "./review.ts";
import { routeTrace } from "./route-trace.ts";
import { peopleEndpoints } from "./people.ts";
import { templateEndpoints } from "./templates.ts";
import { webhookEndpoints } from "./webhooks.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type Json, type PlacedEndpoint, placesOf, type stale } from "./console-endpoint.ts";

function endpointsOf(context: ConsoleContext) {
  return {
    ...sessionEndpoints,
    ...demoTicketEndpoints(context.parts),
    ...profileEndpoints,
    ...connectorList(context),
    ...liveEndpoints(context),
    ...figuresEndpoints,
    ...connectorTest(),
    ...testMessage,
    ...routeTrace,
    ...accountEndpoints,
    ...creditEndpoints,
    ...peopleEndpoints,
    ...apiKeyEndpoints,
    ...addressEndpoints,
    ...templateEndpoints,
    ...configurationEndpoints,
    ...setupEndpoints,
    ...messageEndpoints,
    ...messageLife,
    ...sendingEndpoints,
    ...batchEndpoints,
    ...reviewEndpoints,
    ...optOutEndpoints,
    ...webhookEndpoints,
    ...blockListEndpoints,
    ...campaignEndpoints,
    ...campaignSteps,
    ...receivedEndpoints,
    ...searchEndpoints,
    ...reportEndpoints,
    ...qualityEndpoints,
    ...auditEndpoints,
  };
}

const files = [...statementFiles, ...messageFiles, ...campaignFiles, ...receivedFiles, ...reportFiles];

export function allEndpoints(context: ConsoleContext): readonly PlacedEndpoint[] {
  return [...placesOf(endpointsOf(context)), ...files];
}

type Endpoints = ReturnType<typeof endpointsOf>;

/** What each endpoint answers, as the console's pages read it. */
export type Answers = {
  readonly [Name in keyof Endpoints]: Json<
    Exclude<Awaited<ReturnType<NonNullable<Endpoints[Name]>["handle"]>>, Readable>
  >;
};

type BodyOf<Endpoint> = Endpoint extends { readonly body: infer Body } ? Json<ValueOf<Body>> : never;

/** What each endpoint takes, as the console's pages give it. */
export type Bodies = { readonly [Name in keyof Endpoints]: BodyOf<Endpoints[Name]> };

/** The body of an error; `lastChange` is in that of a 412. */
export type ErrorBody = Json<Partial<ValueOf<typeof sharedSchemas.Error> & ValueOf<typeof stale>>>;
