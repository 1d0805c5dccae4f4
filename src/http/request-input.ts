// Checks the head of a request, reads its body up to a limit, and the parameters in its query or body.
import type { IncomingMessage } from "node:http";
import { ApiError, type FieldFinding, findingCatalogue } from "../texts/errors.ts";
import type { FastifyRequest } from "fastify";
import { expectMaxima } from "./json-schema.ts";
import { maximumHeaderFields, maximumQueryOctets } from "./limits/request-limits.ts";
import { boundaryOf, rawQueryOf, readMultipart, readPairs, withoutQuery } from "./query-string.ts";
import { GivenParameters } from "./read-parameters.ts";
import { looksLikeJsonObject, readJsonBody } from "./json-body.ts";

/** Bodies up to this size are not counted: even those of all connections need little memory. */
const octetsWorthCounting = 16 << 10;

type BodyHead = Pick<IncomingMessage, "headers" | "destroyed">;

/** The octets of memory that the body may take; 0 if they are not worth counting, or will not come. */
export function octetsToCount({ headers, destroyed }: BodyHead, maximum: number): number {
  // The caller left while he was looked up: nothing would give the octets back.
  if (destroyed) return 0;
  const octets = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maximum;
  return octets > octetsWorthCounting ? Math.min(octets, maximum) : 0;
}

const noOctets = Buffer.alloc(0);

/** Refuses at once, and leaves the rest unread. */
export function readBody(
  request: IncomingMessage,
  maximum: number,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  const { headers } = request;
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    done(new ApiError("unsupportedMediaType"));
    return;
  }
  if (Number(headers["content-length"] ?? 0) > maximum) {
    done(new ApiError("tooLarge"));
    return;
  }
  if (request.destroyed) {
    done(new ApiError("malformedRequest"));
    return;
  }
  let body: Buffer = noOctets;
  let length = 0;
  let isOver = false;
  const finish = (reason?: ApiError): void => {
    if (isOver) return;
    isOver = true;
    if (reason !== undefined) done(reason);
    else if (request.readableEnded) done(null, body.subarray(0, length));
    // It broke off.
    else done(new ApiError("malformedRequest"));
  };
  request.on("data", (piece: Buffer) => {
    if (isOver) return;
    if (length + piece.length > maximum) finish(new ApiError("tooLarge"));
    else if (length === 0) body = piece;
    else body = append(body, length, piece);
    length += piece.length;
  });
  request.on("end", finish).on("close", finish);
}

/** Copied, because a list of tiny pieces would take a hundred times their length. */
function append(body: Buffer, length: number, piece: Buffer): Buffer {
  let room = body;
  if (length + piece.length > body.length) {
    room = Buffer.allocUnsafeSlow(Math.max(length + piece.length, 2 * body.length));
    body.copy(room, 0, 0, length);
  }
  piece.copy(room, length);
  return room;
}

// What is checked and corrected in the head of a request before the framework reads it.

/** Corrects the head, and returns why the request is refused. */
export function checkHead(request: IncomingMessage): ApiError | undefined {
  const { headers, rawHeaders, url = "" } = request;
  const type = headers["content-type"];
  if (type !== undefined && type !== "application/json") softenContentType(request);
  if (headers.range !== undefined) dropLongRange(request);
  let hosts = 0;
  // Even indexes hold names. Node.js keeps only the first of several Host fields elsewhere.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return new ApiError("malformedRequest");
  // Names and values alternate.
  if (rawHeaders.length > maximumHeaderFields * 2)
    return new ApiError("tooLarge", { text: findingCatalogue["head.tooLarge"] });
  const isTooLong = url.length > maximumQueryOctets && rawQueryOf(url).length > maximumQueryOctets;
  return isTooLong ? new ApiError("tooLarge") : undefined;
}

/** More than twice the length of any path of ours, with parameters. */
const maximumPathOctets = 8 << 10;

/**
 * The target for the router. It takes 130 ms for a mebibyte of escapes, so a target that is too
 * long is replaced by an unknown path.
 */
export function targetForRouting({ url: target = "" }: Pick<IncomingMessage, "url">): string {
  if (target.length <= maximumPathOctets) return target;
  return withoutQuery(target).length > maximumPathOctets ? "/-" : target;
}

const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * The longest boundary of a form has 200 characters (query-string.ts). The framework caches
 * values, so long ones of 1 MiB would add up.
 */
const maximumLabelCharacters = 400;

/** Replaces a value that is not a media type or is too long. Called before the body is read. */
export function softenContentType({ headers }: IncomingMessage): void {
  const label = headers["content-type"];
  if (label === undefined) return;
  if (label.length > maximumLabelCharacters || !mediaType.test(label)) headers["content-type"] = "text/plain";
}

function contentTypeOf(request: FastifyRequest): string {
  return request.headers["content-type"] ?? "";
}

/** Browsers ask for one range. */
const maximumHeaderCharacters = 200;

/** Removes a Range header that is too long; the whole file is sent then. */
export function dropLongRange({ headers }: Pick<IncomingMessage, "headers">): void {
  if ((headers.range?.length ?? 0) > maximumHeaderCharacters) delete headers.range;
}

// Collects the parameters of a URL endpoint from the query and the body, in any supported form.

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
function gatherQuery(request: FastifyRequest): GivenParameters {
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
