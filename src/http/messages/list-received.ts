// GET messages/received/recent and GET messages/received (decisions §3): messages from subscribers
// to the account's lines.
import { input, orAbsent, plainText } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { listReceivedAfter, listRecentReceived } from "../../store/received-messages.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { readCount, type GivenParameters } from "../read-parameters.ts";
import { receivedMessage } from "../../events/representations.ts";
import { countParameter, receivedAnswer, recentAnswer } from "../schemas.ts";
import { readQueryParameters } from "../url-parameters.ts";

export function listReceived(context: ApiContext): Endpoint[] {
  return [recent(context), after(context)];
}

function recent(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/messages/received/recent",
    schema: {
      operationId: "listRecentReceived",
      summary: "List the newest received messages",
      description: "The latest messages, newest first. Clients that must not miss a message use `messages/received`.",
      tags: ["Receiving"],
      security: headerSecurity,
      querystring: input({ count: countParameter }),
      response: responses(recentAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "readReceived");
      const parameters = readQueryParameters(request);
      const findings: FieldFinding[] = [];
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listRecentReceived(context.parts.db, { accountId: account.id, count });
      return `{"messages":[${messages.map(receivedMessage).join(",")}]}`;
    },
  };
}

function after(context: ApiContext): Endpoint {
  return {
    method: "GET",
    path: "/messages/received",
    schema: {
      operationId: "listReceived",
      summary: "List all received messages",
      description:
        "Oldest first. Pass the `nextCursor` of each answer as `after` in the next call; without `after` the list starts at the beginning. A " +
        "message that is stored late is never skipped. An empty page returns the same cursor.",
      tags: ["Receiving"],
      security: headerSecurity,
      querystring: input({
        after: orAbsent(plainText({ description: "nextCursor of the previous answer.", examples: ["0"] })),
        count: countParameter,
      }),
      response: responses(receivedAnswer, 400),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "readReceived");
      const parameters = readQueryParameters(request);
      const findings: FieldFinding[] = [];
      const start = readCursor(parameters, findings);
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listReceivedAfter(context.parts.db, { accountId: account.id, after: start, count });
      const nextCursor = messages.at(-1)?.sequence ?? start;
      return `{"messages":[${messages.map(receivedMessage).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  };
}

const cursor = /^(?:0|[1-9][0-9]{0,17})$/;

/** A cursor is the sequence number of the last message seen. It is opaque to callers. */
function readCursor(parameters: GivenParameters, findings: FieldFinding[]): bigint {
  const given = parameters.text("after");
  if (given === undefined) return 0n;
  if (cursor.test(given)) return BigInt(given);
  findings.push({ field: "after", messageKey: "after.form" });
  return 0n;
}
