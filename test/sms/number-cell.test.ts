import { describe, expect, it } from "vitest";
import { isCutNumber, readNumberCell } from "../../src/sms/msisdn.ts";

const number = "989121234567";

describe("a cell with a number", () => {
  it.each([
    "09121234567",
    "9121234567",
    '="09121234567"',
    '=("09121234567")',
    "=+989121234567",
    "'09121234567",
    "'+989121234567",
    "’09121234567",
    '"09121234567"',
    "\u001f09121234567",
    "\u001f='09121234567'",
    "\u0000\u200e۰۹۱۲ ۱۲۳ ۴۵۶۷\r",
    "09121234567.0",
    "9121234567.00",
    "9121234567,0",
    "۹۱۲۱۲۳۴۵۶۷٫۰",
    "9121234567/0",
    "9,121,234,567",
    "9٬121٬234٬567",
    "989.121.234.567",
    "9.89121234567E+11",
    "9.121234567E+09",
    "9.121234567e9",
    "9,121234567E+009",
    "9/121234567E+09",
    "۹٫۱۲۱۲۳۴۵۶۷E+۰۹",
    "9.1212345670E+09",
    "9121.234567E+06",
    "+9.89121234567E+11",
    '="9.89121234567E+11"',
  ])("is read from %j", (cell) => {
    expect(readNumberCell(cell)).toBe(number);
    expect(isCutNumber(cell)).toBe(false);
  });

  it.each([
    "9.12123E+09",
    "9.12E+09",
    "9E+9",
    "9.89121E+11",
    "9,12123E+09",
    "9/12123E+09",
    "۹٫۱۲۱۲۳E+۰۹",
    "'9.12123E+09",
    "########",
  ])("is not completed where the spreadsheet cut it: %j", (cell) => {
    expect(readNumberCell(cell)).toBeUndefined();
    expect(isCutNumber(cell)).toBe(true);
  });

  it.each([
    "",
    "سلام",
    "02188776655",
    "0912123456",
    "091212345678",
    "9.121234567",
    "9121234567.5",
    "9121234567.05",
    "9.1212345678E+09",
    "1.5E+3",
    "9.12E+99",
    "9E+9999",
    "09121234567/09351234567",
    "09121234567 09351234567",
    "91,21,234,567",
    "#NAME?",
    "=A1",
    "1".repeat(4_000),
  ])("is neither a number nor a cut one: %j", (cell) => {
    expect(readNumberCell(cell)).toBeUndefined();
    expect(isCutNumber(cell)).toBe(false);
  });
});
