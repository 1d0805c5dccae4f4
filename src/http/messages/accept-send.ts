// Passes a parsed send call to the intake and converts the result to an answer. All sending
// endpoints share it.
import { ApiError, errorNameOf, findingCatalogue, type FieldFinding } from "../../texts/errors.ts";
import type { AcceptRequest, RequestKey } from "../../intake/accept-batch.ts";
import type { AcceptedBatch } from "../../intake/assemble-call.ts";
import { messagePriority } from "../../sms/message-status.ts";
import type { RejectedMessage } from "../../sms/prepare-message.ts";
import type { Account } from "../../directory/directory.ts";
import type { ApiCall, Call } from "../call.ts";
import type { JsonReading } from "../json-body.ts";
import { expectMaxima } from "../json-schema.ts";
import { batchAnswer, singleAnswer, textsFitInto } from "../../events/representations.ts";
import { completeListFindings, malformedLists, type MultiSend } from "./multi-send.ts";
import {
  completeFindings,
  fieldsOfSingle,
  malformedFields,
  readSingleSend,
  type SingleKind,
  type SingleSend,
} from "./single-send.ts";
import { createHash } from "node:crypto";

/**
 * Permission before validation, then the intake. Returns the
 * body of the 200.
 */
export function checkAndSend(call: ApiCall, body: JsonReading, kind: SingleKind): Promise<string> {
  const { account } = call.authorize(kind === "text" ? "sendText" : "sendTemplate");
  if ("finding" in body) throw ApiError.invalidParameters([body.finding]);
  const { fields } = body;
  const { routeOptions, body: octets } = call.request;
  expectMaxima(routeOptions.schema?.body, (field) => fields.get(field.toLowerCase()), octets);
  return acceptSingle(call, account, readSingleSend(fields, kind, Date.now()));
}

/** Returns the body of the 200. */
export function acceptSingle(call: Call, account: Account, send: SingleSend): Promise<string> {
  const { draft, sendAt, kind } = send;
  const { key, findings } =
    call.request.headers["idempotency-key"] === undefined ? withoutKey : keyOfSingle(call, send);
  if (send.findings.length + findings.length > 0)
    return refuseInvalid(call, account, key, {
      findings: [...send.findings, ...findings],
      all: () => [...completeFindings(send, account.terms), ...findings],
    });
  const priority = kind === "text" ? messagePriority.single : messagePriority.oneTimeCode;
  return acceptSend(call, { account, drafts: [draft], sendAt, priority }, key, asSingle);
}

const asSingle: AnswerForm = { render: singleAnswer, refuse: refuseSingle };

function keyOfSingle(call: Call, send: SingleSend): KeyOfCall {
  const endpoint = send.kind === "text" ? "messages/send" : "messages/send/template";
  return keyOf(readIdempotencyKey(headerKey(call)), endpoint, fieldsOfSingle(send));
}

/**
 * The body that an earlier call with this key was answered, for a caller who judges more than the
 * intake does.
 */
export async function repeatedSingle(call: Call, account: Account, send: SingleSend): Promise<string | undefined> {
  const { key } = keyOfSingle(call, send);
  const kept = key && (await call.parts.intake.replay(account.id, key));
  return kept?.kind === "replayed" ? markReplayed(call, kept.answer) : undefined;
}

/** Returns the body of the 200. `keyParameter` is the idempotencyKey of the URL endpoints. */
export async function acceptMulti(
  call: ApiCall,
  send: MultiSend,
  { endpoint, keyParameter }: { endpoint: string; keyParameter?: string | undefined },
): Promise<string> {
  const { account, language } = call;
  const { drafts, sendAt } = send;
  const { key, findings } = keyOf(readIdempotencyKey(headerKey(call), keyParameter), endpoint, send.fields);
  if (send.findings.length + findings.length > 0)
    return refuseInvalid(call, account, key, {
      findings: [...send.findings, ...findings],
      all: () => [...completeListFindings(send, account.terms), ...findings],
    });
  return acceptSend(call, { account, drafts, sendAt, priority: messagePriority.multi }, key, {
    render: (batch) => batchAnswer(batch, language),
    refuse: refuseMulti,
  });
}

/** How the outcome of a send is answered. */
export interface AnswerForm {
  readonly render: (batch: AcceptedBatch) => string;
  readonly refuse: (messages: readonly RejectedMessage[]) => ApiError;
}

