// Why a file of rows is refused, in English and Persian.

export const fileFaultTexts = {
  tooLarge: {
    en: "The file is larger than 20 MB. Divide it.",
    fa: "حجم فایل بیش از ۲۰ مگابایت است. آن را به چند فایل تقسیم کنید.",
  },
  unpackedTooLarge: {
    en: "The file unpacks to more than 100 MB. Save it as CSV, or divide it.",
    fa: "حجم فایل پس از باز شدن بیش از ۱۰۰ مگابایت است. آن را با قالب CSV ذخیره کنید یا به چند فایل تقسیم کنید.",
  },
  tooManyRows: {
    en: "The file has too many rows. Divide it.",
    fa: "تعداد ردیف‌های فایل بیش از حد است. آن را به چند فایل تقسیم کنید.",
  },
  cellTooLong: {
    en: "Row {row}, column {column}: the cell has more than 4,000 characters, or its quotation mark is never closed.",
    fa: "ردیف {row}، ستون {column}: خانه بیش از ۴٬۰۰۰ کاراکتر دارد یا گیومهٔ آن بسته نشده است.",
  },
  control: {
    en: "Row {row}, column {column}: the text has a control character, which no message can carry. Remove it.",
    fa: "ردیف {row}، ستون {column}: متن یک کاراکتر کنترلی دارد که در پیامک فرستاده نمی‌شود. آن را حذف کنید.",
  },
  cellError: {
    en: "Row {row}, column {column}: the cell has an error of the spreadsheet (such as #N/A). Correct its formula.",
    fa: "ردیف {row}، ستون {column}: خانه خطای صفحه‌گسترده (مانند ‎#N/A) دارد. فرمول آن را درست کنید.",
  },
  notReadable: {
    en: "The file is damaged, or no Excel workbook. Save it again as xlsx or CSV.",
    fa: "فایل خراب است یا فایل اکسل نیست. آن را دوباره با قالب xlsx یا CSV ذخیره کنید.",
  },
  notWorkbook: {
    en: "The name of the file ends with xlsx, but it is no Excel workbook. Open it in Excel and save it again as xlsx or CSV.",
    fa: "پسوند فایل xlsx است، اما فایل اکسل نیست. آن را در اکسل باز کنید و دوباره با قالب xlsx یا CSV ذخیره کنید.",
  },
  notText: {
    en: "The file is not the text that its name promises. Give a CSV file, or an Excel workbook whose name ends with xlsx.",
    fa: "محتوای فایل برخلاف نامش متن نیست. فایل CSV یا فایل اکسل با پسوند xlsx بدهید.",
  },
  empty: { en: "The file has no rows.", fa: "فایل هیچ ردیفی ندارد." },
  oldExcel: {
    en: "This is an old Excel format (xls), or a workbook with a password. Save it as xlsx without a password, or as CSV.",
    fa: "این فایل قالب قدیمی اکسل (xls) یا رمز عبور دارد. آن را بدون رمز عبور با قالب xlsx یا CSV ذخیره کنید.",
  },
} as const;

export type FileFault = keyof typeof fileFaultTexts;
