// The texts of what the rules of sending find wrong with a message, in English and Persian. Part of
// the one catalogue (errors.ts).

/** Those that say more than their errorCode. */
export const sendingTexts = {
  "senderNumber.required": { en: "senderNumber is required.", fa: "senderNumber الزامی است." },
  "senderNumber.form": {
    en: "senderNumber is not a valid sender line number.",
    fa: "senderNumber شمارهٔ خط معتبری نیست.",
  },
  "recipientNumber.required": { en: "recipientNumber is required.", fa: "recipientNumber الزامی است." },
  "recipientNumber.blocked": {
    en: "The recipient is on the account's block list.",
    fa: "گیرنده در فهرست شماره‌های مسدود این حساب است.",
  },
  "recipientNumber.cut": {
    en: "The spreadsheet cut this number: its last digits are not in the file. Format the column as text, enter the numbers again, and save the file.",
    fa: "نرم‌افزار صفحه‌گسترده این شماره را بریده است و رقم‌های آخر آن در فایل نیست. قالب ستون را «متن» کنید، شماره‌ها را دوباره وارد کنید و فایل را ذخیره کنید.",
  },
  "recipientNumber.form": {
    en: "recipientNumber must be one mobile number of the form 09xxxxxxxxx, 9xxxxxxxxx, 989xxxxxxxxx, +989xxxxxxxxx or 00989xxxxxxxxx.",
    fa: "recipientNumber باید یک شمارهٔ همراه و به یکی از شکل‌های 09xxxxxxxxx، 9xxxxxxxxx، 989xxxxxxxxx، +989xxxxxxxxx یا 00989xxxxxxxxx باشد.",
  },
  "templateId.pending": {
    en: "The template waits for approval by the staff of the service.",
    fa: "الگو در انتظار تأیید پشتیبانی سامانه است.",
  },
  "templateId.refused": { en: "The template was refused: {reason}", fa: "الگو رد شده است: {reason}" },
  "content.required": { en: "content is required and must be text.", fa: "content الزامی است و باید متن باشد." },
  "content.blank": {
    en: "content must not be empty or contain only spaces.",
    fa: "content نباید خالی باشد یا فقط از فاصله تشکیل شده باشد.",
  },
  "content.nullCharacter": {
    en: "content must not contain the character U+0000.",
    fa: "content نباید کاراکتر U+0000 داشته باشد.",
  },
  "content.loneSurrogate": {
    en: "content has an invalid character: malformed UTF-8, or half of a surrogate pair. Send the text in UTF-8.",
    fa: "content کاراکتر نامعتبر دارد: UTF-8 نادرست یا نیمهٔ تنهای یک جفت جانشین (surrogate). متن را با UTF-8 بفرستید.",
  },
  "content.tooManyParts": {
    en: "content needs {parts} parts; at most {maximum} are allowed.",
    fa: "content برابر {parts} صفحه است؛ حداکثر {maximum} صفحه مجاز است.",
  },
  "content.tooLong": {
    en: "With these values the text is longer than {maximum} parts can hold.",
    fa: "متن با این مقدارها از گنجایش {maximum} صفحه بلندتر است.",
  },
  "parameters.missingValue": {
    en: "These parameters of the template have no value: {names}.",
    fa: "برای این پارامترهای الگو مقداری داده نشده است: {names}.",
  },
  "parameters.valueNotText": {
    en: "The value of the parameter {name} must be text: put numbers with a fraction, or of more than 15 digits, in quotes.",
    fa: "مقدار پارامتر {name} باید متن باشد؛ عدد اعشاری یا با بیش از ۱۵ رقم را در گیومه بنویسید.",
  },
  "parameters.valueTooLong": {
    en: "The value of the parameter {name} has more than {maximum} characters.",
    fa: "مقدار پارامتر {name} بیش از {maximum} کاراکتر دارد.",
  },
  "list.missing": { en: "{field}: at least one value is required.", fa: "{field}: دست‌کم یک مقدار لازم است." },
  "list.tooLong": {
    en: "{field} may have at most {maximum} values.",
    fa: "{field} می‌تواند حداکثر {maximum} مقدار داشته باشد.",
  },
  "list.unpairable": {
    en: "{field} has {length} values; it must have 1 value, or {longest} like the longest list.",
    fa: "{field} دارای {length} مقدار است؛ باید ۱ مقدار یا به تعداد بلندترین فهرست، یعنی {longest} مقدار، داشته باشد.",
  },
  "senderNumber.systemLineUndefined": {
    en: "The template's system line ({line}) is not defined.",
    fa: "خط سیستمی الگو ({line}) تعریف نشده است.",
  },
  "recipientNumber.listed": {
    en: "The recipient is on the block list {list}.",
    fa: "گیرنده در لیست سیاه «{list}» است.",
  },
  "recipientNumber.optedOut": {
    en: "The recipient has opted out of messages from the line {line}.",
    fa: "این شماره در فهرست لغو دریافت خط {line} است.",
  },
  "content.noticeMissing": {
    en: "The text must end with the opt-out notice: {notice}",
    fa: "متن پیامک باید با راهنمای لغو دریافت پایان یابد: {notice}",
  },
  "account.dailyMessages": {
    en: "The account has reached its limit of {maximum} messages a day.",
    fa: "سقف روزانهٔ حساب ({maximum} پیامک) پر شده است.",
  },
  "account.monthlyCost": {
    en: "The message would take the account above its limit of {maximum} rials a month.",
    fa: "هزینهٔ این پیامک از سقف ماهانهٔ حساب ({maximum} ریال) فراتر می‌رود.",
  },
};
