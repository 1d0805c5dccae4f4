/**
 * What the simulated SMSC does with a message, by the last four digits of the recipient: one row
 * for each misbehaviour seen at real operators. Pure. The demo, the documentation and the tests
 * read this table. Other endings, and later attempts where a row says "once", are delivered.
 */

import { commandStatus } from "../smpp/constants.ts";

/** What a behaviour may depend on. */
export interface SubmitAttempt {
  /** How often this text arrived for this recipient, counted from 1. */
  readonly attempt: number;
  /** For a long message; otherwise 1 of 1. */
  readonly part: number;
  readonly parts: number;
}

export interface ReceiptPlan {
  /** A word of Appendix B, or any other. */
  readonly state: string;
  readonly errorCode?: string;
  /** In units of the receipt delay: 1 is the usual time after the answer. */
  readonly delays?: number;
  readonly carrier?: "deliver_sm" | "data_sm";
  /** `both` (text and optional parameters) if absent. */
  readonly form?: "both" | "text" | "tlv" | "short" | "zero-dates";
  readonly idFormat?: WrittenIdFormat;
  /** What a receipt with text says of itself; its text is in Latin letters. 0 if absent. */
  readonly dataCoding?: number;
  readonly intermediate?: boolean;
}

export interface SubmitPlan {
  /** 0 accepts the message. */
  readonly commandStatus: number;
  readonly answer: "at once" | "late" | "never" | "after the receipt";
  readonly answerId?: WrittenIdFormat | "empty" | "of the first part";
  readonly cut?: "before the answer" | "after the answer";
  readonly receipts: readonly ReceiptPlan[];
  /** A text that the recipient sends back. */
  readonly mobileOriginated?: string;
}

export interface Behaviour {
  readonly suffix: string;
  readonly name: string;
  readonly summary: string;
  plan(attempt: SubmitAttempt): SubmitPlan;
}

const { ESME_ROK, ESME_RINVDSTADR, ESME_RSYSERR, ESME_RMSGQFUL, ESME_RTHROTTLED, ESME_RSUBMITFAIL } = commandStatus;

const receipt = (state: string, rest: Partial<ReceiptPlan> = {}): ReceiptPlan => ({ state, ...rest });

const taken = (receipts: readonly ReceiptPlan[], rest: Partial<SubmitPlan> = {}): SubmitPlan => ({
  commandStatus: ESME_ROK,
  answer: "at once",
  receipts,
  ...rest,
});

const refused = (status: number): SubmitPlan => ({ commandStatus: status, answer: "at once", receipts: [] });

/** The plan of a message without a behaviour. */
export const deliveredPlan: SubmitPlan = taken([receipt("DELIVRD")]);

type Row = readonly [
  suffix: string,
  name: string,
  summary: string,
  plan: SubmitPlan | ((attempt: SubmitAttempt) => SubmitPlan),
];

/** `fault` for the first `times` attempts of a message, then delivered. */
const atFirst =
  (times: number, fault: SubmitPlan) =>
  ({ attempt }: SubmitAttempt): SubmitPlan =>
    attempt <= times ? fault : deliveredPlan;

/** `other` for that part of a long message, and for a short message; the rest is delivered. */
const onPart =
  (number: number, other: (attempt: SubmitAttempt) => SubmitPlan) =>
  (attempt: SubmitAttempt): SubmitPlan =>
    attempt.part === Math.min(number, attempt.parts) ? other(attempt) : deliveredPlan;

const receiptOnly = (plan: Partial<ReceiptPlan>, rest: Partial<SubmitPlan> = {}): SubmitPlan =>
  taken([receipt("DELIVRD", plan)], rest);

