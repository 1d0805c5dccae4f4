// GET batches/{id}, POST batches/{id}/cancel and POST messages/{id}/cancel: what became of a call,
// and canceling what of it still waits.
import { integer, object, orAbsent, plainText, time, uuidText } from "../json-schema.ts";
import { cancelWaiting } from "../../intake/cancel-waiting.ts";
import { tellUnsent } from "../../events/message-ends.ts";
import { reasonCode } from "../../sms/message-status.ts";
import { summarizeBatch } from "../../store/batches.ts";
import { findMessageOwners } from "../../store/message-owners.ts";
import { uuidv7Time } from "../../platform/uuid.ts";
import { notThere } from "./console-context.ts";
import type { ConsoleEndpoint } from "./console-endpoint.ts";

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

const inPath = { id: uuidText() };

function cancel({
  path,
  operationId,
  summary,
}: {
  path: string;
  operationId: string;
  summary: string;
}): ConsoleEndpoint {
  return {
    method: "POST",
    path,
    needs: "cancel",
    operationId,
    summary,
    description: "Messages that were submitted, even in part, are left alone. Canceled ones are refunded.",
    tag: "Sending",
    params: inPath,
    result: canceled,
    handle: async (call) => {
      const accountId = call.session.account?.id;
      const by = call.actor;
      const found = await cancelWaiting(call.work, call.id, { by, accountId });
      if (found === undefined) throw notThere();
      tellUnsent(call.parts.telemetry, reasonCode.canceled, found.canceled);
      return found;
    },
  };
}

export const batchEndpoints: readonly ConsoleEndpoint[] = [
  {
    method: "GET",
    path: "/batches/:id",
    needs: "readMessages",
    operationId: "getBatch",
    summary: "What became of the messages of one call",
    tag: "Sending",
    params: inPath,
    result: batch,
    handle: async (call) => {
      const batchId = call.id;
      const own = call.session.account;
      const accountIds = own === undefined ? await findMessageOwners(call.reads, batchId) : [own.id];
      const found = await summarizeBatch(call.reads, { batchId, accountIds });
      if (found === undefined) throw notThere();
      return { batchId, acceptedAt: new Date(uuidv7Time(batchId)), ...found };
    },
  },
  cancel({
    path: "/batches/:id/cancel",
    operationId: "cancelBatch",
    summary: "Cancel what of a batch waits",
  }),
  cancel({
    path: "/messages/:id/cancel",
    operationId: "cancelMessage",
    summary: "Cancel a waiting message",
  }),
];
