// The reason of a message's status in words: that of its errorCode, with what the operator said.
import type { FailureKind, FailureReason } from "../sms/failure-reason.ts";
import { errorCatalogue, errorNameOf } from "./errors.ts";
import { textOfFailure } from "./failure-texts.ts";
import { type AnswerLanguage, type LocalizedText, localize } from "./localize.ts";

/** Of a message, as it is stored. */
export interface StatusReason {
  readonly reason: number | null;
  readonly reasonDetail: string | null;
  readonly failure: FailureReason | null;
}

export interface ReasonInWords {
  readonly errorCode?: number;
  readonly errorMessage?: string;
  /** Why it failed, where the operator's code is known. */
  readonly failureKind?: FailureKind;
  /** The same in words; else what the operator said, and what the standard says of it. */
  readonly failureText?: string;
}

/** What the SMPP standard says of a status, and of the state in a receipt; it says no more. */
const standardMeanings: Readonly<Record<string, LocalizedText>> = {
  ESME_RINVDSTADR: { en: "the recipient's number is invalid", fa: "شمارهٔ گیرنده نامعتبر است" },
  EXPIRED: { en: "its validity period ended before it was delivered", fa: "مهلت تحویل پیامک به پایان رسید" },
  DELETED: { en: "it was deleted at the operator", fa: "پیامک نزد اپراتور حذف شد" },
  REJECTD: { en: "the network rejected it", fa: "شبکه پیامک را نپذیرفت" },
};

/** Nothing where the status needs no reason. */
export function describeReason(
  { reason, reasonDetail, failure }: StatusReason,
  language: AnswerLanguage,
): ReasonInWords {
  const name = reason === null ? undefined : errorNameOf(reason);
  if (reason === null || name === undefined) return {};
  const known = failure ? textOfFailure(failure)[language] : undefined;
  const meaning = failure ? undefined : standardMeanings[reasonDetail?.split(" ")[0] ?? ""]?.[language];
  const said = [known, reasonDetail ?? undefined, meaning]
    .filter((text) => text !== undefined)
    .join(language === "fa" ? "؛ " : "; ");
  return {
    errorCode: reason,
    errorMessage: localize(errorCatalogue[name], language, { detail: said && ` (${said})` }),
    ...(failure && { failureKind: failure.kind }),
    ...(said !== "" && { failureText: known ?? said }),
  };
}
