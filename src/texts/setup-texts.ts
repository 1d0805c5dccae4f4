// What can be wrong with a setup, in English and Persian. Each follows the name of the key that is
// wrong. Part of the one catalogue (errors.ts).
import type { LocalizedText } from "./localize.ts";

export const setupTexts = {
  // Forms of values.
  missing: { en: "is missing", fa: "الزامی است" },
  requiredForNew: { en: "is required for a new {kind}", fa: "برای {kind} جدید الزامی است" },
  unknownKey: { en: "{key} is an unknown key", fa: "کلید {key} ناشناخته است" },
  list: { en: "must be a list", fa: "باید فهرست باشد" },
  object: { en: "must be an object with keys", fa: "باید شیئی با کلید و مقدار باشد" },
  text: { en: "must be a text", fa: "باید متن باشد و خالی نباشد" },
  blank: { en: "must be a text that is not blank", fa: "باید متن باشد و خالی نباشد" },
  empty: { en: "must not be empty", fa: "نباید خالی باشد" },
  ascii: { en: "must be text in ASCII letters", fa: "باید متنی با کاراکترهای ASCII باشد" },
  tooLong: { en: "must not be longer than {most} characters", fa: "نباید بیش از {most} کاراکتر باشد" },
  tooShort: { en: "must have at least {least} characters", fa: "باید دست‌کم {least} کاراکتر داشته باشد" },
  lengthBetween: { en: "must have {least} to {most} characters", fa: "باید {least} تا {most} کاراکتر داشته باشد" },
  tooMany: { en: "must have at most {most} entries", fa: "باید حداکثر {most} مورد داشته باشد" },
  oneLine: {
    en: "must not begin or end with a blank, and not contain control characters",
    fa: "نباید با فاصله آغاز یا تمام شود و نباید کاراکتر کنترلی داشته باشد",
  },
  filled: { en: "must not be empty", fa: "نباید خالی باشد" },
  notAllOperators: {
    en: "must be a name; * stands for all operators",
    fa: "باید نام باشد؛ * به معنی همهٔ اپراتورهاست",
  },
  yesOrNo: { en: "must be true or false", fa: "باید true یا false باشد" },
  choice: { en: "must be one of {words}", fa: "باید یکی از این‌ها باشد: {words}" },
  whole: { en: "must be a whole number from {from} to {to}", fa: "باید عددی صحیح از {from} تا {to} باشد" },
  wholeOrAuto: {
    en: "must be a whole number from {from} to {to}, or auto",
    fa: "باید عددی صحیح از {from} تا {to} یا auto باشد",
  },
  number: { en: "must be a number from {from} to {to}", fa: "باید عددی از {from} تا {to} باشد" },
  rials: { en: "must be a whole number of rials from 0 to {to}", fa: "باید مبلغی صحیح به ریال از 0 تا {to} باشد" },
  rialsOrUnlimited: {
    en: "must be a whole number of rials from 0 to {to}, or unlimited",
    fa: "باید مبلغی صحیح به ریال از 0 تا {to} یا unlimited باشد",
  },
  instant: {
    en: "must be a time with its offset from UTC, such as 2026-12-31T23:59:59+03:30",
    fa: "باید زمانی همراه با اختلاف آن از UTC باشد، مانند 2026-12-31T23:59:59+03:30",
  },
  lineNumber: { en: "must be a line number of 4 to 14 digits", fa: "باید شمارهٔ خطی با ۴ تا ۱۴ رقم باشد" },
  lineMatch: {
    en: "must be a line number, dedicated, service, advertising or *",
    fa: "باید شمارهٔ خط، dedicated، service، advertising یا * باشد",
  },
  templateSender: {
    en: "must be a line number, service or advertising",
    fa: "باید شمارهٔ خط، service یا advertising باشد",
  },
  mobile: {
    en: "must be a mobile number, such as 989121112233",
    fa: "باید شمارهٔ همراه باشد، مانند 989121112233",
  },
  prefix: {
    en: "must be the first digits of a national mobile number, such as 912",
    fa: "باید اولین رقم‌های شمارهٔ همراه بدون صفر باشد، مانند 912",
  },
  timeZone: {
    en: "must be the name of a time zone, such as Asia/Tehran",
    fa: "باید نام یک منطقهٔ زمانی باشد، مانند Asia/Tehran",
  },
  timeOfDay: { en: "must be a time of day, such as {example}", fa: "باید ساعتی از روز باشد، مانند {example}" },
  date: {
    en: "must be a date, such as 1406-01-01 or 2027-03-21",
    fa: "باید تاریخ باشد، مانند 1406-01-01 یا 2027-03-21",
  },
  word: { en: "must be a word with letters or digits", fa: "باید کلمه‌ای با حرف یا رقم باشد" },
  domain: {
    en: "must be the name of a domain, such as example.com",
    fa: "باید نام دامنه باشد، مانند example.com",
  },
  addressBlock: {
    en: "must be an address or a CIDR block, such as 10.0.0.0/8 or 2001:db8::/32",
    fa: "باید نشانی IP یا محدودهٔ CIDR باشد، مانند 10.0.0.0/8 یا 2001:db8::/32",
  },
  keyCharacters: {
    en: "must consist of ASCII letters, digits and signs, without blanks",
    fa: "باید از حروف، رقم‌ها و نشانه‌های ASCII تشکیل شود و فاصله نداشته باشد",
  },
  staffName: {
    en: "must have 1 to 64 ASCII letters, digits and . _ @ -, and begin with a letter or digit",
    fa: "باید ۱ تا ۶۴ حرف لاتین، رقم و . _ @ - داشته باشد و با حرف یا رقم آغاز شود",
  },
  templateId: {
    en: "must have 1 to 64 letters and digits, such as TydSt1skQE",
    fa: "باید ۱ تا ۶۴ حرف و رقم داشته باشد، مانند TydSt1skQE",
  },
  weakPassword: {
    en: "must not be a common password, one character repeated, or the username with a few characters more",
    fa: "نباید رمز عبوری رایج، تکرار یک کاراکتر، یا نام کاربری با چند کاراکتر بیشتر باشد",
  },
  unsendable: { en: "contains a character that cannot be sent", fa: "کاراکتری دارد که قابل ارسال نیست" },
  // Lists, and keys that go together.
  repeated: { en: "{name} is listed twice", fa: "{name} دو بار آمده است" },
  prefixTaken: { en: "{prefix} already belongs to {owner}", fa: "{prefix} متعلق به {owner} است" },
  priceTwice: {
    en: "has the same operator, line and language as an earlier row",
    fa: "همان اپراتور، خط و زبانی را دارد که سطری پیش از آن دارد",
  },
  priceGap: { en: "leaves some messages without a price", fa: "برای بعضی پیامک‌ها نرخی تعیین نمی‌کند" },
  onlyListed: { en: "has an effect only with links: listed", fa: "فقط همراه links: listed معنی دارد" },
  onlyWithReply: { en: "has an effect only with a reply", fa: "فقط همراه reply معنی دارد" },
  oneMatch: {
    en: "must have exactly one of words, prefix and any",
    fa: "باید دقیقاً یکی از words، prefix و any را داشته باشد",
  },
  onlyTrue: { en: "must be true", fa: "باید true باشد" },
  notWithApproved: { en: "cannot be combined with approved: true", fa: "هم‌زمان با approved: true ممکن نیست" },
  stopAndResume: {
    en: "{word} is both a stop word and a resume word",
    fa: "{word} هم کلمهٔ لغو است و هم کلمهٔ بازگشت",
  },
  eventsTooLong: {
    en: "events are kept for {events} days, but messages for {messages}",
    fa: "رویدادها {events} روز نگه داشته می‌شوند، اما پیامک‌ها {messages} روز",
  },
  // Endpoints of webhooks.
  endpointName: {
    en: "must be a text of 1 to 100 characters, without blanks at its ends and control characters",
    fa: "باید متنی با ۱ تا ۱۰۰ کاراکتر باشد، بدون فاصله در دو سر و بدون کاراکتر کنترلی",
  },
  eventPattern: {
    en: "must be a type such as message.delivered, a beginning such as message.*, or *",
    fa: "باید نوعی مانند message.delivered، آغازی مانند message.* یا * باشد",
  },
  endpointSecret: {
    en: "must be whsec_ and base64 of 24 to 64 bytes",
    fa: "باید whsec_ و base64 از ۲۴ تا ۶۴ بایت باشد",
  },
  "url.form": { en: "must be a URL", fa: "باید یک نشانی URL باشد" },
  "url.length": { en: "must not be longer than 2048 characters", fa: "نباید بیش از ۲۰۴۸ کاراکتر باشد" },
  "url.scheme": {
    en: "must begin with https:// (or http://, for addresses that HODHOD_WEBHOOK_ALLOW names)",
    fa: "باید با https:// آغاز شود (یا http://، برای نشانی‌هایی که HODHOD_WEBHOOK_ALLOW نام می‌برد)",
  },
  "url.credentials": {
    en: "must not contain a user name or password",
    fa: "نباید نام کاربری یا رمز عبور داشته باشد",
  },
  "url.fragment": { en: "must not contain a fragment (#)", fa: "نباید بخش پس از # داشته باشد" },
  "url.address": {
    en: "must lead to an address of the public internet",
    fa: "باید به نشانی‌ای در اینترنت عمومی اشاره کند",
  },
  // Connectors.
  ipAddress: { en: "must be an IP address", fa: "باید یک نشانی IP باشد" },
  host: {
    en: "must be a host name or an address, without scheme and port",
    fa: "باید نام یا نشانی میزبان باشد، بدون پروتکل و پورت",
  },
  tls: {
    en: "must be false or { ca: FILE, cert: FILE, key: FILE, verify: true, minVersion: 1.2 }",
    fa: "باید false یا { ca: FILE, cert: FILE, key: FILE, verify: true, minVersion: 1.2 } باشد",
  },
  tlsVersion: {
    en: "must have one of {words} as minVersion",
    fa: "باید یکی از این‌ها را به‌عنوان minVersion داشته باشد: {words}",
  },
  noKeyFile: {
    en: "{file} cannot be read or contains no private key",
    fa: "{file} قابل خواندن نیست یا کلید خصوصی ندارد",
  },
  noPrivateKey: {
    en: "must contain a private key in PEM format without a passphrase",
    fa: "باید کلید خصوصی به قالب PEM و بدون رمز عبور داشته باشد",
  },
  foreignPrivateKey: {
    en: "is not the private key of the certificate",
    fa: "کلید خصوصی این گواهی نیست",
  },
  hex: {
    en: "must be pairs of hexadecimal digits, such as 01ff",
    fa: "باید رقم‌های شانزده‌شانزدهی دوتایی باشد، مانند 01ff",
  },
  tlvTag: {
    en: "must be a tag from 0x0001 to 0xffff, such as 0x1400",
    fa: "باید برچسبی از 0x0001 تا 0xffff باشد، مانند 0x1400",
  },
  oneTlvValue: {
    en: "must have exactly one of text, hex and number",
    fa: "باید دقیقاً یکی از text، hex و number را داشته باشد",
  },
  ownTag: {
    en: "is a tag that the gateway sets itself",
    fa: "برچسبی است که خود سامانه آن را می‌نویسد",
  },
  tlvLength: {
    en: "has a value of another length than the standard allows for this tag",
    fa: "مقداری دارد که طول آن برای این برچسب در استاندارد مجاز نیست",
  },
  notRefusing: {
    en: "must name codes that refuse, such as ESME_RTHROTTLED or 0x405, not {given}",
    fa: "باید کدهایی باشد که پیامک را رد می‌کنند، مانند ESME_RTHROTTLED یا 0x405، نه {given}",
  },
  notPem: {
    en: "must be the text of certificates in PEM format, not the name of a file",
    fa: "باید متن گواهی‌ها به قالب PEM باشد، نه نام فایل",
  },
  noCertificate: { en: "must contain a certificate in PEM format", fa: "باید دست‌کم یک گواهی به قالب PEM داشته باشد" },
  badCertificate: {
    en: "certificate {number} of it is not a certificate of X.509",
    fa: "گواهی شمارهٔ {number} آن گواهی X.509 معتبری نیست",
  },
  noCertificateFile: {
    en: "{file} cannot be read or contains no certificate",
    fa: "{file} قابل خواندن نیست یا گواهی ندارد",
  },
  passwordAgain: {
    en: "is needed again, because this changes: {keys}",
    fa: "باید دوباره داده شود، چون این‌ها تغییر می‌کنند: {keys}",
  },
  // What a setup refers to, and what refers to it.
  notThere: { en: "there is no {kind} {name}", fa: "{kind} {name} وجود ندارد" },
  used: { en: "is used by {uses}", fa: "در این‌ها به کار رفته است: {uses}" },
  usedByMore: { en: "is used by {uses}, and more", fa: "در این‌ها و موارد دیگری به کار رفته است: {uses}" },
  usedByPorted: { en: "is used by {count} ported numbers", fa: "{count} شمارهٔ ترابردشده آن را به کار می‌برند" },
  replyLine: {
    en: "replies are sent from {line}, which is not a line of account {account}",
    fa: "پاسخ از خط {line} ارسال می‌شود که از خطوط حساب {account} نیست",
  },
  lastAdministrator: {
    en: "this would leave no administrator who can sign in",
    fa: "با این کار هیچ مدیری نمی‌ماند که بتواند وارد شود",
  },
  negativeBalance: {
    en: "the account's balance is negative, so its credit cannot be limited now",
    fa: "ماندهٔ حساب منفی است و اعتبارش را اکنون نمی‌توان محدود کرد",
  },
  sharedLogin: {
    en: "{username} is also a user of account {accounts} in the domain {domain}",
    fa: "{username} کاربر حساب {accounts} در دامنهٔ {domain} هم هست",
  },
  exampleKey: { en: "is the example of the documentation", fa: "همان نمونهٔ مستندات است" },
  foreignKey: { en: "is the key of another account", fa: "کلید حساب دیگری است" },
  sameKey: { en: "is the same as another key of the account", fa: "با کلید دیگری از همین حساب یکی است" },
  // Warnings.
  literalBraces: {
    en: "{braces} is not a placeholder and will be sent unchanged",
    fa: "{braces} جای خالی الگو نیست و همان‌طور ارسال می‌شود",
  },
  foreignSender: {
    en: "{sender} is not a line of account {account}: sending will be refused with 1053",
    fa: "{sender} از خطوط حساب {account} نیست: ارسال با خطای ۱۰۵۳ رد می‌شود",
  },
  creditBooked: {
    en: "is the opening credit and is not booked again: the account was created with {opening} rials, and its balance stays as it is",
    fa: "اعتبار آغازین است و دوباره ثبت نمی‌شود: حساب با {opening} ریال ساخته شده است و مانده‌اش تغییر نمی‌کند",
  },
  // Files and variables.
  noVariableHere: { en: "the variable {name} cannot be used here", fa: "متغیر {name} را اینجا نمی‌توان به کار برد" },
  variableUnset: { en: "the variable {name} is unset or empty", fa: "متغیر {name} مقدار ندارد" },
  noFileHere: { en: "cannot be used here", fa: "اینجا قابل استفاده نیست" },
  fileName: { en: "must be the name of a file", fa: "باید نام یک فایل باشد" },
  notWithPassword: { en: "cannot be combined with password", fa: "هم‌زمان با password به کار نمی‌رود" },
  unreadableFile: { en: "{file} cannot be read", fa: "{file} قابل خواندن نیست" },
  emptyFile: { en: "{file} is empty", fa: "{file} خالی است" },
  // The text of the file.
  yaml: { en: "{message}", fa: "ایراد YAML: {message}" },
  plainKey: { en: "a key must be plain text", fa: "کلید باید متن ساده باشد" },
  keyTwice: { en: "Map keys must be unique", fa: "هیچ کلیدی نباید تکرار شود" },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** What helps with a fault. */
export const setupHints = {
  didYouMean: { en: "did you mean {word}?", fa: "منظورتان {word} است؟" },
  wordsOrLinks: { en: "give words, links or both", fa: "words یا links یا هر دو را بنویسید" },
  nameDomains: {
    en: "with links: listed, name the domains that are allowed",
    fa: "با links: listed، دامنه‌های مجاز را نام ببرید",
  },
  changeUses: { en: "change or remove what uses it first", fa: "ابتدا آن‌ها را تغییر دهید یا حذف کنید" },
  shortForm: {
    en: "write it in its short form, without +98",
    fa: "آن را به شکل کوتاه و بدون ‎+98 بنویسید",
  },
  noLeadingZero: { en: "leave out the leading 0 or 98", fa: "صفر یا ۹۸ آغاز آن را ننویسید" },
  priceForAll: {
    en: "add a row for all operators, all lines and all languages",
    fa: "سطری برای همهٔ اپراتورها، خطوط و زبان‌ها بیفزایید",
  },
  importBlockList: { en: "create it with hodhod block-list import", fa: "آن را با hodhod block-list import بسازید" },
  addCredit: {
    en: "add credit with hodhod credit, then apply again",
    fa: "ابتدا اعتبار را افزایش دهید و سپس دوباره اعمال کنید",
  },
  bookCredit: {
    en: "use hodhod credit {name} AMOUNT --ref ID",
    fa: "دستور: ‎hodhod credit {name} AMOUNT --ref ID",
  },
  placeholderName: { en: "a name has letters, digits, _ and -", fa: "نام از حرف، رقم، _ و - تشکیل می‌شود" },
  makeKey: {
    en: "create one with: openssl rand -hex 32",
    fa: "آن را با این دستور بسازید: ‎openssl rand -hex 32",
  },
  secretIsMade: { en: "leave it out, and one is created", fa: "آن را ننویسید تا ساخته شود" },
  giveValue: { en: "give the value", fa: "خود مقدار را بنویسید" },
  givePassword: { en: "give the password", fa: "خود رمز عبور را بنویسید" },
  setVariable: {
    en: "set it in the environment of hodhod apply",
    fa: "مقدار آن را در متغیرهای محیطی دستور hodhod apply بگذارید",
  },
  passwordFile: {
    en: "a regular file of at most 64 KiB, in UTF-8",
    fa: "فایلی معمولی تا ۶۴ کیلوبایت (KiB)، با کدگذاری UTF-8",
  },
  certificateFile: {
    en: "a file of certificates in PEM format, of at most 1 MiB",
    fa: "فایلی از گواهی‌ها به قالب PEM، تا ۱ مگابایت (MiB)",
  },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** Kinds of objects, where a fault names one. */
export const kindTexts = {
  operator: { en: "operator", fa: "اپراتور" },
  portedNumber: { en: "ported number", fa: "شمارهٔ ترابردشده" },
  connector: { en: "connector", fa: "اتصال" },
  line: { en: "line", fa: "خط" },
  tariff: { en: "tariff", fa: "تعرفه" },
  account: { en: "account", fa: "حساب" },
  template: { en: "template", fa: "الگو" },
  blockList: { en: "block list", fa: "لیست سیاه" },
  route: { en: "route", fa: "مسیر" },
  user: { en: "user", fa: "کاربر" },
  apiKey: { en: "API key", fa: "کلید API" },
  webhook: { en: "endpoint", fa: "وب‌هوک" },
  settings: { en: "settings", fa: "تنظیمات" },
  staff: { en: "member of staff", fa: "کارمند" },
} as const satisfies Readonly<Record<string, LocalizedText>>;

export type SetupTextKey = keyof typeof setupTexts;
export type SetupHintKey = keyof typeof setupHints;
export type KindOfObject = keyof typeof kindTexts;
