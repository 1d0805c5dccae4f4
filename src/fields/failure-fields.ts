// What the error codes of an operator mean, as it is given.
import { failureKinds, type OperatorErrors } from "../sms/failure-reason.ts";
import { choice, entriesOf, type FieldOf, optional, string, type TextForm, wordOrObject } from "./field.ts";

const ownText = optional(string(200, "sendable"));

const meaning = wordOrObject("kind", { kind: choice(failureKinds), fa: ownText, en: ownText });

/** By code. The keys of an object have the type of any text: hence the assertion. */
export function operatorErrors(codeForm: TextForm, note: string): FieldOf<OperatorErrors> {
  return entriesOf(string(40, codeForm), meaning, 500, { default: {}, note }) as FieldOf<OperatorErrors>;
}
