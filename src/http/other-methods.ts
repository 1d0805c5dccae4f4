// Answers 405 with Allow for every method that a path does not support. Covers all methods that
// Node.js parses, such as TRACE and those of WebDAV.
import { METHODS } from "node:http";
import type { FastifyInstance, HTTPMethods } from "fastify";
import { ApiError } from "../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** Never reaches a path: Node.js closes a connection that requests a tunnel. */
const pathless = "CONNECT";

export function refuseOtherMethods(
  app: FastifyInstance,
  endpoints: readonly (Pick<Endpoint, "path" | "answersHead"> & { readonly method: HTTPMethods })[],
): void {
  const readable = METHODS.filter((method) => method !== pathless) as readonly HTTPMethods[];
  for (const method of readable) {
    // The framework refuses a QUERY without a media type before it looks up the path.
    if (method === "QUERY" || !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { overrideExisting: true });
  }
  const taken = new Map<string, Set<HTTPMethods>>();
  for (const { method, path, answersHead } of endpoints) {
    const methods = taken.get(path) ?? new Set<HTTPMethods>();
    taken.set(path, methods.add(method));
    if (answersHead === true) methods.add("HEAD");
  }
  for (const [url, methods] of taken) {
    const headers = { allow: [...methods].join(", ") };
    app.route({
      method: readable.filter((method) => !methods.has(method)),
      url,
      schema: { hide: true },
      handler: () => {
        throw new ApiError("methodNotAllowed", { headers });
      },
    });
  }
}
