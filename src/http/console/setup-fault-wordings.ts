// The faults of a setup in Persian. The faults themselves are written in English where they are
// found; here stands what each means. A name in braces stands for what differs. Pure.
import type { LocalizedText } from "../../texts/localize.ts";

/** The first that fits counts: what is exact stands before what fits more. */
const wordings: readonly LocalizedText[] = [
  { en: "{fault}, or {word}", fa: "{fault}، یا {word}" },
  { en: "is missing", fa: "الزامی است" },
  { en: "{key} is an unknown key", fa: "کلید {key} ناشناخته است" },
  { en: "must be a list", fa: "باید فهرست باشد" },
  { en: "must be an object with keys", fa: "باید شیئی با کلید و مقدار باشد" },
  { en: "must be a text", fa: "باید متن باشد و خالی نباشد" },
  { en: "must be a text that is not blank", fa: "باید متن باشد و خالی نباشد" },
  { en: "must be text in ASCII letters", fa: "باید متنی با نویسه‌های ASCII باشد" },
  { en: "must not be empty", fa: "نباید خالی باشد" },
  { en: "must be text of at most {most} characters", fa: "باید متنی با حداکثر {most} نویسه باشد" },
  { en: "must not be longer than {most} characters", fa: "نباید بیش از {most} نویسه باشد" },
  {
    en: "must not begin or end with a blank, and not contain control characters",
    fa: "نباید با فاصله آغاز یا تمام شود و نباید نویسهٔ کنترلی داشته باشد",
  },
  { en: "must be a name; * stands for all operators", fa: "باید نام باشد؛ * به معنی همهٔ اپراتورهاست" },
  { en: "verify must be true or false", fa: "verify باید true یا false باشد" },
  { en: "ca must be the name of a file", fa: "ca باید نام یک فایل باشد" },
  { en: "must be a list of at most {most} codes", fa: "باید فهرستی با حداکثر {most} کد باشد" },
  {
    en: "must name codes that refuse, such as {example} or {another}, not {given}",
    fa: "باید کدهایی باشد که پیام را رد می‌کنند، مانند {example} یا {another}، نه {given}",
  },
  { en: "must be true or false", fa: "باید true یا false باشد" },
  { en: "must be a whole number from {from} to {to}", fa: "باید عددی صحیح از {from} تا {to} باشد" },
  { en: "must be a number from {from} to {to}", fa: "باید عددی از {from} تا {to} باشد" },
  { en: "must be a whole number of rials from 0 to {to}", fa: "باید مبلغی صحیح به ریال از 0 تا {to} باشد" },
  {
    en: "must be a time with its offset from UTC, such as {example}",
    fa: "باید زمانی همراه با اختلاف آن از UTC باشد، مانند {example}",
  },
  { en: "must be a line number of 4 to 14 digits", fa: "باید شمارهٔ خطی با ۴ تا ۱۴ رقم باشد" },
  {
    en: "must be a line number, dedicated, service, advertising or *",
    fa: "باید شمارهٔ خط، dedicated، service، advertising یا * باشد",
  },
  { en: "must be a line number, service or advertising", fa: "باید شمارهٔ خط، service یا advertising باشد" },
  { en: "must be a mobile number, such as {example}", fa: "باید شمارهٔ همراه باشد، مانند {example}" },
  { en: "must be the name of a time zone, such as {example}", fa: "باید نام یک منطقهٔ زمانی باشد، مانند {example}" },
  {
    en: "must be the first digits of a national mobile number, such as {example}",
    fa: "باید نخستین رقم‌های شمارهٔ همراه بدون صفر باشد، مانند {example}",
  },
  { en: "must name at least one connector", fa: "باید دست‌کم یک اتصال داشته باشد" },
  { en: "must have at most {most} entries", fa: "باید حداکثر {most} مورد داشته باشد" },
  { en: "leave it out", fa: "آن را ننویسید" },
  { en: "leave it out, and one is made", fa: "آن را ننویسید تا ساخته شود" },
  { en: "may have at most {most} endpoints", fa: "حداکثر می‌تواند {most} وب‌هوک داشته باشد" },
  { en: "must be a list of {least} to {most} types of events", fa: "باید فهرستی از {least} تا {most} نوع رویداد باشد" },
  {
    en: "must be whsec_ and base64 of {least} to {most} bytes",
    fa: "باید whsec_ و base64 از {least} تا {most} بایت باشد",
  },
  {
    en: "must be a text of {least} to {most} characters, without blanks at its ends and control characters",
    fa: "باید متنی {least} تا {most} نویسه‌ای باشد، بدون فاصله در دو سر و بدون نویسهٔ کنترلی",
  },
  { en: "leave it out for all", fa: "برای همه، آن را ننویسید" },
  { en: "leave it out for every day", fa: "برای همهٔ روزها، آن را ننویسید" },
  { en: "give words, links or both", fa: "words یا links یا هر دو را بنویسید" },
  {
    en: "with links: listed, name the domains that are allowed",
    fa: "با links: listed، دامنه‌های مجاز را نام ببرید",
  },
  { en: "must have at least one window", fa: "باید دست‌کم یک بازه داشته باشد" },
  { en: "must be a time of day, such as {example}", fa: "باید ساعتی از روز باشد، مانند {example}" },
  { en: "must be a date, such as {example}", fa: "باید تاریخ باشد، مانند {example}" },
  { en: "must be a word with letters or digits", fa: "باید واژه‌ای با حرف یا رقم باشد" },
  { en: "must be the name of a domain, such as {example}", fa: "باید نام دامنه باشد، مانند {example}" },
  { en: "counts only with a reply", fa: "فقط همراه reply معنی دارد" },
  { en: "counts only with links: listed", fa: "فقط همراه links: listed معنی دارد" },
  {
    en: "must have exactly one of words, prefix and any",
    fa: "باید دقیقاً یکی از words، prefix و any را داشته باشد",
  },
  { en: "must be true", fa: "باید true باشد" },
  {
    en: "a reply goes out from {line}, which is not a line of account {account}",
    fa: "پاسخ از خط {line} فرستاده می‌شود که از خط‌های حساب {account} نیست",
  },
  {
    en: "{word} is both a stop word and a resume word",
    fa: "{word} هم واژهٔ لغو است و هم واژهٔ بازگشت",
  },
  {
    en: "events are kept for {events} days, but messages for {messages}",
    fa: "رویدادها {events} روز نگه داشته می‌شوند، اما پیام‌ها {messages} روز",
  },
  { en: "names a connector twice", fa: "یک اتصال را دو بار نام برده است" },
  {
    en: "has the same operator, line and language as an earlier row",
    fa: "همان اپراتور، خط و زبانی را دارد که سطری پیش از آن دارد",
  },
  { en: "leaves some messages without a price", fa: "برای بعضی پیام‌ها نرخی تعیین نمی‌کند" },
  { en: "{name} is listed twice", fa: "{name} دو بار آمده است" },
  { en: "{prefix} already belongs to {owner}", fa: "{prefix} متعلق به {owner} است" },
  {
    en: "must be an address or a CIDR block, such as {example}",
    fa: "باید نشانی IP یا محدودهٔ CIDR باشد، مانند {example}",
  },
  { en: "must be one of {words}", fa: "باید یکی از این‌ها باشد: {words}" },
  {
    en: "must consist of ASCII letters, digits and signs, without blanks",
    fa: "باید از حروف، رقم‌ها و نشانه‌های ASCII تشکیل شود و فاصله نداشته باشد",
  },
  { en: "must have at least {least} characters", fa: "باید دست‌کم {least} نویسه داشته باشد" },
  {
    en: "must have 1 to 64 ASCII letters, digits and . _ @ -, and begin with a letter or digit",
    fa: "باید ۱ تا ۶۴ حرف لاتین، رقم و . _ @ - داشته باشد و با حرف یا رقم آغاز شود",
  },
  {
    en: "must have 1 to 64 letters and digits, such as {example}",
    fa: "باید ۱ تا ۶۴ حرف لاتین و رقم داشته باشد، مانند {example}",
  },
  {
    en: "must not be a common password, one character repeated, or the username with a few characters more",
    fa: "نباید گذرواژه‌ای رایج، تکرار یک نویسه، یا نام کاربری با چند نویسهٔ بیشتر باشد",
  },
  { en: "must have {least} to {most} characters", fa: "باید {least} تا {most} نویسه داشته باشد" },
  { en: "cannot be combined with approved: true", fa: "هم‌زمان با approved: true ممکن نیست" },
  { en: "contains a character that cannot be sent", fa: "نویسه‌ای دارد که قابل ارسال نیست" },
  {
    en: "must be a host name or an address, without scheme and port",
    fa: "باید نام یا نشانی میزبان باشد، بدون پروتکل و درگاه",
  },
  { en: "must be false or { ca: FILE, verify: true }", fa: "باید false یا { ca: FILE, verify: true } باشد" },
  {
    en: "must be the text of certificates in PEM format, not the name of a file",
    fa: "باید متن گواهی‌ها به قالب PEM باشد، نه نام فایل",
  },
  { en: "must contain a certificate in PEM format", fa: "باید دست‌کم یک گواهی به قالب PEM داشته باشد" },
  {
    en: "certificate {number} of it is not a certificate of X.509",
    fa: "گواهی شمارهٔ {number} آن گواهی X.509 معتبری نیست",
  },
  { en: "{file} cannot be read or contains no certificate", fa: "{file} قابل خواندن نیست یا گواهی ندارد" },
  { en: "is required for a new {kind}", fa: "برای {kind} تازه الزامی است" },
  { en: "there is no anchor &{name}", fa: "لنگر &{name} وجود ندارد" },
  { en: "there is no block list {name}", fa: "فهرست مسدود {name} وجود ندارد" },
  {
    en: "create it with hodhod block-list import",
    fa: "آن را با hodhod block-list import بسازید",
  },
  { en: "there is no {kind} {name}", fa: "{kind} {name} وجود ندارد" },
  { en: "is used by {count} ported numbers", fa: "{count} شمارهٔ ترابردشده آن را به کار می‌برند" },
  { en: "is used by {uses}, and more", fa: "در این‌ها و موارد دیگری به کار رفته است: {uses}" },
  { en: "is used by {uses}", fa: "در این‌ها به کار رفته است: {uses}" },
  { en: "is needed again, because {keys}", fa: "باید دوباره داده شود، چون این‌ها تغییر می‌کنند: {keys}" },
  { en: "this would leave no administrator who can sign in", fa: "با این کار هیچ مدیری نمی‌ماند که بتواند وارد شود" },
  {
    en: "the account's balance is negative, so its credit cannot be limited now",
    fa: "ماندهٔ حساب منفی است و اعتبارش را اکنون نمی‌توان محدود کرد",
  },
  {
    en: "{username} is also a user of account {accounts} in the domain {domain}",
    fa: "{username} کاربر حساب {accounts} در دامنهٔ {domain} هم هست",
  },
  { en: "is the key of another account", fa: "کلید حساب دیگری است" },
  { en: "is the same as another key of the account", fa: "با کلید دیگری از همین حساب یکی است" },
  {
    en: "{braces} is not a placeholder and will be sent unchanged",
    fa: "{braces} جای خالی الگو نیست و همان‌طور فرستاده می‌شود",
  },
  {
    en: "{sender} is not a line of account {account}: sending will be refused with 1053",
    fa: "{sender} از خط‌های حساب {account} نیست: ارسال با خطای ۱۰۵۳ رد می‌شود",
  },
  { en: "replaces the password that {username} has now", fa: "جای گذرواژهٔ کنونی {username} را می‌گیرد" },
  {
    en: "is the opening credit and is not booked again: the account was created {was}, and its balance stays as it is",
    fa: "اعتبار آغازین است و دوباره ثبت نمی‌شود: حساب پیش‌تر ساخته شده است و مانده‌اش تغییر نمی‌کند",
  },
  { en: "the variable {name} cannot be used here", fa: "متغیر {name} را اینجا نمی‌توان به کار برد" },
  { en: "the variable {name} is unset or empty", fa: "متغیر {name} مقدار ندارد" },
  { en: "cannot be used here", fa: "اینجا قابل استفاده نیست" },
  { en: "must be the name of a file", fa: "باید نام یک فایل باشد" },
  { en: "cannot be combined with password", fa: "هم‌زمان با password به کار نمی‌رود" },
  { en: "{file} cannot be read", fa: "{file} قابل خواندن نیست" },
  { en: "{file} is empty", fa: "{file} خالی است" },
  { en: "has more than {most} aliases", fa: "بیش از {most} ارجاع دارد" },
  { en: "nests deeper than {most} levels", fa: "بیش از {most} سطح تودرتو دارد" },
  {
    en: "the aliases of this file expand to more than {most} values",
    fa: "ارجاع‌های این فایل به بیش از {most} مقدار باز می‌شوند",
  },
  { en: "a key must be plain text", fa: "کلید باید متن ساده باشد" },
  { en: "Map keys must be unique", fa: "هیچ کلیدی نباید تکرار شود" },
  { en: "the alias *{name} contains itself", fa: "ارجاع *{name} خودش را در بر دارد" },
  // Hints.
  { en: "did you mean {word}?", fa: "منظورتان {word} است؟" },
  { en: "change or remove what uses it first", fa: "نخست آن‌ها را تغییر دهید یا حذف کنید" },
  { en: "write it in its short form, without +98", fa: "آن را به شکل کوتاه و بدون ‎+98 بنویسید" },
  { en: "leave out the leading 0 or 98", fa: "صفر یا ۹۸ آغاز آن را ننویسید" },
  {
    en: 'add a row with operator "*", line "*" and language "*"',
    fa: "سطری برای همهٔ اپراتورها، خط‌ها و زبان‌ها بیفزایید (هر سه *)",
  },
  { en: "add credit with hodhod credit, then apply again", fa: "نخست اعتبار را افزایش دهید و سپس دوباره اعمال کنید" },
  { en: "use hodhod credit {name} AMOUNT --ref ID", fa: "دستور: ‎hodhod credit {name} AMOUNT --ref ID" },
  { en: "a name has letters, digits, _ and -", fa: "نام از حرف، رقم، _ و - تشکیل می‌شود" },
  {
    en: "leave password out where people change their own",
    fa: "اگر کاربران گذرواژهٔ خود را در کنسول تغییر می‌دهند، password را ننویسید",
  },
  { en: "create one with: openssl rand -hex 32", fa: "آن را با این دستور بسازید: ‎openssl rand -hex 32" },
  { en: "give the value", fa: "خود مقدار را بنویسید" },
  { en: "give the password", fa: "خود گذرواژه را بنویسید" },
  { en: "set it in the environment of hodhod apply", fa: "مقدار آن را در متغیرهای محیطی دستور hodhod apply بگذارید" },
  { en: "a regular file of at most 64 KiB, in UTF-8", fa: "فایلی معمولی تا ۶۴ کیلوبایت (KiB)، با کدگذاری UTF-8" },
  {
    en: "a file of certificates in PEM format, of at most 1 MiB",
    fa: "فایلی از گواهی‌ها به قالب PEM، تا ۱ مگابایت (MiB)",
  },
  // What fits much stands last.
  { en: "must be {words} or {last}", fa: "باید {words} یا {last} باشد" },
  { en: "must be {word}", fa: "باید {word} باشد" },
];

