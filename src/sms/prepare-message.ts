// Validates one message and derives all that sending it needs: sender, recipient, text, parts,
// operator, price, route. The hot path of every send call. Order: 1001, 1107, 1053,
// 1202, 1204, 1048, 1203. Credit (1201) is checked where the money is charged.
import { type AccountRules, findBlockingList, type ListedNumbers } from "./account-rules.ts";
import { type CompiledContentRule, findContentRule, type FindRule, rememberingLastRule } from "./content-rules.ts";
import { plainForm, tidyText, type MeasuredText, measureText, visible } from "./segmentation.ts";
import { detectLanguage, type Encoding, type Language } from "./text-kind.ts";
import { fault, isFault, type Fault, type MessageField } from "./fault.ts";
import { cleanNumber, type Msisdn, type NumberSource, checkRecipient } from "./msisdn.ts";
import { endsInNotice, optOutModeOf, withNotice, type OptOuts } from "./opt-out-index.ts";
import { operatorOf, type NumberingPlan } from "./numbering-plan.ts";
import { chooseRoute, type Route } from "./routing.ts";
import type { SendingHours } from "./sending-hours.ts";
import { resolveSenderLine, type ResolvedSender, type SenderLine, type SenderTerms } from "./sender-line.ts";
import { pricePerPart, type Tariff } from "./tariff.ts";
import {
  filledTexts,
  findUnfitValue,
  isCode,
  mostUnitsOfPart,
  renderTemplate,
  type Template,
  type TemplateParameter,
  type TemplatePurpose,
} from "./template.ts";

/**
 * One message as the caller requested it. With a `templateId` the text comes from the template, and
 * `content` is ignored.
 */
export interface MessageDraft {
  readonly senderNumber?: string | undefined;
  readonly recipientNumber: string;
  readonly content?: string | undefined;
  readonly templateId?: string | undefined;
  readonly parameters?: readonly TemplateParameter[] | undefined;
  readonly source: NumberSource;
  /** Answers a subscriber's message by a rule: free of opt-outs, notice and hours. */
  readonly isReply?: true;
}

/** When a call is checked, and the time that it asks for. */
export interface CallTime {
  readonly now: Date;
  readonly sendAt?: Date | undefined;
}

/**
 * What is stored where `templateId` does not say it: a template sends a code, and any other text is
 * information.
 */
export const storedPurpose = { information: 0, code: 1, reply: 2 } as const;

export type StoredPurpose = (typeof storedPurpose)[keyof typeof storedPurpose];

/** What the rules need to know about the account and the service. */
export interface AccountTerms extends SenderTerms {
  readonly accountId: number;
  readonly tariff: Tariff;
  readonly blockedRecipients: ReadonlySet<string>;
  /** Of the block lists that rules name; asked only where such a rule counts. */
  readonly listed: ListedNumbers;
  readonly optOuts: OptOuts;
  /** How to opt out, as texts of some lines say it at their end. */
  readonly optOutNotice: string;
  /** The account's own template with that id, approved or not. */
  template(id: string): Template | undefined;
  readonly plan: NumberingPlan;
  readonly disabledOperators: ReadonlySet<string>;
  readonly routes: readonly Route[];
  readonly maximumParts: number;
  /** Characters that make a text dearer are replaced (segmentation.ts). */
  readonly tidyTexts?: boolean;
  /** Of contents and hours; undefined if none counts for the account. */
  readonly rules?: AccountRules | undefined;
}

export interface PreparedMessage extends WaitingTime {
  readonly kind: "prepared";
  /** As answers return it, like `recipientNumber`. */
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly line: SenderLine;
  readonly recipient: Msisdn;
  readonly content: string;
  readonly language: Language;
  readonly operator: string;
  readonly encoding: Encoding;
  readonly parts: number;
  /** Rials: price per part times `parts`. */
  readonly cost: bigint;
  readonly routeId: number;
  readonly templateId?: string | undefined;
  /** Of its template. */
  readonly purpose?: TemplatePurpose | undefined;
  readonly validSeconds?: number | undefined;
  readonly storedPurpose?: StoredPurpose | undefined;
  /** For the duplicate guard, in hexadecimal; the intake adds it where the account has one. */
  readonly textHash?: string;
  /** The rule that requires staff to see the message first. */
  readonly review?: string | undefined;
}

