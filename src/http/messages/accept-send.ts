// Passes a parsed send call to the intake and converts the result to an answer. All sending
// endpoints share it.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError, errorNameOf, findingCatalogue, type FieldFinding } from "../../errors.ts";
import type { AcceptRequest, AcceptResult } from "../../intake/accept-batch.ts";
import type { RejectedMessage } from "../../sms/prepare-message.ts";
import { findIdempotentAnswer } from "../../store/idempotency-keys.ts";
import type { Door } from "../door.ts";
import { fingerprintOf, readIdempotencyKey, type KeyReading } from "../idempotency-key.ts";
import type { JsonReading } from "../json-body.ts";
import { languageOf } from "../language.ts";
import { batchAnswer, singleAnswer, textsFitInto } from "../representations.ts";
import type { Identity } from "../authenticate.ts";
import { authorize } from "../authorize.ts";
import { completeListFindings, malformedLists, type MultiSend } from "./multi-send.ts";
import { completeFindings, malformedFields, readSingleSend, type SingleKind, type SingleSend } from "./single-send.ts";

/** Queue priorities: one-time codes, then single calls, then multi-message calls. */
const priorities = { template: 0, text: 1, multi: 2 } as const;

interface SendCall {
  readonly door: Door;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Identity;
}

/**
 * Permission before validation, then the intake (decisions §1 "Order of judgement"). Returns the
 * body of the 200.
 */
export function judgeAndSend(call: SendCall, body: JsonReading, kind: SingleKind): Promise<string> {
  authorize(call.door, call.reply, call.identity, kind === "text" ? "send" : "send-template");
  if ("finding" in body) throw ApiError.invalidParameters([body.finding]);
  return acceptSingle(call, readSingleSend(body.fields, kind, Date.now()));
}

/** Returns the body of the 200. */
export async function acceptSingle({ door, request, reply, identity }: SendCall, send: SingleSend): Promise<string> {
  const { account } = identity;
  const idempotency = keyOfSingle(request, send);
  const invalid = [...send.findings, ...idempotency.findings];
  if (invalid.length > 0) {
    const kept = await keptAnswer(door, account.id, idempotency.key, invalid);
    if (kept !== undefined) return markReplayed(reply, kept);
    throw ApiError.invalidParameters([...completeFindings(send, account.terms), ...idempotency.findings]);
  }
  const result = await door.parts.intake.accept({
    account,
    drafts: [send.draft],
    sendAt: send.sendAt,
    priority: priorities[send.kind],
    idempotency: idempotency.key,
    render: singleAnswer,
  });
  return answerOf(reply, result, refuseSingle);
}

function keyOfSingle(request: FastifyRequest, send: SingleSend): ReturnType<typeof keyOf> {
  const endpoint = send.kind === "text" ? "messages/send" : "messages/send/template";
  return keyOf(readIdempotencyKey(headerKey(request)), endpoint, send.fields);
}

/**
 * The body that an earlier call with this key was answered, for a caller who judges more than the
 * intake does.
 */
export async function repeatedSingle(
  { door, request, reply, identity }: SendCall,
  send: SingleSend,
): Promise<string | undefined> {
  const { key } = keyOfSingle(request, send);
  const kept = key && (await findKept(door, identity.account.id, key));
  return kept === undefined ? undefined : markReplayed(reply, kept);
}

/** Returns the body of the 200. `keyParameter` is the idempotencyKey of the URL endpoints. */
export async function acceptMulti(
  { door, request, reply, identity }: SendCall,
  send: MultiSend,
  { endpoint, keyParameter }: { endpoint: string; keyParameter?: string | undefined },
): Promise<string> {
  const { account } = identity;
  const idempotency = keyOf(readIdempotencyKey(headerKey(request), keyParameter), endpoint, send.fields);
  const invalid = [...send.findings, ...idempotency.findings];
  if (invalid.length > 0) {
    const kept = await keptAnswer(door, account.id, idempotency.key, invalid);
    if (kept !== undefined) return markReplayed(reply, kept);
    throw ApiError.invalidParameters([...completeListFindings(send, account.terms), ...idempotency.findings]);
  }
  const language = languageOf(request.headers["accept-language"]);
  const result = await door.parts.intake.accept({
    account,
    drafts: send.drafts,
    sendAt: send.sendAt,
    priority: priorities.multi,
    idempotency: idempotency.key,
    render: (batch) => batchAnswer(batch, language),
  });
  return answerOf(reply, result, refuseMulti);
}

