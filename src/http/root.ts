// GET /: lists the paths of documentation and health.
import type { FastifyReply, RouteOptions } from "fastify";

const health = { live: "/health/live", ready: "/health/ready" };

/** `docs`: whether this node serves /docs. */
export function root({ docs }: { readonly docs: boolean }): RouteOptions {
  const answer = JSON.stringify({
    service: "hodhod",
    ...(docs && { documentation: "/docs", openapi: "/docs/json" }),
    health,
  });
  return {
    method: ["GET", "HEAD"],
    url: "/",
    schema: { hide: true },
    handler: async (_, reply: FastifyReply) => reply.type("application/json; charset=utf-8").send(answer),
  };
}
