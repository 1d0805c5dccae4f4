// Reads sendTimestamp (API spec 4.1; decisions §1): whole Unix seconds, later than now, at most 366
// days ahead. Pure.
import type { FieldFinding } from "../../texts/errors.ts";
import { isAbsent, readInteger } from "../read-parameters.ts";

const maximumDaysAhead = 366;
const dayMs = 86_400_000;

export interface SendTime {
  readonly sendAt?: Date;
  readonly finding?: FieldFinding;
  /** As given, for a request's fingerprint; null when absent. */
  readonly seconds: number | null;
}

export function readSendTime(value: unknown, nowMs: number): SendTime {
  if (isAbsent(value)) return { seconds: null };
  const seconds = readInteger(value);
  if (seconds === undefined) return { seconds: null, finding: finding("sendTimestamp.notInteger") };
  const ms = seconds * 1000;
  if (ms <= nowMs) return { seconds, finding: finding("sendTimestamp.notLater") };
  if (ms > nowMs + maximumDaysAhead * dayMs) return { seconds, finding: finding("sendTimestamp.tooFar") };
  return { seconds, sendAt: new Date(ms) };
}

function finding(
  messageKey: "sendTimestamp.notInteger" | "sendTimestamp.notLater" | "sendTimestamp.tooFar",
): FieldFinding {
  return { field: "sendTimestamp", messageKey, values: { days: maximumDaysAhead } };
}
