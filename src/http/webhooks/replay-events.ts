// POST webhooks/endpoints/{endpointId}/replay: what the log holds is sent to the endpoint again.
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { ReplayRefused, replayEvents, type WantedReplay } from "../../setup/replay-events.ts";
import { isUuid } from "../../platform/uuid.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { requireJsonBody } from "../json-body.ts";
import { withUnknownOutcome } from "../outcome-unknown.ts";
import { isAbsent, type JsonFields, readInteger } from "../read-parameters.ts";
import { replayRefusal, requireEndpoint } from "./endpoint-call.ts";
import { endpointPath, replayAnswer, replayBody } from "./endpoint-schemas.ts";

const mostIds = 100;
/** The year 9999. */
const latestSecond = 253_402_300_799;

export function replayEndpointEvents(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: "/webhooks/endpoints/:endpointId/replay",
    schema: {
      operationId: "replayEvents",
      summary: "Send events again",
      description:
        "Either these events, or those of a time: what the log holds and the endpoint wants, with the ids of the first time, behind what is new. " +
        "Unknown ids are not counted. One replay at a time: while one is under way, the answer is 409 with 1209.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      body: replayBody,
      response: responses(replayAnswer, 400, 409),
    },
    answer: async (request, reply) => {
      const { account } = await admit(context, request, reply, "changeWebhooks");
      const endpoint = await requireEndpoint(context, request, account);
      const findings: FieldFinding[] = [];
      const wanted = readReplay(requireJsonBody(request), findings);
      if (wanted === undefined) throw ApiError.invalidParameters(findings);
      const { db, directory } = context.parts;
      const { eventDays } = directory.current;
      const beginning = replayEvents({ db, reads: context.replays }, { endpoint, wanted, eventDays });
      const replayedCount = await withUnknownOutcome(beginning).catch((error: unknown) => {
        throw error instanceof ReplayRefused ? replayRefusal(error) : error;
      });
      return `{"replayedCount":${replayedCount}}`;
    },
  };
}

/** Undefined where there are findings. */
function readReplay(fields: JsonFields, findings: FieldFinding[]): WantedReplay | undefined {
  const hasTimes = !isAbsent(fields.get("from")) || !isAbsent(fields.get("to"));
  const ids = fields.get("eventids");
  if (isAbsent(ids)) {
    if (!hasTimes) findings.push({ field: "eventIds", messageKey: "replay.nothing" });
    return hasTimes ? readTimes(fields, findings) : undefined;
  }
  if (hasTimes) findings.push({ field: "eventIds", messageKey: "replay.nothing" });
  const texts = Array.isArray(ids) ? (ids as unknown[]) : [];
  if (texts.length === 0 || texts.length > mostIds)
    findings.push({ field: "eventIds", messageKey: "ids.count", values: { maximum: mostIds } });
  else if (!texts.every((id) => typeof id === "string" && isUuid(id)))
    findings.push({ field: "eventIds", messageKey: "id.form" });
  return findings.length > 0 ? undefined : { eventIds: [...new Set(texts.map((id) => String(id).toLowerCase()))] };
}

function readTimes(fields: JsonFields, findings: FieldFinding[]): WantedReplay | undefined {
  const [from, to] = ["from", "to"].map((field) => {
    const seconds = readInteger(fields.get(field));
    if (seconds !== undefined && seconds >= 0 && seconds <= latestSecond) return seconds;
    findings.push({ field, messageKey: isAbsent(fields.get(field)) ? "field.required" : "time.notInteger" });
    return undefined;
  });
  if (from === undefined || to === undefined) return undefined;
  if (from < to) return { from: new Date(from * 1000), to: new Date(to * 1000) };
  findings.push({ field: "to", messageKey: "time.notLater" });
  return undefined;
}
