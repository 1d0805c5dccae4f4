// The time of an id in SQL.

/** A UUIDv7 begins with 48 bits of milliseconds. */
export function timeOfId(id: string): string {
  return `to_timestamp(('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}
