// The texts of findings from reading a request, in English and Persian. Part of the one catalogue
// (errors.ts).

/**
 * Findings about a request outside the sending rules: from reading its values, or more specific
 * than its errorCode.
 */
export const requestTexts = {
  "field.required": { en: "{field} is required.", fa: "{field} الزامی است." },
  "field.notText": { en: "{field} must be text.", fa: "{field} باید متن باشد." },
  "field.numberNotText": {
    en: "{field} must be text. Only whole numbers up to 9007199254740991 are read as text: put others in quotes.",
    fa: "{field} باید متن باشد. تنها عددهای صحیح تا 9007199254740991 به‌جای متن پذیرفته می‌شوند؛ عددهای دیگر را در گیومه بنویسید.",
  },
  "field.tooLong": {
    en: "{field} must have at most {maximum} characters.",
    fa: "{field} باید حداکثر {maximum} کاراکتر داشته باشد.",
  },
  "field.encoding": {
    en: "{field} is not valid percent-encoded UTF-8. Encode the value in UTF-8, such as %D8%B3.",
    fa: "کدگذاری {field} معتبر نیست؛ مقدار را با UTF-8 و کدگذاری درصدی (percent-encoding) بفرستید، مانند %D8%B3.",
  },
  "body.notObject": {
    en: "The body must be one JSON object in UTF-8{reason}.",
    fa: "بدنهٔ درخواست باید یک شیء JSON با کدگذاری UTF-8 باشد{reason}.",
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
    en: "The URL and the header fields of the request are too large, or there are too many fields.",
    fa: "نشانی (URL) و هدرهای درخواست بیش از حد بزرگ‌اند، یا تعداد هدرها بیش از حد مجاز است.",
  },
  "head.rawOctets": {
    en: "The URL has characters beyond ASCII. Percent-encode them as UTF-8, such as %D8%B3.",
    fa: "در نشانی (URL) کاراکترهای غیر ASCII آمده است. آن‌ها را به شکل UTF-8 با کدگذاری درصدی بنویسید، مانند %D8%B3.",
  },
  "user.consoleOnly": {
    en: "This user signs in to the console with a second factor, or must change the password there first. Programs use an API key of the account instead.",
    fa: "این کاربر با ورود دومرحله‌ای وارد پنل می‌شود یا باید ابتدا رمز عبور خود را در آن تغییر دهد. برنامه‌ها به‌جای رمز عبور باید از کلید API حساب استفاده کنند.",
  },
  "role.refused": {
    en: "The account may use this method, but the role of this user does not allow it.",
    fa: "حساب اجازهٔ استفاده از این متد را دارد، ولی نقش این کاربر این اجازه را نمی‌دهد.",
  },
  "database.away": {
    en: "The service cannot reach its database at the moment; nothing was stored. Try again after {seconds} s.",
    fa: "سرویس اکنون به پایگاه دادهٔ خود دسترسی ندارد و چیزی ذخیره نشد. پس از {seconds} ثانیه دوباره تلاش کنید.",
  },
  "database.otherSchema": {
    en: "The database has the schema of another version of the service. Try again after {seconds} s.",
    fa: "ساختار پایگاه داده متعلق به نسخهٔ دیگری از سرویس است. پس از {seconds} ثانیه دوباره تلاش کنید.",
  },
  "service.notReady": {
    en: "A part of the service is not ready. Try again after {seconds} s.",
    fa: "بخشی از سرویس آماده نیست. پس از {seconds} ثانیه دوباره تلاش کنید.",
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
    en: "sendTimestamp must be a whole number of Unix seconds, such as 1795836530.",
    fa: "sendTimestamp باید زمان یونیکس برحسب ثانیه و عددی صحیح باشد، مانند 1795836530.",
  },
  "sendTimestamp.notLater": {
    en: "sendTimestamp must be later than the current time.",
    fa: "sendTimestamp باید پس از زمان کنونی باشد.",
  },
  "sendTimestamp.tooFar": {
    en: "sendTimestamp may be at most {days} days ahead. It is in seconds, not milliseconds.",
    fa: "sendTimestamp می‌تواند حداکثر {days} روز پس از زمان کنونی باشد. واحد آن ثانیه است، نه میلی‌ثانیه.",
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
    en: "Send either batchId or sentMessageIds.",
    fa: "یکی از دو پارامتر batchId یا sentMessageIds را بفرستید.",
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
    en: "after is older than the oldest stored event. Leave it out, or use a newer one.",
    fa: "after از قدیمی‌ترین رویداد ذخیره‌شده قدیمی‌تر است. آن را حذف کنید یا مقدار جدیدتری بفرستید.",
  },
  "type.unknown": {
    en: "type must be a type of event, such as message.delivered.",
    fa: "type باید نوعی از رویداد باشد؛ مانند message.delivered.",
  },
  "field.yesOrNo": { en: "{field} must be true or false.", fa: "{field} باید true یا false باشد." },
  "number.range": {
    en: "{field} must be a whole number from {least} to {maximum}.",
    fa: "{field} باید عددی صحیح از {least} تا {maximum} باشد.",
  },
  "time.notInteger": {
    en: "{field} must be a whole number of Unix seconds.",
    fa: "{field} باید زمان یونیکس برحسب ثانیه و عددی صحیح باشد.",
  },
  "time.notLater": { en: "to must be later than from.", fa: "to باید پس از from باشد." },
  "endpoint.unknown": {
    en: "The id does not belong to an endpoint of this account.",
    fa: "شناسه به هیچ وب‌هوکی از این حساب تعلق ندارد.",
  },
  "endpoint.name": {
    en: "name must be a text of 1 to 100 characters, without control characters and without blanks at its ends.",
    fa: "name باید متنی با ۱ تا ۱۰۰ کاراکتر، بدون کاراکتر کنترلی و بدون فاصله در ابتدا و انتها باشد.",
  },
  "endpoint.nameTaken": {
    en: "The account already has an endpoint of this name.",
    fa: "این حساب وب‌هوک دیگری با همین نام دارد.",
  },
  "endpoint.secret": {
    en: "secret must be whsec_ and base64 of 24 to 64 bytes.",
    fa: "secret باید با whsec_ آغاز شود و در ادامه ۲۴ تا ۶۴ بایت با کدگذاری base64 داشته باشد.",
  },
  "endpoint.secretByPost": {
    en: "secret is replaced by POST webhooks/endpoints/{endpointId}/secret.",
    fa: "secret را با POST webhooks/endpoints/{endpointId}/secret جایگزین کنید.",
  },
  "endpoints.tooMany": {
    en: "An account may have at most {maximum} endpoints.",
    fa: "هر حساب حداکثر می‌تواند {maximum} وب‌هوک داشته باشد.",
  },
  "url.form": { en: "url must be a URL.", fa: "url باید یک نشانی URL معتبر باشد." },
  "url.length": { en: "url may have at most 2048 characters.", fa: "url حداکثر می‌تواند ۲۰۴۸ کاراکتر داشته باشد." },
  "url.scheme": { en: "url must begin with https://.", fa: "url باید با https:// آغاز شود." },
  "url.credentials": {
    en: "url must not contain a user name or password.",
    fa: "url نباید نام کاربری یا رمز عبور داشته باشد.",
  },
  "url.fragment": { en: "url must not contain a fragment (#).", fa: "url نباید بخش پس از # داشته باشد." },
  "url.address": {
    en: "url must lead to an address of the public internet.",
    fa: "url باید به نشانی‌ای در اینترنت عمومی اشاره کند.",
  },
  "events.count": {
    en: "events must be a list of 1 to {maximum} types of events.",
    fa: "events باید فهرستی از ۱ تا {maximum} نوع رویداد باشد.",
  },
  "events.unknown": {
    en: "events may contain types such as message.delivered, prefixes such as message.*, or *.",
    fa: "events می‌تواند نوع رویداد مانند message.delivered، پیشوند آن مانند message.* یا * داشته باشد.",
  },
  "replay.nothing": {
    en: "Send either eventIds, or from and to.",
    fa: "یا eventIds را بفرستید یا from و to را.",
  },
  "replay.disabled": {
    en: "The endpoint is disabled. Enable it first.",
    fa: "این وب‌هوک غیرفعال است. ابتدا آن را فعال کنید.",
  },
  "replay.tooMany": {
    en: "The period has more than {maximum} events. Choose a shorter one.",
    fa: "این بازه بیش از {maximum} رویداد دارد. بازهٔ کوتاه‌تری انتخاب کنید.",
  },
  "post.status": { en: "The endpoint returned {status}.", fa: "پاسخ وب‌هوک {status} بود." },
  "post.redirect": {
    en: "The endpoint returned {status}: redirects are not followed.",
    fa: "پاسخ وب‌هوک {status} بود؛ تغییر مسیر (redirect) دنبال نمی‌شود.",
  },
  "post.timeout": {
    en: "The endpoint did not respond within 15 seconds.",
    fa: "وب‌هوک ظرف ۱۵ ثانیه پاسخ نداد.",
  },
  "post.address": {
    en: "The URL leads to an address that is not allowed.",
    fa: "URL به نشانی‌ای می‌رسد که مجاز نیست.",
  },
  "post.name": {
    en: "The host name of the URL could not be resolved.",
    fa: "نام میزبان در URL پیدا نشد.",
  },
  "post.certificate": {
    en: "The TLS certificate of the endpoint is not valid.",
    fa: "گواهی TLS وب‌هوک معتبر نیست.",
  },
  "post.tls": {
    en: "No TLS connection was set up: the endpoint must support TLS 1.2 or newer at this port.",
    fa: "اتصال TLS برقرار نشد: وب‌هوک باید روی این پورت TLS 1.2 یا جدیدتر داشته باشد.",
  },
  "post.connection": {
    en: "The endpoint could not be reached, or the connection was lost.",
    fa: "اتصال به وب‌هوک برقرار نشد یا قطع شد.",
  },
  "idempotencyKey.form": {
    en: "{field} must have 1 to {maximum} printable ASCII characters.",
    fa: "{field} باید ۱ تا {maximum} کاراکتر چاپی ASCII داشته باشد.",
  },
  "idempotencyKey.twoKeys": {
    en: "The Idempotency-Key header and the parameter idempotencyKey differ.",
    fa: "هدر Idempotency-Key و پارامتر idempotencyKey یکسان نیستند.",
  },
} as const;
