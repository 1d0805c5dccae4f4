// Why a message waits, in one sentence, for terminals and pages. Customers are not told of connectors.
import type { WaitKind, WaitReason } from "../sms/wait-reason.ts";
import { type AnswerLanguage, localize, type LocalizedText } from "./localize.ts";

type Texts = Readonly<Record<WaitKind, LocalizedText>>;

const staffTexts: Texts = {
  review: { en: "Staff have to allow it first.", fa: "در انتظار تأیید کارکنان است." },
  beingSent: {
    en: "Connector {connectors} has it since {since} and submits it.",
    fa: "از {since} در اختیار اتصال {connectors} است و ارسال می‌شود.",
  },
  answerAwaited: {
    en: "It was submitted by connector {connectors} and never answered; an answer or a receipt is awaited until {until}.",
    fa: "با اتصال {connectors} ارسال شد و پاسخی نرسید؛ تا {until} منتظر پاسخ یا گزارش تحویل است.",
  },
  referenceAwaited: {
    en: "Other long messages to this phone are under way: it waits for a free concatenation reference.",
    fa: "پیامک‌های بلند دیگری به این گوشی در راه است؛ منتظر آزاد شدن یک شمارهٔ مرجع است.",
  },
  scheduled: { en: "It is scheduled for {until}.", fa: "برای {until} زمان‌بندی شده است." },
  outsideHours: {
    en: "Outside the sending hours until {until}.",
    fa: "تا {until} خارج از ساعت‌های مجاز ارسال است.",
  },
  sentAgain: {
    en: "The operator never answered; it is submitted again at {until}.",
    fa: "اپراتور پاسخی نداد؛ در {until} دوباره ارسال می‌شود.",
  },
  refusedForNow: {
    en: "The operator turned it away for now ({answer}, connector {connectors}); it is submitted again at {until}.",
    fa: "اپراتور فعلاً آن را نپذیرفت ({answer}، اتصال {connectors})؛ در {until} دوباره ارسال می‌شود.",
  },
  noConnector: { en: "No connector of its route is enabled.", fa: "هیچ اتصالی در مسیر آن فعال نیست." },
  paused: {
    en: "Connector {connectors} is paused, and its route has no other.",
    fa: "اتصال {connectors} موقتاً متوقف شده است و مسیر اتصال دیگری ندارد.",
  },
  down: {
    en: "Connector {connectors} is down{sinceTime}, and its route has no other.",
    fa: "اتصال {connectors} {sinceTime}قطع است و مسیر اتصال دیگری ندارد.",
  },
  throttled: {
    en: "The operator turned it away at {since} ({answer}, connector {connectors}); it is submitted again.",
    fa: "اپراتور در {since} آن را نپذیرفت ({answer}، اتصال {connectors})؛ دوباره ارسال می‌شود.",
  },
  inLine: {
    en: "{before} parts are before it on connector {connectors}{pace}{expected}.",
    fa: "{before} صفحه در صف اتصال {connectors} جلوتر از آن است{pace}{expected}.",
  },
};

const customerTexts: Texts = {
  ...staffTexts,
  beingSent: { en: "It is being submitted to the operator.", fa: "در حال ارسال به اپراتور است." },
  answerAwaited: {
    en: "It was submitted and the operator never answered; an answer or a receipt is awaited until {until}.",
    fa: "ارسال شد و اپراتور پاسخی نداد؛ تا {until} منتظر پاسخ یا گزارش تحویل است.",
  },
  refusedForNow: {
    en: "The operator turned it away for now; it is submitted again at {until}.",
    fa: "اپراتور فعلاً آن را نپذیرفت؛ در {until} دوباره ارسال می‌شود.",
  },
  noConnector: { en: "There is no link to this operator at present.", fa: "فعلاً ارتباطی با این اپراتور برقرار نیست." },
  paused: { en: "Sending to this operator is paused.", fa: "ارسال به این اپراتور موقتاً متوقف شده است." },
  down: {
    en: "There is no link to this operator{sinceTime}.",
    fa: "ارتباط با این اپراتور {sinceTime}قطع است.",
  },
  throttled: {
    en: "The operator turned it away a moment ago; it is submitted again.",
    fa: "اپراتور لحظاتی پیش آن را نپذیرفت؛ دوباره ارسال می‌شود.",
  },
  inLine: { en: "Other messages go first{expected}.", fa: "پیامک‌های دیگری در صف جلوتر از آن است{expected}." },
};

