// The body of a change as one JSON object, with its keys and values as they were written.
import { ApiError } from "../../errors.ts";
import { requireJsonBody } from "../json-body.ts";
import { isJsonObject, type JsonObject } from "../read-parameters.ts";

/** Throws 1001 for what is no JSON object, or is too deep or too much. */
export function requireJsonObject(body: unknown): JsonObject {
  requireJsonBody(body);
  const value: unknown = Buffer.isBuffer(body) ? JSON.parse(body.toString("utf8").replace(/^\uFEFF/, "")) : undefined;
  if (isJsonObject(value)) return value;
  throw ApiError.invalidParameters([{ field: "body", messageKey: "body.notObject" }]);
}
