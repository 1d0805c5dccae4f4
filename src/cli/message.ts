// hodhod message: shows staff the history of one message and the state of each part, as the console
// does. Never shows its text.
import { Command } from "commander";
import { type ErrorName, errorCatalogue, errorNameOf } from "../texts/errors.ts";
import { localize } from "../texts/localize.ts";
import {
  type MessageRecord,
  type NamedCarrier,
  type NotKept,
  notKept,
  type PartTimeline,
  partTimelines,
  type ReceiptRecord,
  submitSmFields,
  type TimelineEvent,
  type TurnedAwayRecord,
  timelineOf,
} from "../sms/message-timeline.ts";
import { printable, receiptFields } from "../sms/one-line.ts";
import { buildConnector } from "../directory/network.ts";
import { isWhole } from "../sms/segmentation.ts";
import { formatRials } from "../sms/money.ts";
import { loadConfiguration } from "../store/configuration.ts";
import { readMessageRecord } from "../store/message-timeline.ts";
import type { Database } from "../store/database.ts";
import { isUuid } from "../platform/uuid.ts";
import { CommandFailed } from "../platform/command-failed.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { statusWords } from "./gateway-client.ts";
import { formatExactTime, formatTime } from "./read-time.ts";
import { withDatabase } from "./with-database.ts";

interface MessageFlags {
  readonly json?: boolean;
}

const description = `Shows the history of one message of any account: the state of each part, and each event with its time. A part that was
submitted but never answered is uncertain until a late answer, a receipt or the connector's policy resolves it. data_coding and
esm_class follow from the connector's present settings. The text is never shown, nor what a receipt repeats of it.`;

export function messageCommand(context: CommandContext): Command {
  const command = new Command("message")
    .description(description)
    .argument("<sentMessageId>", "as returned by the API")
    .option("--json", "print the history as JSON")
    .action((id: string, flags: MessageFlags) => showMessage(context, id, flags));
  return withExamples(command, "hodhod message 0199a7c2-5b1e-7000-9d4e-0123456789ab");
}

/** The message to describe: its record, and the connectors that its entries name. */
interface Told {
  readonly record: MessageRecord;
  readonly carriers: readonly NamedCarrier[];
}

async function showMessage(context: CommandContext, id: string, flags: MessageFlags): Promise<void> {
  if (!isUuid(id)) throw new CommandFailed(`${id} is not a sentMessageId`, { usage: true });
  const told = await withDatabase(context, { mode: "read" }, async (db) => {
    const record = await readApart(db, id);
    return record && { record, carriers: await readCarriers(db) };
  });
  if (told === undefined) {
    throw new CommandFailed(`there is no message ${id}`, {
      hint: "it may be a batchId, or the message is older than the retention period",
    });
  }
  if (flags.json === true) printJson(context, asJson(told));
  else for (const line of describeMessage(told)) print(context, printable(line));
}

async function readCarriers(db: Database): Promise<readonly NamedCarrier[]> {
  const { connectors } = await db.transaction((tx) => loadConfiguration(tx, { tables: ["connectors"] }));
  return connectors.map(buildConnector);
}

async function readApart(db: Database, id: string): Promise<MessageRecord | undefined> {
  const pipelined = db.openApart({ isPipelined: true });
  try {
    return await readMessageRecord(pipelined, id);
  } finally {
    await pipelined.close();
  }
}

function asJson({ record, carriers }: Told): object {
  const events = timelineOf(record).map((event) => eventJson(event, { record, carriers }));
  const receipts = record.receipts.map(withoutText);
  return { ...record, receipts, parts: partTimelines(record), events, notKept: notKept(record) };
}

function eventJson(event: TimelineEvent, { record, carriers }: Told): object {
  switch (event.kind) {
    case "receipt":
      return withoutText(event);
    case "taken":
    case "notTaken":
      return { ...event, ...submitSmFields(record, event, carriers) };
    default:
      return event;
  }
}

/** The text of a receipt may repeat the text of the message. */
function withoutText(receipt: ReceiptRecord): object {
  return { ...receipt, content: undefined, receiptText: receiptFields(receipt.content) };
}

