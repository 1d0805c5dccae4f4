// The kinds of failures in words, for lists, files and filters.
import type { FailureKind, FailureReason } from "../sms/failure-reason.ts";
import type { LocalizedText } from "./localize.ts";

export const failureTexts: Readonly<Record<FailureKind, LocalizedText>> = {
  unknownNumber: { en: "unknown number", fa: "شمارهٔ نامعتبر" },
  unreachable: { en: "phone off or out of coverage", fa: "گوشی خاموش یا خارج از دسترس" },
  memoryFull: { en: "phone memory full", fa: "حافظهٔ گوشی پر" },
  blacklist: { en: "blacklist of the network", fa: "بلک‌لیست مخابرات" },
  barred: { en: "recipient barred or suspended", fa: "خط گیرنده مسدود یا قطع" },
  content: { en: "text not allowed", fa: "متن غیرمجاز" },
  network: { en: "fault of the network", fa: "اشکال شبکه" },
  other: { en: "another reason", fa: "دلیل دیگر" },
};

export function textOfFailure({ kind, ...own }: FailureReason): LocalizedText {
  const { en, fa } = failureTexts[kind];
  return { en: own.en ?? en, fa: own.fa ?? fa };
}
