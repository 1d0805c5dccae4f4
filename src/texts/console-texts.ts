// The texts that only the console's API uses, in English and Persian. Part of the one catalogue
// (errors.ts).

export const consoleTexts = {
  "console.notSignedIn": {
    en: "You are not signed in, or the session has ended. Sign in again.",
    fa: "وارد نشده‌اید یا نشست شما به پایان رسیده است. دوباره وارد شوید.",
  },
  "console.wrongSignIn": {
    en: "Signing in failed. Check the username, the password, the organisation and the code.",
    fa: "ورود ناموفق بود. نام کاربری، رمز عبور، سازمان و کد را بررسی کنید.",
  },
  "console.endedTicket": {
    en: "This link belongs to a demo that has ended. Open the link that the running demo prints, or sign in with the password that it prints.",
    fa: "این لینک مربوط به نسخهٔ نمایشی‌ای است که دیگر اجرا نمی‌شود. لینکی را باز کنید که نسخهٔ در حال اجرا نشان می‌دهد، یا با رمز عبوری که نشان می‌دهد وارد شوید.",
  },
  "console.role": { en: "Your role does not allow this.", fa: "نقش شما اجازهٔ این کار را نمی‌دهد." },
  "console.notOurs": {
    en: "The call needs the header X-Hodhod-Console: 1 and the content type application/json, and its Origin, if there is one, must be this service. Behind a proxy, set HODHOD_TRUST_PROXY.",
    fa: "این درخواست باید هدر X-Hodhod-Console: 1 و نوع محتوای application/json داشته باشد و Origin آن، اگر هست، باید از همین سرویس باشد. پشت پراکسی، HODHOD_TRUST_PROXY را تنظیم کنید.",
  },
  "console.passwordFirst": {
    en: "Change your password first: somebody else set it.",
    fa: "ابتدا رمز عبور خود را تغییر دهید: آن را شخص دیگری تعیین کرده است.",
  },
  "console.secondFactorFirst": {
    en: "Set up a second factor first: this service requires it.",
    fa: "ابتدا ورود دومرحله‌ای را فعال کنید: این سرویس آن را الزامی کرده است.",
  },
  "console.notThere": { en: "There is no such object.", fa: "چنین موردی وجود ندارد." },
  /** Of setup-texts.ts. */
  "setup.fault": { en: "{fault}", fa: "{fault}" },
  "setup.otherName": {
    en: "{field} must be that of the path, {name}.",
    fa: "{field} باید همان {name} در مسیر باشد.",
  },
  "console.tooSlow": {
    en: "The search took too long and was ended. Narrow it, such as by account or time, and try again.",
    fa: "جست‌وجو بیش از حد طول کشید و متوقف شد. آن را محدودتر کنید، مثلاً با حساب یا بازهٔ زمانی، و دوباره تلاش کنید.",
  },
  "console.outcomeUnknown": {
    en: "The service lost the connection to its database at this moment, so it is not known whether this was done. Check before you repeat it. Error id: {errorId}",
    fa: "ارتباط سرویس با پایگاه داده در همین لحظه قطع شد. معلوم نیست این کار انجام شده است یا نه: پیش از تکرار، نتیجه را بررسی کنید. شناسهٔ خطا: {errorId}",
  },
  "console.day": { en: "{field} must be a day such as 2026-11-22.", fa: "{field} باید روزی به شکل 2026-11-22 باشد." },
  "console.reportTooLong": {
    en: "The report has more than {maximum} rows. Choose fewer days, one account, or fewer columns.",
    fa: "گزارش بیش از {maximum} ردیف دارد. روزهای کمتر، یک حساب، یا ستون‌های کمتری انتخاب کنید.",
  },
  "console.range": {
    en: "{field} must be one of the values listed in the documentation of this API.",
    fa: "{field} باید یکی از مقدارهایی باشد که در مستندات این API آمده است.",
  },
  "console.time": {
    en: "{field} must be a time such as 2026-11-22T10:30:00Z or 2026-11-22.",
    fa: "{field} باید زمانی به شکل 2026-11-22T10:30:00Z یا 2026-11-22 باشد.",
  },
  "console.searchWords": {
    en: "{field} must have 1 to {longest} characters.",
    fa: "{field} باید از ۱ تا {longest} کاراکتر داشته باشد.",
  },
  "console.fileUnderWay": {
    en: "Two files for you, or many for others, are still being prepared. Wait until that is complete, then try again.",
    fa: "دو فایل برای شما، یا فایل‌های بسیاری برای دیگران، در حال آماده‌شدن است. پس از پایان آن دوباره تلاش کنید.",
  },
  "console.nullCharacter": {
    en: "{field} must not contain the character U+0000.",
    fa: "{field} نباید کاراکتر U+0000 داشته باشد.",
  },
  "console.number": { en: "{field} must be a mobile number.", fa: "{field} باید شمارهٔ همراه باشد." },
  "console.noLine": { en: "No line is named.", fa: "خطی انتخاب نشده است." },
  "console.notLine": { en: "This is not the number of a line.", fa: "این شمارهٔ خط نیست." },
  "console.noRecipient": { en: "The number is missing.", fa: "شماره خالی است." },
  "console.notMobile": {
    en: "This is not a mobile number, such as 09121234567.",
    fa: "شمارهٔ همراه درست نیست؛ نمونهٔ درست: 09121234567.",
  },
  "console.noText": { en: "There is no text.", fa: "متن خالی است." },
  "console.noValue": { en: "There is no value for {names}.", fa: "مقدار {names} خالی است." },
  "console.tooManyParts": {
    en: "The text takes {parts} parts; {maximum} are allowed.",
    fa: "متن {parts} صفحه می‌شود؛ حداکثر {maximum} صفحه مجاز است.",
  },
  "console.sendAtForm": {
    en: "{field} must be a time such as 2026-11-22T10:30:00+03:30.",
    fa: "{field} باید زمانی به شکل 2026-11-22T10:30:00+03:30 باشد.",
  },
  "console.sendAtNotLater": {
    en: "{field} must be later than the current time.",
    fa: "{field} باید پس از زمان کنونی باشد.",
  },
  "console.sendAtTooFar": {
    en: "{field} may be at most {days} days ahead.",
    fa: "{field} می‌تواند حداکثر {days} روز پس از زمان کنونی باشد.",
  },
  "console.notObject": { en: "{field} must have objects.", fa: "هر مقدار {field} باید یک شیء باشد." },
  "console.notList": { en: "{field} must be a list.", fa: "{field} باید فهرست باشد." },
  "campaign.state": {
    en: "The campaign is {state}, so this cannot be done.",
    fa: "کمپین در وضعیت {state} است و این کار ممکن نیست.",
  },
  "campaign.tooManyDrafts": {
    en: "The account has {maximum} drafts, or {rows} rows in its campaigns that were not sent. Start or discard a draft, or let a campaign end first.",
    fa: "این حساب {maximum} پیش‌نویس یا {rows} ردیف ارسال‌نشده در کمپین‌هایش دارد. ابتدا پیش‌نویسی را شروع یا حذف کنید، یا صبر کنید تا کمپینی به پایان برسد.",
  },
  "campaign.name": {
    en: "{field} must be one line of 1 to {maximum} characters, without invisible ones.",
    fa: "{field} باید یک سطر با ۱ تا {maximum} کاراکتر و بدون کاراکتر نامرئی باشد.",
  },
  "campaign.columns": {
    en: "columns must be up to {maximum} names of letters, digits, _ and -, all different.",
    fa: "columns باید حداکثر {maximum} نام از حرف، رقم، _ و - باشد و هیچ دو نامی یکسان نباشند.",
  },
  "campaign.rows": {
    en: "rows must be 1 to {maximum} lists: the number of the recipient, then a text for each column.",
    fa: "rows باید ۱ تا {maximum} فهرست باشد: شمارهٔ گیرنده، سپس یک متن برای هر ستون.",
  },
  "campaign.rowText": {
    en: "Row {row} has a character that no message can carry (U+0000 or half of a surrogate pair).",
    fa: "ردیف {row} کاراکتری دارد که نمی‌توان آن را در پیامک فرستاد (U+0000 یا نیمهٔ تنهای یک جفت جانشین).",
  },
  "campaign.first": {
    en: "first must be {expected}: rows are uploaded in order.",
    fa: "first باید {expected} باشد: ردیف‌ها به‌ترتیب بارگذاری می‌شوند.",
  },
  "campaign.tooManyRows": {
    en: "A campaign has at most {maximum} rows.",
    fa: "هر کمپین حداکثر {maximum} ردیف دارد.",
  },
  "campaign.nothingToSend": {
    en: "No row of the campaign can be sent.",
    fa: "هیچ ردیفی از این کمپین قابل ارسال نیست.",
  },
  "console.textOrTemplate": {
    en: "Give either content or templateId.",
    fa: "یکی از دو پارامتر content یا templateId را بدهید.",
  },
  "console.sendPermission": {
    en: "The account has no permission for this ({permission}). Ask the operator of the service for it.",
    fa: "این حساب اجازهٔ این کار ({permission}) را ندارد. آن را از پشتیبانی سامانه بخواهید.",
  },
  "console.wrongPassword": { en: "The current password is wrong.", fa: "رمز عبور فعلی نادرست است." },
  "console.newPassword": {
    en: "A password must have {shortest} to {longest} characters.",
    fa: "رمز عبور باید {shortest} تا {longest} کاراکتر داشته باشد.",
  },
  "console.weakPassword": {
    en: "This password is easy to guess. Choose one that is not a common password, one character repeated, or the username with a few characters more.",
    fa: "این رمز عبور ساده است. رمزی انتخاب کنید که رایج، تکرار یک کاراکتر، یا نام کاربری با چند کاراکتر اضافه نباشد.",
  },
  "console.samePassword": {
    en: "The new password must differ from the current one.",
    fa: "رمز عبور جدید باید با رمز عبور کنونی متفاوت باشد.",
  },
  "console.wrongCode": {
    en: "The code is wrong, or it was used before. Wait for the next one.",
    fa: "کد نادرست است یا پیش‌تر به کار رفته است. منتظر کد بعدی بمانید.",
  },
  "console.choice": { en: "{field} must be one of: {words}.", fa: "{field} باید یکی از این‌ها باشد: {words}." },
  "console.list": {
    en: "{field} must be a list of at most {most} values.",
    fa: "{field} باید فهرستی از حداکثر {most} مقدار باشد.",
  },
  "console.rials": {
    en: "{field} must be a whole number of rials other than 0.",
    fa: "{field} باید عددی صحیح به ریال و غیر از صفر باشد.",
  },
  "console.reference": {
    en: "{field} must be a text of 1 to 200 characters, such as the number of an invoice.",
    fa: "{field} باید متنی از ۱ تا ۲۰۰ کاراکتر باشد، مثلاً شمارهٔ فاکتور.",
  },
  "console.referenceUsed": {
    en: "{reference} was already booked with another amount: {amount} rials. Nothing was changed; use a new reference for a new booking.",
    fa: "{reference} پیش‌تر با مبلغ دیگری ثبت شده است: {amount} ریال. چیزی تغییر نکرد؛ برای ثبت جدید مرجع جدیدی بدهید.",
  },
  "console.name": {
    en: "{field} must be a text of 1 to 100 characters, without blanks at its ends and without control characters.",
    fa: "{field} باید متنی از ۱ تا ۱۰۰ کاراکتر باشد، بدون فاصله در دو سر و بدون کاراکتر کنترلی.",
  },
  "console.staffName": {
    en: "{field} must have 1 to 64 Latin letters, digits, dots, hyphens, underscores or @, and begin with a letter or digit.",
    fa: "{field} باید ۱ تا ۶۴ کاراکتر از حروف لاتین، رقم، نقطه، خط تیره، زیرخط یا @ داشته باشد و با حرف یا رقم آغاز شود.",
  },
  "console.usernameTaken": {
    en: "This name is taken. Users of all accounts of one domain need different names.",
    fa: "این نام کاربری متعلق به کاربر دیگری است. کاربران همهٔ حساب‌های یک دامنه باید نام‌های متفاوت داشته باشند.",
  },
  "console.tooManyUsers": {
    en: "An account has at most 1,000 users. Remove those that are no longer needed.",
    fa: "هر حساب حداکثر ۱۰۰۰ کاربر دارد. کاربرانی را که دیگر لازم نیستند حذف کنید.",
  },
  "console.yourself": {
    en: "You cannot change your own user here. Change your password and second factor in your profile, and ask somebody else for the rest.",
    fa: "در اینجا نمی‌توانید کاربری خودتان را تغییر دهید. رمز عبور و ورود دومرحله‌ای را در «حساب کاربری من» تغییر دهید و بقیه را از شخص دیگری بخواهید.",
  },
  "console.lastAdministrator": {
    en: "This would leave no administrator who can sign in. Make somebody else an administrator first.",
    fa: "با این کار هیچ مدیری نمی‌ماند که بتواند وارد شود. ابتدا شخص دیگری را مدیر کنید.",
  },
  "console.tooManyKeys": {
    en: "An account has at most 100 API keys. Remove those that are no longer needed.",
    fa: "هر حساب حداکثر ۱۰۰ کلید API دارد. کلیدهایی را که دیگر لازم نیستند حذف کنید.",
  },
  "console.keyRetired": {
    en: "This key was already replaced and will expire by itself. Rotate the newer key.",
    fa: "این کلید پیش‌تر جایگزین شده است و خودبه‌خود از کار می‌افتد. کلید جدیدتر را جایگزین کنید.",
  },
  "console.keyExpired": {
    en: "This key has expired, and the new one would have the same end. Give it a later last day first.",
    fa: "این کلید منقضی شده است و کلید جدید هم همان انقضا را خواهد داشت. ابتدا آخرین روز آن را عقب‌تر ببرید.",
  },
  "console.future": {
    en: "{field} must be a time in the future, such as 2027-03-21T00:00:00+03:30.",
    fa: "{field} باید زمانی در آینده باشد، مانند 2027-03-21T00:00:00+03:30.",
  },
  "console.address": {
    en: "{value} is neither an IP address nor a CIDR block such as 10.0.0.0/8.",
    fa: "{value} نه نشانی IP است و نه محدوده‌ای مانند 10.0.0.0/8.",
  },
  "console.recipient": { en: "{value} is not a mobile number.", fa: "{value} شمارهٔ همراه نیست." },
  "template.notYours": {
    en: "Staff approve templates. Leave {field} out.",
    fa: "{field} را نفرستید: الگوها را کارکنان تأیید می‌کنند.",
  },
  "template.replaced": {
    en: "An approved template cannot be changed. Request a new one, and remove this one when your programs use the new one.",
    fa: "الگوی تأییدشده را نمی‌توان ویرایش کرد. الگوی جدیدی بخواهید و وقتی برنامه‌هایتان آن را به کار بردند، این یکی را حذف کنید.",
  },
  "template.tooMany": {
    en: "An account has at most {most} templates that are not approved. Remove those that are no longer needed.",
    fa: "هر حساب حداکثر {most} الگوی تأییدنشده دارد. الگوهایی را که دیگر لازم نیستند حذف کنید.",
  },
  "template.reason": {
    en: "{field} must say in 1 to 500 characters why the template is refused.",
    fa: "{field} باید دلیل رد الگو را در ۱ تا ۵۰۰ کاراکتر بیان کند.",
  },
  "optOut.foreign": {
    en: "Your account did not add this entry: the person or the service did. Ask the operator of the service.",
    fa: "این مورد را حساب شما ثبت نکرده است؛ خود شخص یا سرویس آن را ثبت کرده است. برای تغییر آن از پشتیبانی سامانه کمک بخواهید.",
  },
  "review.choice": {
    en: "Give exactly one of sentMessageIds, batchId and rule.",
    fa: "دقیقاً یکی از sentMessageIds، batchId و rule را بدهید.",
  },
  "console.creditTooLow": {
    en: "The credit is only {balance} rials, and it never goes below zero. Nothing was changed.",
    fa: "اعتبار فقط {balance} ریال است و هرگز منفی نمی‌شود. چیزی تغییر نکرد.",
  },
  "console.unknownAccount": { en: "There is no account of this name.", fa: "حسابی با این نام وجود ندارد." },
  "console.unknownLine": { en: "The service has no line {line}.", fa: "سرویس خطی با شمارهٔ {line} ندارد." },
  "console.otherConnector": {
    en: "The routes send this number through {connector}, not through {wanted}. Use a number of another operator or another line, or change the routes.",
    fa: "مسیرها پیامک به این شماره را از {connector} می‌فرستند، نه از {wanted}. شماره‌ای از اپراتور دیگر یا خط دیگری وارد کنید، یا مسیرها را تغییر دهید.",
  },
  "console.noConnectorNow": {
    en: "No connector of the route accepts messages at the moment, so the test would only wait. Test the bind of {wanted} first.",
    fa: "هیچ اتصالی از این مسیر اکنون پیامک نمی‌پذیرد و پیامک آزمایشی فقط منتظر می‌ماند. ابتدا بایند {wanted} را آزمایش کنید.",
  },
  "console.connectorFault": { en: "{field} {fault}.", fa: "{field} {fault}." },
  "console.passwordAgain": {
    en: "host, port or tls differs from what is stored, so the password must be entered again.",
    fa: "host، port یا tls با مقدار ذخیره‌شده فرق دارد؛ بنابراین رمز عبور باید دوباره وارد شود.",
  },
  "bindTest.passed.connect": { en: "Connected to {host}:{port}.", fa: "اتصال به {host}:{port} برقرار شد." },
  "bindTest.passed.bind": {
    en: "The SMSC accepted the bind of {systemId} as {session}.",
    fa: "SMSC بایند {systemId} به‌صورت {session} را پذیرفت.",
  },
  "bindTest.passed.enquire_link": { en: "The SMSC responds on the link.", fa: "SMSC روی این اتصال پاسخ می‌دهد." },
  "bindTest.passed.unbind": { en: "The bind was closed properly.", fa: "بایند به‌درستی پایان یافت." },
  "bindTest.failed.timeout": {
    en: "No response came in time. Check host and port, and whether the operator allows this address.",
    fa: "پاسخی در مهلت مقرر نرسید. host و port را بررسی کنید و مطمئن شوید اپراتور این نشانی را مجاز کرده است.",
  },
  "bindTest.failed.closed": {
    en: "The SMSC closed the connection. Usually it does not allow this address, it expects TLS, or this is not an SMPP port.",
    fa: "SMSC اتصال را بست. معمولاً این نشانی نزد اپراتور مجاز نیست، SMSC انتظار TLS دارد یا این پورت SMPP نیست.",
  },
  "bindTest.failed.nameUnknown": {
    en: "The name {host} is unknown to DNS ({detail}). Check its spelling.",
    fa: "نام {host} در DNS پیدا نشد ({detail}). املای آن را بررسی کنید.",
  },
  "bindTest.failed.nothingListens": {
    en: "Nothing listens at {host}:{port} ({detail}). Check the port.",
    fa: "در {host}:{port} سرویسی فعال نیست ({detail}). port را بررسی کنید.",
  },
  "bindTest.failed.unreachable": {
    en: "{host} cannot be reached ({detail}). Check the address, the VPN and the firewall.",
    fa: "{host} در دسترس نیست ({detail}). نشانی، VPN و دیوار آتش را بررسی کنید.",
  },
  "bindTest.failed.certificate": {
    en: "The certificate of {host} is not trusted ({detail}). Set the operator's certificate authority in tls.",
    fa: "گواهی {host} قابل اعتماد نیست ({detail}). گواهی مرجع صدور اپراتور را در tls وارد کنید.",
  },
  "bindTest.failed.clientCertificate": {
    en: "{host}:{port} asks for a client certificate ({detail}), and does not accept that of this connector, or it has none. Set the certificate and its key in tls.",
    fa: "{host}:{port} گواهی کلاینت می‌خواهد ({detail})؛ این اتصال گواهی ندارد یا گواهی آن پذیرفته نشد. گواهی و کلید خصوصی آن را در tls وارد کنید.",
  },
  "bindTest.failed.notTls": {
    en: "{host}:{port} does not speak TLS as expected ({detail}). Check the port, or switch tls off.",
    fa: "{host}:{port} آن‌طور که انتظار می‌رود TLS ندارد ({detail}). port را بررسی کنید یا tls را غیرفعال کنید.",
  },
  "bindTest.failed.wrongPassword": {
    en: "The SMSC does not accept the password of {systemId} ({detail}).",
    fa: "SMSC رمز عبور {systemId} را نپذیرفت ({detail}).",
  },
  "bindTest.failed.wrongSystemId": {
    en: "The SMSC does not know the systemId {systemId} ({detail}).",
    fa: "SMSC شناسهٔ {systemId} را نمی‌شناسد ({detail}).",
  },
  "bindTest.failed.noSystemType": {
    en: "The SMSC does not accept a bind without systemType ({detail}). Set it as the operator says.",
    fa: "SMSC بایند بدون systemType را نپذیرفت ({detail}). آن را طبق اعلام اپراتور تنظیم کنید.",
  },
  "bindTest.failed.wrongSystemType": {
    en: "The SMSC does not accept the systemType '{systemType}' ({detail}). Set it as the operator says.",
    fa: "SMSC مقدار «{systemType}» را برای systemType نپذیرفت ({detail}). آن را طبق اعلام اپراتور تنظیم کنید.",
  },
  "bindTest.failed.alreadyBound": {
    en: "The SMSC allows no more binds of {systemId} ({detail}). The settings may be right: the test needs one bind more than the connector has.",
    fa: "SMSC بایند بیشتری برای {systemId} نمی‌پذیرد ({detail}). شاید تنظیمات درست باشد: آزمایش به یک بایند بیشتر از بایندهای اتصال نیاز دارد.",
  },
  "bindTest.failed.refused": {
    en: "The SMSC refused with {detail}. The operator can say why.",
    fa: "SMSC درخواست بایند را با {detail} نپذیرفت. علت را از اپراتور بپرسید.",
  },
  "bindTest.failed.other": { en: "The test failed: {detail}.", fa: "آزمایش ناموفق بود: {detail}." },
} as const;