function describeMessage(told: Told): readonly string[] {
  const { record } = told;
  const { id, account, batchId, sender, recipient, operator, parts, cost } = record;
  return [
    `Message ${id} of ${account}, batch ${batchId}`,
    `  ${sender} to ${recipient === "" ? "an erased number" : recipient} (${operator}), ${parts} ${parts === 1 ? "part" : "parts"}, ${formatRials(cost)} rials`,
    `  ${describeStatus(record)}`,
    "Parts",
    ...partTimelines(record).map((part) => partLine(part, record)),
    "Times (UTC, by the database's clock)",
    ...describeEvents(told),
    ...describeNotKept(record),
  ];
}

/** Each event has the time since the one before. Future events have none. */
function describeEvents(told: Told): readonly string[] {
  const now = new Date();
  return timelineOf(told.record).map((event, index, events) => {
    const before = events[index - 1];
    const span = before === undefined || event.at > now ? "" : describeSpan(event.at.getTime() - before.at.getTime());
    return `  ${formatExactTime(event.at)}  ${span.padStart(spanWidth)}  ${describeEvent(event, told)}`;
  });
}

/** "+99:59:59" */
const spanWidth = 9;

function describeSpan(ms: number): string {
  if (ms < 1000) return `+${ms} ms`;
  if (ms < 60_000) return `+${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `+${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function describeStatus({ status, reason, reasonDetail }: MessageRecord): string {
  const name = `status ${status}, ${statusWords[status] ?? "unknown"}`;
  const error: ErrorName | undefined = reason === null ? undefined : errorNameOf(reason);
  if (error === undefined) return name;
  const detail = reasonDetail === null ? "" : ` (${reasonDetail})`;
  return `${name}; ${reason ?? ""}: ${localize(errorCatalogue[error], "en", { detail })}`;
}

function partLine(part: PartTimeline, { turnedAway }: MessageRecord): string {
  const description = part.state === "waiting" && turnedAway ? describeTurnedAway(turnedAway) : describePart(part);
  return `  ${String(part.part).padStart(2)}  ${part.state.padEnd(11)}  ${description}`.trimEnd();
}

function describePart(part: PartTimeline): string {
  const { state, connector = "a connector", smscMessageId, unanswered, resendAt, heldUntil, resolvedBy } = part;
  switch (state) {
    case "waiting":
    case "unsent":
      return "";
    case "inFlight":
      return `claimed for ${connector}: about to be submitted, or submitted and not answered yet`;
    case "uncertain": {
      const times = unanswered === undefined || unanswered < 2 ? "" : ` ${unanswered} times`;
      const next = [
        ...(resendAt ? [`will be submitted again at ${formatTime(resendAt)}`] : []),
        ...(heldUntil ? [`waiting for a late answer or a receipt until ${formatTime(heldUntil)}`] : []),
      ];
      return [`submitted to ${connector}${times} and never answered`, ...next].join("; ");
    }
    case "taken":
    case "delivered":
    case "undelivered": {
      const as = smscMessageId === undefined ? "" : ` as ${smscMessageId === "" ? "(no id)" : smscMessageId}`;
      const was = resolvedBy === undefined ? "" : `; was uncertain, resolved by a ${resolvedBy}`;
      return `taken by ${connector}${as}${was}`;
    }
  }
}

function describeTurnedAway({ times, connector, answer }: TurnedAwayRecord): string {
  const often = times === 1 ? "submitted once, turned away" : `submitted ${times} times, turned away each time`;
  return `${often}; last answer from ${connector}: ${answer}`;
}

function describeDue({ unanswered, heldBack }: { readonly unanswered: number; readonly heldBack: boolean }): string {
  if (heldBack)
    return "waiting until then at most for a free reference: too many long messages are in transit to this phone";
  return unanswered > 0 ? "due to be submitted again" : "due to be submitted";
}

function namePart(part: number): string {
  return isWhole(part) ? "all parts" : `part ${part}`;
}

type Taken = Extract<TimelineEvent, { kind: "taken" }>;
type NotTaken = Extract<TimelineEvent, { kind: "notTaken" }>;

function describeTaken(event: Taken, told: Told): string {
  const { part, connector, smscMessageId, answerMs, isLate } = event;
  const answered = answerMs === null ? "" : `, answered in ${answerMs} ms${isLate ? ", late" : ""}`;
  return `${namePart(part)} taken by ${connector} as ${smscMessageId || "(no id)"}${answered}${describeSubmitSm(event, told)}`;
}

function describeNotTaken(event: NotTaken, told: Told): string {
  const { part, connector, answer, answerMs, times, firstAt, isLate } = event;
  const late = isLate ? ", late" : "";
  const what = answer === null ? "was never answered" : `was answered ${answer} in ${answerMs ?? "?"} ms${late}`;
  const often = times === 1 ? "" : `; ${times} times since ${formatExactTime(firstAt)}`;
  return `${namePart(part)} submitted to ${connector} ${what}${describeSubmitSm(event, told)}${often}`;
}

/** The bind that submitted the part, and the fields of its submit_sm, as far as they are known. */
function describeSubmitSm(event: Taken | NotTaken, { record, carriers }: Told): string {
  const { bindNumber, node } = event;
  const { dataCoding, esmClass } = submitSmFields(record, event, carriers);
  const known = [
    ...(bindNumber === null ? [] : [`bind ${bindNumber}${node === null ? "" : ` of ${node}`}`]),
    ...(dataCoding === undefined ? [] : [`data_coding ${dataCoding}`]),
    ...(esmClass === undefined ? [] : [`esm_class ${esmClass}`]),
  ];
  return known.length === 0 ? "" : ` (${known.join(", ")})`;
}

function describeReceipt(event: Extract<TimelineEvent, { kind: "receipt" }>): string {
  const { part, connector, state, error, repeated } = event;
  const fields = receiptFields(event.content);
  const result = [state, error].filter(Boolean).join(" ");
  const line = `${repeated ? "repeated " : ""}receipt ${result} for ${namePart(part)} from ${connector}`;
  return fields === "" ? line : `${line}: ${fields}`;
}

function describeClaim({ connector, bindNumber, alive }: Extract<TimelineEvent, { kind: "claimed" }>): string {
  const node = alive ? "" : " by a node that has stopped; the connector's policy will resolve it";
  return `claimed for ${connector}, bind ${bindNumber}${node}`;
}

function describeLost(event: Extract<TimelineEvent, { kind: "claimLost" }>): string {
  const { connector, bindNumber, node, claimedAt } = event;
  const dead = node === null ? "a node that died" : `a node of ${node} that died`;
  return `taken over from ${dead}: claimed at ${formatTime(claimedAt)} for ${connector}, bind ${bindNumber}; nobody knows whether it was submitted`;
}

const notKeptWords: Readonly<Record<NotKept, string>> = {
  submissions: "how parts were submitted",
  answers: "some answers that did not take a part",
  receipts: "some receipts",
};

function describeNotKept(record: MessageRecord): readonly string[] {
  const missing = notKept(record).map((each) => notKeptWords[each]);
  return missing.length === 0 ? [] : [`Not kept of this message: ${missing.join(", ")}`];
}

function describeEvent(event: TimelineEvent, told: Told): string {
  const { record } = told;
  switch (event.kind) {
    case "accepted":
      return `accepted, ${formatRials(record.cost)} rials charged`;
    case "scheduledFor":
      return "scheduled time";
    case "claimed":
      return describeClaim(event);
    case "taken":
      return describeTaken(event, told);
    case "notTaken":
      return describeNotTaken(event, told);
    case "claimLost":
      return describeLost(event);
    case "receipt":
      return describeReceipt(event);
    case "receiptParked":
      return `parked receipt ${event.state} for this recipient, id ${event.smscMessageId}: matches no part yet`;
    case "sent":
      return "sent: all parts accepted by the operator";
    case "ended":
      return `ended: ${describeStatus(record)}`;
    case "turnedAway":
      return describeTurnedAway(event);
    case "refunded":
      return `${formatRials(event.amount)} rials refunded`;
    case "due":
      return describeDue(event);
    case "validityEnds":
      return "validity period ends";
  }
}
