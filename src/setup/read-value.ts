// Reads single values by what their fields declare: the value as it is stored, or what is wrong with it.
import { hash } from "node:crypto";
import { isIP } from "node:net";
import { refusingCode } from "../connectors/connector-settings.ts";
import { isAddressBlock } from "../platform/addresses.ts";
import { isStaffName } from "../credentials/people.ts";
import {
  type ChoiceValue,
  type FieldOf,
  instant,
  type NumberValue,
  type SetupField,
  string,
  type TextForm,
  type TextValue,
  type Tls,
  type TlsVersion,
  tlsVersions,
} from "../fields/field.ts";
import { hintFor, ValueFault } from "./fault.ts";
import { isWordPattern } from "../sms/content-rules.ts";
import { isEventPattern } from "../sms/event-types.ts";
import { foldText } from "../sms/folding.ts";
import { cleanNumber, countryCodePattern, parseRecipient } from "../sms/msisdn.ts";
import { isExceptDate, isTimeOfDay } from "../sms/sending-hours.ts";
import { isOneLine } from "../sms/text-kind.ts";
import { AddressRules } from "../webhooks/address-rules.ts";
import { faultOfUrl, isEndpointName } from "../webhooks/endpoint-keys.ts";
import { isSecret } from "../webhooks/signing.ts";

/** Checks and converts one value. */
export type ValueReader<Value> = (value: unknown) => Value | ValueFault;

/** For callers outside of setup files that take the same values. */
function readerOf<Value>(field: FieldOf<Value>): ValueReader<Value> {
  return (value) => readValue(field, value) as Value | ValueFault;
}

export const nameText: ValueReader<string> = readerOf(string(100, "name"));
export const lineNumber: ValueReader<string> = readerOf(string(20, "lineNumber"));
export const recipientNumber: ValueReader<string> = readerOf(string(30, "mobile"));
export const addressBlock: ValueReader<string> = readerOf(string(60, "addressBlock"));
export const refusalText: ValueReader<string> = readerOf(string(500, "refusal"));
export const instantText: ValueReader<Date> = readerOf(instant());

/** Not of lists and objects. */
export function readValue(field: SetupField, value: unknown): unknown {
  switch (field.kind) {
    case "text":
      return readText(field, value);
    case "choice":
      return readChoice(field, value);
    case "whole":
    case "number":
      return readNumber(field, value);
    case "rials":
      return readRials(value, "rials");
    case "credit":
      return value === "unlimited" ? value : readRials(value, "rialsOrUnlimited");
    case "yesNo":
      return typeof value === "boolean" ? value : new ValueFault("yesOrNo");
    case "yes":
      return value === true ? value : new ValueFault("onlyTrue");
    case "instant":
      return readInstant(value);
    case "tls":
      return readTls(value);
    default:
      throw new Error(`a ${field.kind} is no single value`);
  }
}

function readNumber({ kind, min, max, auto }: NumberValue, value: unknown): unknown {
  if (auto === true && value === "auto") return value;
  const number = toNumber(value);
  const isRight = number >= min && number <= max && (kind === "number" || Number.isInteger(number));
  return isRight ? number : new ValueFault(auto === true ? "wholeOrAuto" : kind, { from: min, to: max });
}

/** A number or a boolean counts as text, because YAML makes one of an unquoted value. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function readText({ max, form }: TextValue, value: unknown): string | ValueFault {
  // YAML makes a number of 0x1400.
  const text = form === "tlvTag" && typeof value === "number" ? `0x${value.toString(16)}` : textOf(value);
  const mayBeEmpty = form === "any" || form === "ascii" || form.endsWith("OrEmpty");
  if (text === undefined || (text === "" && !mayBeEmpty)) return new ValueFault("text");
  return text.length > max ? new ValueFault("tooLong", { most: max }) : textForms[form](text);
}

function readChoice({ words }: ChoiceValue, value: unknown): string | ValueFault {
  const given = typeof value === "number" ? String(value) : value;
  const word = words.find((candidate) => candidate === given);
  if (word !== undefined) return word;
  return new ValueFault(
    "choice",
    { words: words.join(", ") },
    typeof value === "string" ? hintFor(value.slice(0, 100), words) : undefined,
  );
}

function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^-?[0-9]{1,16}(?:\.[0-9]{1,16})?$/.test(value) ? Number(value) : Number.NaN;
}

/** Above any real amount, and far below the maximum of a bigint column. */
const mostRials = 1_000_000_000_000_000n;

function readRials(value: unknown, key: "rials" | "rialsOrUnlimited"): bigint | ValueFault {
  const text = textOf(value);
  const amount = text !== undefined && /^[0-9]{1,16}$/.test(text) ? BigInt(text) : undefined;
  if (amount !== undefined && amount <= mostRials) return amount;
  return new ValueFault(key, { to: mostRials.toString() });
}

const instantForm = /^(2\d{3}-\d{2}-(\d{2}))T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A time of ISO 8601 with its offset. */
function readInstant(value: unknown): Date | ValueFault {
  const [text = "", date = "", day] = (typeof value === "string" && instantForm.exec(value)) || [];
  const at = new Date(text);
  // JavaScript takes 30 February for 2 March.
  const isDay = new Date(date).getUTCDate() === Number(day);
  return isDay && !Number.isNaN(at.getTime()) ? at : new ValueFault("instant");
}

/** Of certificates in PEM format. */
export const longestPem = 1_048_576;

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function readTls(value: unknown): false | Tls | ValueFault {
  if (value === false || value === null) return false;
  if (value === true) return { verify: true };
  if (typeof value !== "object" || Array.isArray(value)) return new ValueFault("tls");
  const { ca, cert, verify = true, minVersion, ...unknownKeys } = value as Record<string, unknown>;
  if (Object.keys(unknownKeys).length > 0 || typeof verify !== "boolean") return new ValueFault("tls");
  const texts: { ca?: string; cert?: string } = {};
  for (const [key, text] of Object.entries({ ca, cert })) {
    if (isEmpty(text)) continue;
    if (typeof text !== "string") return new ValueFault("tls");
    if (text.length > longestPem) return new ValueFault("tooLong", { most: longestPem });
    texts[key as keyof typeof texts] = text;
  }
  const version = readTlsVersion(minVersion);
  if (version instanceof ValueFault) return version;
  return { ...texts, verify, ...(version !== undefined && { minVersion: version }) };
}

function readTlsVersion(given: unknown): TlsVersion | ValueFault | undefined {
  if (isEmpty(given)) return undefined;
  // YAML makes a number of 1.0.
  const version = tlsVersions.find((each) => each === given || Number(each) === given);
  return version ?? new ValueFault("tlsVersion", { words: tlsVersions.join(", ") });
}

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

/** 4 to 14 digits. */
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
  // Of earlier versions of the documentation: everybody knows it.
  if (text === "made-with-openssl-rand-hex-32") return new ValueFault("exampleKey", undefined, { key: "makeKey" });
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

const textForms: Readonly<Record<TextForm, Form>> = {
  any: (text) => text,
  addressBlock: (text) => (isAddressBlock(text.trim()) ? text.trim() : new ValueFault("addressBlock")),
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
