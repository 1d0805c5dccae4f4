// GET live: server-sent events of what the whole service does, one a second, from the rows of its
// nodes.
import { Type } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import type { Directory } from "../../directory/directory.ts";
import type { LiveFigures } from "../../figures/live-look.ts";
import { noCounts } from "../../figures/tally.ts";
import { errorResponses } from "../endpoint.ts";
import { readInteger } from "../read-parameters.ts";
import { callerKeyOf } from "./present-caller.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, exactly, readQuery, inRials, time } from "./console-endpoint.ts";
import { lastErrorKeys, lastErrorKindOf } from "./last-error.ts";
import type { LiveStreams } from "./live-streams.ts";

const whole = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const optionalSeconds = (description: string) => Type.Optional(whole(description));

const bind = Type.Object(
  {
    bind: whole("Its number."),
    node: Type.String({ description: "Host name." }),
    bound: Type.Boolean(),
    since: time("Of the state."),
    inFlight: whole("Parts submitted and not answered yet."),
    window: whole("How many there may be."),
    partsPerSecond: Type.Number(),
    ...lastErrorKeys,
  },
  exactly,
);

const connector = Type.Object(
  {
    name: Type.String(),
    enabled: Type.Boolean(),
    paused: Type.Boolean({ description: "Its binds stay and receipts come, but nothing is submitted." }),
    unboundSeconds: optionalSeconds("For how long no bind of it has been up; absent while one is, or while it is off."),
    partsPerSecond: Type.Number(),
    submitted: whole("Parts, in the last five minutes."),
    unanswered: whole("Of these, without an answer in time."),
    binds: Type.Array(bind),
  },
  exactly,
);

const node = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    host: Type.String(),
    pid: whole(),
    silentSeconds: whole("Since it told its figures; it does so each second."),
    lease: Type.Boolean({ description: "Whether its lease holds." }),
    leaseLostSeconds: optionalSeconds("Since it last lost its lease, if that was within five minutes."),
    clockOffSeconds: optionalSeconds("How far its clock is from the database's, if that is more than a minute."),
    accepted: Type.Number({ description: "Messages a second." }),
    sent: Type.Number({ description: "Messages a second." }),
    binds: whole(),
    boundBinds: whole(),
  },
  exactly,
);

const attention = Type.Object(
  {
    kind: Type.Union(
      [
        "codesWait",
        "messagesWait",
        "connectorUnbound",
        "unanswered",
        "leaseLost",
        "nodeSilent",
        "clockOff",
        "lowCredit",
        "reviewWaits",
        "templatesWait",
      ].map((kind) => Type.Literal(kind)),
    ),
    name: Type.Optional(Type.String({ description: "Of the connector, node or account." })),
    seconds: optionalSeconds("For how long; how far a clock is off."),
    submitted: Type.Optional(whole()),
    unanswered: Type.Optional(whole()),
    balance: Type.Optional(inRials("What the account has left.")),
    count: Type.Optional(whole()),
    isAtLeast: Type.Optional(Type.Literal(true, { description: "There may be more than `count`." })),
  },
  exactly,
);

const rates = Type.Object(Object.fromEntries(Object.keys(noCounts).map((name) => [name, Type.Number()])), {
  ...exactly,
  description:
    "A second: messages accepted, sent, delivered, undelivered and unsent; parts taken, refused, throttled and unanswered by operators.",
});

const figures = Type.Object(
  {
    at: time("Of the look."),
    rates,
    latency: Type.Object(
      {
        medianMs: whole("From a submit_sm to its answer: half of them took at most this."),
        slowMs: whole("95 of 100 took at most this."),
      },
      exactly,
    ),
    queue: Type.Object(
      {
        waiting: whole("Messages due, as last measured."),
        scheduled: whole(),
        oldestCodeSeconds: whole("How long the oldest one-time code has been due."),
        oldestOtherSeconds: whole("How long the oldest other message has been due."),
      },
      exactly,
    ),
    connectors: Type.Array(connector),
    nodes: Type.Array(node),
    attention: Type.Array(attention, { description: "What needs a person, the most harmful first." }),
  },
  exactly,
);

/** A look as the stream tells it. */
export function describeLive(directory: Directory, look: LiveFigures): object {
  const connectors = look.connectors.map(({ binds, ...each }) => ({
    ...each,
    binds: binds.map((bind) => ({ ...bind, ...lastErrorKindOf(directory, each.name, bind.lastError) })),
  }));
  return { ...look, connectors };
}

const maximumEvents = 3600;

export function liveEndpoint(context: ConsoleContext, streams: LiveStreams): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/live",
    needs: "readService",
    takesNoTurns: true,
    schema: {
      operationId: "live",
      summary: "What the service does now, as a stream",
      description:
        "Server-sent events, one a second (exactly: one every 0.9 s, so that a change is seen within a second); the data of each is an object " +
        "as described here. The comment `: beat` comes every 15 s, also when no figures can be read. The stream " +
        "ends with the session, and after 15 minutes: ask again. 503: this node has 200 streams; 429: this person has 20 of them.",
      tags: ["Figures"],
      querystring: Type.Object({
        events: Type.Optional(
          Type.Integer({ minimum: 1, maximum: maximumEvents, description: "The stream ends after so many." }),
        ),
      }),
      response: {
        200: { description: "A stream.", content: { "text/event-stream": { schema: figures } } },
        ...errorResponses([400, 401, 403, 429, 500, 503]),
      },
    },
    answer: async ({ request, reply }) => {
      const events = readEvents(readQuery(request).text("events"));
      const session = context.sessionOf(request);
      const person = callerKeyOf(session);
      streams.expectRoom(person);
      reply.hijack();
      reply.raw.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        // Proxies that hold answers back would hold this one for ever.
        "x-accel-buffering": "no",
      });
      streams.add(reply.raw, { person, sessionId: session.id, events });
      return undefined;
    },
  };
}

function readEvents(given: string | undefined): number {
  if (given === undefined) return Infinity;
  const events = readInteger(given);
  if (events !== undefined && events >= 1 && events <= maximumEvents) return events;
  throw ApiError.invalidParameters([
    { field: "events", messageKey: "count.range", values: { maximum: maximumEvents } },
  ]);
}
