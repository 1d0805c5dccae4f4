// The catalogue of all errors: every errorCode with its HTTP status and its text in English and
// Persian, and the text of every finding about a value. Code throws
// errors by name, never by number. docs/errors.md is generated from it.
import { consoleTexts } from "./console-texts.ts";
import { localize, type AnswerLanguage, type LocalizedText, type TextValues } from "./localize.ts";
import { sendingTexts } from "./sending-texts.ts";
import { requestTexts } from "./request-texts.ts";
import type { FaultKey } from "../sms/fault.ts";
import type { RejectedMessage } from "../sms/prepare-message.ts";

export interface ErrorEntry extends LocalizedText {
  readonly code: number;
  readonly status: number;
}

const entries = {
  invalidParameters: {
    code: 1001,
    status: 400,
    en: "One or more parameter values are not valid.",
    fa: "مقدار یک یا چند پارامتر معتبر نیست.",
  },
  nothingToSend: {
    code: 1003,
    status: 400,
    en: "None of the messages can be sent; see the error of each message.",
    fa: "هیچ‌یک از پیامک‌ها قابل ارسال نیست؛ خطای هر پیامک را ببینید.",
  },
  noPermission: {
    code: 1005,
    status: 403,
    en: "The account has no permission to use this method.",
    fa: "حساب کاربری اجازهٔ استفاده از این متد را ندارد.",
  },
  addressNotAllowed: {
    code: 1006,
    status: 403,
    en: "The IP address {address} is not allowed to use the service.",
    fa: "نشانی IP {address} اجازهٔ دسترسی به سرویس را ندارد.",
  },
  operatorDisabled: {
    code: 1048,
    status: 400,
    en: "Sending to the recipient's operator is disabled.",
    fa: "ارسال به اپراتور گیرنده غیرفعال شده است.",
  },
  senderNotInAccount: {
    code: 1053,
    status: 400,
    en: "The sender line number is not defined in your account.",
    fa: "شمارهٔ خط فرستنده در حساب شما تعریف نشده است.",
  },
  unknownMessageId: {
    code: 1106,
    status: 400,
    en: "The id does not belong to a batch or message of this account.",
    fa: "شناسه به هیچ دسته یا پیامکی از این حساب تعلق ندارد.",
  },
  invalidTemplate: {
    code: 1107,
    status: 400,
    en: "The template id is not valid: the account has no such template.",
    fa: "شناسهٔ الگو معتبر نیست: حساب چنین الگویی ندارد.",
  },
  insufficientCredit: {
    code: 1201,
    status: 400,
    en: "The account's credit does not cover the message.",
    fa: "اعتبار حساب برای ارسال پیامک کافی نیست.",
  },
  recipientBlocked: {
    code: 1202,
    status: 400,
    en: "No messages may be sent to this recipient from this line.",
    fa: "ارسال از این خط به این گیرنده مجاز نیست.",
  },
  noRoute: {
    code: 1203,
    status: 400,
    en: "There is no enabled route to the recipient's operator.",
    fa: "مسیر فعالی به اپراتور گیرنده وجود ندارد.",
  },
  contentRefused: {
    code: 1204,
    status: 400,
    en: "The content is refused by the content rule {rule}.",
    fa: "متن پیامک بر اساس فیلتر محتوای «{rule}» پذیرفته نشد.",
  },
  idempotencyKeyBusy: {
    code: 1205,
    status: 409,
    en: "Another call with this Idempotency-Key is still being processed. Repeat the call with the same key a little later.",
    fa: "درخواست دیگری با همین Idempotency-Key در حال پردازش است. کمی بعد درخواست خود را با همین کلید تکرار کنید.",
  },
  idempotencyKeyReused: {
    code: 1206,
    status: 422,
    en: "This Idempotency-Key was already used with another request. Use a new key for a new request.",
    fa: "این Idempotency-Key پیش‌تر با درخواست دیگری به کار رفته است. برای درخواست جدید کلید جدیدی بفرستید.",
  },
  duplicateMessage: {
    code: 1207,
    status: 400,
    en: "The same text to the same recipient was accepted less than {seconds} seconds ago.",
    fa: "همین متن کمتر از {seconds} ثانیه پیش برای همین گیرنده پذیرفته شده است.",
  },
  ceilingReached: {
    code: 1208,
    status: 400,
    en: "The account has reached its limit of messages a day or of cost a month.",
    fa: "سقف پیامک روزانه یا هزینهٔ ماهانهٔ حساب پر شده است.",
  },
  replayUnderWay: {
    code: 1209,
    status: 409,
    en: "A replay of this endpoint is under way. Try again when it has ended.",
    fa: "ارسال دوبارهٔ رویدادهای این وب‌هوک هنوز تمام نشده است. پس از پایان آن دوباره تلاش کنید.",
  },
  noReceipt: {
    code: 1301,
    status: 200,
    en: "No delivery receipt was received in time.",
    fa: "گزارش تحویل در مهلت مقرر دریافت نشد.",
  },
  outcomeUnknown: {
    code: 1302,
    status: 200,
    en: "The outcome is unknown: the message was submitted, but the operator never answered.",
    fa: "نتیجه نامشخص است: پیامک به اپراتور ارسال شد، اما پاسخی دریافت نشد.",
  },
  refusedByOperator: {
    code: 1303,
    status: 200,
    en: "The operator refused the message{detail}.",
    fa: "اپراتور پیامک را نپذیرفت{detail}.",
  },
  validityEnded: {
    code: 1304,
    status: 200,
    en: "The message's validity period ended before it could be sent.",
    fa: "مهلت ارسال پیامک به پایان رسید.",
  },
  canceled: {
    code: 1305,
    status: 200,
    en: "The message was canceled.",
    fa: "ارسال پیامک لغو شد.",
  },
  undelivered: {
    code: 1306,
    status: 200,
    en: "The message was not delivered to the recipient{detail}.",
    fa: "پیامک به گیرنده تحویل نشد{detail}.",
  },
  optedOut: {
    code: 1307,
    status: 200,
    en: "The recipient opted out after the message was accepted; nothing was submitted.",
    fa: "گیرنده پس از پذیرش پیامک، دریافت پیامک از این خط را لغو کرد و پیامک ارسال نشد.",
  },
  inReview: {
    code: 1308,
    status: 200,
    en: "The message waits until staff allow or refuse it.",
    fa: "پیامک در انتظار بررسی کارکنان سرویس است.",
  },
  notAllowed: {
    code: 1309,
    status: 200,
    en: "Staff did not allow the message.",
    fa: "کارکنان سرویس اجازهٔ ارسال این پیامک را ندادند.",
  },
  uncarriable: {
    code: 1310,
    status: 200,
    en: "No operator link can carry the characters of this text; nothing was submitted.",
    fa: "هیچ‌یک از اتصال‌های اپراتور از کاراکترهای این متن پشتیبانی نمی‌کند و پیامک ارسال نشد.",
  },
  malformedRequest: {
    code: 400,
    status: 400,
    en: "The HTTP request is malformed.",
    fa: "درخواست HTTP نامعتبر است.",
  },
  unauthenticated: {
    code: 401,
    status: 401,
    en: "Authentication failed: the key, token or credentials are missing or not valid.",
    fa: "احراز هویت ناموفق بود: کلید، توکن یا نام کاربری و رمز عبور ارسال نشده یا معتبر نیست.",
  },
  notFound: {
    code: 404,
    status: 404,
    en: "There is no such path.",
    fa: "چنین مسیری وجود ندارد.",
  },
  methodNotAllowed: {
    code: 405,
    status: 405,
    en: "The path does not support this HTTP method. The Allow header lists those that it supports.",
    fa: "این مسیر این متد HTTP را نمی‌پذیرد. متدهای مجاز در هدر Allow آمده است.",
  },
  requestTimeout: {
    code: 408,
    status: 408,
    en: "The request did not arrive in time.",
    fa: "درخواست در مهلت مقرر به‌طور کامل دریافت نشد.",
  },
  preconditionFailed: {
    code: 412,
    status: 412,
    en: "The object was changed, removed or created in the meantime; nothing was stored. Read it again and repeat the change.",
    fa: "این مورد در این فاصله تغییر کرده، حذف شده یا ساخته شده است و چیزی ذخیره نشد. آن را دوباره بخوانید و تغییر را تکرار کنید.",
  },
  tooLarge: {
    code: 413,
    status: 413,
    en: "The request is too large. The limit is {bodyLimit} KiB for the body and 1 MiB for the query.",
    fa: "درخواست بیش از حد بزرگ است. حداکثر اندازهٔ بدنه {bodyLimit} کیلوبایت (KiB) و حداکثر اندازهٔ پارامترهای URL برابر ۱ مگابایت (MiB) است.",
  },
  unsupportedMediaType: {
    code: 415,
    status: 415,
    en: "The body's media type or content encoding is not supported.",
    fa: "از نوع یا کدگذاری بدنهٔ درخواست پشتیبانی نمی‌شود.",
  },
  preconditionRequired: {
    code: 428,
    status: 428,
    en: "The call needs the header If-Match with the ETag of the object, or If-None-Match: * for a new one.",
    fa: "این درخواست باید هدر If-Match با مقدار ETag داشته باشد. برای ساختن مورد جدید، هدر If-None-Match: * را بفرستید.",
  },
  tooManyRequests: {
    code: 429,
    status: 429,
    en: "Too many requests; try again after {seconds} s.",
    fa: "تعداد درخواست‌ها بیش از حد است؛ پس از {seconds} ثانیه دوباره تلاش کنید.",
  },
  unavailable: {
    code: 503,
    status: 503,
    en: "The service is overloaded or shutting down; nothing was stored. Try again after {seconds} s.",
    fa: "بار سرویس بیش از حد است یا سرویس در حال توقف است؛ چیزی ذخیره نشد. پس از {seconds} ثانیه دوباره تلاش کنید.",
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorName = keyof typeof entries;

/** Every error by name. */
export const errorCatalogue: Readonly<Record<ErrorName, ErrorEntry>> = entries;

/**
 * The text of an internal failure. The number identifies this failure; the text reveals nothing
 * else.
 */
export const serverErrorText: LocalizedText = {
  en: "Server error; give this error id to support: {errorId}",
  fa: "خطای سرور؛ برای پیگیری، این شناسهٔ خطا را به پشتیبانی بدهید: {errorId}",
};

/** Some faults have the text of their errorCode. */
const faultTexts: Readonly<Record<FaultKey, LocalizedText>> = {
  ...sendingTexts,
  "templateId.invalid": entries.invalidTemplate,
  "senderNumber.notInAccount": entries.senderNotInAccount,
  "content.refused": entries.contentRefused,
  "operator.disabled": entries.operatorDisabled,
  "route.none": entries.noRoute,
  "message.duplicate": entries.duplicateMessage,
  "credit.insufficient": entries.insufficientCredit,
};

export type FindingKey = FaultKey | keyof typeof requestTexts | keyof typeof consoleTexts;

/** The text of every finding by key. */
export const findingCatalogue: Readonly<Record<FindingKey, LocalizedText>> = {
  ...requestTexts,
  ...consoleTexts,
  ...faultTexts,
};

/** A finding about one field of a request: an element of `validationErrors`. */
export interface FieldFinding {
  readonly field: string;
  readonly messageKey: FindingKey;
  readonly values?: TextValues | undefined;
}

export function findingText(finding: FieldFinding, language: AnswerLanguage): string {
  return localize(findingCatalogue[finding.messageKey], language, { field: finding.field, ...finding.values });
}

export interface ApiErrorDetails {
  readonly values?: TextValues | undefined;
  readonly validationErrors?: readonly FieldFinding[] | undefined;
  /** For a multi-message call in which no message can be sent. */
  readonly messages?: readonly RejectedMessage[] | undefined;
  /** Header fields of the response, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A more specific text than the catalogue's, for the same code. */
  readonly text?: LocalizedText | undefined;
  /** Of what a call of the console would have changed without having seen it. */
  readonly lastChange?: object | undefined;
}

/**
 * What was asked for is refused, and nothing was done. http/error-response.ts turns it into the body
 * of an answer, and cli/failure-text.ts into lines of a terminal.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly errorName: ErrorName;
  readonly details: ApiErrorDetails;

  constructor(errorName: ErrorName, details: ApiErrorDetails = {}) {
    super(localize(details.text ?? entries[errorName], "en", details.values));
    this.errorName = errorName;
    this.details = details;
  }

  get code(): number {
    return errorCatalogue[this.errorName].code;
  }

  get status(): number {
    return errorCatalogue[this.errorName].status;
  }

  static invalidParameters(validationErrors: readonly FieldFinding[]): ApiError {
    return new ApiError("invalidParameters", { validationErrors });
  }

  /** One value is wrong. */
  static invalidParameter(field: string, messageKey: FindingKey, values?: TextValues): ApiError {
    return ApiError.invalidParameters([{ field, messageKey, values }]);
  }

  /** The object of a call is not there, or is another account's. */
  static notThere(): ApiError {
    return new ApiError("notFound", { text: findingCatalogue["console.notThere"] });
  }

  static tooManyRequests(seconds: number): ApiError {
    return new ApiError("tooManyRequests", { values: { seconds }, headers: { "retry-after": String(seconds) } });
  }

  static unavailable(retryAfterSeconds: number, text?: LocalizedText): ApiError {
    const values = { seconds: retryAfterSeconds };
    return new ApiError("unavailable", { values, text, headers: { "retry-after": String(retryAfterSeconds) } });
  }
}

const namesByCode = new Map(Object.entries(errorCatalogue).map(([name, entry]) => [entry.code, name as ErrorName]));

/** The error name for the code of a message's fault or status reason. */
export function errorNameOf(code: number): ErrorName | undefined {
  return namesByCode.get(code);
}
