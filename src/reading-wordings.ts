// The texts of findings from reading a request, in English and Persian. Part of the one catalogue
// (errors.ts).

/**
 * Findings about a request outside the sending rules: from reading its values, or more specific
 * than its errorCode.
 */
export const readingFindings = {
  "field.required": { en: "{field} is required.", fa: "{field} الزامی است." },
  "field.notText": { en: "{field} must be text.", fa: "{field} باید متن باشد." },
  "field.encoding": {
    en: "{field} is not valid percent-encoded UTF-8.",
    fa: "کدگذاری {field} معتبر نیست؛ مقدار باید UTF-8 با کدگذاری درصدی (percent-encoding) باشد.",
  },
  "body.notObject": {
    en: "The body must be one JSON object in UTF-8.",
    fa: "بدنهٔ درخواست باید یک شیء JSON با کدگذاری UTF-8 باشد.",
  },
  "body.tooMuch": {
    en: "The JSON in the body may have at most {values} values and be nested at most {depth} levels deep.",
    fa: "JSON بدنهٔ درخواست حداکثر می‌تواند {values} مقدار و {depth} سطح تودرتو داشته باشد.",
  },
  "body.form": { en: "The form in the body cannot be read.", fa: "فرم بدنهٔ درخواست قابل خواندن نیست." },
  "pairs.tooMany": {
    en: "The query and body together contain more than {maximum} parameters.",
    fa: "مجموع پارامترهای URL و بدنهٔ درخواست بیش از {maximum} است.",
  },
  "head.tooLarge": {
    en: "The header fields of the request are too large or too many.",
    fa: "اندازه یا تعداد سرآیندهای درخواست بیش از حد مجاز است.",
  },
  "database.away": {
    en: "The service cannot reach its database at the moment; nothing was stored. Try again after {seconds} s.",
    fa: "سرویس اکنون به پایگاه دادهٔ خود دسترسی ندارد و چیزی ذخیره نشد. پس از {seconds} ثانیه دوباره تلاش کنید.",
  },
  "number.form": {
    en: "{field} is not a mobile number of one of the forms 09xxxxxxxxx, 9xxxxxxxxx, 989xxxxxxxxx, +989xxxxxxxxx, 00989xxxxxxxxx.",
    fa: "{field} باید شمارهٔ همراه به یکی از شکل‌های 09xxxxxxxxx، 9xxxxxxxxx، 989xxxxxxxxx، +989xxxxxxxxx یا 00989xxxxxxxxx باشد.",
  },
  "cancel.notScheduled": {
    en: "The batch was not scheduled, so it cannot be canceled.",
    fa: "ارسال این دسته زمان‌بندی نشده بود و نمی‌توان آن را لغو کرد.",
  },
  "cancel.tooLate": {
    en: "It is too late to cancel the batch: this was possible until {time}.",
    fa: "برای لغو این دسته دیر شده است: لغو آن تا {time} ممکن بود.",
  },
  "cancel.alreadyCanceled": {
    en: "The batch was already canceled at {time}.",
    fa: "این دسته پیش‌تر در {time} لغو شده است.",
  },
  "sendTimestamp.notInteger": {
    en: "sendTimestamp must be a whole number of Unix seconds.",
    fa: "sendTimestamp باید زمان یونیکس برحسب ثانیه و عددی صحیح باشد.",
  },
  "sendTimestamp.notLater": {
    en: "sendTimestamp must be later than the current time.",
    fa: "sendTimestamp باید پس از زمان کنونی باشد.",
  },
  "sendTimestamp.tooFar": {
    en: "sendTimestamp may be at most {days} days ahead.",
    fa: "sendTimestamp می‌تواند حداکثر {days} روز پس از زمان کنونی باشد.",
  },
  "parameters.form": {
    en: "parameters must be a list of objects with name and value.",
    fa: "parameters باید فهرستی از شیءهایی با name و value باشد.",
  },
  "id.form": { en: "{field} must be a UUID.", fa: "{field} باید یک UUID باشد." },
  "ids.count": {
    en: "{field} must contain 1 to {maximum} ids.",
    fa: "{field} باید از ۱ تا {maximum} شناسه داشته باشد.",
  },
  "status.nothingAsked": {
    en: "Send either batchId or sentMessageIdes.",
    fa: "یکی از دو پارامتر batchId یا sentMessageIdes را بفرستید.",
  },
  "count.range": {
    en: "count must be a whole number from 1 to {maximum}.",
    fa: "count باید عددی صحیح از ۱ تا {maximum} باشد.",
  },
  "after.form": {
    en: "after must be the nextCursor of an earlier response.",
    fa: "after باید nextCursor یکی از پاسخ‌های پیشین باشد.",
  },
  "after.tooOld": {
    en: "after is older than the events that are kept. Begin without it, or with a newer one.",
    fa: "after از رویدادهای نگهداری‌شده قدیمی‌تر است. بدون آن یا با مقداری تازه‌تر آغاز کنید.",
  },
  "type.unknown": {
    en: "type must be a type of event, such as message.delivered.",
    fa: "type باید نوعی از رویداد باشد؛ مانند message.delivered.",
  },
  "idempotencyKey.form": {
    en: "{field} must have 1 to {maximum} printable ASCII characters.",
    fa: "{field} باید ۱ تا {maximum} نویسهٔ چاپی ASCII داشته باشد.",
  },
  "idempotencyKey.twoKeys": {
    en: "The Idempotency-Key header and the parameter idempotencyKey differ.",
    fa: "سرآیند Idempotency-Key و پارامتر idempotencyKey یکسان نیستند.",
  },
} as const;