/** When a message may go out, as far as that is not at once. */
export interface WaitingTime {
  /** As the call asks, or the beginning of the next window of the sending hours. */
  readonly sendAt?: Date | undefined;
  /** When it would go out if there were no sending hours, where that differs from `sendAt`. */
  readonly wantedAt?: Date | undefined;
  /** When the sending hours end in which it may go out. */
  readonly windowEnd?: Date | undefined;
}

export interface RejectedMessage {
  readonly kind: "rejected";
  readonly senderNumber: string;
  readonly recipientNumber: string;
  readonly content: string;
  /** The first one decides the error code. There are several only if all are 1001. */
  readonly faults: readonly [Fault, ...Fault[]];
}

/** Without `time`, sending hours are not looked at. */
export function prepareMessage(
  draft: MessageDraft,
  terms: AccountTerms,
  time?: CallTime,
): PreparedMessage | RejectedMessage {
  return checkDraft(draft, { terms, time, readContent, readNoticed, findRule: findContentRule });
}

/**
 * Validates the messages of one call. A text that several of them share is looked at once, because
 * it may have a mebibyte.
 */
export function prepareMessages(
  drafts: readonly MessageDraft[],
  terms: AccountTerms,
  time?: CallTime,
): (PreparedMessage | RejectedMessage)[] {
  const isOne = drafts.length === 1;
  const judging: Judging = {
    terms,
    time,
    readContent: isOne ? readContent : rememberingLast(readContent),
    readNoticed: isOne ? readNoticed : rememberingLast(readNoticed),
    findRule: isOne ? findContentRule : rememberingLastRule(findContentRule),
  };
  const verdicts: (PreparedMessage | RejectedMessage)[] = [];
  for (const draft of drafts) verdicts.push(checkDraft(draft, judging));
  return verdicts;
}

/** By what the messages of a call are judged. */
interface Judging {
  readonly terms: AccountTerms;
  readonly time: CallTime | undefined;
  readonly readContent: typeof readContent;
  readonly readNoticed: typeof readNoticed;
  readonly findRule: FindRule;
}

function checkDraft(draft: MessageDraft, judging: Judging): PreparedMessage | RejectedMessage {
  const { terms } = judging;
  const given = cleanNumber(draft.senderNumber ?? "", draft.source);
  const recipientNumber = cleanNumber(draft.recipientNumber, draft.source);
  const found = draft.templateId === undefined ? undefined : findTemplate(draft.templateId, terms);
  const template = isFault(found) ? undefined : found;
  // An unknown template might have named the sender, so its fault replaces that of a missing sender.
  const sender = given === "" && isFault(found) ? found : resolveSenderLine(given, template?.sender, terms);
  const recipient = checkRecipient(recipientNumber);
  const isFree = draft.isReply === true || (template !== undefined && isCode(template));
  const { content, text } = checkText({ draft, sender, template: found, isFree }, judging);
  if (isFault(sender) || isFault(recipient) || isFault(text)) {
    const faults = decidingFaults([sender, recipient, text].filter(isFault));
    return { kind: "rejected", senderNumber: given, recipientNumber, content, faults };
  }
  return completeMessage({ draft, sender, recipient, recipientNumber, text, template, isFree }, judging);
}

type TemplateChoice = Template | Fault | undefined;

function findTemplate(templateId: string, terms: AccountTerms): Template | Fault {
  const template = terms.template(templateId);
  if (template === undefined) return fault("templateId.invalid", "templateId");
  if (template.approved) return template;
  const { refused: reason } = template;
  return reason === undefined
    ? fault("templateId.pending", "templateId")
    : fault("templateId.refused", "templateId", { reason });
}

/** A text as it would be sent, and what was found in it. */
interface JudgedText {
  readonly content: string;
  readonly text: MeasuredText | Fault;
}