export type RequestKey = NonNullable<AcceptRequest["idempotency"]>;

export function headerKey(request: FastifyRequest): string | undefined {
  return request.headers["idempotency-key"] as string | undefined;
}

export function keyOf(
  reading: KeyReading,
  endpoint: string,
  fields: readonly unknown[],
): { key?: RequestKey; findings: readonly FieldFinding[] } {
  if ("finding" in reading) return { findings: [reading.finding] };
  if (reading.key === undefined) return { findings: [] };
  return { key: { key: reading.key, fingerprint: fingerprintOf(endpoint, fields) }, findings: [] };
}

const notLater: ReadonlySet<string> = new Set(["sendTimestamp.notLater", "console.sendAtNotLater"]);

/**
 * Repeating a scheduled send after its time would be refused for the time alone, although the send
 * succeeded. Such a call gets the stored answer.
 */
export async function keptAnswer(
  door: Door,
  accountId: number,
  key: RequestKey | undefined,
  findings: readonly FieldFinding[],
): Promise<string | undefined> {
  if (key === undefined || findings.some(({ messageKey }) => !notLater.has(messageKey))) return undefined;
  return findKept(door, accountId, key);
}

async function findKept(door: Door, accountId: number, key: RequestKey): Promise<string | undefined> {
  const { db, config } = door.parts;
  const { idempotencyHours } = config;
  const kept = await findIdempotentAnswer(db, { accountId, key: key.key, idempotencyHours });
  return kept?.fingerprint.equals(key.fingerprint) === true ? kept.answer : undefined;
}

/** The body of the 200; throws the error that the call ends with. */
export function answerOf(
  reply: FastifyReply,
  result: AcceptResult,
  refuse: (messages: readonly RejectedMessage[]) => ApiError,
) {
  switch (result.kind) {
    case "accepted":
      return result.replayed ? markReplayed(reply, result.body) : result.body;
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

export function markReplayed(reply: FastifyReply, body: string): string {
  void reply.header(replayedHeader, "true");
  return body;
}

/** Whether the answer is that of an earlier call. */
export function isReplayed(reply: FastifyReply): boolean {
  return reply.getHeader(replayedHeader) !== undefined;
}

const replayedHeader = "idempotent-replayed";

/** The faults of its only message are the error of a single call (decisions §2). */
export function refuseSingle([message]: readonly RejectedMessage[]): ApiError {
  const fault = message?.faults[0];
  if (message === undefined || fault === undefined) throw new Error("a call was refused without a fault");
  if (fault.code === 1001) return ApiError.invalidParameters(malformedFields(message.faults));
  const name = errorNameOf(fault.code);
  if (name === undefined) throw new Error(`the catalogue lacks ${fault.code}`);
  return new ApiError(name, { values: fault.values, wording: findingCatalogue[fault.messageKey] });
}

/**
 * Maximum size of the texts of refused messages in an answer. One text of a mebibyte may serve a
 * hundred messages.
 */
const maximumOctetsRepeated = 2 << 20;

/**
 * 1003, or 1001 if every message is malformed or the texts are too long to repeat (decisions §2).
 */
export function refuseMulti(messages: readonly RejectedMessage[]): ApiError {
  if (!textsFitInto(maximumOctetsRepeated, messages)) return ApiError.invalidParameters(malformedLists(messages));
  const allMalformed = messages.every(({ faults }) => faults[0].code === 1001);
  if (!allMalformed) return new ApiError("nothingToSend", { messages });
  return new ApiError("invalidParameters", { validationErrors: malformedLists(messages), messages });
}
