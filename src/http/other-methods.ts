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

interface Routes {
  readonly router: ReturnType<typeof findMyWay>;
  readonly methods: readonly Method[];
}

export class KnownPaths {
  readonly #paths: KnownPath[] = [];
  #known: Routes | undefined;

  add(endpoints: readonly KnownPath[]): void {
    this.#paths.push(...endpoints);
    this.#known = undefined;
  }

  /** Made when they are first asked. */
  get #routes(): Routes {
    return (this.#known ??= { router: routerOf(this.#paths), methods: [...new Set(this.#paths.flatMap(methodsOf))] });
  }

  /** The path as it was added that this target asks for, whatever its method. */
  pathOf(target: string): string | undefined {
    const { router, methods } = this.#routes;
    for (const method of methods) {
      const at = router.find(method, withoutQuery(target));
      if (at !== null) return (at.store as KnownPath).path;
    }
    return undefined;
  }

  /** What a call gets that no route takes. */
  refusalOf(method: string, target: string): ApiError {
    const allowed = this.#allowedAt(withoutQuery(target));
    if (allowed.length === 0 || allowed.some((each) => each === method)) return new ApiError("notFound");
    return new ApiError("methodNotAllowed", { headers: { allow: allowed.join(", ") } });
  }

  /**
   * In the order in which they were added. The router gets no query: it would read it again for each
   * method, 100 ms for a mebibyte.
   */
  #allowedAt(path: string): readonly Method[] {
    const { router, methods } = this.#routes;
    const found = methods.flatMap((method) => {
      const at = router.find(method, path);
      if (at === null) return [];
      const known = at.store as KnownPath;
      const isThere = known.isThere?.(at.params["*"] ?? "") ?? true;
      return isThere ? { method, place: this.#paths.indexOf(known) } : [];
    });
    return found.sort((one, other) => one.place - other.place).map(({ method }) => method);
  }
}

function methodsOf({ method, answersHead }: KnownPath): Method[] {
  return answersHead === true ? [method, "HEAD"] : [method];
}

function routerOf(paths: readonly KnownPath[]) {
  const router = findMyWay(pathOptions);
  for (const known of paths) router.on(methodsOf(known), known.path, () => undefined, known);
  return router;
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
