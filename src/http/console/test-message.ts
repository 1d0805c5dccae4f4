// POST connectors/{name}/test-message: sends a message in the name of an account, which is charged
// as usual. The routes decide where a message goes. So it is sent only if they lead to this
// connector now; otherwise the answer says where they lead.
import type { FastifyRequest } from "fastify";
import { Type } from "../json-schema.ts";
import { ApiError, type FindingKey } from "../../texts/errors.ts";
import type { TextValues } from "../../texts/localize.ts";
import { parseRials } from "../../sms/money.ts";
import { type AuditedChange, insertAuditEntries } from "../../store/audit.ts";
import { requireJsonObject } from "../json-body.ts";
import { acceptSingle, isReplayed, repeatedSingle } from "../messages/accept-send.ts";
import { readSingleSend } from "../messages/single-send.ts";
import { foldNames } from "../read-parameters.ts";
import type { ConsoleContext } from "./console-context.ts";
import {
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleResponses,
  exactly,
  notThere,
  inRials,
} from "./console-endpoint.ts";
import { pathParameter } from "./narrow.ts";
import { longestText } from "./send-request.ts";
import { readQuestion, stateFor } from "./trace-question.ts";
import { traceWay, type TracedWay } from "./trace-number.ts";

const answer = Type.Object(
  {
    sentMessageId: Type.String({ format: "uuid", description: "Its life tells which connector took it." }),
    batchId: Type.String({ format: "uuid" }),
    parts: Type.Integer(),
    cost: inRials("Charged to the account."),
  },
  exactly,
);

const body = Type.Object({
  account: Type.String({ description: "Is charged." }),
  senderNumber: Type.String({ description: "A line of the account." }),
  recipientNumber: Type.String(),
  content: Type.String({ maxLength: longestText }),
});

const required = ["account", "senderNumber", "recipientNumber", "content"] as const;

export function testMessage(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "POST",
    path: "/connectors/:name/test-message",
    needs: "changeNetwork",
    schema: {
      operationId: "sendTestMessage",
      summary: "Send a test message through a connector",
      description:
        "An ordinary message of the account, charged, written into the audit. Sent only if the routes lead to this connector at present. " +
        "With the header Idempotency-Key a repeated call sends nothing and answers the same, wherever the routes lead by then.",
      tags: ["Network"],
      params: Type.Object({ name: Type.String({ description: "Of the connector." }) }),
      body,
      response: consoleResponses(answer, 400, 404, 409, 422),
    },
    answer: (call) => sendTest(context, call),
  };
}

async function sendTest(context: ConsoleContext, { request, reply }: ConsoleCall): Promise<object> {
  const name = pathParameter(request, "name");
  const directory = context.parts.directory.current;
  if (!directory.connectors.some((connector) => connector.name === name)) throw notThere();
  const given = requireJsonObject(request);
  const missing = required.filter((field) => given[field] === undefined || given[field] === "");
  if (missing.length > 0)
    throw ApiError.invalidParameters(missing.map((field) => ({ field, messageKey: "field.required" })));
  const asked = readQuestion(directory, given);
  const { account, senderNumber } = asked;
  if (account === undefined || senderNumber === undefined) throw new Error("a test message without account or line");

  const { recipientNumber, content } = given;
  const send = readSingleSend(foldNames({ senderNumber, recipientNumber, content }), "text", Date.now());
  const sending = { context: context.api, request, reply, identity: { account } };
  const repeated = await repeatedSingle(sending, send);
  if (repeated === undefined) {
    const way = traceWay(directory, { ...asked, senderNumber }, await stateFor(context, account));
    expectWayThrough(name, way, (id) => directory.connectors.find((connector) => connector.id === id)?.name ?? "");
  }
  const text = repeated ?? (await acceptSingle(sending, send));
  // The body that a send call answers.
  const accepted = JSON.parse(text) as {
    batchId: string;
    message: { sentMessageId: string; parts: string; cost: string };
  };
  const { sentMessageId, parts, cost } = accepted.message;
  if (!isReplayed(reply)) {
    const after = { senderNumber, recipientNumber: asked.recipient, sentMessageId };
    await note(context, request, { action: "use", kind: "test message", name, account: account.name, after });
  }
  return { sentMessageId, batchId: accepted.batchId, parts: Number(parts), cost: parseRials(cost) };
}

/**
 * The message is accepted: 503, which says that nothing was stored, would be wrong, so it is 500.
 */
async function note(context: ConsoleContext, request: FastifyRequest, change: AuditedChange): Promise<void> {
  try {
    await insertAuditEntries(context.work, context.actorOf(request), [change]);
  } catch (error) {
    throw new Error("a test message was accepted, but not written into the audit", { cause: error });
  }
}

/**
 * Throws 1001 if the message would not go through the connector now. What is refused anyway, the
 * intake refuses in its own words.
 */
function expectWayThrough(wanted: string, { prepared, connectors }: TracedWay, nameOf: (id: number) => string): void {
  if (prepared === undefined) return;
  const used = connectors.find(({ verdict }) => verdict === "used");
  if (used !== undefined && nameOf(used.id) === wanted) return;
  const refuse = (messageKey: FindingKey, values?: TextValues) =>
    ApiError.invalidParameter("recipientNumber", messageKey, values);
  if (used !== undefined) throw refuse("console.otherConnector", { wanted, connector: nameOf(used.id) });
  throw refuse("console.noConnectorNow", { wanted });
}
