// Usual causes and the solution of every error, in both languages: the pages below /docs/errors and
// docs/errors.md are made from it.
import type { ErrorName } from "./errors.ts";
import type { LocalizedText } from "./localize.ts";

export interface ErrorHelp {
  readonly causes: LocalizedText;
  readonly solution: LocalizedText;
}

/** By name. 500 has its own: its code is a random number. */
export const errorHelp: Readonly<Record<ErrorName | "serverError", ErrorHelp>> = {
  malformedRequest: {
    causes: {
      en: "The request is not valid HTTP, for example a character beyond ASCII is in the URL.",
      fa: "درخواست از نظر HTTP درست نیست؛ مثلاً در URL کاراکتر فارسی بدون کدگذاری آمده است.",
    },
    solution: {
      en: "Percent-encode every value in a URL, with your HTTP library.",
      fa: "مقدارهای URL را با ابزار کتابخانهٔ HTTP خود کدگذاری (percent-encode) کنید.",
    },
  },
  unauthenticated: {
    causes: {
      en: "The key was removed, has ended or was copied with a blank; the token is older than an hour; the user name, password or organisation is wrong.",
      fa: "کلید حذف یا منقضی شده، هنگام کپی ناقص شده، توکن از یک ساعت گذشته یا نام کاربری، رمز عبور یا سازمان اشتباه است.",
    },
    solution: {
      en: "Check the header X-Api-Key. Request a new token when the old one has expired. Do not repeat the call in a loop: wrong attempts are limited.",
      fa: "هدر X-Api-Key را بررسی کنید و پس از انقضای توکن، توکن جدید بگیرید. درخواست را پشت سر هم تکرار نکنید؛ تعداد تلاش ناموفق محدود است.",
    },
  },
  notFound: {
    causes: {
      en: "The path is misspelt, or its object does not exist.",
      fa: "مسیر اشتباه نوشته شده یا مورد خواسته‌شده وجود ندارد.",
    },
    solution: { en: "Compare the path with /docs/api.", fa: "مسیر را با فهرست متدها در /docs/api مقایسه کنید." },
  },
  methodNotAllowed: {
    causes: {
      en: "GET was used where POST is needed, or the other way round.",
      fa: "به جای POST از GET استفاده شده است یا برعکس.",
    },
    solution: { en: "Use a method of the header Allow.", fa: "یکی از متدهای هدر Allow را به کار ببرید." },
  },
  requestTimeout: {
    causes: {
      en: "The connection is slow, or Content-Length is longer than the body.",
      fa: "اتصال کند است یا Content-Length از اندازهٔ بدنه بیشتر است.",
    },
    solution: {
      en: "Repeat the call with the same Idempotency-Key.",
      fa: "درخواست را با همان Idempotency-Key تکرار کنید.",
    },
  },
  preconditionFailed: {
    causes: {
      en: "Somebody else has changed the object since you read it.",
      fa: "پس از خواندن شما، فرد دیگری این مورد را تغییر داده است.",
    },
    solution: {
      en: "Read it again, apply your change, and send it with the new ETag.",
      fa: "آن را دوباره بخوانید، تغییر خود را اعمال کنید و با ETag جدید بفرستید.",
    },
  },
  tooLarge: {
    causes: {
      en: "Too many recipients or too long a text in one call; a proxy or the gateway limits its size.",
      fa: "تعداد گیرنده یا طول متن در یک درخواست بیش از حد است؛ سامانه یا پراکسی اندازه را محدود می‌کند.",
    },
    solution: {
      en: "Split the call: at most 100 messages in each. Shorten a single text: it may have 10 parts, which are 670 Persian or 1,530 Latin characters.",
      fa: "درخواست را تقسیم کنید؛ در هر درخواست حداکثر ۱۰۰ پیامک. اگر یک متن بلند است، آن را کوتاه کنید: حداکثر ۱۰ صفحه، یعنی ۶۷۰ کاراکتر فارسی یا ۱۵۳۰ کاراکتر لاتین.",
    },
  },
  unsupportedMediaType: {
    causes: {
      en: "The body is compressed (Content-Encoding). On the URL methods also a Content-Type that is neither a form nor JSON, such as application/xml.",
      fa: "بدنه فشرده شده است (Content-Encoding). در متدهای URL: نوع بدنه (Content-Type) نه فرم است و نه JSON؛ مثلاً application/xml.",
    },
    solution: {
      en: "Send the body uncompressed, as JSON with Content-Type: application/json.",
      fa: "بدنه را بدون فشرده‌سازی و به شکل JSON با هدر Content-Type: application/json بفرستید.",
    },
  },
  preconditionRequired: {
    causes: {
      en: "A change in the API of the console without the header If-Match.",
      fa: "تغییر از راه API پنل بدون هدر If-Match ارسال شده است.",
    },
    solution: {
      en: "Read the object and send its ETag in If-Match.",
      fa: "مورد را بخوانید و ETag آن را در If-Match بفرستید.",
    },
  },
  tooManyRequests: {
    causes: {
      en: "More calls a second than agreed for the account, or too many wrong passwords for a user or from an address.",
      fa: "تعداد درخواست در ثانیه از سقف حساب بیشتر است، یا رمز عبور نادرست زیادی برای یک کاربر یا از یک نشانی ارسال شده است.",
    },
    solution: {
      en: "Wait for the seconds in Retry-After, then repeat with the same Idempotency-Key. Send several messages in one call.",
      fa: "به اندازهٔ Retry-After صبر کنید و با همان Idempotency-Key تکرار کنید. چند پیامک را در یک درخواست بفرستید.",
    },
  },
  unavailable: {
    causes: {
      en: "The service is restarting, overloaded, or cannot reach its database. Nothing was stored.",
      fa: "سرویس در حال راه‌اندازی یا زیر بار زیاد است یا به پایگاه داده دسترسی ندارد. چیزی ذخیره نشده است.",
    },
    solution: {
      en: "Repeat after Retry-After seconds with the same Idempotency-Key.",
      fa: "پس از Retry-After ثانیه با همان Idempotency-Key تکرار کنید.",
    },
  },
  serverError: {
    causes: {
      en: "A defect of the service or of its database. It is unknown whether anything was stored.",
      fa: "خطایی در سرویس یا پایگاه داده رخ داده است و معلوم نیست چیزی ذخیره شده باشد.",
    },
    solution: {
      en: "Repeat the call with the same Idempotency-Key: it is accepted once. If it happens again, give the number to support.",
      fa: "درخواست را با همان Idempotency-Key تکرار کنید؛ یک بار پذیرفته می‌شود. اگر تکرار شد، شناسهٔ خطا را به پشتیبانی بدهید.",
    },
  },
  invalidParameters: {
    causes: {
      en: "A field is missing, has another form, or is too long. validationErrors names each one.",
      fa: "فیلدی نیامده، شکل آن درست نیست یا بیش از حد بلند است. validationErrors هر کدام را نام می‌برد.",
    },
    solution: {
      en: "Correct the fields of validationErrors. Repeating the same call does not help.",
      fa: "فیلدهای validationErrors را اصلاح کنید. تکرار همان درخواست فایده‌ای ندارد.",
    },
  },
  nothingToSend: {
    causes: { en: "Every message of the call has an error of its own.", fa: "همهٔ پیامک‌های درخواست خطا دارند." },
    solution: { en: "Read errorCode of each element of messages.", fa: "مقدار errorCode هر عضو messages را ببینید." },
  },
  noPermission: {
    causes: {
      en: "The account lacks the permission of this method, the role of the user does not allow it, or the user has a second factor or a password that somebody else has set.",
      fa: "حساب اجازهٔ این متد را ندارد، نقش کاربر آن را نمی‌پذیرد، یا ورود دومرحله‌ای کاربر فعال است یا رمز اولیه‌اش را هنوز عوض نکرده است.",
    },
    solution: {
      en: "Use an API key for programs. Ask the staff of the service for the permission.",
      fa: "برای برنامه‌ها از کلید API استفاده کنید. اجازه را از پشتیبانی سامانه بخواهید.",
    },
  },
  addressNotAllowed: {
    causes: {
      en: "The account has a list of addresses, and the address in the text is not on it.",
      fa: "حساب فهرست IP مجاز دارد و نشانی نوشته‌شده در متن خطا در آن نیست.",
    },
    solution: {
      en: "Add the address on the page “Block list and IPs” of the console. If it is the address of a proxy, the service must trust this proxy.",
      fa: "نشانی را در صفحهٔ «لیست سیاه و IP» پنل اضافه کنید. اگر نشانی پراکسی است، پشتیبانی سامانه باید آن را معرفی کند.",
    },
  },
  operatorDisabled: {
    causes: {
      en: "The service has switched off sending to the recipient's operator.",
      fa: "ارسال به اپراتور گیرنده در سامانه غیرفعال شده است.",
    },
    solution: {
      en: "Ask the staff of the service; try again later.",
      fa: "از پشتیبانی سامانه بپرسید و بعداً دوباره ارسال کنید.",
    },
  },
  senderNotInAccount: {
    causes: {
      en: "The line belongs to another account, or is misspelt.",
      fa: "خط متعلق به حساب شما نیست یا اشتباه نوشته شده است.",
    },
    solution: {
      en: "Use one of the account's lines. The console shows them when you send.",
      fa: "یکی از خطوط حساب را به کار ببرید؛ پنل هنگام ارسال آن‌ها را نشان می‌دهد.",
    },
  },
  unknownMessageId: {
    causes: {
      en: "The id belongs to another account, or the batch was not scheduled, is canceled already, or begins in less than 30 seconds. The text says which.",
      fa: "شناسه متعلق به حساب دیگری است، یا دسته زمان‌بندی نشده، قبلاً لغو شده یا کمتر از ۳۰ ثانیه به ارسال آن مانده است. متن خطا می‌گوید کدام.",
    },
    solution: {
      en: "Use the batchId or sentMessageId of the response to your call.",
      fa: "batchId یا sentMessageId پاسخ ارسال را به کار ببرید.",
    },
  },
  invalidTemplate: {
    causes: {
      en: "There is no template with this id in the account, or it is not approved.",
      fa: "الگویی با این شناسه در حساب نیست یا هنوز تأیید نشده است.",
    },
    solution: {
      en: "Read GET templates, or the page Templates of the console: id, state and the reason of a refusal.",
      fa: "GET templates را بخوانید یا صفحهٔ «الگوها»ی پنل را ببینید: شناسه، وضعیت و دلیل رد شدن.",
    },
  },
  insufficientCredit: {
    causes: {
      en: "The price of the message is higher than the credit of the account.",
      fa: "هزینهٔ پیامک از اعتبار حساب بیشتر است.",
    },
    solution: {
      en: "GET account/balance and the console show the credit. Add credit, in the demo with HODHOD_DATA_DIR=demo-data bin/hodhod credit demo +1000000 --ref t1, then send again. A call of which some messages were accepted is replayed whole: send the refused ones in a new call with a new key, never the accepted ones.",
      fa: "مانده را GET account/balance و پنل نشان می‌دهند. اعتبار را افزایش دهید (در نسخهٔ آزمایشی: HODHOD_DATA_DIR=demo-data bin/hodhod credit demo +1000000 --ref t1) و دوباره ارسال کنید. اگر بخشی از پیامک‌های یک درخواست پذیرفته شده باشد، تکرار آن همان پاسخ را برمی‌گرداند: پیامک‌های پذیرفته‌نشده را در درخواستی جدید با کلید جدید بفرستید و پذیرفته‌شده‌ها را هرگز.",
    },
  },
  recipientBlocked: {
    causes: {
      en: "The person opted out of this line, or the number is on a block list of the service or of your account. The text says which.",
      fa: "گیرنده دریافت از این خط را لغو کرده (لغو۱۱)، یا شماره در لیست سیاه سامانه یا حساب شماست. متن خطا می‌گوید کدام.",
    },
    solution: {
      en: "Do not send to this number. Send login codes with a template for codes: opt-outs do not apply to them.",
      fa: "به این شماره ارسال نکنید. رمز یک‌بارمصرف را با الگوی رمز بفرستید؛ لغو دریافت جلوی آن را نمی‌گیرد.",
    },
  },
  noRoute: {
    causes: {
      en: "No connector is set up for this operator and line, or those of its route are switched off.",
      fa: "برای این اپراتور و خط اتصالی تعریف نشده یا اتصال‌های مسیر آن غیرفعال است.",
    },
    solution: {
      en: "Ask the staff of the service. The page Routes shows them why.",
      fa: "به پشتیبانی سامانه خبر دهید؛ صفحهٔ «مسیرها» علت را به آنان نشان می‌دهد.",
    },
  },
  contentRefused: {
    causes: {
      en: "The text has a word or a link that a rule of the service forbids, or lacks the notice of opting out.",
      fa: "متن کلمه یا لینک غیرمجاز دارد، یا عبارت لغو۱۱ در پایان آن نیست.",
    },
    solution: {
      en: "Change the text. The name of the rule is in the error.",
      fa: "متن را تغییر دهید. نام فیلتر در متن خطا آمده است.",
    },
  },
  idempotencyKeyBusy: {
    causes: {
      en: "The first call with this key has not ended, usually because your program repeated it too early.",
      fa: "درخواست اول با این کلید هنوز تمام نشده است؛ معمولاً برنامه زود تکرار کرده است.",
    },
    solution: {
      en: "Repeat with the same key after Retry-After seconds.",
      fa: "پس از Retry-After ثانیه با همان کلید تکرار کنید.",
    },
  },
  idempotencyKeyReused: {
    causes: {
      en: "The same key was sent with another body, for example one key for a whole program.",
      fa: "همان کلید با بدنهٔ دیگری ارسال شده است؛ مثلاً یک کلید برای همهٔ درخواست‌ها.",
    },
    solution: {
      en: "Make one key for each send, and keep it for its repetitions only.",
      fa: "برای هر ارسال یک کلید بسازید و فقط هنگام تکرار همان ارسال به کار ببرید.",
    },
  },
  duplicateMessage: {
    causes: {
      en: "The account refuses the same text to the same number within some time.",
      fa: "حساب، ارسال همان متن به همان شماره را در زمان کوتاه نمی‌پذیرد.",
    },
    solution: {
      en: "Usually this is right: the first message was accepted. Otherwise wait, or change the text.",
      fa: "معمولاً درست است: پیامک اول پذیرفته شده است. در غیر این صورت صبر کنید یا متن را تغییر دهید.",
    },
  },
  ceilingReached: {
    causes: {
      en: "The account has reached its messages of the day or its cost of the month. The text says which.",
      fa: "سقف تعداد روزانه یا هزینهٔ ماهانهٔ حساب پر شده است. متن خطا می‌گوید کدام.",
    },
    solution: {
      en: "Wait for the next day or month, or ask the staff of the service for a higher limit.",
      fa: "تا روز یا ماه بعد صبر کنید یا از پشتیبانی سامانه سقف بالاتری بخواهید.",
    },
  },
  replayUnderWay: {
    causes: {
      en: "An earlier request to send events again is still running.",
      fa: "درخواست قبلی برای ارسال دوبارهٔ رویدادها هنوز در حال انجام است.",
    },
    solution: {
      en: "Wait until it has ended. The page Webhooks shows it.",
      fa: "تا پایان آن صبر کنید؛ صفحهٔ «وب‌هوک‌ها» آن را نشان می‌دهد.",
    },
  },
  noReceipt: {
    causes: {
      en: "The operator took the message and sent no delivery receipt in time, for example because the phone was off.",
      fa: "اپراتور پیامک را پذیرفت ولی گزارش تحویل نفرستاد؛ مثلاً گوشی خاموش بوده است.",
    },
    solution: {
      en: "Treat it as sent. A late receipt still changes the status.",
      fa: "آن را رسیده به مخابرات بدانید. گزارش دیرهنگام هم وضعیت را تغییر می‌دهد.",
    },
  },
  outcomeUnknown: {
    causes: {
      en: "The link broke, or the operator did not answer. It may have taken the message.",
      fa: "ارتباط قطع شد یا اپراتور پاسخی نداد. ممکن است پیامک را پذیرفته باشد.",
    },
    solution: {
      en: "At status 0 wait: a receipt or a new attempt decides. At status 4 it is refunded; send again only if twice is better than never.",
      fa: "در وضعیت 0 صبر کنید؛ گزارش یا تلاش بعدی نتیجه را روشن می‌کند. در وضعیت 4 هزینه برگشته است؛ فقط اگر دو بار رسیدن مهم نیست، دوباره ارسال کنید.",
    },
  },
  refusedByOperator: {
    causes: {
      en: "The operator refused the number, the line or the text. Its code is in brackets; the API guide lists what the codes mean.",
      fa: "اپراتور شماره، خط یا متن را نپذیرفته است. کد اپراتور در پرانتز آمده و معنی کدها در راهنمای API است.",
    },
    solution: {
      en: "It is refunded. Check the number; otherwise give the code to the staff of the service.",
      fa: "هزینه برگشته است. شماره را بررسی کنید؛ در غیر این صورت کد را به پشتیبانی سامانه بدهید.",
    },
  },
  validityEnded: {
    causes: {
      en: "No operator took the message before its validity ended: the link was down, or the queue was long.",
      fa: "پیش از پایان مهلت، هیچ اپراتوری پیامک را نپذیرفت: ارتباط قطع بود یا صف طولانی.",
    },
    solution: {
      en: "It is refunded. Send it again if it is still of use.",
      fa: "هزینه برگشته است. اگر هنوز لازم است، دوباره ارسال کنید.",
    },
  },
  canceled: {
    causes: {
      en: "Your program, a user or the staff of the service canceled it.",
      fa: "برنامه، کاربر یا پشتیبانی سامانه ارسال را لغو کرده است.",
    },
    solution: {
      en: "It is refunded. The audit of the service names who it was.",
      fa: "هزینه برگشته است. پشتیبانی سامانه می‌تواند بگوید چه کسی لغو کرده است.",
    },
  },
  undelivered: {
    causes: {
      en: "The network could not deliver: wrong number, phone off for too long, advertising blocked by the subscriber. The operator's word is in brackets; the API guide lists what it means.",
      fa: "شبکهٔ اپراتور نتوانست پیامک را به گوشی برساند: شمارهٔ نادرست، خاموش بودن طولانی گوشی یا بلک‌لیست مخابرات برای خط تبلیغاتی. کد اپراتور در پرانتز آمده و معنی آن در راهنمای API است.",
    },
    solution: {
      en: "It is not refunded, because the operator took it. Remove numbers that fail again and again.",
      fa: "هزینه برنمی‌گردد، چون اپراتور آن را پذیرفته است. شماره‌هایی را که همیشه ناموفق‌اند حذف کنید.",
    },
  },
  optedOut: {
    causes: {
      en: "The person sent a stop word to the line while the message was waiting.",
      fa: "گیرنده هنگامی که پیامک در صف بود، دریافت از این خط را لغو کرد.",
    },
    solution: {
      en: "It is refunded. Do not send to this number from this line.",
      fa: "هزینه برگشته است. از این خط به این شماره ارسال نکنید.",
    },
  },
  inReview: {
    causes: {
      en: "A content rule holds the message for the staff of the service.",
      fa: "فیلتر محتوا پیامک را برای بررسی پشتیبانی سامانه نگه داشته است.",
    },
    solution: {
      en: "Wait, or ask the staff. It can be canceled meanwhile.",
      fa: "صبر کنید یا از پشتیبانی بپرسید. تا آن زمان می‌توان آن را لغو کرد.",
    },
  },
  notAllowed: {
    causes: {
      en: "Staff refused the message, or its validity ended before they decided.",
      fa: "پشتیبانی سامانه پیامک را رد کرد یا پیش از تصمیم، مهلت آن پایان یافت.",
    },
    solution: {
      en: "It is refunded. Change the text, or use an approved template.",
      fa: "هزینه برگشته است. متن را تغییر دهید یا از الگوی تأییدشده استفاده کنید.",
    },
  },
  uncarriable: {
    causes: {
      en: "No connector of the route has the characters of the text in its alphabet.",
      fa: "هیچ‌یک از اتصال‌های این مسیر کاراکترهای متن را پشتیبانی نمی‌کند.",
    },
    solution: {
      en: "It is refunded. Shorten the text or leave the special characters out; staff can change defaultAlphabet.",
      fa: "هزینه برگشته است. متن را کوتاه کنید یا کاراکترهای خاص را حذف کنید؛ پشتیبانی می‌تواند defaultAlphabet را تغییر دهد.",
    },
  },
};