interface Chosen {
  readonly draft: MessageDraft;
  readonly sender: ResolvedSender | Fault;
  readonly template: TemplateChoice;
  readonly isFree: boolean;
}

/** Reads the text as it is sent: with the notice where the line adds it. */
function checkText({ draft, sender, template, isFree }: Chosen, judging: Judging): JudgedText {
  const { terms } = judging;
  const { content = "", parameters = [] } = draft;
  if (isFault(template)) return { content, text: findUnfitValue(parameters) ?? template };
  const isAppended = !isFree && !isFault(sender) && optOutModeOf(sender.line) === "append";
  const read = isAppended ? judging.readNoticed : judging.readContent;
  if (template === undefined) {
    if (draft.content === undefined) return { content, text: fault("content.required", "content") };
    return read(content, "content", terms);
  }
  const rendered = renderTemplate(template, parameters, terms.maximumParts);
  return isFault(rendered) ? { content, text: rendered } : read(rendered.content, "parameters", terms);
}

/** A text that is longer than any message is refused as it came. */
function readContent(given: string, field: MessageField, { maximumParts, tidyTexts }: AccountTerms): JudgedText {
  const isTidied = tidyTexts === true && given.length <= maximumParts * mostUnitsOfPart;
  const content = isTidied ? tidyText(given) : given;
  return { content, text: measureText(content, field, maximumParts) };
}

/** Reads the text with the notice. A blank text stays blank. */
function readNoticed(given: string, field: MessageField, terms: AccountTerms): JudgedText {
  return readContent(visible.test(given) ? withNotice(given, terms.optOutNotice) : given, field, terms);
}

/** All 1001 faults together; without one, 1107 before 1053. */
function decidingFaults(faults: readonly Fault[]): readonly [Fault, ...Fault[]] {
  const [first, ...others] = faults.filter(({ code }) => code === 1001);
  if (first !== undefined) return [first, ...others];
  const deciding = faults.find(({ code }) => code === 1107) ?? faults[0];
  if (deciding === undefined) throw new Error("a message was rejected without a fault");
  return [deciding];
}

interface JudgedMessage {
  readonly draft: MessageDraft;
  readonly sender: ResolvedSender;
  readonly recipient: Msisdn;
  readonly recipientNumber: string;
  readonly text: MeasuredText;
  readonly template: Template | undefined;
  /** The recipient asked for it, by a code or with what it answers: free of opt-outs, notice and hours. */
  readonly isFree: boolean;
}

/**
 * Checks a well-formed message against block list, content rules, operator and route, and adds
 * language, cost and the time that sending hours leave.
 */
function completeMessage(message: JudgedMessage, judging: Judging): PreparedMessage | RejectedMessage {
  const { terms } = judging;
  const { recipient, sender, text } = message;
  const blockFault = checkBlocks(message, terms);
  if (blockFault !== undefined) return refuse(message, blockFault);
  const consentFault = checkConsent(message, terms);
  if (consentFault !== undefined) return refuse(message, consentFault);
  const rule = terms.rules && findRuleOf(message, terms.rules, judging);
  if (rule?.action === "refuse")
    return refuse(message, fault("content.refused", contentField(message), { rule: rule.name }));
  const operator = operatorOf(recipient, terms.plan);
  if (terms.disabledOperators.has(operator))
    return refuse(message, fault("operator.disabled", "recipientNumber", { operator }));
  const route = chooseRoute(terms.routes, operator, sender.line);
  if (route === undefined) return refuse(message, fault("route.none", "recipientNumber", { operator }));
  const language = detectLanguage(text.content);
  const price = pricePerPart(terms.tariff, { operator, line: sender.line, language });
  const { template } = message;
  const purposeOfTemplate = template?.purpose === "information" ? storedPurpose.information : undefined;
  const { sendAt, wantedAt, windowEnd } = waitingTime(message, terms.rules, judging.time);
  // Key by key: spreads take several times as long.
  return {
    kind: "prepared",
    senderNumber: sender.senderNumber,
    recipientNumber: message.recipientNumber,
    line: sender.line,
    recipient,
    content: text.content,
    language,
    operator,
    encoding: text.encoding,
    parts: text.parts,
    cost: price * BigInt(text.parts),
    routeId: route.id,
    templateId: template?.id,
    purpose: template && (template.purpose ?? "code"),
    validSeconds: template?.validSeconds,
    storedPurpose: message.draft.isReply === true ? storedPurpose.reply : purposeOfTemplate,
    review: rule?.name,
    sendAt,
    wantedAt,
    windowEnd,
  };
}

