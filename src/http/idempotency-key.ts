// Reads an Idempotency-Key and defines when two requests are the same (decisions §4). Pure.
import { createHash } from "node:crypto";
import type { FieldFinding } from "../texts/errors.ts";

export const maximumKeyCharacters = 255;

/** Longest notation: quoted, every character escaped, with white space around it. */
const longestWriting = 4 * maximumKeyCharacters;

const printableAscii = /^[\x20-\x7e]+$/;
const quotedKey = /^"((?:[^"\\]|\\["\\])*)"$/;

export type KeyReading = { readonly key?: string } | { readonly finding: FieldFinding };

/**
 * The header field may be a bare or a quoted structured-field string; both name the same key. An
 * empty parameter (URL endpoints only) counts as absent, an empty header field does not.
 */
export function readIdempotencyKey(header: string | undefined, parameter?: string): KeyReading {
  if (header === undefined && parameter === undefined) return {};
  const fromHeader = header === undefined ? undefined : unquote(header);
  const fromParameter = parameter === undefined ? undefined : unquote(parameter);
  if (fromHeader !== undefined && !isKey(fromHeader)) return { finding: formFinding("Idempotency-Key") };
  if (fromParameter !== undefined && !isKey(fromParameter)) return { finding: formFinding("idempotencyKey") };
  if (fromHeader !== undefined && fromParameter !== undefined && fromHeader !== fromParameter)
    return { finding: { field: "idempotencyKey", messageKey: "idempotencyKey.twoKeys" } };
  const key = fromHeader ?? fromParameter;
  return key === undefined ? {} : { key };
}

/** A value that is too long in every form is returned unchanged and is refused later. */
function unquote(text: string): string {
  if (text.length > longestWriting) return text;
  const quoted = quotedKey.exec(text.trim());
  return quoted === null ? text.trim() : (quoted[1] ?? "").replace(/\\(.)/g, "$1");
}

function isKey(key: string): boolean {
  return key.length <= maximumKeyCharacters && printableAscii.test(key);
}

function formFinding(field: string): FieldFinding {
  return { field, messageKey: "idempotencyKey.form", values: { maximum: maximumKeyCharacters } };
}

/**
 * SHA-256 over the endpoint and its parsed fields. The notation (list form, query or body) makes no
 * difference.
 */
export function fingerprintOf(endpoint: string, fields: readonly unknown[]): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([endpoint, ...fields]))
    .digest();
}
