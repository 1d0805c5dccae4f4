// Passes a parsed send call to the intake and converts the result to an answer. All sending
// endpoints share it.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError, errorNameOf, findingCatalogue, type FieldFinding } from "../../texts/errors.ts";
import type { AcceptRequest, RequestKey } from "../../intake/accept-batch.ts";
import type { AcceptedBatch } from "../../intake/assemble-call.ts";
import { messagePriority } from "../../sms/message-priority.ts";
import type { RejectedMessage } from "../../sms/prepare-message.ts";
import type { ApiContext } from "../api-context.ts";
import { fingerprintOf, readIdempotencyKey, type KeyReading } from "../idempotency-key.ts";
import type { JsonReading } from "../json-body.ts";
import { expectMaxima } from "../json-schema.ts";
import { languageOf } from "../language.ts";
import { batchAnswer, singleAnswer, textsFitInto } from "../../events/representations.ts";
import type { Identity } from "../authenticate.ts";
import { authorize } from "../authorize.ts";
import { completeListFindings, malformedLists, type MultiSend } from "./multi-send.ts";
import { completeFindings, malformedFields, readSingleSend, type SingleKind, type SingleSend } from "./single-send.ts";

interface SendCall {
  readonly context: ApiContext;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly identity: Pick<Identity, "account">;
}

/**
 * Permission before validation, then the intake (decisions §1 "Order of judgement"). Returns the
 * body of the 200.
 */
export function judgeAndSend(
  call: SendCall & { readonly identity: Identity },
  body: JsonReading,
  kind: SingleKind,
): Promise<string> {
  authorize(call.context, call.reply, call.identity, kind === "text" ? "sendText" : "sendTemplate");
  if ("finding" in body) throw ApiError.invalidParameters([body.finding]);
  const { fields } = body;
  expectMaxima(call.request.routeOptions.schema?.body, (field) => fields.get(field.toLowerCase()));
  return acceptSingle(call, readSingleSend(fields, kind, Date.now()));
}

/** Returns the body of the 200. */
export function acceptSingle(call: SendCall, send: SingleSend): Promise<string> {
  const { account } = call.identity;
  const { key, findings } = keyOfSingle(call.request, send);
  return acceptSend(call.context, call.reply, {
    account,
    drafts: [send.draft],
    sendAt: send.sendAt,
    priority: send.kind === "text" ? messagePriority.single : messagePriority.oneTimeCode,
    key,
    findings: [...send.findings, ...findings],
    allFindings: () => [...completeFindings(send, account.terms), ...findings],
    render: singleAnswer,
    refuse: refuseSingle,
  });
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
  { context, request, reply, identity }: SendCall,
  send: SingleSend,
): Promise<string | undefined> {
  const { key } = keyOfSingle(request, send);
  const kept = key && (await context.parts.intake.replay(identity.account.id, key));
  return kept?.kind === "replayed" ? markReplayed(reply, kept.answer) : undefined;
}

/** Returns the body of the 200. `keyParameter` is the idempotencyKey of the URL endpoints. */
export function acceptMulti(
  { context, request, reply, identity: { account } }: SendCall,
  send: MultiSend,
  { endpoint, keyParameter }: { endpoint: string; keyParameter?: string | undefined },
): Promise<string> {
  const { key, findings } = keyOf(readIdempotencyKey(headerKey(request), keyParameter), endpoint, send.fields);
  const language = languageOf(request.headers["accept-language"]);
  return acceptSend(context, reply, {
    account,
    drafts: send.drafts,
    sendAt: send.sendAt,
    priority: messagePriority.multi,
    key,
    findings: [...send.findings, ...findings],
    allFindings: () => [...completeListFindings(send, account.terms), ...findings],
    render: (batch) => batchAnswer(batch, language),
    refuse: refuseMulti,
  });
}

/** A send as an endpoint has read it. */
interface SendToAccept extends Omit<AcceptRequest, "idempotency"> {
  readonly key: RequestKey | undefined;
  /** Faults of the call and of its key; empty if there are none. */
  readonly findings: readonly FieldFinding[];
  /** Those, and what else the messages lack. */
  readonly allFindings: () => readonly FieldFinding[];
  readonly render: (batch: AcceptedBatch) => string;
  readonly refuse: (messages: readonly RejectedMessage[]) => ApiError;
}

/** Returns the body of the 200; throws the error that the call ends with. */
export async function acceptSend(context: ApiContext, reply: FastifyReply, send: SendToAccept): Promise<string> {
  const { account, drafts, sendAt, priority, key, findings, allFindings, render, refuse } = send;
  const { intake } = context.parts;
  if (findings.length > 0) {
    const kept = key && isOnlyLate(findings) ? await intake.replay(account.id, key) : undefined;
    if (kept?.kind === "replayed") return markReplayed(reply, kept.answer);
    throw ApiError.invalidParameters(allFindings());
  }
  const idempotency = key && { ...key, answerOf: render };
  const result = await intake.accept({ account, drafts, sendAt, priority, idempotency });
  switch (result.kind) {
    case "accepted":
      return result.answer ?? render(result.batch);
    case "replayed":
      return markReplayed(reply, result.answer);
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

function markReplayed(reply: FastifyReply, body: string): string {
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
  return new ApiError(name, { values: fault.values, text: findingCatalogue[fault.messageKey] });
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
