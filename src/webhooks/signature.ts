// The signature of Standard Webhooks 1.0: HMAC-SHA256 of "id.timestamp.body", keyed with the octets
// that a secret holds in base64. Pure.
import { createHmac } from "node:crypto";
import { secretOctets } from "./secret.ts";

export interface SignedRequest {
  /** The header webhook-id. */
  readonly id: string;
  /** Unix seconds of the try. */
  readonly timestamp: number;
  /** As it is sent: a text is UTF-8. */
  readonly body: string | Uint8Array;
}

/** The header webhook-signature: one signature for each secret, in their order. */
export function signRequest({ id, timestamp, body }: SignedRequest, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const signing = createHmac("sha256", secretOctets(secret)).update(`${id}.${timestamp}.`);
      const digest = signing.update(body).digest("base64");
      return `v1,${digest}`;
    })
    .join(" ");
}
