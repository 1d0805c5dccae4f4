// POST, PATCH and DELETE webhooks/endpoints, and new secrets.
import type { FastifyRequest } from "fastify";
import { ApiError, type FieldFinding } from "../../texts/errors.ts";
import { changeEndpoint, createEndpoint, removeEndpoint, renewSecret } from "../../setup/change-endpoints.ts";
import type { EndpointRow } from "../../store/webhook-endpoints.ts";
import { admit } from "../authorize.ts";
import type { ApiContext } from "../api-context.ts";
import { headerSecurity, responses, type Endpoint } from "../endpoint.ts";
import { requireJsonBody } from "../json-body.ts";
import { orAbsent } from "../json-schema.ts";
import { isAbsent, type JsonFields } from "../read-parameters.ts";
import { callerOf, changeAtOnce, readEndpointId } from "./endpoint-call.ts";
import {
  changeEndpointBody,
  createdEndpointAnswer,
  createEndpointBody,
  endpointAnswer,
  endpointDeletedAnswer,
  endpointJson,
  endpointPath,
  secretAnswer,
  secretBody,
} from "./endpoint-schemas.ts";
import { readEndpointChanges, readNewEndpoint, readSecret } from "./read-endpoint.ts";
import { describeChangedEndpoint, describeNewEndpoint } from "./describe-endpoints.ts";

export function changeEndpoints(context: ApiContext): readonly Endpoint[] {
  return [postEndpoint(context), patchEndpoint(context), deleteEndpoint(context), postSecret(context)];
}

const path = "/webhooks/endpoints";

function postEndpoint(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path,
    schema: {
      operationId: "createEndpoint",
      summary: "Create an endpoint",
      description:
        "Events that happen from then on are sent to it. An account has up to 20. The answer shows the secret that signs the requests, once.",
      tags: ["Webhooks"],
      security: headerSecurity,
      body: createEndpointBody,
      response: responses(createdEndpointAnswer, 400),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "changeWebhooks");
      const findings: FieldFinding[] = [];
      const given = readNewEndpoint(requireJsonBody(request), context.parts.webhooks.rules, findings);
      if (given === undefined || findings.length > 0) throw ApiError.invalidParameters(findings);
      const row = await changeAtOnce(context, () => createEndpoint(context.parts.db, callerOf(identity), given));
      return endpointJson(describeNewEndpoint(row), { secret: row.secret });
    },
  };
}

function patchEndpoint(context: ApiContext): Endpoint {
  return {
    method: "PATCH",
    path: `${path}/:endpointId`,
    schema: {
      operationId: "changeEndpoint",
      summary: "Change an endpoint",
      description:
        "Counts from the next try on, also for what waits; what is no longer wanted is passed over. Disabling drops what waits. Enabling begins " +
        "with what happens from then on. An answer says that the change is stored. If the times of the last success and failure and of the oldest " +
        "waiting event cannot be read at once, it leaves them out; GET tells them.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      body: changeEndpointBody,
      response: responses(endpointAnswer, 400),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "changeWebhooks");
      const id = readEndpointId(request);
      const fields = requireJsonBody(request);
      const findings: FieldFinding[] = [];
      const changes = readEndpointChanges(fields, context.parts.webhooks.rules, findings);
      if (!isAbsent(fields.get("secret")))
        findings.push({ field: "secret", messageKey: "endpoint.secretByPost", values: { endpointId: id } });
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const owner = { ...callerOf(identity), id };
      return tell(context, await changeAtOnce(context, () => changeEndpoint(context.parts.db, owner, changes)));
    },
  };
}

function deleteEndpoint(context: ApiContext): Endpoint {
  return {
    method: "DELETE",
    path: `${path}/:endpointId`,
    schema: {
      operationId: "deleteEndpoint",
      summary: "Delete an endpoint",
      description: "What waited for it is dropped.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      response: responses(endpointDeletedAnswer, 400),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "changeWebhooks");
      const owner = { ...callerOf(identity), id: readEndpointId(request) };
      const { id } = await changeAtOnce(context, () => removeEndpoint(context.parts.db, owner));
      return `{"endpointId":"${id}","deleted":true}`;
    },
  };
}

function postSecret(context: ApiContext): Endpoint {
  return {
    method: "POST",
    path: `${path}/:endpointId/secret`,
    schema: {
      operationId: "renewEndpointSecret",
      summary: "Replace the secret of an endpoint",
      description:
        "For 24 hours the secret before it signs, too; an older one no more. The answer shows the new one, once.",
      tags: ["Webhooks"],
      security: headerSecurity,
      params: endpointPath,
      body: orAbsent(secretBody),
      response: responses(secretAnswer, 400),
    },
    answer: async (request, reply) => {
      const identity = await admit(context, request, reply, "changeWebhooks");
      const owner = { ...callerOf(identity), id: readEndpointId(request) };
      const findings: FieldFinding[] = [];
      const given = readSecret(fieldsOf(request), findings);
      if (findings.length > 0) throw ApiError.invalidParameters(findings);
      const { secret } = await changeAtOnce(context, () => renewSecret(context.parts.db, owner, given));
      return JSON.stringify({ secret });
    },
  };
}

/** No body says as much as an empty object. */
function fieldsOf(request: FastifyRequest): JsonFields {
  const { body } = request;
  const isEmpty = body === undefined || body === null || (Buffer.isBuffer(body) && body.length === 0);
  return isEmpty ? new Map() : requireJsonBody(request);
}

async function tell(context: ApiContext, row: EndpointRow): Promise<string> {
  return endpointJson(await describeChangedEndpoint(context.lists, row));
}
