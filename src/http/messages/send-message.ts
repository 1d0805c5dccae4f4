// POST messages/send (API spec 4.1): one message with free text. With templateId and without
// content it is a template send, because a published sample does that (API spec 4.2).
import { identifyByHeaders } from "../authenticate.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, idempotencyHeader, responses, type Endpoint } from "../endpoint.ts";
import { readJsonBody } from "../json-body.ts";
import { singleSendAnswer, singleSendBody } from "../schemas.ts";
import { judgeAndSend } from "./accept-send.ts";
import { isTemplateSend } from "./single-send.ts";

export function sendMessage(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/messages/send",
    schema: {
      operationId: "sendMessage",
      summary: "Send a single message",
      description:
        "Sends one text to one recipient. 200 means that the message is stored and will be sent; `messages/status` shows its progress. " +
        "A call with `templateId` and without `content` is handled like `messages/send/template`.",
      tags: ["Sending"],
      security: headerSecurity,
      headers: idempotencyHeader,
      body: singleSendBody,
      response: responses(singleSendAnswer, 400, 409, 422),
    },
    answer: async (request, reply) => {
      const identity = await identifyByHeaders(context, request);
      const body = readJsonBody(request.body);
      const kind = "fields" in body && isTemplateSend(body.fields) ? "template" : "text";
      return judgeAndSend({ context, request, reply, identity }, body, kind);
    },
  };
}
