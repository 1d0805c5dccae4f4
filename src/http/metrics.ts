// GET metrics: Prometheus text. For the machine itself and the networks that the configuration names; figures of a gateway are nobody
// else's business.
import type { RouteOptions } from "fastify";
import { ApiError } from "../errors.ts";
import { cameThroughProxy, isForwardedByTrusted, isLocalOrAllowed, requestAddress } from "./client-address.ts";
import type { OperationParts } from "./server-parts.ts";

export function metrics({ config, metrics: figures }: OperationParts): RouteOptions {
  return {
    method: "GET",
    url: "/metrics",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { trustProxy, metricsAllow } = config;
      const address = requestAddress(request.raw, trustProxy);
      // A proxy on this machine makes every call look local, unless it is trusted and says where the call is from.
      const hidden = cameThroughProxy(request.raw) && !isForwardedByTrusted(request.raw, trustProxy);
      if (hidden || !isLocalOrAllowed(address, metricsAllow))
        throw new ApiError("addressNotAllowed", { values: { address } });
      return reply.type(figures.contentType).send(await figures.text());
    },
  };
}
