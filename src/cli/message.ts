// hodhod message: shows staff the history of one message and the state of each part, as the console
// does. Never shows its text.
import { type MessageRecord, type TimelineEvent } from "../sms/message-timeline.ts";
import { printable } from "../sms/text-kind.ts";
import type { Directory } from "../directory/directory.ts";
import { buildConnector, buildRoutes } from "../directory/network.ts";
import { readWhyItWaits } from "../figures/waiting.ts";
import { waitingText, type WaitingTextStyle } from "../texts/waiting-texts.ts";
import { describeLife, type LifeDetails } from "../http/console/message-life.ts";
import { formatRials } from "../sms/money.ts";
import { listObjectRows } from "../store/configured-objects.ts";
import { readMessageRecord } from "../store/message-timeline.ts";
import type { Database } from "../store/database.ts";
import { isUuid } from "../platform/uuid.ts";
import { CommandFailed, wrongUsage } from "../platform/command-failed.ts";
import type { Command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { statusWords } from "./gateway-client.ts";
import { counted, formatTime, print, printJson } from "./output.ts";

export const commands: readonly Command[] = [
  {
    name: "message",
    arguments: "<sentMessageId>",
    options: { json: "print the history as JSON" },
    help: `Shows the history of one message of any account: the state of each part, and each event with its time. A part that was
submitted but never answered is uncertain until a late answer, a receipt or the connector's policy resolves it.
dataCoding and esmClass follow from the connector's current settings; part 0 stands for all parts. The text is never
shown, nor what a receipt repeats of it.`,
    examples: ["hodhod message 0199a7c2-5b1e-7000-9d4e-0123456789ab"],
    run: async (context, given) => {
      const [id = ""] = given.args;
      if (!isUuid(id)) throw wrongUsage(`${id} is not a sentMessageId`);
      const life = await withDatabase(context, { mode: "read" }, async (db) => {
        const record = await readRecord(db, id);
        if (record === undefined) return undefined;
        const network = await readNetwork(db);
        const waits = await readWhyItWaits(db, record, network);
        return describeLife(record, { language: "en", isStaff: true, carriers: network.connectors, waits });
      });
      if (life === undefined) {
        throw new CommandFailed(`there is no message ${id}`, {
          hint: "it may be a batchId, or the message is older than the retention period",
        });
      }
      if (given.has("json")) printJson(context, life);
      else for (const line of linesOf(life)) print(context, printable(line));
    },
  },
];

async function readNetwork(db: Database): Promise<Pick<Directory, "connectors" | "routes">> {
  const rows = await listObjectRows(db, ["connectors", "routes"]);
  const connectors = rows.connectors.map(buildConnector);
  return { connectors, routes: buildRoutes(rows.routes, connectors) };
}

async function readRecord(db: Database, id: string): Promise<MessageRecord | undefined> {
  const pipelined = db.openApart({ isPipelined: true });
  try {
    return await readMessageRecord(pipelined, id);
  } finally {
    await pipelined.close();
  }
}

type Life = ReturnType<typeof describeLife>;

function linesOf(life: Life): readonly string[] {
  const { sentMessageId, account, batchId, senderNumber, recipientNumber, operator, parts, cost } = life;
  const now = new Date();
  return [
    `Message ${sentMessageId} of ${account}, batch ${batchId}`,
    `  ${senderNumber} to ${recipientNumber === "" ? "an erased number" : recipientNumber} (${operator}), ${counted(parts, "part")}, ${formatRials(cost)} rials`,
    `  ${describeStatus(life)}`,
    ...(life.waits === undefined ? [] : [`  ${waitingText(life.waits, inTerminal)}`]),
    "Parts",
    ...life.partStates.map(({ part, state, ...rest }) =>
      `  ${String(part).padStart(2)}  ${state.padEnd(11)}  ${valuesOf(rest)}`.trimEnd(),
    ),
    "Times (UTC, by the database's clock)",
    ...life.events.map(({ at, kind, ...rest }, index, events) => {
      const before = events[index - 1];
      // Events to come have none.
      const span = before === undefined || at > now ? "" : describeSpan(at.getTime() - before.at.getTime());
      const time = at.toISOString().slice(0, 23).replace("T", " ");
      const more = kind === "ended" ? describeStatus(life) : valuesOf(rest);
      return `  ${time}  ${span.padStart(spanWidth)}  ${sentenceOf(kind, parts, rest)}  ${more}`.trimEnd();
    }),
    ...(life.answersDropped ? ["Not kept: some answers that did not take a part"] : []),
  ];
}

/** `what`: the part, or "it". */
type Sentence = string | ((details: LifeDetails, what: string) => string);

const often = ({ times = 1 }: LifeDetails): string => (times > 1 ? `, ${times} times` : "");
const late = (details: LifeDetails): string => (details.late === true ? ", late" : "");

const sentences: Readonly<Record<TimelineEvent["kind"], Sentence>> = {
  accepted: "The call was accepted.",
  scheduledFor: "Scheduled for this time by the caller.",
  claimed: ({ alive, connector = "" }) =>
    `A node ${alive === false ? "that died had" : "has"} it for connector ${connector}.`,
  taken: (details, what) => `The operator took ${what}${late(details)}.`,
  notTaken: (details, what) =>
    typeof details.answer !== "string"
      ? `Submitted ${what}${often(details)}: no response came.`
      : `The operator did not take ${what}${often(details)}: ${details.answer}${late(details)}.`,
  claimOrphaned: "The node that was sending it died, and another one took it over.",
  receipt: ({ state = "", error = "", repeated }, what) =>
    `${repeated === true ? "Another receipt" : "Receipt"} for ${what}: ${`${state} ${error}`.trim()}.`,
  receiptParked: "A receipt for this recipient came that matches no part yet.",
  sent: "The operator has all parts.",
  ended: "Ended:",
  turnedAway: (details) => `The operator rejected it for now${often(details)}: ${details.answer ?? ""}.`,
  refunded: "The charge was refunded.",
  due: ({ heldBack, unanswered = 0 }) => {
    if (heldBack === true) return "It waits until fewer long messages are on their way to this phone.";
    return unanswered > 0 ? "It will be submitted again." : "It will be submitted.";
  },
  validityEnds: "It is not sent after this time.",
};

function sentenceOf(kind: TimelineEvent["kind"], parts: number, details: LifeDetails): string {
  const { part = 0 } = details;
  const sentence = sentences[kind];
  return typeof sentence === "string" ? sentence : sentence(details, part === 0 || parts === 1 ? "it" : `part ${part}`);
}

const inTerminal: WaitingTextStyle = {
  language: "en",
  time: (at) => `${formatTime(at)} UTC`,
  number: (value) => formatRials(BigInt(value)),
};

/** "+99:59:59" */
const spanWidth = 9;

function describeSpan(ms: number): string {
  if (ms < 1000) return `+${ms} ms`;
  if (ms < 60_000) return `+${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `+${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** What is known, by its names in the JSON. */
function valuesOf(values: object): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== "")
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ");
}

function valueText(value: unknown): string {
  if (value instanceof Date) return formatTime(value);
  return typeof value === "bigint" ? formatRials(value) : String(value);
}

function describeStatus({ messageStatus, errorCode, errorMessage }: Life): string {
  const status = `status ${messageStatus}, ${statusWords[messageStatus] ?? "unknown"}`;
  return errorCode === undefined ? status : `${status}; ${errorCode}: ${errorMessage ?? ""}`;
}