/** Whether staff block the recipient (1202): for codes and replies, too. */
function checkBlocks(
  { recipient, sender }: JudgedMessage,
  { blockedRecipients, rules, listed }: AccountTerms,
): Fault | undefined {
  if (blockedRecipients.has(recipient)) return fault("recipientNumber.blocked", "recipientNumber");
  const list = rules && findBlockingList(rules.ofLine(sender.line).blockLists, listed, recipient);
  return list === undefined ? undefined : fault("recipientNumber.listed", "recipientNumber", { list });
}

/** Whether the recipient has not opted out (1202), and the text says how to opt out (1204). Not for codes, which the recipient asked for. */
function checkConsent(
  { recipient, sender: { line }, text, template, isFree }: JudgedMessage,
  { accountId, optOuts, optOutNotice }: AccountTerms,
): Fault | undefined {
  if (isFree) return undefined;
  if (optOuts.has(line.number, accountId, recipient))
    return fault("recipientNumber.optedOut", "recipientNumber", { line: line.number });
  if (optOutModeOf(line) !== "require" || endsInNotice(text.content, optOutNotice)) return undefined;
  return fault("content.noticeMissing", template === undefined ? "content" : "parameters", { notice: optOutNotice });
}

function contentField({ template }: JudgedMessage): MessageField {
  return template === undefined ? "content" : "parameters";
}

/** For a one-time code, only rules that refuse, and only its values: staff approved the rest. */
function findRuleOf(
  message: JudgedMessage,
  rules: AccountRules,
  { terms: { tidyTexts }, findRule }: Judging,
): CompiledContentRule | undefined {
  const { contentRules } = rules.ofLine(message.sender.line);
  if (contentRules.length === 0) return undefined;
  const { template, draft } = message;
  if (template === undefined || !isCode(template)) return findRule(contentRules, [message.text.content]);
  const values = filledTexts(template, draft.parameters ?? []);
  return findRule(
    contentRules.filter(({ action }) => action === "refuse"),
    tidyTexts === true ? [...values, ...values.map(plainForm)] : values,
  );
}

const atOnce: WaitingTime = {};

function waitingTime(message: JudgedMessage, rules: AccountRules | undefined, time: CallTime | undefined): WaitingTime {
  if (time === undefined) return atOnce;
  const asked: WaitingTime = time.sendAt === undefined ? atOnce : { sendAt: time.sendAt };
  if (rules === undefined || message.isFree) return asked;
  const { hours } = rules.ofLine(message.sender.line);
  return hours === undefined ? asked : withinHours(asked, hours, time);
}

function withinHours(asked: WaitingTime, hours: SendingHours, { now, sendAt = now }: CallTime): WaitingTime {
  const wanted = sendAt.getTime();
  const open = hours.openTime(wanted);
  if (open === undefined) return asked;
  const windowEnd = new Date(open.until);
  return open.from === wanted ? { ...asked, windowEnd } : { sendAt: new Date(open.from), wantedAt: sendAt, windowEnd };
}

function refuse({ sender, recipientNumber, text }: JudgedMessage, finding: Fault): RejectedMessage {
  return {
    kind: "rejected",
    senderNumber: sender.senderNumber,
    recipientNumber,
    content: text.content,
    faults: [finding],
  };
}

/** The question of the last time gets its answer again: a call often has one text. */
function rememberingLast<Question extends readonly unknown[], Answer>(
  ask: (...question: Question) => Answer,
): (...question: Question) => Answer {
  let last: { question: Question; answer: Answer } | undefined;
  return (...question) => {
    if (last?.question.every((part, place) => part === question[place]) !== true)
      last = { question, answer: ask(...question) };
    return last.answer;
  };
}
