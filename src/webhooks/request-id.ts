// The webhook-id of a batch: a UUID (version 8, RFC 9562 §5.8) made of the ids of its events in
// their order, so that the same batch has the same id at every try. Pure.
import { createHash } from "node:crypto";

export function batchRequestId(eventIds: readonly string[]): string {
  const hash = createHash("sha256").update(eventIds.join(" ")).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
