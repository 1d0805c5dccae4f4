// What texts of a setup must be, by the form that their field declares. Each takes a text within
// its length, and returns it as it is stored, or what is wrong with it.
import { hash } from "node:crypto";
import { isIP } from "node:net";
import { refusingCode } from "../connectors/connector-settings.ts";
import { parseAddressBlock } from "../credentials/ip-allow-list.ts";
import { isStaffName } from "../credentials/people.ts";
import type { TextForm } from "../fields/field.ts";
import { isWordPattern } from "../sms/content-rules.ts";
import { isEventPattern } from "../sms/event-types.ts";
import { foldText } from "../sms/folding.ts";
import { cleanNumber, countryCodePattern, parseRecipient } from "../sms/msisdn.ts";
import { isOneLine } from "../sms/text-kind.ts";
import { isExceptDate, isTimeOfDay } from "../sms/sending-hours.ts";
import { AddressRules } from "../webhooks/address-rules.ts";
import { faultOfUrl, isEndpointName } from "../webhooks/endpoint-keys.ts";
import { isSecret } from "../webhooks/signing.ts";
import { ValueFault } from "./fault.ts";

type Form = (text: string) => string | ValueFault;

/** The text itself, if it is what the form wants. */
function expect(isRight: (text: string) => boolean, wrong: () => ValueFault): Form {
  return (text) => (isRight(text) ? text : wrong());
}

/** The digits of a number as people write it. */
function digitsOf(text: string): string | undefined {
  return cleanNumber(text, "json");
}

const name = expect(isOneLine, () => new ValueFault("oneLine"));

/** Decisions §1 "Sender lines": 4 to 14 digits. */
const lineForm = /^[0-9]{4,14}$/;

/** A line number, or one of these words. */
function lineOr(words: readonly string[], key: "lineNumber" | "lineMatch" | "templateSender"): Form {
  return (text) => {
    const digits = digitsOf(text);
    if (words.includes(text)) return text;
    if (digits !== undefined && lineForm.test(digits)) return digits;
    return new ValueFault(key, undefined, digits?.startsWith("+") === true ? { key: "shortForm" } : undefined);
  };
}

const startsInternationally = new RegExp(`^(?:${countryCodePattern}|0)9`);

function prefix(text: string): string | ValueFault {
  const digits = digitsOf(text);
  if (digits !== undefined && /^9[0-9]{0,9}$/.test(digits)) return digits;
  return new ValueFault(
    "prefix",
    undefined,
    startsInternationally.test(digits ?? "") ? { key: "noLeadingZero" } : undefined,
  );
}

/** The database stores neither a null character nor half of a character. */
const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);
const sendable = (text: string): string | ValueFault => {
  if (text.trim() === "") return new ValueFault("blank");
  return isStorable(text) ? text : new ValueFault("unsendable");
};

function word(text: string): string | ValueFault {
  if (foldText(text) === "") return new ValueFault("word");
  return isStorable(text) ? text : new ValueFault("unsendable");
}

function wordPattern(text: string): string | ValueFault {
  const read = word(text);
  return read instanceof ValueFault || isWordPattern(read) ? read : new ValueFault("word");
}

/** Travels in a header and in queries, so only characters that are safe in both are allowed. */
function apiKey(text: string): string | ValueFault {
  if (!/^[\x21-\x7e]+$/.test(text)) return new ValueFault("keyCharacters");
  if (text.length < shortestKey) return new ValueFault("tooShort", { least: shortestKey }, { key: "makeKey" });
  return hash("sha256", text, "hex");
}

const shortestKey = 8;
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** The address of a URL is checked when events are sent: other machines than this one send them. */
const anywhere = new AddressRules(["0.0.0.0/0", "::/0"]);

function endpointUrl(text: string): string | ValueFault {
  const wrong = faultOfUrl(text, anywhere);
  return wrong === undefined ? text : new ValueFault(`url.${wrong}`);
}

const domainForm =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u;

function domain(text: string): string | ValueFault {
  const name = text.toLowerCase();
  return domainForm.test(name) ? name : new ValueFault("domain");
}

const zoneForm = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

function isTimeZone(timeZone: string): boolean {
  try {
    return zoneForm.test(timeZone) && new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

function tlvTag(text: string): string | ValueFault {
  const tag = /^0x[\da-f]+$/i.test(text) ? Number(text) : NaN;
  return tag >= 1 && tag <= 0xffff ? `0x${tag.toString(16).padStart(4, "0")}` : new ValueFault("tlvTag");
}

export const textForms: Readonly<Record<TextForm, Form>> = {
  any: (text) => text,
  addressBlock: (text) => (parseAddressBlock(text.trim()) === undefined ? new ValueFault("addressBlock") : text.trim()),
  apiKey,
  ascii: (text) => (text === "" ? new ValueFault("empty") : isAscii(text) ? text : new ValueFault("ascii")),
  asciiOrEmpty: expect(isAscii, () => new ValueFault("ascii")),
  date: expect(isExceptDate, () => new ValueFault("date")),
  domain,
  endOfDay: expect(
    (text) => isTimeOfDay(text, { mayEndDay: true }),
    () => new ValueFault("timeOfDay", { example: "21:00, up to 24:00" }),
  ),
  endpointName: expect(isEndpointName, () => new ValueFault("endpointName")),
  endpointSecret: expect(isSecret, () => new ValueFault("endpointSecret", undefined, { key: "secretIsMade" })),
  endpointUrl,
  eventPattern: expect(isEventPattern, () => new ValueFault("eventPattern")),
  hex: expect(
    (text) => /^(?:[\da-f]{2})+$/i.test(text),
    () => new ValueFault("hex"),
  ),
  host: expect(
    (text) => /^[A-Za-z0-9._:-]+$/.test(text),
    () => new ValueFault("host"),
  ),
  ipOrEmpty: expect(
    (text) => text === "" || isIP(text) !== 0,
    () => new ValueFault("ipAddress"),
  ),
  lineMatch: lineOr(["*", "dedicated", "service", "advertising"], "lineMatch"),
  lineNumber: lineOr([], "lineNumber"),
  mobile: (text) => parseRecipient(digitsOf(text) ?? "") ?? new ValueFault("mobile"),
  name,
  notice: (text) => word(text.trim()),
  // * stands for all operators.
  operatorName: (text) => (text === "*" ? new ValueFault("notAllOperators") : name(text)),
  prefix,
  // Read, and compared with its certificate, in certificates.ts: it may be the name of a file.
  privateKey: (text) => text.trim(),
  refusal: (text) => (text.trim() === "" || text.includes("\0") ? new ValueFault("blank") : text.trim()),
  sendable,
  secret: (text) => text,
  staffName: expect(isStaffName, () => new ValueFault("staffName")),
  status: (text) => refusingCode(text) ?? new ValueFault("notRefusing", { given: text }),
  templateId: expect(
    (text) => /^[\p{L}\p{Nd}._-]+$/u.test(text),
    () => new ValueFault("templateId"),
  ),
  templateSender: lineOr(["service", "advertising"], "templateSender"),
  timeOfDay: expect(
    (text) => isTimeOfDay(text, { mayEndDay: false }),
    () => new ValueFault("timeOfDay", { example: "09:00" }),
  ),
  timeZone: expect(isTimeZone, () => new ValueFault("timeZone")),
  tlvTag,
  word,
  wordPattern,
};
