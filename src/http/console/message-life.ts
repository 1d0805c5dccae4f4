// GET messages/{id}: the life of one message, as `hodhod message` shows it. Customers see their
// own, without what is the service's own business: connectors, binds, and the operator's ids.
import { ApiError } from "../../texts/errors.ts";
import { array, boolean, integer, object, oneOf, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import type { AnswerLanguage } from "../../texts/localize.ts";
import {
  type MessageRecord,
  type NamedCarrier,
  type PartTimeline,
  type TimelineEvent,
  hasDroppedAnswers,
  partTimelines,
  submitSmFields,
  timelineOf,
} from "../../sms/message-timeline.ts";
import { receiptFields } from "../../sms/text-kind.ts";
import { findCampaignOf } from "../../store/campaign-rows.ts";
import { readMessageRecord } from "../../store/message-timeline.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";
import type { WaitReason } from "../../sms/wait-reason.ts";
import { readWhyItWaits } from "../../figures/waiting.ts";
import { describeMessage, messageFields, waitFields } from "./message-fields.ts";

const forStaff = "For staff only.";

const part = object({
  part: integer(),
  state: oneOf(
    ["waiting", "inFlight", "uncertain", "taken", "delivered", "undelivered", "unsent"],
    "`inFlight`: a node has it. `uncertain`: it was written and never answered, so that nobody knows. `unsent`: it will not be sent.",
  ),
  unanswered: orAbsent(integer("Uncertain: how often it was submitted without an answer.")),
  resendAt: orAbsent(time("Uncertain: when it is submitted again.")),
  heldUntil: orAbsent(time("Uncertain: until when an answer or a receipt is waited for.")),
  resolvedBy: orAbsent(oneOf(["late answer", "receipt", "new submission"], "What settled an uncertain part.")),
  connector: orAbsent(plainText(forStaff)),
  smscMessageId: orAbsent(plainText(`The operator's id. ${forStaff}`)),
});

const kinds = [
  ...[
    "accepted",
    "scheduledFor",
    "claimed",
    "taken",
    "notTaken",
    "claimOrphaned",
    "receipt",
    "turnedAway",
    "sent",
    "ended",
  ],
  ...["refunded", "due", "receiptParked", "validityEnds"],
];

const event = object({
  at: time("By the database's clock."),
  kind: oneOf(kinds),
  part: orAbsent(integer("0: the whole message.")),
  amount: orAbsent(integer("Of a refund.")),
  times: orAbsent(integer("How often the operator turned it away.")),
  answer: orAbsent(plainText("The name of its command_status; absent where none came.")),
  unanswered: orAbsent(integer("Submissions without an answer.")),
  heldBack: orAbsent(boolean("It waits until a reference of its phone is free.")),
  connector: orAbsent(plainText(forStaff)),
  bind: orAbsent(integer(forStaff)),
  answerMs: orAbsent(integer("From writing the submit_sm to its answer.")),
  writtenAt: orAbsent(time("When the submit_sm was written; of equal ones, the last.")),
  firstAt: orAbsent(time("Of several equal ones: when the first was written.")),
  claimedAt: orAbsent(time("Of a claim that a dead node held: when it was claimed. `at`: when it was taken over.")),
  late: orAbsent(boolean("The answer came after it had been given up.")),
  repeated: orAbsent(boolean("The receipt is not the first of its part.")),
  error: orAbsent(plainText("The error code of a receipt.")),
  receiptText: orAbsent(plainText(`The receipt up to the text that it repeats. ${forStaff}`)),
  node: orAbsent(plainText(`The host of the node. ${forStaff}`)),
  dataCoding: orAbsent(integer(`By the connector's present settings. ${forStaff}`)),
  esmClass: orAbsent(integer(`By the connector's present settings. ${forStaff}`)),
  alive: orAbsent(boolean(`Whether the node that holds it lives. ${forStaff}`)),
  smscMessageId: orAbsent(plainText(forStaff)),
  state: orAbsent(plainText("Of a receipt.")),
});

const life = object({
  ...messageFields,
  campaign: orAbsent(object({ id: uuidText(), name: plainText() }, "Whose row it is of, among the latest hundred.")),
  waits: orAbsent(object(waitFields, "Why it waits.")),
  validUntil: time("It ends if no operator has taken it by then."),
  connector: orAbsent(plainText(`The latest one that had to do with it. ${forStaff}`)),
  partStates: array(part),
  answersDropped: boolean("There were more answers that did not take it than are kept."),
  events: array(event, "In order; what is still to come stands last."),
});

interface Viewer {
  readonly language: AnswerLanguage;
  readonly isStaff: boolean;
  readonly carriers: readonly NamedCarrier[];
  readonly waits: WaitReason | undefined;
}

/** The one form of a message's history; `hodhod message` prints what staff see. */
export function describeLife(record: MessageRecord, { language, isStaff, carriers, waits: why }: Viewer) {
  const events = timelineOf(record).filter(({ kind }) => isStaff || !hiddenKinds.has(kind));
  return {
    ...describeMessage(record, language),
    waits: why && describeWait(why, isStaff),
    validUntil: record.validUntil,
    ...(isStaff && { connector: record.connector }),
    partStates: partTimelines(record).map((each) => describePart(each, isStaff)),
    answersDropped: hasDroppedAnswers(record),
    events: events.map((each) => describeEvent(each, { record, isStaff, carriers })),
  };
}

/** Customers learn nothing of what others send, nor over which links. */
function describeWait(reason: WaitReason, isStaff: boolean): WaitReason {
  const { kind, since, until } = reason;
  return isStaff ? reason : { kind, ...(since && { since }), ...(until && { until }) };
}

/** A receipt that matches nothing may be about another account's message to the same number. */
const hiddenKinds: ReadonlySet<TimelineEvent["kind"]> = new Set(["receiptParked"]);

function describePart({ connector, smscMessageId, ...rest }: PartTimeline, isStaff: boolean) {
  return { ...rest, ...(isStaff && { connector, smscMessageId: unlessEmpty(smscMessageId) }) };
}

interface EventViewer extends Pick<Viewer, "isStaff" | "carriers"> {
  readonly record: MessageRecord;
}

function describeEvent(given: TimelineEvent, viewer: EventViewer) {
  return { at: given.at, kind: given.kind, ...detailsOf(given, viewer) };
}

function detailsOf(given: TimelineEvent, viewer: EventViewer): object {
  const { isStaff } = viewer;
  switch (given.kind) {
    case "claimed":
      return isStaff ? { connector: given.connector, bind: given.bindNumber, alive: given.alive } : {};
    case "taken":
      return { ...describeTaken(given), ...(isStaff && submissionOf(given, viewer)) };
    case "notTaken":
      return { ...describeNotTaken(given), ...(isStaff && submissionOf(given, viewer)) };
    case "claimOrphaned": {
      const { claimedAt, connector, bindNumber: bind, node } = given;
      return { claimedAt, ...(isStaff && { connector, bind, node: node ?? undefined }) };
    }
    case "receipt":
      return describeReceipt(given, isStaff);
    case "turnedAway":
      return { times: given.times, answer: given.answer, ...(isStaff && { connector: given.connector }) };
    case "refunded":
      return { amount: given.amount };
    case "due":
      return { unanswered: given.unanswered, heldBack: given.heldBack };
    case "receiptParked":
      return { state: given.state, smscMessageId: unlessEmpty(given.smscMessageId) };
    default:
      return {};
  }
}

type Taken = Extract<TimelineEvent, { readonly kind: "taken" }>;
type NotTaken = Extract<TimelineEvent, { readonly kind: "notTaken" }>;

function describeReceipt(receipt: Extract<TimelineEvent, { readonly kind: "receipt" }>, isStaff: boolean): object {
  const { part, connector, state, error, repeated } = receipt;
  const ofStaff = { connector, receiptText: unlessEmpty(receiptFields(receipt.content)) };
  return { part, state, error: unlessEmpty(error), ...(repeated && { repeated }), ...(isStaff && ofStaff) };
}

function describeTaken({ part, writtenAt, answerMs, isLate }: Taken): object {
  return { part, writtenAt, answerMs, ...(isLate && { late: true }) };
}

function describeNotTaken({ part, times, firstAt, lastAt: writtenAt, answer, answerMs, isLate }: NotTaken): object {
  return { part, times, ...(times > 1 && { firstAt }), writtenAt, answer, answerMs, ...(isLate && { late: true }) };
}

/**
 * By which link it went, and the fields of its submit_sm as the connector's present settings make
 * them.
 */
function submissionOf(given: Taken | NotTaken, { record, carriers }: EventViewer): object {
  const { connector, bindNumber: bind, node } = given;
  return {
    ...{ connector, bind, node },
    ...(given.kind === "taken" && { smscMessageId: unlessEmpty(given.smscMessageId) }),
    ...submitSmFields(record, given, carriers),
  };
}

/** An SMSC that gave no id. */
function unlessEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

export const getMessage: ConsoleEndpoint = {
  method: "GET",
  path: "/messages/:id",
  needs: "readMessages",
  summary: "The life of one message",
  result: life,
  handle: async (call) => {
    const { account } = call.session;
    const id = call.id;
    const record = await readMessageRecord(call.reads, id, account?.id);
    if (record === undefined) throw ApiError.notThere();
    const network = call.parts.directory.current;
    const described = describeLife(record, {
      carriers: network.connectors,
      waits: await readWhyItWaits(call.reads, record, network),
      language: call.language,
      isStaff: account === undefined,
    });
    return { ...described, campaign: await findCampaignOf(call.reads, record) };
  },
};
