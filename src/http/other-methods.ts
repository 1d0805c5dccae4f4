// Answers 405 with Allow for every method that a path does not support. Covers all methods that
// Node.js parses, such as TRACE and those of WebDAV. No route stands for them: a router keeps a
// tree for each method, and a node would build thirty trees of all its paths at each start.
import findMyWay, { type HTTPMethod as Method } from "find-my-way";
import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../texts/errors.ts";
import { longestPathParameter } from "./json-schema.ts";
import { withoutQuery } from "./query-string.ts";

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
  maxParamLength: longestPathParameter,
} as const;

/** Never reaches a path: Node.js closes a connection that requests a tunnel. */
const pathless = "CONNECT";

interface KnownPath {
  readonly path: string;
  /** For health probes and pages. Never for endpoints that send. */
  readonly answersHead?: boolean;
  readonly method: Method;
  /**
   * For a path with a wildcard: whether there is something at this address, whose rest is given
   * decoded; absent: always.
   */
  readonly isThere?: (rest: string) => boolean;
}

interface PathMethods {
  readonly path: string;
  readonly methods: Set<Method>;
  readonly isThere: KnownPath["isThere"];
}

type Router = ReturnType<typeof findMyWay>;

export class KnownPaths {
  readonly #paths = new Map<string, PathMethods>();
  /** That any path takes. */
  readonly #methods = new Set<Method>();
  /** Of all paths, as if each supported GET. Made when it is first asked. */
  #router: Router | undefined;
  /** Of the paths of each method: connectors/test takes one, a connector of that name others. */
  #methodRouter: Router | undefined;

  add(endpoints: readonly KnownPath[]): void {
    for (const { method, path, answersHead, isThere } of endpoints) {
      const known = this.#paths.get(path) ?? { path, methods: new Set<Method>(), isThere };
      this.#paths.set(path, known);
      for (const each of answersHead === true ? [method, "HEAD" as const] : [method]) {
        known.methods.add(each);
        this.#methods.add(each);
      }
    }
    this.#router = undefined;
    this.#methodRouter = undefined;
  }

  /** The path as it was added that this target asks for, whatever its method. */
  pathOf(target: string): string | undefined {
    return this.#at(withoutQuery(target))?.path;
  }

  /**
   * What a call gets that no route takes. The routers get no query: they would read it again for
   * each method, 100 ms for a mebibyte.
   */
  refusalOf(method: string, target: string): ApiError {
    const allowed = this.#methodsOf(withoutQuery(target));
    if (allowed.length === 0 || allowed.some((each) => each === method)) return new ApiError("notFound");
    return new ApiError("methodNotAllowed", { headers: { allow: allowed.join(", ") } });
  }

  #at(path: string): PathMethods | undefined {
    this.#router ??= routerOf(this.#paths.values(), () => ["GET"]);
    return this.#router.find("GET", path)?.store as PathMethods | undefined;
  }

  #methodsOf(path: string): readonly Method[] {
    const router = (this.#methodRouter ??= routerOf(this.#paths.values(), ({ methods }) => [...methods]));
    const all = new Set([...(this.#at(path)?.methods ?? []), ...this.#methods]);
    return [...all].filter((method) => takes(router, method, path));
  }
}

function routerOf(paths: Iterable<PathMethods>, methodsOf: (path: PathMethods) => Method[]): Router {
  const router = findMyWay(pathOptions);
  for (const known of paths) router.on(methodsOf(known), known.path, () => undefined, known);
  return router;
}

function takes(router: Router, method: Method, path: string): boolean {
  const at = router.find(method, path);
  if (at === null) return false;
  const { isThere } = at.store as PathMethods;
  return isThere?.(at.params["*"] ?? "") ?? true;
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
