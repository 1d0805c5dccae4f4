import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanNumber, parseRecipient, type NumberSource } from "../../src/sms/msisdn.ts";

describe("cleanNumber", () => {
  it.each<[string, string, NumberSource, string]>([
    ["leaves a plain number alone", "09121234567", "json", "09121234567"],
    ["keeps the plus", "+989121234567", "json", "+989121234567"],
    ["reads Persian digits", "۰۹۱۲۱۲۳۴۵۶۷", "json", "09121234567"],
    ["reads Arabic-Indic digits", "٠٩١٢١٢٣٤٥٦٧", "query", "09121234567"],
    ["drops spaces and hyphens", "0912-123 45 67", "json", "09121234567"],
    ["drops the no-break space", "0912\u00a01234567", "json", "09121234567"],
    ["reads one leading space before 98 in a query as the plus", " 989121234567", "query", "+989121234567"],
    ["reads it before Persian 98 too", " ۹۸۹۱۲۱۲۳۴۵۶۷", "query", "+989121234567"],
    ["drops the leading space in JSON", " 989121234567", "json", "989121234567"],
    ["drops two leading spaces in a query", "  989121234567", "query", "989121234567"],
    ["drops a leading space before anything else", " 09121234567", "query", "09121234567"],
    ["keeps letters, which no form allows", "0912abc", "json", "0912abc"],
    ["drops white space of any kind", "\t0912\n123\u2003456\u20097\u0085\ufeff\r\n", "json", "09121234567"],
    ["drops what has no width", "0912\u200c123\u200b4567\u2060", "json", "09121234567"],
    ["drops hyphens and dashes of any kind", "0912‐123‑45–6—7−\u00ad", "json", "09121234567"],
    ["drops parentheses", "(0912) 123（4567）", "json", "09121234567"],
    ["drops bidi controls", "\u202a+98\u200e912\u2066123\u20694567\u202c\u200f\u061c", "json", "+989121234567"],
    ["keeps other signs", "0912/1234567", "json", "0912/1234567"],
    ["leaves what is too long for a number as it came", `0${" ".repeat(200)}9`, "json", `0${" ".repeat(200)}9`],
  ])("%s", (_, text, source, cleaned) => {
    expect(cleanNumber(text, source)).toBe(cleaned);
  });

  it("cleans a cleaned number to itself", () => {
    const numberLike = fc.string({ unit: fc.constantFrom(...Array.from(" -+0989۹۸٩٨a\u00a0\u200e()–\n")) });
    fc.assert(
      fc.property(numberLike, fc.constantFrom<NumberSource>("json", "query"), (text, source) => {
        const cleaned = cleanNumber(text, source);
        expect(cleanNumber(cleaned, source)).toBe(cleaned);
      }),
    );
  });
});

describe("parseRecipient", () => {
  it.each(["09121234567", "9121234567", "00989121234567", "+989121234567", "989121234567"])(
    "accepts the form %s",
    (number) => {
      expect(parseRecipient(number)).toBe("989121234567");
    },
  );

  it.each([
    "",
    "0989121234567",
    "+98989121234567",
    "98091212345678",
    "980912123456",
    "+9809121234567",
    "0912123456",
    "091212345678",
    "912123456",
    "08121234567",
    "+9121234567",
    "++989121234567",
    "00 989121234567",
    "۰۹۱۲۱۲۳۴۵۶۷",
    "09121234567\n",
    "0912123456x",
    "0098+9121234567",
  ])("refuses %j", (number) => {
    expect(parseRecipient(number)).toBeUndefined();
  });

  it("gives every form of one number the same Msisdn", () => {
    const nineDigits = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(nineDigits, fc.constantFrom("0", "", "0098", "+98", "98"), (digits, prefix) => {
        expect(parseRecipient(`${prefix}9${digits}`)).toBe(`989${digits}`);
      }),
    );
  });
});
