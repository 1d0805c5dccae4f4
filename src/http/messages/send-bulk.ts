// POST messages/send/bulk (decisions §3): several messages in one call, as JSON lists.
import { ApiError } from "../../texts/errors.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, idempotencyHeader, multiResponses, type Endpoint } from "../endpoint.ts";
import { GivenParameters } from "../read-parameters.ts";
import { requireJsonBody } from "../json-body.ts";
import { bulkSendBody } from "../schemas.ts";
import { acceptMulti } from "./accept-send.ts";
import { pluralNames, readMultiSend } from "./multi-send.ts";

export function sendBulk(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/messages/send/bulk",
    schema: {
      operationId: "sendBulk",
      summary: "Send several messages in one call",
      description:
        "Up to 100 senders, recipients and texts. Every list has one value or as many as the longest one: a single value applies to all " +
        "messages; message i takes the i-th value of each longer list. Each message is validated by " +
        "itself, so a 200 can contain both sent and failed messages.",
      tags: ["Sending"],
      security: headerSecurity,
      headers: idempotencyHeader,
      body: bulkSendBody,
      response: multiResponses(),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "sendBulk");
      const fields = requireJsonBody(request);
      const parameters = new GivenParameters();
      parameters.addJson(fields);
      if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
      const send = readMultiSend(parameters, pluralNames, Date.now());
      return acceptMulti({ context, request, reply, identity }, send, { endpoint: "messages/send/bulk" });
    },
  };
}
