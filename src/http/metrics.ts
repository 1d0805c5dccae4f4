// GET metrics: Prometheus text. Only this machine and the configured networks may read it.
import type { RouteOptions } from "fastify";
import { isIP } from "node:net";
import { ApiError } from "../texts/errors.ts";
import { isClientKnown, isLocalOrAllowed, requestAddress } from "./client-address.ts";
import type { OperationParts } from "./server-parts.ts";

/**
 * Whether the host is an address or this machine. A page in a browser of this machine can let its
 * own name point here (DNS rebinding), and would then read what is answered.
 */
function namesAddress(host = ""): boolean {
  const name = host.replace(/:[0-9]*$/, "");
  return name.toLowerCase() === "localhost" || isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}

export function metrics({ config, metrics: figures }: OperationParts): RouteOptions {
  return {
    method: "GET",
    url: "/metrics",
    schema: { hide: true },
    handler: async (request, reply) => {
      const { trustProxy, metricsAllow } = config;
      const address = requestAddress(request.raw, trustProxy);
      const isAllowed = isClientKnown(request.raw, trustProxy) && isLocalOrAllowed(address, metricsAllow);
      if (!isAllowed || (isLocalOrAllowed(address, []) && !namesAddress(request.headers.host)))
        throw new ApiError("addressNotAllowed", { values: { address } });
      return reply.type(figures.contentType).send(await figures.text());
    },
  };
}
