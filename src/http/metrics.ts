// GET metrics: Prometheus text. For the machine itself and the networks that the configuration names; figures of a gateway are nobody
// else's business.
import type { RouteOptions } from "fastify";
import { ApiError } from "../errors.ts";
import { isLocalOrAllowed } from "./client-address.ts";
import type { Door } from "./door.ts";

export function metrics(door: Door): RouteOptions {
  return {
    method: "GET",
    url: "/metrics",
    schema: { hide: true },
    handler: async (request, reply) => {
      const address = door.addressOf(request);
      const { trustProxy, metricsAllow } = door.parts.config;
      // A proxy that nobody named as trusted makes every call look local.
      const hidden = trustProxy.length === 0 && request.headers["x-forwarded-for"] !== undefined;
      if (hidden || !isLocalOrAllowed(address, metricsAllow))
        throw new ApiError("addressNotAllowed", { values: { address } });
      const { text, contentType } = {
        text: await door.parts.metrics.text(),
        contentType: door.parts.metrics.contentType,
      };
      return reply.type(contentType).send(text);
    },
  };
}
