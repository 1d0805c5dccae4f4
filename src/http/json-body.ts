// Reads a body as the fields of one JSON object. Pure. Content-Type is ignored: a body that begins
// with "{" is JSON. A body with too many levels or values is refused before
// it is parsed: JSON.parse takes 200 ms for a mebibyte of brackets, and a recursive reader would
// run out of stack.
import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import { expectMaxima } from "./json-schema.ts";
import { foldNames, isJsonObject, type JsonFields, type JsonObject } from "./read-parameters.ts";

const openingBrace = 0x7b;
const closingBrace = 0x7d;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const comma = 0x2c;
const quotationMark = 0x22;
const backslash = 0x5c;

/** Limit of nested objects and lists in a body. */
const maximumDepth = 1000;
/** Limit of values in a body, at all levels together. */
const maximumValues = 10_000;

export type JsonReading = { readonly fields: JsonFields } | { readonly finding: FieldFinding };

/** Whether the first character that is neither white space nor a byte order mark is "{". */
export function looksLikeJsonObject(body: Buffer): boolean {
  let index = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (isJsonSpace(body[index])) index += 1;
  return body[index] === openingBrace;
}

function isJsonSpace(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x0a || octet === 0x0d || octet === 0x09;
}

const notObject = { finding: { field: "body", messageKey: "body.notObject" } } as const satisfies JsonReading;

function tooMuchThan(values: number): { readonly finding: FieldFinding } {
  return { finding: { field: "body", messageKey: "body.tooMuch", values: { depth: maximumDepth, values } } };
}

type Parsed = { readonly object: JsonObject } | { readonly finding: FieldFinding };

function parse(body: unknown, values = maximumValues): Parsed {
  if (!Buffer.isBuffer(body) || !isUtf8(body)) return notObject;
  // Each level and each value takes two octets, so short bodies need no check.
  if (body.length > 2 * maximumDepth && !isWithinLimits(body, values))
    return looksLikeJsonObject(body) ? tooMuchThan(values) : notObject;
  try {
    const text = body.toString();
    const object: unknown = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return isJsonObject(object) ? { object } : notObject;
  } catch (error) {
    // Where it is wrong, as the parser says it.
    const reason = error instanceof SyntaxError ? ` (${error.message})` : "";
    return { finding: { ...notObject.finding, values: { reason } } };
  }
}

/** The fields of the JSON object in the body. */
export function readJsonBody(body: unknown): JsonReading {
  const parsed = parse(body);
  return "finding" in parsed ? parsed : { fields: foldNames(parsed.object) };
}

/**
 * The JSON object in the body, with the names as they are written: in the console names are exact,
 * as in setup files. Throws 1001. `values`: how many there may be, where it is not the usual
 * number.
 */
export function requireJsonObject(
  { body, routeOptions }: FastifyRequest,
  { values }: { readonly values?: number } = {},
): JsonObject {
  const parsed = parse(body, values);
  if ("finding" in parsed) throw ApiError.invalidParameters([parsed.finding]);
  const { object } = parsed;
  expectMaxima(routeOptions.schema?.body, (field) => object[field], body);
  return object;
}

/** The fields of the body. Throws 1001 if it is not a JSON object, or has a text that is too long. */
export function requireJsonBody({ body, routeOptions }: FastifyRequest): JsonFields {
  const reading = readJsonBody(body);
  if ("finding" in reading) throw ApiError.invalidParameters([reading.finding]);
  const { fields } = reading;
  expectMaxima(routeOptions.schema?.body, (field) => fields.get(field.toLowerCase()), body);
  return fields;
}

/**
 * Whether depth and number of values allow parsing. Each value but the first of its level follows a
 * comma.
 */
function isWithinLimits(body: Buffer, mostValues: number): boolean {
  let depth = 0;
  let values = 0;
  let isInText = false;
  for (let index = 0; index < body.length; index += 1) {
    const octet = body[index];
    if (octet === quotationMark) isInText = !isInText;
    else if (isInText) {
      if (octet === backslash) index += 1;
    } else if (octet === comma) values += 1;
    else if (octet === openingBrace || octet === openingBracket) {
      depth += 1;
      values += 1;
    } else if (octet === closingBrace || octet === closingBracket) depth -= 1;
    if (depth > maximumDepth || values > mostValues) return false;
  }
  return true;
}
