// Answers 405 with Allow for every method that a path does not support. Covers all methods that
// Node.js parses, such as TRACE and those of WebDAV. No route stands for them: a router keeps a
// tree for each method, and a node would build thirty trees of all its paths at each start.
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

/** How the server's router compares paths. */
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
  readonly method: string;
  /**
   * For a path with a wildcard: whether there is something at this address, whose rest is given
   * decoded; absent: always.
   */
  readonly isThere?: (rest: string) => boolean;
}

interface AskedPath extends KnownPath {
  /** What stands in the place of the wildcard. */
  readonly rest: string;
}

class KnownPaths {
  readonly #paths: { readonly known: KnownPath; readonly form: RegExp }[] = [];

  add(paths: readonly KnownPath[]): void {
    this.#paths.push(...paths.map((known) => ({ known, form: formOf(known.path) })));
  }

  /** The path as it was added that this target asks for, whatever its method. */
  pathOf(target: string): string | undefined {
    return this.#at(target)[0]?.path;
  }

  /** What a call gets that no route takes. */
  refusalOf(method: string, target: string): ApiError {
    const there = this.#at(target).filter(({ isThere, rest }) => isThere?.(rest) ?? true);
    const allowed = new Set(there.flatMap((each) => (each.answersHead === true ? [each.method, "HEAD"] : each.method)));
    if (allowed.size === 0 || allowed.has(method)) return new ApiError("notFound");
    return new ApiError("methodNotAllowed", { headers: { allow: [...allowed].join(", ") } });
  }

  /** In the order in which they were added. */
  #at(target: string): readonly AskedPath[] {
    const path = decodedPath(target);
    return this.#paths.flatMap(({ known, form }) => {
      const found = form.exec(path);
      return found === null ? [] : { ...known, rest: found.groups?.["rest"] ?? "" };
    });
  }
}

/** As `pathOptions` say. */
function formOf(path: string): RegExp {
  const form = path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+").replace("*", "(?<rest>.*)");
  return new RegExp(`^${form}/?$`, "i");
}

/** Empty for one that cannot be decoded: no path is. */
function decodedPath(target: string): string {
  try {
    return decodeURI(withoutQuery(target)).replace(/\/{2,}/g, "/");
  } catch {
    return "";
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
