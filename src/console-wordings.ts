// What the API of the console says that the clients' API does not, in English and Persian. Part of the one catalogue (errors.ts).

export const consoleWordings = {
  "console.notSignedIn": {
    en: "You are not signed in, or the session has ended. Sign in again.",
    fa: "وارد نشده‌اید یا نشست شما به پایان رسیده است. دوباره وارد شوید.",
  },
  "console.wrongSignIn": {
    en: "Signing in failed. Check the username, the password, the organisation and the code.",
    fa: "ورود ناموفق بود. نام کاربری، گذرواژه، سازمان و کد را بررسی کنید.",
  },
  "console.role": { en: "Your role does not allow this.", fa: "نقش شما اجازهٔ این کار را نمی‌دهد." },
  "console.notOurs": {
    en: "The call needs the header X-Hodhod-Console: 1, the content type application/json and, where there is an Origin, that of this service. Behind a proxy, set HODHOD_TRUST_PROXY.",
    fa: "این درخواست باید سرآیند X-Hodhod-Console: 1 و نوع محتوای application/json داشته باشد و Origin آن، اگر هست، باید از همین سرویس باشد. پشت پراکسی، HODHOD_TRUST_PROXY را تنظیم کنید.",
  },
  "console.passwordFirst": {
    en: "Change your password first: somebody else has set it.",
    fa: "نخست گذرواژهٔ خود را تغییر دهید: آن را شخص دیگری تعیین کرده است.",
  },
  "console.secondFactorFirst": {
    en: "Set up a second factor first: the service demands it.",
    fa: "نخست ورود دومرحله‌ای را فعال کنید: این سرویس آن را الزامی کرده است.",
  },
  "console.notThere": { en: "There is no such object.", fa: "چنین موردی وجود ندارد." },
  "console.tooSlow": {
    en: "The search took too long and was ended. Narrow it, such as by account or time, and try again.",
    fa: "جست‌وجو بیش از حد طول کشید و متوقف شد. آن را محدودتر کنید، مثلاً با حساب یا بازهٔ زمانی، و دوباره تلاش کنید.",
  },
  "console.range": {
    en: "{field} must be one of the values that the document of this API lists.",
    fa: "{field} باید یکی از مقدارهایی باشد که در مستندات این API آمده است.",
  },
  "console.time": {
    en: "{field} must be a time such as 2026-11-22T10:30:00Z or 2026-11-22.",
    fa: "{field} باید زمانی به شکل 2026-11-22T10:30:00Z یا 2026-11-22 باشد.",
  },
  "console.status": {
    en: "{field} must be 0, 1, 2, 3, 4 or open.",
    fa: "{field} باید 0، 1، 2، 3، 4 یا open باشد.",
  },
  "console.fileUnderWay": {
    en: "A file is being made for you, or many for others. Wait until it is complete, then try again.",
    fa: "یک فایل برای شما، یا چند فایل برای دیگران، در حال آماده‌شدن است. پس از پایان آن دوباره تلاش کنید.",
  },
  "console.nullCharacter": {
    en: "{field} must not contain the character U+0000.",
    fa: "{field} نباید نویسهٔ U+0000 داشته باشد.",
  },
  "console.number": { en: "{field} must be a mobile number.", fa: "{field} باید شمارهٔ همراه باشد." },
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
  "console.notList": { en: "{field} must be a list.", fa: "{field} باید فهرست باشد." },
  "console.textOrTemplate": {
    en: "Give either content or templateId.",
    fa: "یکی از دو پارامتر content یا templateId را بدهید.",
  },
  "console.sendPermission": {
    en: "The account has no permission for this kind of sending ({permission}). Ask the operator of the service for it.",
    fa: "این حساب اجازهٔ این گونه ارسال ({permission}) را ندارد. آن را از راهبر سرویس بخواهید.",
  },
  "console.wrongPassword": { en: "The password is wrong.", fa: "گذرواژه نادرست است." },
  "console.newPassword": {
    en: "{field} must have {shortest} to {longest} characters.",
    fa: "{field} باید {shortest} تا {longest} نویسه داشته باشد.",
  },
  "console.samePassword": {
    en: "{field} must differ from the present password.",
    fa: "{field} باید با گذرواژهٔ کنونی متفاوت باشد.",
  },
  "console.wrongCode": {
    en: "The code is wrong, or it was used before. Wait for the next one.",
    fa: "کد نادرست است یا پیش‌تر به کار رفته است. منتظر کد بعدی بمانید.",
  },
  "console.yesOrNo": { en: "{field} must be true or false.", fa: "{field} باید true یا false باشد." },
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
    fa: "{field} باید متنی از ۱ تا ۲۰۰ نویسه باشد، مثلاً شمارهٔ فاکتور.",
  },
  "console.referenceUsed": {
    en: "{reference} was already booked with another amount: {amount} rials. Nothing was changed; use a new reference for a new booking.",
    fa: "{reference} پیش‌تر با مبلغ دیگری ثبت شده است: {amount} ریال. چیزی تغییر نکرد؛ برای ثبت تازه مرجع تازه‌ای بدهید.",
  },
  "console.creditTooLow": {
    en: "The credit is only {balance} rials, and it never goes below zero. Nothing was changed.",
    fa: "اعتبار فقط {balance} ریال است و هرگز منفی نمی‌شود. چیزی تغییر نکرد.",
  },
} as const;
