// The words of files for people: headings of their columns, states, yes and no.
import type { MessageStatus } from "../sms/message-status.ts";
import type { LocalizedText } from "./localize.ts";

export const columnTitles = {
  acceptedAt: { en: "Accepted", fa: "زمان ثبت" },
  receivedAt: { en: "Received", fa: "زمان دریافت" },
  sendAt: { en: "To be sent", fa: "زمان‌بندی" },
  sentAt: { en: "Sent", fa: "زمان ارسال" },
  finalAt: { en: "Ended", fa: "زمان نتیجه" },
  at: { en: "Time", fa: "زمان" },
  day: { en: "Day", fa: "روز" },
  account: { en: "Account", fa: "حساب" },
  line: { en: "Line", fa: "خط" },
  senderNumber: { en: "From", fa: "فرستنده" },
  recipientNumber: { en: "Recipient", fa: "گیرنده" },
  operator: { en: "Operator", fa: "اپراتور" },
  connector: { en: "Connector", fa: "اتصال" },
  state: { en: "State", fa: "وضعیت" },
  errorMessage: { en: "Reason", fa: "دلیل" },
  failureKind: { en: "Why it failed", fa: "علت نرسیدن" },
  content: { en: "Text", fa: "متن" },
  contentErased: { en: "Text erased", fa: "متن پاک شده" },
  complete: { en: "Complete", fa: "کامل" },
  parts: { en: "Parts", fa: "صفحه" },
  cost: { en: "Cost, rials", fa: "هزینه، ریال" },
  templateId: { en: "Template", fa: "الگو" },
  sentMessageId: { en: "Message id", fa: "شناسهٔ پیامک" },
  receivedMessageId: { en: "Message id", fa: "شناسهٔ پیامک" },
  batchId: { en: "Batch", fa: "ارسال گروهی" },
  messageId: { en: "Message id", fa: "شناسهٔ پیامک" },
  number: { en: "Row", fa: "ردیف" },
  duplicateOf: { en: "Same number as row", fa: "تکرار شمارهٔ ردیف" },
  messages: { en: "Messages", fa: "پیامک" },
  delivered: { en: "Delivered", fa: "رسیده به گوشی" },
  undelivered: { en: "Not delivered", fa: "نرسیده به گوشی" },
  unsent: { en: "Not sent", fa: "ارسال‌نشده" },
  open: { en: "No outcome yet", fa: "بدون نتیجه" },
  deliveryRate: { en: "Delivery rate, %", fa: "درصد تحویل" },
  charged: { en: "Charged, rials", fa: "هزینه، ریال" },
  refunded: { en: "Refunded, rials", fa: "برگشت اعتبار، ریال" },
  rials: { en: "Net, rials", fa: "خالص، ریال" },
  kind: { en: "Kind", fa: "نوع" },
  amount: { en: "Amount, rials", fa: "مبلغ، ریال" },
  balance: { en: "Balance, rials", fa: "مانده، ریال" },
  reference: { en: "Reference", fa: "مرجع" },
  campaign: { en: "Campaign", fa: "کمپین" },
} as const;

/** The names that people know of operators whose given name is another. */
const operatorTexts: Readonly<Record<string, LocalizedText>> = {
  MCI: { en: "MCI", fa: "همراه اول" },
  Irancell: { en: "Irancell", fa: "ایرانسل" },
  RighTel: { en: "RighTel", fa: "رایتل" },
  Taliya: { en: "Taliya", fa: "تالیا" },
  Spadan: { en: "Spadan", fa: "اسپادان" },
  TeleKish: { en: "TeleKish", fa: "تله‌کیش" },
  ShatelMobile: { en: "ShatelMobile", fa: "شاتل موبایل" },
  ApTel: { en: "ApTel", fa: "آپتل" },
  Azartel: { en: "Azartel", fa: "آذرتل" },
  SamanTel: { en: "SamanTel", fa: "سامانتل" },
  ArianTel: { en: "ArianTel", fa: "آریانتل" },
  LotusTel: { en: "LotusTel", fa: "لوتوس‌تل" },
  Unknown: { en: "Unknown", fa: "نامعلوم" },
};

export function operatorText(name: string): LocalizedText {
  return operatorTexts[name] ?? { en: name, fa: name };
}

export function isTitled(key: string): key is keyof typeof columnTitles {
  return Object.hasOwn(columnTitles, key);
}

const stateTexts: Readonly<Record<MessageStatus, LocalizedText>> = {
  0: { en: "Waiting", fa: "در صف" },
  1: { en: "Sent", fa: "رسیده به مخابرات" },
  2: { en: "Delivered", fa: "رسیده به گوشی" },
  3: { en: "Not delivered", fa: "نرسیده به گوشی" },
  4: { en: "Not sent", fa: "ارسال‌نشده" },
};

/** Of a messageStatus. */
export function stateText(status: number | null | undefined): LocalizedText | undefined {
  return stateTexts[status as MessageStatus];
}

/** Of a row of a campaign that has no message. */
export function rowStateText({
  fault,
  duplicateOf,
  messageId,
}: {
  readonly fault: unknown;
  readonly duplicateOf: number | null;
  readonly messageId: string | null;
}): LocalizedText | undefined {
  if (messageId !== null) return undefined;
  if (fault !== null) return { en: "Faulty", fa: "خطادار" };
  if (duplicateOf !== null) return { en: "Duplicate", fa: "تکراری" };
  return { en: "Not sent yet", fa: "هنوز ارسال نشده" };
}

export const movementTexts: Readonly<Record<string, LocalizedText>> = {
  charge: { en: "Charge", fa: "هزینه" },
  refund: { en: "Refund", fa: "برگشت اعتبار" },
  credit: { en: "Credit", fa: "افزایش اعتبار" },
  opening: { en: "Opening credit", fa: "اعتبار آغازین" },
  carried: { en: "Carried over", fa: "انتقال از پیش" },
  void: { en: "Voided", fa: "باطل‌شده" },
};

export const statementTitle: LocalizedText = { en: "Statement of", fa: "گردش حساب" };

export const yesNoTexts: Readonly<Record<"true" | "false", LocalizedText>> = {
  true: { en: "yes", fa: "بله" },
  false: { en: "no", fa: "خیر" },
};
