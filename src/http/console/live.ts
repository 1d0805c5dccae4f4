// GET live: what the whole service does now, from the rows of its nodes.
import {
  array,
  boolean,
  decimal,
  integer,
  literal,
  object,
  oneOf,
  orAbsent,
  plainText,
  time,
  uuidText,
} from "../json-schema.ts";
import type { Directory } from "../../directory/directory.ts";
import { type LiveFigures, LiveLook } from "../../figures/live-look.ts";
import { noCounts } from "../../figures/tally.ts";
import { sharedLook } from "../api-context.ts";
import type { ConsoleContext } from "./console-context.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import { waitFields } from "./message-fields.ts";
import { lastErrorKeys, lastErrorKindOf } from "./network.ts";

const optionalSeconds = (description: string) => orAbsent(integer(description));

const bind = object({
  bind: integer("Its number."),
  node: plainText("Host name."),
  bound: boolean(),
  since: time("Of the state."),
  inFlight: integer("Parts submitted and not answered yet."),
  window: integer("How many there may be."),
  partsPerSecond: decimal(),
  ...lastErrorKeys,
});

const connector = object({
  name: plainText(),
  enabled: boolean(),
  paused: boolean("Its binds stay and receipts come, but nothing is submitted."),
  unboundSeconds: optionalSeconds("For how long no bind of it has been up; absent while one is, or while it is off."),
  partsPerSecond: decimal(),
  submitted: integer("Parts, in the last five minutes."),
  unanswered: integer("Of these, without an answer in time."),
  binds: array(bind),
});

const node = object({
  id: uuidText(),
  host: plainText(),
  pid: integer(),
  silentSeconds: integer("Since it told its figures; it does so each second."),
  lease: boolean("Whether its lease holds."),
  leaseLostSeconds: optionalSeconds("Since it last lost its lease, if that was within five minutes."),
  clockOffSeconds: optionalSeconds("How far its clock is from the database's, if that is more than a minute."),
  accepted: decimal("Messages a second."),
  sent: decimal("Messages a second."),
  binds: integer(),
  boundBinds: integer(),
});

const attention = object({
  kind: oneOf([
    "codesWait",
    "messagesWait",
    "noConnector",
    "routeOff",
    "connectorUnbound",
    "connectorNoNode",
    "connectorPaused",
    "unanswered",
    "deliveryFell",
    "leaseLost",
    "nodeSilent",
    "clockOff",
    "lowCredit",
    "reviewWaits",
    "templatesWait",
  ]),
  name: orAbsent(plainText("Of the connector, operator, line, node or account.")),
  operator: orAbsent(plainText("Of a route without an enabled connector; `*`: all.")),
  line: orAbsent(plainText("Of that route: a number, a kind, or `*`.")),
  messages: orAbsent(
    oneOf(["wait", "otherConnector", "unrouted"], {
      description: "What becomes of the messages of a connector; unrouted: no route leads to it.",
    }),
  ),
  ...lastErrorKeys,
  seconds: optionalSeconds("For how long; how far a clock is off."),
  submitted: orAbsent(integer()),
  unanswered: orAbsent(integer()),
  by: orAbsent(oneOf(["connector", "operator", "line"], { description: "Whose share of delivered messages fell." })),
  points: orAbsent(decimal("Percentage points.")),
  share: orAbsent(decimal("Percent delivered now.")),
  balance: orAbsent(integer("What the account has left.")),
  limit: orAbsent(integer("Its `lowCredit`.")),
  count: orAbsent(integer()),
  isAtLeast: orAbsent(literal(true, "There may be more than `count`.")),
});

const rates = object(
  Object.fromEntries(Object.keys(noCounts).map((name) => [name, decimal()])),
  "A second: messages accepted, sent, delivered, undelivered and unsent; parts taken, refused, throttled and unanswered by operators.",
);

const figures = object({
  at: time("Of the look."),
  rates,
  latency: object({
    medianMs: integer("From a submit_sm to its answer: half of them took at most this."),
    slowMs: integer("95 of 100 took at most this."),
  }),
  queue: object({
    waiting: integer("Messages due, as last measured."),
    scheduled: integer(),
    oldestCodeSeconds: integer("How long the oldest one-time code has been due."),
    oldestOtherSeconds: integer("How long the oldest other message has been due."),
  }),
  waits: array(
    object({ ...waitFields, messages: integer() }),
    "What the queue waits for, as last read: every ten seconds, or less often while it is long. Of those in line, `until` is that of the last.",
  ),
  connectors: array(connector),
  nodes: array(node),
  attention: array(attention, "What needs a person, the most harmful first."),
  switchedOff: array(
    object({
      kind: oneOf(["operator", "connector"]),
      name: plainText(),
      isPaused: boolean("Its binds stay, but nothing is submitted."),
      since: orAbsent(time("Absent: the audit no longer says it.")),
      who: orAbsent(plainText("As the audit names people.")),
    }),
  ),
});

function describeLive(directory: Directory, look: LiveFigures): object {
  const connectors = look.connectors.map(({ binds, ...each }) => ({
    ...each,
    binds: binds.map((bind) => ({ ...bind, ...lastErrorKindOf(directory, each.name, bind.lastError) })),
  }));
  const attention = look.attention.map((each) =>
    "lastError" in each ? { ...each, ...lastErrorKindOf(directory, each.name, each.lastError) } : each,
  );
  return { ...look, connectors, attention };
}

/** Each open overview asks every two seconds. */
const keptMs = 900;

export function liveEndpoint(context: ConsoleContext): ConsoleEndpoint {
  const { directory } = context.parts;
  const live = new LiveLook({ db: context.dbOfOne("live figures"), directory });
  const look = sharedLook(async () => describeLive(directory.current, await live.look()), keptMs);
  return {
    method: "GET",
    path: "/live",
    needs: "readService",
    summary: "What the service does now",
    description: "Made at most once a second, however many ask.",
    result: figures,
    handle: look,
  };
}
