// GET health/live: the process is running. GET health/ready: it can work (database reachable and
// migrated). GET /: lists the paths of documentation and health, and
// leads browsers to the console.
import type { FastifyReply, RouteOptions } from "fastify";
import { prefersToJson } from "./accept-headers.ts";
import { ApiError, findingCatalogue, type FindingKey } from "../texts/errors.ts";
import { healthAnswer } from "./schemas.ts";
import type { OperationParts, Readiness } from "./server-parts.ts";
import { sharedLook } from "./api-context.ts";
import type { OperationEndpoint } from "./endpoint.ts";
import { isIP } from "node:net";
import { isClientKnown, isLocalOrAllowed, requestAddress } from "./client-address.ts";

const retrySeconds = 2;
/** Probes ask once in some seconds. Anybody may ask, so the database is not asked for each call. */
const keptMs = 500;

export function health({ readiness }: OperationParts): OperationEndpoint[] {
  const check = sharedLook(readiness, keptMs);
  return [
    {
      method: "GET",
      path: "/health/live",
      operationId: "isLive",
      summary: "Check whether the process is alive",
      description: "Answers 200 while the process is running. For the supervisor that restarts it.",
      tag: "Operation",
      result: healthAnswer,
      done: "Alive.",
      handle: async () => `{"status":"ok"}`,
    },
    {
      method: "GET",
      path: "/health/ready",
      operationId: "isReady",
      summary: "Check whether the service accepts calls",
      description: "Answers 200 if the database is reachable and migrated, else 503. For load balancers.",
      tag: "Operation",
      result: healthAnswer,
      done: "Ready.",
      errors: [503],
      handle: async () => {
        const checks = await check();
        const reason = whyNotReady(checks);
        if (reason !== undefined) throw ApiError.unavailable(retrySeconds, findingCatalogue[reason]);
        return JSON.stringify({ status: "ok", checks });
      },
    },
  ];
}

function whyNotReady(checks: Readiness): FindingKey | undefined {
  if (Object.values(checks).every(Boolean)) return undefined;
  // Without the database nothing is known of its schema.
  if (checks["database"] === false) return "database.away";
  return checks["migrated"] === false ? "database.otherSchema" : "service.notReady";
}

const healthPaths = { live: "/health/live", ready: "/health/ready" };

/**
 * `docs`: whether this node serves /docs. `console`: whether it serves the console, to which a
 * browser is led: what asks for HTML rather than JSON.
 */
export function root({ docs, console }: { readonly docs: boolean; readonly console: boolean }): RouteOptions {
  const answer = JSON.stringify({
    service: "hodhod",
    ...(docs && { documentation: "/docs", openapi: "/docs/json" }),
    health: healthPaths,
  });
  return {
    method: ["GET", "HEAD"],
    url: "/",
    schema: { hide: true },
    handler: async (request, reply: FastifyReply) => {
      void reply.header("vary", "accept");
      if (console && prefersToJson(request.headers.accept, "text/html")) return reply.redirect("/console");
      return reply.type("application/json; charset=utf-8").send(answer);
    },
  };
}

// GET metrics: Prometheus text. Only this machine and the configured networks may read it.

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
