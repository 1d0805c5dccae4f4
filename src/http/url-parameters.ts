// Collects the parameters of a URL endpoint from the query and the body, in any supported form
// (decisions §2).
import type { FastifyRequest } from "fastify";
import { expectMaxima } from "./json-schema.ts";
import { ApiError, type FieldFinding } from "../texts/errors.ts";
import { boundaryOf, readMultipart, rawQueryOf, readPairs } from "./query-string.ts";
import { GivenParameters } from "./read-parameters.ts";
import { looksLikeJsonObject, readJsonBody } from "./json-body.ts";
import { contentTypeOf } from "./request-input.ts";

export interface UrlParameters {
  readonly parameters: GivenParameters;
  /**
   * Set if the body cannot be read or has too many parameters. Reported after authentication and
   * permission.
   */
  readonly finding?: FieldFinding;
}

/** Called after authentication. Throws 1001 if the query has too many pairs. */
export function readQueryParameters(request: FastifyRequest): GivenParameters {
  const parameters = gatherQuery(request);
  if (parameters.surplus !== undefined) throw ApiError.invalidParameters([parameters.surplus]);
  expectMaxima(request.routeOptions.schema?.querystring, (field) => parameters.text(field));
  return parameters;
}

/** The parameters of the query before authentication; pairs beyond the limit are omitted. */
export function gatherQuery(request: FastifyRequest): GivenParameters {
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(rawQueryOf(request.raw.url ?? ""), parameters.room), "query");
  return parameters;
}

/** Throws 415 if Content-Type is neither a form nor JSON. */
export function readUrlParameters(request: FastifyRequest): UrlParameters {
  const parameters = gatherQuery(request);
  const body: unknown = request.body;
  const unreadable =
    Buffer.isBuffer(body) && body.length > 0 ? addBody(parameters, body, contentTypeOf(request)) : undefined;
  const finding = unreadable ?? parameters.surplus;
  return finding === undefined ? { parameters } : { parameters, finding };
}

function addBody(parameters: GivenParameters, body: Buffer, contentType: string): FieldFinding | undefined {
  const mediaType = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (looksLikeJsonObject(body) || mediaType === "application/json") {
    const reading = readJsonBody(body);
    if ("finding" in reading) return reading.finding;
    parameters.addJson(reading.fields);
    return undefined;
  }
  if (mediaType === "multipart/form-data") {
    const boundary = boundaryOf(contentType);
    const pairs = boundary === undefined ? undefined : readMultipart(body, boundary, parameters.room);
    if (pairs === undefined) return { field: "body", messageKey: "body.form" };
    parameters.addPairs(pairs, "body");
    return undefined;
  }
  if (!formTypes.has(mediaType)) throw new ApiError("unsupportedMediaType");
  parameters.addPairs(readPairs(body.toString("latin1").trim(), parameters.room), "body");
  return undefined;
}

// Some clients send a form as plain text or without a Content-Type.
const formTypes: ReadonlySet<string> = new Set(["", "application/x-www-form-urlencoded", "text/plain"]);
