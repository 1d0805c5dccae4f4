// Reads a body as JSON. Pure. The label in Content-Type is not believed: what begins with "{" is JSON (decisions §1 "Bodies").
import { isUtf8 } from "node:buffer";
import { isJsonObject, type JsonObject } from "./read-parameters.ts";

const openingBrace = 0x7b;

/** Whether the first character that is neither white space nor a byte order mark is "{". */
export function looksLikeJsonObject(body: Buffer): boolean {
  let index = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (isJsonSpace(body[index])) index += 1;
  return body[index] === openingBrace;
}

function isJsonSpace(octet: number | undefined): boolean {
  return octet === 0x20 || octet === 0x0a || octet === 0x0d || octet === 0x09;
}

/** The body as one JSON object, or undefined when it is none or not UTF-8. */
export function readJsonObject(body: unknown): JsonObject | undefined {
  if (!Buffer.isBuffer(body) || !looksLikeJsonObject(body) || !isUtf8(body)) return undefined;
  const text = body.toString("utf8", body[0] === 0xef ? 3 : 0);
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
