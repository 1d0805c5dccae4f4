// hodhod message: shows staff the history of one message and the state of each part. Never shows
// its text.
import { Command } from "commander";
import { type ErrorName, errorCatalogue, errorNameOf, word } from "../errors.ts";
import {
  type MessageRecord,
  type NotKept,
  notKept,
  type PartTimeline,
  partTimelines,
  type ReceiptRecord,
  type TimelineEvent,
  type TurnedAwayRecord,
  timelineOf,
} from "../message-timeline.ts";
import { isWhole } from "../sms/message-parts.ts";
import { formatRials } from "../sms/money.ts";
import { readMessageRecord } from "../store/message-timeline.ts";
import type { Database } from "../store/database.ts";
import { isUuid } from "../uuid.ts";
import { CommandFailed } from "../command-failed.ts";
import { print, printJson, type CommandContext } from "./command-context.ts";
import { withExamples } from "./command-parts.ts";
import { statusWords } from "./gateway-client.ts";
import { formatTime } from "./read-time.ts";
import { withDatabase } from "./with-database.ts";

interface MessageFlags {
  readonly json?: boolean;
}

const description = `Shows the history of one message of any account: the state of each part, and each event with its time. A part that was
submitted but never answered is uncertain until a late answer, a receipt or the connector's policy resolves it.`;

export function messageCommand(context: CommandContext): Command {
  const command = new Command("message")
    .description(description)
    .argument("<sentMessageId>", "as returned by the API")
    .option("--json", "print the history as JSON")
    .action((id: string, flags: MessageFlags) => showMessage(context, id, flags));
  return withExamples(command, "hodhod message 0199a7c2-5b1e-7000-9d4e-0123456789ab");
}

async function showMessage(context: CommandContext, id: string, flags: MessageFlags): Promise<void> {
  if (!isUuid(id)) throw new CommandFailed(`${id} is not a sentMessageId`, { usage: true });
  const record = await withDatabase(context, { mode: "read" }, (db) => readApart(db, id));
  if (record === undefined) {
    throw new CommandFailed(`there is no message ${id}`, {
      hint: "it may be a batchId, or the message is older than the retention period",
    });
  }
  if (flags.json === true) printJson(context, asJson(record));
  else for (const line of describeMessage(record)) print(context, line);
}

async function readApart(db: Database, id: string): Promise<MessageRecord | undefined> {
  const pipelined = db.openApart({ isPipelined: true });
  try {
    return await readMessageRecord(pipelined, id);
  } finally {
    await pipelined.close();
  }
}

function asJson(record: MessageRecord): object {
  const events = timelineOf(record).map((event) => (event.kind === "receipt" ? withoutText(event) : event));
  const receipts = record.receipts.map(withoutText);
  return { ...record, receipts, parts: partTimelines(record), events, notKept: notKept(record) };
}

/** That of a receipt may repeat that of the message. */
function withoutText(receipt: ReceiptRecord): object {
  return { ...receipt, content: undefined };
}

function describeMessage(record: MessageRecord): readonly string[] {
  const { id, account, batchId, sender, recipient, operator, parts, cost } = record;
  return [
    `Message ${id} of ${account}, batch ${batchId}`,
    `  ${sender} to ${recipient === "" ? "an erased number" : recipient} (${operator}), ${parts} ${parts === 1 ? "part" : "parts"}, ${formatRials(cost)} rials`,
    `  ${describeStatus(record)}`,
    "Parts",
    ...partTimelines(record).map((part) => partLine(part, record)),
    "Times (UTC, by the database's clock)",
    ...timelineOf(record).map((event) => `  ${formatTime(event.at)}  ${describeEvent(event, record)}`),
    ...describeNotKept(record),
  ];
}

function describeStatus({ status, reason, reasonDetail }: MessageRecord): string {
  const name = `status ${status}, ${statusWords[status] ?? "unknown"}`;
  const error: ErrorName | undefined = reason === null ? undefined : errorNameOf(reason);
  if (error === undefined) return name;
  const detail = reasonDetail === null ? "" : ` (${reasonDetail})`;
  return `${name}; ${reason ?? ""}: ${word(errorCatalogue[error], "en", { detail })}`;
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

function describeAnswer({ answerMs, bindNumber, node, isLate }: Taken): string {
  const late = isLate ? ", late" : "";
  return answerMs === null ? "" : `, answered in ${answerMs} ms${late}${describePlace({ bindNumber, node })}`;
}

function describePlace({ bindNumber, node }: { bindNumber: number | null; node: string | null }): string {
  return ` (bind ${bindNumber ?? "?"}${node === null ? "" : ` of ${node}`})`;
}

function describeNotTaken(event: Extract<TimelineEvent, { kind: "notTaken" }>): string {
  const { part, connector, answer, answerMs, times, firstAt, isLate } = event;
  const late = isLate ? ", late" : "";
  const what = answer === null ? "was never answered" : `was answered ${answer} in ${answerMs ?? "?"} ms${late}`;
  const often = times === 1 ? "" : `; ${times} times since ${formatTime(firstAt)}`;
  return `${namePart(part)} submitted to ${connector} ${what}${describePlace(event)}${often}`;
}

// The text of a receipt may repeat that of the message.
function describeReceipt({
  part,
  connector,
  state,
  error,
  repeated,
}: Extract<TimelineEvent, { kind: "receipt" }>): string {
  return `${repeated ? "repeated " : ""}receipt ${[state, error].filter(Boolean).join(" ")} for ${namePart(part)} from ${connector}`;
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

function describeEvent(event: TimelineEvent, record: MessageRecord): string {
  switch (event.kind) {
    case "accepted":
      return `accepted, ${formatRials(record.cost)} rials charged`;
    case "scheduledFor":
      return "scheduled time";
    case "claimed":
      return describeClaim(event);
    case "taken":
      return `${namePart(event.part)} taken by ${event.connector} as ${event.smscMessageId || "(no id)"}${describeAnswer(event)}`;
    case "notTaken":
      return describeNotTaken(event);
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
