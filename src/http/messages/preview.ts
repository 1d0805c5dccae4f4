// POST messages/preview (decisions §3): what a send call would answer, with the encoding of each text. Stores and charges nothing.
import { ApiError } from "../../errors.ts";
import { identifyByHeaders, type Identity } from "../authenticate.ts";
import { authorize } from "../authorize.ts";
import type { Door } from "../door.ts";
import { described, errorResponses, headerSecurity, type Endpoint } from "../endpoint.ts";
import { languageOf } from "../language.ts";
import { GivenParameters, type JsonFields } from "../read-parameters.ts";
import { previewAnswer, previewBatchAnswer } from "../representations.ts";
import { requireJsonBody } from "../json-body.ts";
import { previewAnswerSchema, previewBody, shared } from "../schemas.ts";
import { refuseMulti, refuseSingle } from "./accept-send.ts";
import { pluralNames, readMultiSend, singularNames } from "./multi-send.ts";
import { completeFindings, isTemplateSend, readSingleSend } from "./single-send.ts";

export function previewMessages(door: Door): Endpoint {
  return {
    method: "POST",
    path: "/messages/preview",
    schema: {
      operationId: "previewMessages",
      summary: "See what a send would cost",
      description:
        "Takes the body of any send call and answers as that call would, without ids and with the encoding of each text. " +
        "Nothing is sent, nothing charged.",
      tags: ["Sending"],
      security: headerSecurity,
      body: previewBody,
      response: {
        200: described("As the send call would answer.", previewAnswerSchema),
        ...errorResponses([400, 401, 403, 413, 415, 429, 500, 503], { 400: shared("BatchError") }),
      },
    },
    answer: async (request, reply) => {
      const identity = await identifyByHeaders(door, request);
      authorize(door, reply, identity, "preview");
      const fields = requireJsonBody(request.body);
      if (!isMultiSend(fields)) return previewSingle(door, identity, fields);
      return previewMulti(door, identity, fields, languageOf(request.headers["accept-language"]));
    },
  };
}

/** A body of bulk has the plural names, one of the URL endpoints lists under the singular ones. */
function isMultiSend(fields: JsonFields): boolean {
  const has = (names: typeof pluralNames, test: (value: unknown) => boolean) =>
    Object.values(names).some((name: string) => test(fields.get(name.toLowerCase())));
  return has(pluralNames, (value) => value !== undefined && value !== null) || has(singularNames, Array.isArray);
}

async function previewSingle(door: Door, { account }: Identity, fields: JsonFields): Promise<string> {
  const send = readSingleSend(fields, isTemplateSend(fields) ? "template" : "text", Date.now());
  if (send.findings.length > 0) throw ApiError.invalidParameters(completeFindings(send, account.terms));
  const [message] = await door.parts.intake.preview(account, [send.draft]);
  if (message === undefined) throw new Error("a preview has no message");
  if (message.kind === "rejected") throw refuseSingle([message]);
  return previewAnswer(message);
}

async function previewMulti(door: Door, { account }: Identity, fields: JsonFields, language: "en" | "fa") {
  const parameters = new GivenParameters();
  parameters.addJson(fields);
  if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
  const names = Object.values(pluralNames).some((name: string) => fields.has(name.toLowerCase()))
    ? pluralNames
    : singularNames;
  const sendTimestamp = fields.get("sendtimestamp");
  const send = readMultiSend(parameters, names, { sendTimestamp, nowMs: Date.now() });
  if (send.findings.length > 0) throw ApiError.invalidParameters(send.findings);
  const messages = await door.parts.intake.preview(account, send.drafts);
  const rejected = messages.filter((message) => message.kind === "rejected");
  if (rejected.length === messages.length) throw refuseMulti(rejected);
  return previewBatchAnswer(messages, language);
}
