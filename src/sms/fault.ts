// Faults of a single message, as values: a call may mix good and bad messages, so nothing is thrown
// here. A fault names its text by key. The texts (English and Persian) are in the error catalogue.

/** The errorCode of each fault (docs/errors.md). */
const codes = {
  "senderNumber.required": 1001,
  "senderNumber.form": 1001,
  "recipientNumber.required": 1001,
  "recipientNumber.form": 1001,
  "recipientNumber.cut": 1001,
  "content.required": 1001,
  "content.blank": 1001,
  "content.nullCharacter": 1001,
  "content.loneSurrogate": 1001,
  "content.tooManyParts": 1001,
  "content.tooLong": 1001,
  "parameters.missingValue": 1001,
  "parameters.valueNotText": 1001,
  "parameters.valueTooLong": 1001,
  "list.missing": 1001,
  "list.tooLong": 1001,
  "list.unpairable": 1001,
  "templateId.invalid": 1107,
  "templateId.pending": 1107,
  "templateId.refused": 1107,
  "senderNumber.notInAccount": 1053,
  "senderNumber.systemLineUndefined": 1053,
  "recipientNumber.blocked": 1202,
  "recipientNumber.listed": 1202,
  "recipientNumber.optedOut": 1202,
  "content.noticeMissing": 1204,
  "content.refused": 1204,
  "operator.disabled": 1048,
  "route.none": 1203,
  // Checked by the intake, where the money is charged.
  "message.duplicate": 1207,
  "account.dailyMessages": 1208,
  "account.monthlyCost": 1208,
  "credit.insufficient": 1201,
} as const;

/** The key of a fault's text in the error catalogue. */
export type FaultKey = keyof typeof codes;

/** The errorCode of a fault. */
export type FaultCode = (typeof codes)[FaultKey];

export type MessageField = "senderNumber" | "recipientNumber" | "content" | "parameters" | "templateId";

export type ListField = "senderNumbers" | "recipientNumbers" | "contents";

/** Values for the text: `{name}` in the catalogue stands for `values.name`. */
export type FaultValues = Readonly<Record<string, string | number>>;

/**
 * A fault of one message. `field` names the faulty input; absent if no single input is at fault.
 */
export interface Fault {
  readonly code: FaultCode;
  readonly messageKey: FaultKey;
  readonly field?: MessageField;
  readonly values?: FaultValues;
}

/** A fault in the lists of a multi-message call: always 1001. */
export interface FieldFault {
  readonly code: 1001;
  readonly messageKey: FaultKey;
  readonly field: ListField;
  readonly values?: FaultValues;
}

export function fault(messageKey: FaultKey, field?: MessageField, values?: FaultValues): Fault {
  return {
    code: codes[messageKey],
    messageKey,
    ...(field === undefined ? {} : { field }),
    ...(values === undefined ? {} : { values }),
  };
}

/** Distinguishes a fault from a valid result. */
export function isFault(value: object | string | undefined): value is Fault {
  return typeof value === "object" && "messageKey" in value;
}
