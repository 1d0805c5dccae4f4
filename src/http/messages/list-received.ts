// GET messages/received/recent and GET messages/received (decisions §3): messages from subscribers
// to the account's lines.
import { orAbsent, plainText } from "../json-schema.ts";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { listReceivedAfter, listRecentReceived } from "../../store/received-messages.ts";
import type { Endpoint } from "../endpoint.ts";
import { type GivenParameters, readCount } from "../read-parameters.ts";
import { receivedMessage } from "../../events/representations.ts";
import { countParameter, receivedAnswer, recentAnswer } from "../schemas.ts";

const cursor = /^(?:0|[1-9][0-9]{0,17})$/;

/** A cursor is the sequence number of the last message seen. It is opaque to callers. */
function readCursor(parameters: GivenParameters, findings: FieldFinding[]): bigint {
  const given = parameters.text("after");
  if (given === undefined) return 0n;
  if (cursor.test(given)) return BigInt(given);
  findings.push({ field: "after", messageKey: "after.form" });
  return 0n;
}

export const receivedEndpointsOfClients: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/messages/received/recent",
    operationId: "listRecentReceived",
    summary: "List the newest received messages",
    description: "The latest messages, newest first. Clients that must not miss a message use `messages/received`.",
    tag: "Receiving",
    needs: "readReceived",
    query: { count: countParameter },
    result: recentAnswer,
    handle: async (call) => {
      const { account } = call;
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listRecentReceived(call.parts.db, { accountId: account.id, count });
      return `{"messages":[${messages.map(receivedMessage).join(",")}]}`;
    },
  },
  {
    method: "GET",
    path: "/messages/received",
    operationId: "listReceived",
    summary: "List all received messages",
    description:
      "Oldest first. Pass the `nextCursor` of each answer as `after` in the next call; without `after` the list starts at the beginning. A " +
      "message that is stored late is never skipped. An empty page returns the same cursor.",
    tag: "Receiving",
    needs: "readReceived",
    query: {
      after: orAbsent(plainText({ description: "nextCursor of the previous answer.", examples: ["0"] })),
      count: countParameter,
    },
    result: receivedAnswer,
    handle: async (call) => {
      const { account } = call;
      const parameters = call.query;
      const findings: FieldFinding[] = [];
      const start = readCursor(parameters, findings);
      const count = readCount(parameters, findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const messages = await listReceivedAfter(call.parts.db, { accountId: account.id, after: start, count });
      const nextCursor = messages.at(-1)?.sequence ?? start;
      return `{"messages":[${messages.map(receivedMessage).join(",")}],"nextCursor":"${nextCursor}"}`;
    },
  },
];