/** Kinds of objects, where a fault names one. */
const kinds: Readonly<Record<string, string>> = {
  ...{ operator: "اپراتور", connector: "اتصال", line: "خط", tariff: "تعرفه", account: "حساب", template: "الگو" },
  ...{ route: "مسیر", user: "کاربر", "member of staff": "کارمند", "API key": "کلید API" },
};

const placeholder = /\{([a-zA-Z]+)\}/;

const patterns = wordings.map(({ en, fa }) => {
  const pieces = en.split(new RegExp(placeholder, "g"));
  const names = pieces.filter((_, index) => index % 2 === 1);
  const fixed = pieces.filter((_, index) => index % 2 === 0).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return { form: new RegExp(`^${fixed.join("([^]*?)")}$`), names, fa };
});

/** Undefined where the fault is not ours, such as one of the YAML parser. */
export function persianFault(message: string): string | undefined {
  for (const { form, names, fa } of patterns) {
    const found = form.exec(message);
    if (found === null) continue;
    const values = new Map(names.map((name, index) => [name, persianValue(name, found[index + 1] ?? "")]));
    return fa.replace(new RegExp(placeholder, "g"), (mark, name: string) => values.get(name) ?? mark);
  }
  return undefined;
}

function persianValue(name: string, value: string): string {
  if (name === "kind") return kinds[value] ?? value;
  if (name === "fault") return persianFault(value) ?? value;
  if (name !== "uses") return value;
  // `route 2, tariff standard`
  const use = (text: string): string =>
    text.replace(/^(\w+) /, (start, kind: string) => (kinds[kind] === undefined ? start : `${kinds[kind]} `));
  return value.split(", ").map(use).join("، ");
}

export interface FaultWords {
  readonly message: string;
  readonly hint?: string | undefined;
  /** In the file. */
  readonly line?: number | undefined;
}

/** One fault as people read it, with its hint and its line. */
export function wordingOfFault({ message, hint, line }: FaultWords): LocalizedText {
  const en = hint === undefined ? message : `${message} (${hint})`;
  const fa = persianFault(message);
  const persian = fa === undefined ? `ایراد تنظیمات: ${message}` : fa;
  const withHint = hint === undefined ? persian : `${persian} (${persianFault(hint) ?? hint})`;
  return line === undefined ? { en, fa: withHint } : { en: `line ${line}: ${en}`, fa: `سطر ${line}: ${withHint}` };
}
