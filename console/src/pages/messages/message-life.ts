// A message with all that happened to it, as the API tells it, and each event as a sentence. Pure.
import type { Answers } from "../../api/types.ts";
import { formatNumber, type Language } from "../../format/numbers.ts";
import { exactTime, formatSpan } from "../../format/times.ts";
import { stateOf } from "../../parts/state.tsx";
import { isolated, isTextKey, type TextValues, type Translate } from "../../texts/texts.ts";

export type MessageLife = Answers["GET /messages/{id}"];
export type LifeEvent = MessageLife["events"][number];
export type LifePart = MessageLife["partStates"][number];

/** Part 0 of an event stands for all parts at once. */
const wholeMessage = 0;

/** What happened, in one sentence. An event that is new to this page is told by its name. */
export function sentenceOf(t: Translate, language: Language, event: LifeEvent, message: MessageLife): string {
  if (event.kind === "ended") return t("life.endedAs", { state: t(`state.${stateOf(message)}`) });
  const { parts } = message;
  const key = keyOf(event);
  return isTextKey(key) ? t(key, valuesOf(t, language, event, parts)) : event.kind;
}

function keyOf(event: LifeEvent): string {
  const { kind, alive, connector } = event;
  switch (kind) {
    case "notTaken":
      return keyOfNotTaken(event);
    case "receipt":
      return event.repeated === true ? "life.receiptAgain" : "life.receipt";
    case "taken":
      if (event.answerMs !== undefined) return event.late === true ? "life.tookLate" : "life.took";
      return "life.taken";
    case "claimed":
      if (alive === false) return "life.claimedByDead";
      // Customers are not told for which connector.
      return connector === undefined ? "life.claimedBare" : "life.claimed";
    case "due":
      return keyOfDue(event);
    case "receiptParked":
      return keyOfParked(event);
    default:
      return `life.${kind}`;
  }
}

function keyOfNotTaken({ answer, times = 1, late }: LifeEvent): string {
  if (late === true) return "life.notTakenLate";
  return (answer === undefined ? "life.unanswered" : "life.notTaken") + (times > 1 ? "Often" : "");
}

function keyOfParked({ smscMessageId }: LifeEvent): string {
  return smscMessageId === undefined ? "life.receiptParkedBare" : "life.receiptParked";
}

function keyOfDue({ heldBack, unanswered = 0 }: LifeEvent): string {
  if (heldBack === true) return "life.heldBack";
  return unanswered > 0 ? "life.dueAgain" : "life.due";
}

function valuesOf(t: Translate, language: Language, event: LifeEvent, parts: number): TextValues {
  const figure = (value: number | undefined) => formatNumber(language, value ?? 0);
  return {
    part: figure(event.part),
    connector: event.connector === undefined ? t("life.theOperator") : isolated(event.connector),
    what:
      (event.part ?? wholeMessage) === wholeMessage || parts === 1
        ? t("life.whatWhole")
        : t("life.whatPart", { part: figure(event.part) }),
    span: formatSpan(language, event.answerMs || 1),
    bind: figure(event.bind),
    times: figure(event.times),
    answer: isolated(event.answer ?? ""),
    amount: figure(event.amount),
    // With its error code, as operators write them: one piece from left to right.
    state: isolated([event.state, event.error].filter(Boolean).join(" ")),
    id: isolated(event.smscMessageId ?? ""),
  };
}

/** Events that are planned and may not come. */
export function isAhead({ kind, at }: LifeEvent, now: Date): boolean {
  return ["scheduledFor", "due", "validityEnds"].includes(kind) && new Date(at) > now;
}

/** What an operator's engineer asks for. */
export function fieldsOf(event: LifeEvent): readonly (readonly [string, string])[] {
  return Object.entries(event).flatMap(([name, value]) =>
    ["at", "kind", "amount"].includes(name) || value === "" ? [] : [[name, String(value)]],
  );
}

/** The whole life as text, for a complaint to the operator. */
export function lifeAsText(t: Translate, language: Language, message: MessageLife): string {
  const { sentMessageId, batchId, senderNumber, recipientNumber, operator, errorMessage } = message;
  const lines = message.events.map((event) => {
    const reason = event.kind === "ended" && errorMessage !== undefined ? ` ${errorMessage}` : "";
    return `${exactTime(language, new Date(event.at))}  ${sentenceOf(t, language, event, message)}${reason}`;
  });
  const recipient = recipientNumber === "" ? "—" : recipientNumber;
  return [`${sentMessageId} (${batchId})`, `${senderNumber} → ${recipient}, ${operator}`, "", ...lines].join("\n");
}
