// The time of an id in SQL.
import { epochMilliseconds } from "./statement-time.ts";

/** A UUIDv7 begins with 48 bits of milliseconds. */
export function timeOfId(id: string): string {
  return `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}

/**
 * SQL for the given UUIDv7 with the time of the statement. Its own time is that of its maker's
 * clock.
 */
export function idOfNow(id: string): string {
  return `(lpad(to_hex(${epochMilliseconds}), 12, '0') || substr(replace(${id}::text, '-', ''), 13))::uuid`;
}
