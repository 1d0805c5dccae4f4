// POST messages/send/template (API spec 4.2): one message made from an approved template and its
// parameters.
import { identifyByHeaders } from "../authenticate.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, idempotencyHeader, responses, type Endpoint } from "../endpoint.ts";
import { readJsonBody } from "../json-body.ts";
import { singleSendAnswer, templateSendBody } from "../schemas.ts";
import { judgeAndSend } from "./accept-send.ts";

export function sendTemplateMessage(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/messages/send/template",
    schema: {
      operationId: "sendTemplateMessage",
      summary: "Send a message from a template",
      description:
        "Fills an approved template with `parameters` and sends it. `senderNumber` in the call takes precedence over the template's own line; " +
        "without it, the template's line, service line or advertising line is used.",
      tags: ["Sending"],
      security: headerSecurity,
      headers: idempotencyHeader,
      body: templateSendBody,
      response: responses(singleSendAnswer, 400, 409, 422),
    },
    answer: async (request, reply) => {
      const identity = await identifyByHeaders(context, request);
      return judgeAndSend({ context, request, reply, identity }, readJsonBody(request.body), "template");
    },
  };
}
