// GET metrics: Prometheus text. Only this machine and the configured networks may read it.
import type { RouteOptions } from "fastify";
import { ApiError } from "../texts/errors.ts";
import { isClientKnown, isLocalOrAllowed, requestAddress } from "./client-address.ts";
import type { OperationParts } from "./server-parts.ts";

export function metrics({ config, metrics: figures }: OperationParts): RouteOptions {
  return {
    method: "GET",
    url: "/metrics",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { trustProxy, metricsAllow } = config;
      const address = requestAddress(request.raw, trustProxy);
      if (!isClientKnown(request.raw, trustProxy) || !isLocalOrAllowed(address, metricsAllow))
        throw new ApiError("addressNotAllowed", { values: { address } });
      return reply.type(figures.contentType).send(await figures.text());
    },
  };
}