/** Of many messages. */
const groupTexts: Texts = {
  review: { en: "Staff have to allow them", fa: "در انتظار تأیید کارکنان" },
  beingSent: { en: "Being submitted on connector {connectors}", fa: "در حال ارسال با اتصال {connectors}" },
  answerAwaited: { en: "Submitted and never answered", fa: "ارسال‌شده و بدون پاسخ" },
  referenceAwaited: {
    en: "Other long messages to the same phones are under way",
    fa: "پیامک‌های بلند دیگری به همان گوشی‌ها در راه است",
  },
  scheduled: { en: "Scheduled, the first for {until}", fa: "زمان‌بندی‌شده، نخستین برای {until}" },
  outsideHours: { en: "Outside the sending hours until {until}", fa: "خارج از ساعت‌های مجاز ارسال تا {until}" },
  sentAgain: { en: "Never answered, submitted again from {until} on", fa: "بدون پاسخ، ارسال دوباره از {until}" },
  refusedForNow: {
    en: "Turned away for now ({answer}, connector {connectors}), submitted again from {until} on",
    fa: "فعلاً پذیرفته‌نشده ({answer}، اتصال {connectors})، ارسال دوباره از {until}",
  },
  noConnector: { en: "No connector of the route is enabled", fa: "هیچ اتصالی در مسیر فعال نیست" },
  paused: {
    en: "Connector {connectors} is paused, no other in the route",
    fa: "اتصال {connectors} موقتاً متوقف است و مسیر اتصال دیگری ندارد",
  },
  down: {
    en: "Connector {connectors} is down{sinceTime}, no other in the route",
    fa: "اتصال {connectors} {sinceTime}قطع است و مسیر اتصال دیگری ندارد",
  },
  throttled: {
    en: "The operator turns messages away for now ({answer}, connector {connectors})",
    fa: "اپراتور فعلاً پیامک‌ها را نمی‌پذیرد ({answer}، اتصال {connectors})",
  },
  inLine: { en: "In the queue of connector {connectors}{pace}{done}", fa: "در صف اتصال {connectors}{pace}{done}" },
};

const done: LocalizedText = { en: "; the last expected at {until}", fa: "؛ زمان تقریبی آخرین: {until}" };
const atLeast: LocalizedText = { en: "More than {before}", fa: "بیش از {before}" };
const sinceTime: LocalizedText = { en: " since {since}", fa: "از {since} " };
const pace: LocalizedText = { en: ", which sends {perSecond} a second", fa: "، با سرعت {perSecond} صفحه در ثانیه" };
const expected: LocalizedText = { en: "; expected at {until}", fa: "؛ زمان تقریبی: {until}" };

/** Times as JSON has them, too. */
type GivenReason = Omit<WaitReason, "since" | "until"> & {
  readonly since?: Date | string | undefined;
  readonly until?: Date | string | undefined;
};

export interface WaitingTextStyle {
  readonly language: AnswerLanguage;
  readonly ofMany?: boolean;
  readonly time: (at: Date) => string;
  readonly number: (value: number) => string;
}

export function waitingText(reason: GivenReason, { language, ofMany = false, time, number }: WaitingTextStyle): string {
  const { kind, connectors, answer = "", partsBefore = 0, partsPerSecond, isAtLeast } = reason;
  const since = reason.since === undefined ? "" : time(new Date(reason.since));
  const until = reason.until === undefined ? "" : time(new Date(reason.until));
  const before = number(partsBefore);
  const comma = language === "fa" ? "، " : ", ";
  const textIf = (isGiven: boolean, text: LocalizedText, values: Readonly<Record<string, string>>): string =>
    isGiven ? localize(text, language, values) : "";
  const ofOne = connectors === undefined ? customerTexts : staffTexts;
  const texts = ofMany ? groupTexts : ofOne;
  return localize(texts[kind], language, {
    ...{ since, until, answer, connectors: (connectors ?? []).join(comma) },
    before: isAtLeast === true ? localize(atLeast, language, { before }) : before,
    sinceTime: textIf(since !== "", sinceTime, { since }),
    pace: textIf(partsPerSecond !== undefined, pace, { perSecond: number(partsPerSecond ?? 0) }),
    expected: textIf(until !== "", expected, { until }),
    done: textIf(until !== "", done, { until }),
  });
}
