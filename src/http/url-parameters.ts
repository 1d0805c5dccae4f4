// Gathers the parameters of a URL endpoint from the query and from whatever form its body has (decisions §2).
import type { FastifyRequest } from "fastify";
import { ApiError, type FieldFinding } from "../errors.ts";
import { boundaryOf, readMultipart } from "./multipart-form.ts";
import { rawQueryOf, readPairs } from "./query-string.ts";
import { GivenParameters } from "./read-parameters.ts";
import { looksLikeJsonObject, readJsonObject } from "./json-body.ts";
import { contentTypeOf } from "./content-type.ts";

export interface UrlParameters {
  readonly parameters: GivenParameters;
  /** Set when the body cannot be read; to be told after authentication and permission. */
  readonly finding?: FieldFinding;
}

export function readQueryParameters(request: FastifyRequest): GivenParameters {
  const parameters = new GivenParameters();
  parameters.addPairs(readPairs(rawQueryOf(request.raw.url ?? "")));
  return parameters;
}

/** Throws 415 for a body that is labelled as something else than a form or JSON. */
export function readUrlParameters(request: FastifyRequest): UrlParameters {
  const parameters = readQueryParameters(request);
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || body.length === 0) return { parameters };
  const finding = addBody(parameters, body, contentTypeOf(request));
  return finding === undefined ? { parameters } : { parameters, finding };
}

function addBody(parameters: GivenParameters, body: Buffer, contentType: string): FieldFinding | undefined {
  const mediaType = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (looksLikeJsonObject(body) || mediaType === "application/json") {
    const object = readJsonObject(body);
    if (object === undefined) return { field: "body", messageKey: "body.notObject" };
    parameters.addJson(object);
    return undefined;
  }
  if (mediaType === "multipart/form-data") {
    const boundary = boundaryOf(contentType);
    const pairs = boundary === undefined ? undefined : readMultipart(body, boundary);
    if (pairs === undefined) return { field: "body", messageKey: "body.form" };
    parameters.addPairs(pairs);
    return undefined;
  }
  if (!formTypes.has(mediaType)) throw new ApiError("unsupportedMediaType");
  parameters.addPairs(readPairs(body.toString("latin1").trim()));
  return undefined;
}

// Some clients label a form as plain text, or not at all.
const formTypes: ReadonlySet<string> = new Set(["", "application/x-www-form-urlencoded", "text/plain"]);
