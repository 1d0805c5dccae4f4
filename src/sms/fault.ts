// What may be wrong with one message, as values: a call may mix good and bad messages, so nothing here is thrown.
// Every fault names its wording by key; the wording itself (English and Persian) belongs to the catalogue of errors.

/** Which errorCode each finding has: API spec 7, decisions §1 "Order of judgement" and §5. */
const codes = {
  "senderNumber.required": 1001,
  "senderNumber.form": 1001,
  "recipientNumber.required": 1001,
  "recipientNumber.form": 1001,
  "content.required": 1001,
  "content.blank": 1001,
  "content.nullCharacter": 1001,
  "content.loneSurrogate": 1001,
  "content.tooManyParts": 1001,
  "parameters.missingValue": 1001,
  "parameters.valueNotText": 1001,
  "parameters.valueTooLong": 1001,
  "list.missing": 1001,
  "list.tooLong": 1001,
  "list.unpairable": 1001,
  "templateId.invalid": 1107,
  "senderNumber.notInAccount": 1053,
  "senderNumber.systemLineUndefined": 1053,
  "recipientNumber.blocked": 1202,
  "operator.disabled": 1048,
  "route.none": 1203,
  "credit.insufficient": 1201, // judged by the intake, where the money is
} as const;

/** Key of a fault's wording. */
export type FaultKey = keyof typeof codes;

/** errorCode of a fault. */
export type FaultCode = (typeof codes)[FaultKey];

/** Every key that the catalogue of errors must word, and no other. */
export const faultKeys = Object.keys(codes) as readonly FaultKey[];

export type MessageField = "senderNumber" | "recipientNumber" | "content" | "parameters" | "templateId";

export type ListField = "senderNumbers" | "recipientNumbers" | "contents";

/** What the wording may mention: `{name}` in the catalogue stands for `values.name`. */
export type FaultValues = Readonly<Record<string, string | number>>;

/** A finding about one message; `field` names the input at fault, absent where no single input is. */
export interface Fault {
  readonly code: FaultCode;
  readonly messageKey: FaultKey;
  readonly field?: MessageField;
  readonly values?: FaultValues;
}

/** A finding about the lists of a multi-message call (decisions §2): always 1001. */
export interface FieldFault {
  readonly code: 1001;
  readonly messageKey: FaultKey;
  readonly field: ListField;
  readonly values?: FaultValues;
}

export function faultCode(key: FaultKey): FaultCode {
  return codes[key];
}

export function fault(messageKey: FaultKey, field?: MessageField, values?: FaultValues): Fault {
  return {
    code: codes[messageKey],
    messageKey,
    ...(field === undefined ? {} : { field }),
    ...(values === undefined ? {} : { values }),
  };
}

/** Tells a fault from the value that a rule gives when all is well. */
export function isFault(value: object | string | undefined): value is Fault {
  return typeof value === "object" && "messageKey" in value;
}
