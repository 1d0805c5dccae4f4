import { describe, expect, it } from "vitest";
import { isFault } from "../../src/sms/fault.ts";
import { resolveSenderLine, type SenderLine, type SenderTerms } from "../../src/sms/sender-line.ts";

const dedicated: SenderLine = { number: "10001234", kind: "dedicated" };
const landline: SenderLine = { number: "02112345", kind: "dedicated" };
const long: SenderLine = { number: "30001234567890", kind: "advertising" };
const service: SenderLine = { number: "20009999", kind: "service" };
const advertising: SenderLine = { number: "50009999", kind: "advertising" };

const terms: SenderTerms = {
  lines: new Map([dedicated, landline, long].map((line) => [line.number, line])),
  systemLines: { service, advertising },
};

function resolve(given: string | undefined, templateSender?: string, from = terms): string {
  const sender = resolveSenderLine(given, templateSender, from);
  return isFault(sender)
    ? `${sender.code} ${sender.messageKey} ${sender.field ?? ""}`
    : `${sender.senderNumber} by ${sender.line.number}`;
}

describe("a sender that the caller gives", () => {
  it.each([
    ["10001234", "10001234 by 10001234"],
    ["+9810001234", "+9810001234 by 10001234"],
    ["009810001234", "009810001234 by 10001234"],
    ["9810001234", "9810001234 by 10001234"],
    ["02112345", "02112345 by 02112345"],
    ["+982112345", "+982112345 by 02112345"],
    ["982112345", "982112345 by 02112345"],
    ["00982112345", "00982112345 by 02112345"],
    ["30001234567890", "30001234567890 by 30001234567890"],
  ])("finds %s among the account's lines and repeats it as given", (given, found) => {
    expect(resolve(given)).toBe(found);
  });

  it.each([
    "10005678",
    "+9810005678",
    "009810005678",
    "9810005678",
    "50005678",
    "0210000000",
    "0010005678",
    "1234",
    "+981234",
    "12345678901234",
    "9812345678901234",
    "009812345678901234",
  ])("refuses %s, which has the shape of a line, with 1053", (given) => {
    expect(resolve(given)).toBe("1053 senderNumber.notInAccount senderNumber");
  });

  it.each([
    "123",
    "+98123",
    "123456789012345",
    "+98123456789012345",
    "abc",
    "+10005678",
    "10005678\n",
    "1".repeat(1000),
  ])("refuses %j, which has not, with 1001", (given) => {
    expect(resolve(given)).toBe("1001 senderNumber.form senderNumber");
  });

  it("takes a line that begins with the country code as it is given", () => {
    const odd: SenderLine = { number: "9810001234", kind: "dedicated" };
    const both = { ...terms, lines: new Map([...terms.lines, [odd.number, odd]]) };
    expect(resolve("9810001234", undefined, both)).toBe("9810001234 by 9810001234");
  });
});
