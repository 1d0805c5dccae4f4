// Reads how many elements of a list a call asks for.
import type { FieldFinding } from "../texts/errors.ts";
import { type GivenParameters, readInteger } from "./read-parameters.ts";

const maximumCount = 100;

export function readCount(parameters: GivenParameters, findings: FieldFinding[]): number {
  const given = parameters.text("count");
  if (given === undefined) return maximumCount;
  const count = readInteger(given);
  if (count !== undefined && count >= 1 && count <= maximumCount) return count;
  findings.push({ field: "count", messageKey: "count.range", values: { maximum: maximumCount } });
  return maximumCount;
}
