// What the methods of endpoints need: where events may be sent to, and what sends tests.
import type { Service } from "../../platform/service.ts";
import { AddressRules } from "../../webhooks/address-rules.ts";
import type { PostOutcome, RequestPoster, RequestToPost } from "../../webhooks/request-poster.ts";
import { productVersion } from "../openapi.ts";
import type { WebhookParts } from "../server-parts.ts";

/** `allow`: addresses and networks that are allowed whatever they are. */
export function openWebhookParts(allow: readonly string[]): { parts: WebhookParts; service: Service } {
  const rules = new AddressRules(allow);
  const poster = new PosterOfTests(rules);
  return { parts: { rules, poster }, service: poster };
}

/**
 * Loads the code that sends requests with the first test. Its HTTP client is a tenth of all that a
 * gateway would load at its start, and most gateways never send a test.
 */
class PosterOfTests implements Service {
  readonly name = "webhook-tests";
  readonly #rules: AddressRules;
  #poster: Promise<RequestPoster> | undefined;
  #isStopped = false;

  constructor(rules: AddressRules) {
    this.#rules = rules;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async post(request: RequestToPost): Promise<PostOutcome> {
    if (this.#isStopped) return { failure: "connection", startedAt: request.startedAt, durationMs: 0 };
    // What could not be loaded is tried again with the next test.
    this.#poster ??= this.#load().catch((error: unknown) => {
      this.#poster = undefined;
      throw error;
    });
    return (await this.#poster).post(request);
  }

  async #load(): Promise<RequestPoster> {
    const { RequestPoster } = await import("../../webhooks/request-poster.ts");
    return new RequestPoster({ rules: this.#rules, version: productVersion() });
  }

  /** Cuts what is under way. What comes later fails. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    // If loading failed, whoever wanted to send a test was told.
    await (await this.#poster?.catch(() => undefined))?.close();
  }
}