/**
 * For a call with faults. `all`: those, and what else its messages lack. A repetition of a call that is
 * only late gets the stored answer.
 */
export async function refuseInvalid(
  call: Call,
  account: Account,
  key: RequestKey | undefined,
  { findings, all }: { readonly findings: readonly FieldFinding[]; readonly all: () => readonly FieldFinding[] },
): Promise<string> {
  const kept = key && isOnlyLate(findings) ? await call.parts.intake.replay(account.id, key) : undefined;
  if (kept?.kind === "replayed") return markReplayed(call, kept.answer);
  throw ApiError.invalidParameters(all());
}

/** Returns the body of the 200; throws the error that the call ends with. */
export async function acceptSend(
  call: Call,
  request: AcceptRequest,
  key: RequestKey | undefined,
  { render, refuse }: AnswerForm,
): Promise<string> {
  const { intake } = call.api.parts;
  const result = await intake.accept(
    key === undefined ? request : { ...request, idempotency: { ...key, answerOf: render } },
  );
  switch (result.kind) {
    case "accepted":
      return result.answer ?? render(result.batch);
    case "replayed":
      return markReplayed(call, result.answer);
    case "refused":
      throw refuse(result.messages);
    case "keyBusy":
      throw new ApiError("idempotencyKeyBusy", { headers: { "retry-after": "1" } });
    case "keyReused":
      throw new ApiError("idempotencyKeyReused");
    case "overloaded":
      throw ApiError.unavailable(result.retryAfterSeconds);
  }
}

const notLater: ReadonlySet<string> = new Set(["sendTimestamp.notLater", "console.sendAtNotLater"]);

/**
 * Repeating a scheduled send after its time would be refused for the time alone, although the send
 * succeeded. Such a call gets the stored answer.
 */
function isOnlyLate(findings: readonly FieldFinding[]): boolean {
  return findings.every(({ messageKey }) => notLater.has(messageKey));
}

export function headerKey(call: Call): string | undefined {
  return call.request.headers["idempotency-key"] as string | undefined;
}

interface KeyOfCall {
  readonly key?: RequestKey;
  readonly findings: readonly FieldFinding[];
}

const withoutKey: KeyOfCall = { findings: [] };

export function keyOf(reading: KeyReading, endpoint: string, fields: readonly unknown[]): KeyOfCall {
  if ("finding" in reading) return { findings: [reading.finding] };
  if (reading.key === undefined) return withoutKey;
  return { key: { key: reading.key, fingerprint: fingerprintOf(endpoint, fields) }, findings: [] };
}

function markReplayed(call: Call, body: string): string {
  void call.reply.header(replayedHeader, "true");
  return body;
}

/** Whether the answer is that of an earlier call. */
export function isReplayed(call: Call): boolean {
  return call.reply.getHeader(replayedHeader) !== undefined;
}

const replayedHeader = "idempotent-replayed";

/** The faults of its only message are the error of a single call. */
export function refuseSingle([message]: readonly RejectedMessage[]): ApiError {
  const fault = message?.faults[0];
  if (message === undefined || fault === undefined) throw new Error("a call was refused without a fault");
  if (fault.code === 1001) return ApiError.invalidParameters(malformedFields(message.faults));
  const name = errorNameOf(fault.code);
  if (name === undefined) throw new Error(`the catalogue lacks ${fault.code}`);
  return new ApiError(name, { values: fault.values, text: findingCatalogue[fault.messageKey] });
}

/**
 * Maximum size of the texts of refused messages in an answer. One text of a mebibyte may serve a
 * hundred messages.
 */
const maximumOctetsRepeated = 2 << 20;

/**
 * 1003, or 1001 if every message is malformed or the texts are too long to repeat.
 */
export function refuseMulti(messages: readonly RejectedMessage[]): ApiError {
  if (!textsFitInto(maximumOctetsRepeated, messages)) return ApiError.invalidParameters(malformedLists(messages));
  const allMalformed = messages.every(({ faults }) => faults[0].code === 1001);
  if (!allMalformed) return new ApiError("nothingToSend", { messages });
  return new ApiError("invalidParameters", { validationErrors: malformedLists(messages), messages });
}

// Reads an Idempotency-Key and defines when two requests are the same. Pure.

const maximumKeyCharacters = 255;

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
