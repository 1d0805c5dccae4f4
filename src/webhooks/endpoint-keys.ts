// What the keys of an endpoint may be, for all who set them: HTTP, setup file, console. Pure.
import { isEventPattern } from "../sms/event-types.ts";
import { isOneLine } from "../sms/one-line.ts";

/** Of an account. */
export const mostEndpoints = 20;
export const mostBatchSize = 100;
const longestName = 100;
/** More patterns than types say nothing more. */
const mostPatterns = 50;

/** Without control characters, and no blank at either end. */
export function isEndpointName(text: string): boolean {
  return Array.from(text).length <= longestName && isOneLine(text);
}

export function isBatchSize(size: number): boolean {
  return Number.isInteger(size) && size >= 1 && size <= mostBatchSize;
}

export function mayWantAsMany(patterns: readonly unknown[]): boolean {
  return patterns.length > 0 && patterns.length <= mostPatterns;
}

/** Why these cannot be what an endpoint wants; undefined: they can. */
export function faultOfEvents(
  patterns: readonly string[],
):
  { readonly kind: "count"; readonly most: number } | { readonly kind: "unknown"; readonly index: number } | undefined {
  if (!mayWantAsMany(patterns)) return { kind: "count", most: mostPatterns };
  const index = patterns.findIndex((pattern) => !isEventPattern(pattern));
  return index < 0 ? undefined : { kind: "unknown", index };
}
