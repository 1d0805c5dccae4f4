// Answers 405 with Allow for every method that a path does not support. Covers all methods that
// Node.js parses, such as TRACE and those of WebDAV. No route stands for them: a router keeps a
// tree for each method, and a node would build thirty trees of all its paths at each start.
import { METHODS } from "node:http";
import type { FastifyInstance, HTTPMethods } from "fastify";
import findMyWay from "find-my-way";
import { ApiError } from "../errors.ts";
import type { Endpoint } from "./endpoint.ts";

declare module "fastify" {
  interface FastifyInstance {
    knownPaths: KnownPaths;
  }
}

/** How paths are compared, by the server's router and by the one here. */
export const pathOptions = {
  caseSensitive: false,
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  maxParamLength: 4096,
} as const;

/** Never reaches a path: Node.js closes a connection that requests a tunnel. */
const pathless = "CONNECT";

interface KnownPath extends Pick<Endpoint, "path" | "answersHead"> {
  readonly method: HTTPMethods;
  /**
   * For a path with a wildcard: whether there is something at this address, whose rest is given
   * decoded; absent: always.
   */
  readonly isThere?: (rest: string) => boolean;
}

interface PathMethods {
  readonly path: string;
  readonly methods: Set<string>;
  readonly isThere: KnownPath["isThere"];
}

export class KnownPaths {
  readonly #paths = new Map<string, PathMethods>();
  /** Made when it is first asked. */
  #router: ReturnType<typeof findMyWay> | undefined;

  add(endpoints: readonly KnownPath[]): void {
    for (const { method, path, answersHead, isThere } of endpoints) {
      const known = this.#paths.get(path) ?? { path, methods: new Set<string>(), isThere };
      this.#paths.set(path, known);
      known.methods.add(method);
      if (answersHead === true) known.methods.add("HEAD");
    }
    this.#router = undefined;
  }

  /** The path as it was added that this target asks for, whatever its method. */
  pathOf(target: string): string | undefined {
    return this.#find(target)?.path;
  }

  /** What a call gets that no route takes. */
  refusalOf(method: string, target: string): ApiError {
    const found = this.#find(target);
    if (found === undefined || found.methods.has(method) || !found.isThere) return new ApiError("notFound");
    return new ApiError("methodNotAllowed", { headers: { allow: [...found.methods].join(", ") } });
  }

  #find(target: string): { path: string; methods: ReadonlySet<string>; isThere: boolean } | undefined {
    const found = (this.#router ??= this.#build()).find("GET", target);
    if (found === null) return undefined;
    const { path, methods, isThere } = found.store as PathMethods;
    return { path, methods, isThere: isThere?.(found.params["*"] ?? "") ?? true };
  }

  #build(): ReturnType<typeof findMyWay> {
    const router = findMyWay(pathOptions);
    for (const known of this.#paths.values()) router.on("GET", known.path, () => undefined, known);
    return router;
  }
}

/** Lets calls by every method come as far as their path. */
export function takeAllMethods(app: FastifyInstance): void {
  app.decorate("knownPaths", new KnownPaths());
  for (const method of METHODS) {
    // The framework refuses a QUERY without a media type before it looks up the path.
    if (method === "QUERY" || (method !== pathless && !app.supportedMethods.includes(method)))
      app.addHttpMethod(method, { overrideExisting: true });
  }
}
