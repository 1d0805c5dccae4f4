// Puts the sending of webhooks together, as a node of the gateway does it.
import { FailureLatch } from "../platform/service.ts";
import type { Database } from "../store/database.ts";
import type { Telemetry } from "../platform/telemetry.ts";
import { systemClock } from "./clock.ts";
import { PostingThread } from "./posting-thread.ts";
import { WebhookService, type WebhookServiceOptions } from "./webhook-service.ts";

export interface BuildWebhooksOptions extends Pick<WebhookServiceOptions, "directory" | "membership" | "drainMs"> {
  readonly db: Database;
  readonly telemetry: Telemetry;
  /** Addresses or CIDR that events may be sent to, whatever they are. */
  readonly allow: readonly string[];
  /** Of the product. */
  readonly version: string;
}

export function buildWebhooks({ allow, version, ...options }: BuildWebhooksOptions): WebhookService {
  const latch = new FailureLatch("webhook-requests", options.telemetry);
  const poster = new PostingThread({ allow, version }, latch);
  return new WebhookService({ ...options, poster, clock: systemClock });
}
