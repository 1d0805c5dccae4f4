// What the calls that send several messages may answer, for the document of the API.
import { described, errorResponses, type ErrorStatus } from "../endpoint.ts";
import { batchSendAnswer, shared } from "../schemas.ts";

/** Responses of every multi-message call (API spec 4.6). */
export function multiResponses(): Record<number, unknown> {
  const errors: readonly ErrorStatus[] = [400, 401, 403, 409, 413, 415, 422, 429, 500, 503];
  return {
    200: described("At least one message was accepted.", batchSendAnswer),
    ...errorResponses(errors, { 400: shared("BatchError") }),
  };
}
