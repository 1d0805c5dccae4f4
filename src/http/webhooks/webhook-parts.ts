// What the methods of endpoints need: where events may be sent to, and what sends tests.
import type { Service } from "../../service.ts";
import { AddressRules } from "../../webhooks/address-rules.ts";
import { RequestPoster } from "../../webhooks/request-poster.ts";
import { productVersion } from "../openapi.ts";
import type { WebhookParts } from "../server-parts.ts";

/** `allow`: addresses and networks that are allowed whatever they are. */
export function openWebhookParts(allow: readonly string[]): { parts: WebhookParts; service: Service } {
  const rules = new AddressRules(allow);
  const poster = new RequestPoster({ rules, version: productVersion() });
  const service = { name: "webhook-tests", start: async () => undefined, stop: () => poster.close() };
  return { parts: { rules, poster }, service };
}
