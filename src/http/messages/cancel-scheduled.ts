// DELETE messages/send/scheduled/{batchId} (decisions §3): cancels scheduled messages, until 30
// seconds before their time.
import { ApiError, findingCatalogue } from "../../texts/errors.ts";
import { cancelScheduledBatch, whyNotCanceled, type CancelRefusal } from "../../intake/cancel-batch.ts";
import { DatabaseUnavailable } from "../../store/database-errors.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { batchIdParameter, cancelAnswer } from "../schemas.ts";
import { readBatchId } from "../read-parameters.ts";

export function cancelScheduled(context: ApiContext): Endpoint {
  return {
    method: "DELETE",
    path: "/messages/send/scheduled/:batchId",
    schema: {
      operationId: "cancelScheduled",
      summary: "Cancel a scheduled batch",
      description:
        "Cancels the messages of a call with `sendTimestamp`, until 30 seconds before that time, and refunds their cost. Otherwise the " +
        "answer is 1106: the batch is unknown, not scheduled, or too close to its time. For your own batches errorMessage says which.",
      tags: ["Sending"],
      security: headerSecurity,
      params: batchIdParameter,
      response: responses(cancelAnswer, 400),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "cancel");
      const batchId = readBatchId((request.params as { batchId: string }).batchId);
      const canceledCount = await cancelOrTell(context, identity.account.id, batchId);
      if (canceledCount === 0)
        throw refuseCancel(await whyNotCanceled(context.parts.db, { accountId: identity.account.id, batchId }));
      return `{"batchId":"${batchId}","canceledCount":${canceledCount}}`;
    },
  };
}

function refuseCancel(refusal: CancelRefusal): ApiError {
  switch (refusal.kind) {
    case "unknown":
      return new ApiError("unknownMessageId");
    case "notScheduled":
      return new ApiError("unknownMessageId", { text: findingCatalogue["cancel.notScheduled"] });
    case "alreadyCanceled":
      return refuseAt("cancel.alreadyCanceled", refusal.at);
    case "tooLate":
      return refuseAt("cancel.tooLate", refusal.since);
  }
}

function refuseAt(key: "cancel.alreadyCanceled" | "cancel.tooLate", time: Date): ApiError {
  // Without the fraction: "2026-01-31T08:30:00Z".
  const values = { time: time.toISOString().replace(/\.[0-9]+/, "") };
  return new ApiError("unknownMessageId", { text: findingCatalogue[key], values });
}

// A cancel that was cut off may have been committed, so 503 could be wrong.
async function cancelOrTell(context: ApiContext, accountId: number, batchId: string): Promise<number> {
  const { db, telemetry } = context.parts;
  try {
    return await cancelScheduledBatch({ db, telemetry }, { accountId, batchId });
  } catch (error) {
    if (error instanceof DatabaseUnavailable && error.inDoubt)
      throw new Error("the database became unreachable while a batch was canceled", { cause: error });
    throw error;
  }
}
