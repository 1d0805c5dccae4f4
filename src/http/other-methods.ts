// Answers 405 with Allow for every method that a path does not support. Covers all methods that
// Node.js parses, such as TRACE and those of WebDAV.
import { METHODS } from "node:http";
import type { FastifyInstance, FastifyRequest, HTTPMethods } from "fastify";
import { ApiError } from "../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** Never reaches a path: Node.js closes a connection that requests a tunnel. */
const pathless = "CONNECT";

interface KnownPath extends Pick<Endpoint, "path" | "answersHead"> {
  readonly method: HTTPMethods;
  /** For a path with a wildcard: whether there is something at this address; absent: always. */
  readonly isThere?: (request: FastifyRequest) => boolean;
}

export function refuseOtherMethods(app: FastifyInstance, endpoints: readonly KnownPath[]): void {
  const readable = METHODS.filter((method) => method !== pathless) as readonly HTTPMethods[];
  for (const method of readable) {
    // The framework refuses a QUERY without a media type before it looks up the path.
    if (method === "QUERY" || !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { overrideExisting: true });
  }
  const taken = new Map<string, { readonly methods: Set<HTTPMethods>; readonly isThere: KnownPath["isThere"] }>();
  for (const { method, path, answersHead, isThere } of endpoints) {
    const { methods } = taken.get(path) ?? { methods: new Set<HTTPMethods>() };
    taken.set(path, { methods: methods.add(method), isThere });
    if (answersHead === true) methods.add("HEAD");
  }
  for (const [url, { methods, isThere }] of taken) {
    const headers = { allow: [...methods].join(", ") };
    app.route({
      method: readable.filter((method) => !methods.has(method)),
      url,
      schema: { hide: true },
      handler: (request) => {
        if (isThere?.(request) === false) throw new ApiError("notFound");
        throw new ApiError("methodNotAllowed", { headers });
      },
    });
  }
}
