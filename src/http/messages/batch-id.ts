// Reads the id of a batch from a call.
import { ApiError } from "../../texts/errors.ts";
import { isUuid } from "../../platform/uuid.ts";
import { scalarText } from "../read-parameters.ts";

/** The id of a batch in lower case. Throws 1001 if it is missing or no UUID. */
export function readBatchId(given: unknown): string {
  const text = scalarText(given);
  if (text === undefined || text === "") throw ApiError.invalidParameter("batchId", "field.required");
  if (!isUuid(text)) throw ApiError.invalidParameter("batchId", "id.form");
  return text.toLowerCase();
}
