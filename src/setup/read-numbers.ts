// Readers of the numbers in a setup file: lines, recipients, and the lines and operators that
// routes and prices match.
import { parseRecipient } from "../sms/msisdn.ts";
import { digitsOf, nameText, textOf, ValueFault, type ValueReader } from "./read-values.ts";

/** Decisions §1 "Sender lines": 4 to 14 digits. */
const lineForm = /^[0-9]{4,14}$/;

export const lineNumber: ValueReader<string> = (value) => {
  const digits = digitsOf(value);
  if (digits !== undefined && lineForm.test(digits)) return digits;
  const hint = digits?.startsWith("+") === true ? "write it in its short form, without +98" : undefined;
  return new ValueFault("must be a line number of 4 to 14 digits", hint);
};

/** 989… */
export const recipientNumber: ValueReader<string> = (value) =>
  parseRecipient(digitsOf(value) ?? "") ?? new ValueFault("must be a mobile number, such as 989121112233");

/** The line that a route or a price matches: a line number, a kind of line, or *. */
export const lineMatch: ValueReader<string> = (value) => {
  const text = textOf(value);
  if (text === "*" || text === "dedicated" || text === "service" || text === "advertising") return text;
  const number = lineNumber(value);
  return number instanceof ValueFault
    ? new ValueFault("must be a line number, dedicated, service, advertising or *", number.hint)
    : number;
};

/** An operator's name, or *. */
export const operatorMatch: ValueReader<string> = (value) => (value === "*" ? "*" : nameText(value));

/** The sender of a template: a line number, service or advertising. */
export const templateSender: ValueReader<string> = (value) => {
  if (value === "service" || value === "advertising") return value;
  const number = lineNumber(value);
  return number instanceof ValueFault
    ? new ValueFault("must be a line number, service or advertising", number.hint)
    : number;
};
