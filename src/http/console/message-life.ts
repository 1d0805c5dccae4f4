// GET messages/{id}: the life of one message, as `hodhod message` shows it. Customers see their
// own, without what is the service's own business: connectors, binds, and the operator's ids.
import { ApiError } from "../../texts/errors.ts";
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
import type { ConsoleEndpoints } from "./console-endpoint.ts";
import type { WaitReason } from "../../sms/wait-reason.ts";
import { readWhyItWaits } from "../../figures/waiting.ts";
import { describeMessage } from "./message-fields.ts";

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

/** What an event has besides its time and kind. Of the network only staff see it. */
export interface LifeDetails {
  /** 0: the whole message. */
  readonly part?: number | undefined;
  /** Of a refund. */
  readonly amount?: bigint;
  /** How often the operator turned it away. */
  readonly times?: number;
  /** The name of the operator's command_status; absent where none came. */
  readonly answer?: string | null;
  /** Submissions without an answer. */
  readonly unanswered?: number;
  /** It waits until a reference of its phone is free. */
  readonly heldBack?: boolean;
  readonly connector?: string;
  readonly bind?: number | null;
  /** From writing the submit_sm to its answer. */
  readonly answerMs?: number | null;
  /** When the submit_sm was written; of equal ones, the last. */
  readonly writtenAt?: Date | null;
  readonly firstAt?: Date;
  /** Of a claim that a dead node held: when it was claimed. `at`: when it was taken over. */
  readonly claimedAt?: Date;
  /** The answer came after it had been given up. */
  readonly late?: boolean;
  /** The receipt is not the first of its part. */
  readonly repeated?: boolean;
  readonly error?: string | undefined;
  /** The receipt up to the text that it repeats. */
  readonly receiptText?: string | undefined;
  readonly node?: string | null | undefined;
  readonly dataCoding?: number;
  readonly esmClass?: number;
  /** Whether the node that holds it lives. */
  readonly alive?: boolean;
  readonly smscMessageId?: string | undefined;
  readonly state?: string;
}

function detailsOf(given: TimelineEvent, viewer: EventViewer): LifeDetails {
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

function describeReceipt(receipt: Extract<TimelineEvent, { readonly kind: "receipt" }>, isStaff: boolean) {
  const { part, connector, state, error, repeated } = receipt;
  const ofStaff = { connector, receiptText: unlessEmpty(receiptFields(receipt.content)) };
  return { part, state, error: unlessEmpty(error), ...(repeated && { repeated }), ...(isStaff && ofStaff) };
}

function describeTaken({ part, writtenAt, answerMs, isLate }: Taken) {
  return { part, writtenAt, answerMs, ...(isLate && { late: true }) };
}

function describeNotTaken({ part, times, firstAt, lastAt: writtenAt, answer, answerMs, isLate }: NotTaken) {
  return { part, times, ...(times > 1 && { firstAt }), writtenAt, answer, answerMs, ...(isLate && { late: true }) };
}

/**
 * By which link it went, and the fields of its submit_sm as the connector's present settings make
 * them.
 */
function submissionOf(given: Taken | NotTaken, { record, carriers }: EventViewer) {
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

export const messageLife = {
  "GET /messages/{id}": {
    needs: "readMessages",
    summary: "The life of one message",
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
  },
} satisfies ConsoleEndpoints;
