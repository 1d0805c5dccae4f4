// GET batches/{id}, POST batches/{id}/cancel and POST messages/{id}/cancel: what became of a call,
// and canceling what of it still waits.
import { input, integer, object, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { cancelWaiting } from "../../intake/cancel-waiting.ts";
import { tellUnsent } from "../../events/message-ends.ts";
import { reasonCode } from "../../sms/message-status.ts";
import { summarizeBatch } from "../../store/batches.ts";
import { findMessageOwners } from "../../store/message-owners.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import type { ConsoleContext } from "./console-context.ts";
import { type ConsoleEndpoint, consoleResponses, notThere } from "./console-endpoint.ts";
import { pathId } from "./narrow.ts";

const batch = object({
  batchId: uuidText(),
  account: plainText(),
  acceptedAt: time("When the call was accepted."),
  sendAt: orAbsent(time("Of a scheduled batch.")),
  messages: integer(),
  waiting: integer("Status 0."),
  sent: integer("Status 1: with the operator."),
  delivered: integer("Status 2."),
  undelivered: integer("Status 3."),
  unsent: integer("Status 4, refunded."),
  parts: integer(),
  cost: integer("What was charged."),
  refunded: integer("What was given back of it."),
});

const canceled = object({
  canceled: integer("Ended unsent, and refunded."),
  canceledBefore: integer("Canceled by an earlier call."),
  onTheirWay: integer("Too late: on their way to the operator."),
  over: integer("Sent, or ended for another reason."),
});

const inPath = input({ id: uuidText() });

export function batchEndpoints(context: ConsoleContext): ConsoleEndpoint[] {
  return [
    getBatch(context),
    cancel(context, {
      path: "/batches/:id/cancel",
      operationId: "cancelBatch",
      summary: "Cancel what of a batch waits",
    }),
    cancel(context, {
      path: "/messages/:id/cancel",
      operationId: "cancelMessage",
      summary: "Cancel a waiting message",
    }),
  ];
}

function getBatch(context: ConsoleContext): ConsoleEndpoint {
  return {
    method: "GET",
    path: "/batches/:id",
    needs: "readMessages",
    schema: {
      operationId: "getBatch",
      summary: "What became of the messages of one call",
      tags: ["Sending"],
      params: inPath,
      response: consoleResponses(batch, 404),
    },
    answer: async ({ request }) => {
      const batchId = pathId(request);
      const own = context.sessionOf(request).account;
      const accountIds = own === undefined ? await findMessageOwners(context.reads, batchId) : [own.id];
      const found = await summarizeBatch(context.reads, { batchId, accountIds });
      if (found === undefined) throw notThere();
      return { batchId, acceptedAt: new Date(uuidv7Time(batchId)), ...found };
    },
  };
}

function cancel(
  context: ConsoleContext,
  { path, operationId, summary }: { path: string; operationId: string; summary: string },
): ConsoleEndpoint {
  return {
    method: "POST",
    path,
    needs: "cancel",
    schema: {
      operationId,
      summary,
      description: "Messages that were submitted, even in part, are left alone. Canceled ones are refunded.",
      tags: ["Sending"],
      params: inPath,
      response: consoleResponses(canceled, 404),
    },
    answer: async ({ request }) => {
      const accountId = context.sessionOf(request).account?.id;
      const by = context.actorOf(request);
      const found = await cancelWaiting(context.work, pathId(request), { by, accountId });
      if (found === undefined) throw notThere();
      tellUnsent(context.parts.telemetry, reasonCode.canceled, found.canceled);
      return found;
    },
  };
}