const rows: readonly Row[] = [
  ["0001", "undelivered", "receipt UNDELIV", taken([receipt("UNDELIV", { errorCode: "027" })])],
  ["0002", "expired", "receipt EXPIRED", taken([receipt("EXPIRED", { errorCode: "004" })])],
  ["0003", "rejected", "receipt REJECTD", taken([receipt("REJECTD", { errorCode: "069" })])],
  ["0004", "deleted", "receipt DELETED", taken([receipt("DELETED", { errorCode: "005" })])],
  [
    "0005",
    "unlisted-state",
    "receipt with the word FAILED, an unknown state",
    taken([receipt("FAILED", { form: "text" })]),
  ],

  ["0010", "refused", "ESME_RINVDSTADR, always", refused(ESME_RINVDSTADR)],
  ["0011", "throttled-once", "ESME_RTHROTTLED once", atFirst(1, refused(ESME_RTHROTTLED))],
  ["0012", "throttled-thrice", "ESME_RTHROTTLED three times", atFirst(3, refused(ESME_RTHROTTLED))],
  ["0013", "queue-full-once", "ESME_RMSGQFUL once", atFirst(1, refused(ESME_RMSGQFUL))],
  ["0014", "system-error-once", "ESME_RSYSERR once", atFirst(1, refused(ESME_RSYSERR))],
  ["0015", "throttled-always", "ESME_RTHROTTLED, always", refused(ESME_RTHROTTLED)],

  [
    "0020",
    "answered-late",
    "taken; the answer comes after the sender's timeout, once",
    atFirst(1, taken([receipt("DELIVRD", { delays: 2 })], { answer: "late" })),
  ],
  ["0021", "silent", "never answered, no receipt", taken([], { answer: "never" })],
  ["0022", "silent-once", "not answered and not taken the first time", atFirst(1, taken([], { answer: "never" }))],
  [
    "0023",
    "cut-before-answer",
    "taken, then the link is cut before the answer, once",
    atFirst(1, taken([receipt("DELIVRD")], { cut: "before the answer" })),
  ],
  [
    "0024",
    "cut-after-answer",
    "the link is cut right after the answer, once; the receipt follows on the next bind",
    atFirst(1, taken([receipt("DELIVRD")], { cut: "after the answer" })),
  ],
  ["0025", "empty-message-id", "ESME_ROK with an empty message_id, no receipt", taken([], { answerId: "empty" })],
  [
    "0026",
    "lost-before-answer",
    "not taken, and the link is cut before the answer, once",
    atFirst(1, taken([], { cut: "before the answer" })),
  ],

  ["0030", "no-receipt", "taken, no receipt ever", taken([])],
  ["0031", "late-receipt", "receipt after ten times the usual time", receiptOnly({ delays: 10 })],
  [
    "0032",
    "duplicate-receipt",
    "the same receipt three times",
    taken([receipt("DELIVRD"), receipt("DELIVRD"), receipt("DELIVRD", { delays: 2 })]),
  ],
  [
    "0033",
    "receipt-first",
    "receipt before submit_sm_resp",
    receiptOnly({ delays: 0 }, { answer: "after the receipt" }),
  ],
  [
    "0034",
    "receipt-tlv",
    "receipt without text: only receipted_message_id and message_state",
    receiptOnly({ form: "tlv" }),
  ],
  ["0035", "receipt-data-sm", "receipt in a data_sm", receiptOnly({ carrier: "data_sm" })],
  [
    "0036",
    "receipt-short-text",
    "receipt text with only id and stat, in another order and case",
    receiptOnly({ form: "short" }),
  ],
  [
    "0037",
    "intermediate",
    "intermediate notification ENROUTE, then DELIVRD",
    taken([receipt("ENROUTE", { intermediate: true, delays: 0.5 }), receipt("DELIVRD", { delays: 1 })]),
  ],
  [
    "0038",
    "receipt-zero-dates",
    "receipt with all-zero dates and no sub, dlvrd, err",
    receiptOnly({ form: "zero-dates" }),
  ],
  [
    "0039",
    "states-go-back",
    "DELIVRD, later ACCEPTD and UNDELIV",
    taken([receipt("DELIVRD"), receipt("ACCEPTD", { delays: 2 }), receipt("UNDELIV", { delays: 3 })]),
  ],

  [
    "0040",
    "id-hex-then-decimal",
    "id answered in hexadecimal, receipt in decimal",
    receiptOnly({ idFormat: "decimal", form: "text" }, { answerId: "hex" }),
  ],
  [
    "0041",
    "id-decimal-then-hex",
    "id answered in decimal, receipt in hexadecimal",
    receiptOnly({ idFormat: "hex", form: "text" }, { answerId: "decimal" }),
  ],
  [
    "0042",
    "id-leading-zeros",
    "receipt id padded with zeros",
    receiptOnly({ idFormat: "leading-zeros", form: "text" }, { answerId: "decimal" }),
  ],
  [
    "0043",
    "id-upper-case",
    "hexadecimal id, upper case in the receipt",
    receiptOnly({ idFormat: "upper-case-hex", form: "text" }, { answerId: "hex" }),
  ],
  ["0044", "id-uuid", "id is a UUID", receiptOnly({ idFormat: "uuid" }, { answerId: "uuid" })],
  [
    "0045",
    "id-uuid-upper-case",
    "id is a UUID, upper case in the receipt",
    receiptOnly({ idFormat: "upper-case-uuid" }, { answerId: "uuid" }),
  ],
  [
    "0046",
    "receipt-wrong-coding",
    "receipt text in Latin letters, with data_coding 8",
    receiptOnly({ form: "text", dataCoding: 8 }),
  ],

  [
    "0050",
    "mobile-originated",
    "delivered, and the recipient answers",
    taken([receipt("DELIVRD")], { mobileOriginated: "سلام، رسید" }),
  ],
  [
    "0051",
    "auto-reply",
    "delivered, and a machine answers each time, with another text",
    ({ attempt }) => taken([receipt("DELIVRD")], { mobileOriginated: `پاسخ خودکار ${attempt}` }),
  ],
  [
    "0052",
    "opt-out",
    "delivered, and the recipient answers with the opt-out word «لغو»",
    taken([receipt("DELIVRD")], { mobileOriginated: "لغو" }),
  ],

  [
    "0060",
    "second-part-refused",
    "ESME_RSUBMITFAIL for part 2 of a long message, always",
    onPart(2, () => refused(ESME_RSUBMITFAIL)),
  ],
  [
    "0061",
    "second-part-throttled",
    "ESME_RTHROTTLED for part 2, once",
    onPart(2, atFirst(1, refused(ESME_RTHROTTLED))),
  ],
  [
    "0062",
    "parts-in-disorder",
    "receipts of the parts in reverse order, all DELIVRD",
    ({ part, parts }) => receiptOnly({ delays: 1 + parts - part }),
  ],
  [
    "0063",
    "first-part-undelivered",
    "receipts in reverse order, part 1 UNDELIV",
    ({ part, parts }) => taken([receipt(part === 1 ? "UNDELIV" : "DELIVRD", { delays: 1 + parts - part })]),
  ],
  [
    "0064",
    "last-part-silent",
    "no receipt for the last part",
    ({ part, parts }) => (part === parts ? taken([]) : deliveredPlan),
  ],
  [
    "0065",
    "one-id",
    "the parts of a long message have one id, and one receipt after the last",
    ({ part, parts }) => taken(part === parts ? [receipt("DELIVRD")] : [], { answerId: "of the first part" }),
  ],
];

