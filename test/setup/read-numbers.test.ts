import { expect, it } from "vitest";
import { lineMatch, lineNumber, operatorMatch, recipientNumber, templateSender } from "../../src/setup/read-numbers.ts";
import { ValueFault, type ValueReader } from "../../src/setup/read-values.ts";

it.each<[ValueReader<string>, unknown, string]>([
  [lineNumber, "10001234", "10001234"],
  [lineNumber, 10001234, "10001234"],
  [lineNumber, "۱۰۰۰ ۱۲-۳۴", "10001234"],
  [lineNumber, "02188776655", "02188776655"],
  [recipientNumber, "0912 111 2233", "989121112233"],
  [recipientNumber, "+989121112233", "989121112233"],
  [lineMatch, "*", "*"],
  [lineMatch, "advertising", "advertising"],
  [lineMatch, "1000", "1000"],
  [operatorMatch, "*", "*"],
  [operatorMatch, "Unknown", "Unknown"],
  [templateSender, "service", "service"],
  [templateSender, 3000, "3000"],
])("%o reads %j", (read, value, expected) => {
  expect(read(value)).toBe(expected);
});

it.each<[ValueReader<string>, unknown]>([
  [lineNumber, "123"],
  [lineNumber, "123456789012345"],
  [lineNumber, "+9810001234"],
  [lineNumber, null],
  [recipientNumber, "02188776655"],
  [recipientNumber, "098912"],
  [lineMatch, "bulk"],
  [templateSender, "dedicated"],
  [templateSender, "*"],
])("%o refuses %j", (read, value) => {
  expect(read(value)).toBeInstanceOf(ValueFault);
});