export const behaviours: readonly Behaviour[] = rows.map(([suffix, name, summary, plan]) => ({
  suffix,
  name,
  summary,
  plan: (attempt) => (typeof plan === "function" ? plan(attempt) : plan),
}));

export const suffixDigits = 4;

/**
 * Ways in which an SMSC may write the same message id. Real ones answer submit_sm in one form and
 * send the receipt in another.
 */

export type WrittenIdFormat = "decimal" | "leading-zeros" | "hex" | "upper-case-hex" | "uuid" | "upper-case-uuid";

/** More digits than a safe integer has. */
const leadingZerosDigits = 20;

/** `number` is a positive safe integer. */
export function writeMessageId(number: number, format: WrittenIdFormat): string {
  switch (format) {
    case "decimal":
      return String(number);
    case "leading-zeros":
      return String(number).padStart(leadingZerosDigits, "0");
    case "hex":
      return number.toString(16);
    case "upper-case-hex":
      return number.toString(16).toUpperCase();
    case "uuid":
      return uuidOf(number);
    case "upper-case-uuid":
      return uuidOf(number).toUpperCase();
  }
}

/** Looks like a version 4 UUID and contains the number. */
function uuidOf(number: number): string {
  const low = number.toString(16).padStart(14, "0");
  const mixed = (Math.imul(number | 0, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-${low.slice(0, 4)}-4${low.slice(4, 7)}-a${low.slice(7, 10)}-${low.slice(10)}${mixed}`;
}
