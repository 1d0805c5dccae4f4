// Lets the tests run the built product: what they import from src/ comes from dist/, which Node
// loads itself. This is faster. From src/, Vite would transform each file for each project, its
// runner would evaluate it in each process, and each use of an imported name would call a getter.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = path.join(root, "src") + path.sep;
const built = path.join(root, "dist");

/** For `server.deps.external`: what Node loads itself. */
export const builtFiles = /\/dist\/(?!console\/)[^?]*\.js$/;

/**
 * Add it to each project. The sources themselves are run in a watch, where they may change, for
 * coverage, and if they do not compile.
 */
export function builtProduct(): Plugin {
  let areSourcesAsked = false;
  let isCurrent: Promise<boolean> | undefined;
  return {
    name: "hodhod:built-product",
    enforce: "pre",
    configureVitest({ vitest: { config } }) {
      areSourcesAsked ||= config.watch || config.coverage.enabled;
    },
    async resolveId(id, importer = "") {
      if (areSourcesAsked || !id.endsWith(".ts")) return undefined;
      const script = builtFileOf(path.resolve(path.dirname(importer), id));
      if (script === undefined) return undefined;
      // Asked after the global setup, which builds.
      isCurrent ??= isBuilt();
      if (!(await isCurrent)) return undefined;
      return existsSync(script) ? script : undefined;
    },
  };
}

/** What a file of src/ is compiled to; undefined for others. */
export function builtFileOf(file: string): string | undefined {
  if (!file.startsWith(sources)) return undefined;
  return path.join(built, `${file.slice(sources.length, -".ts".length)}.js`);
}

/** Whether dist/ is current. */
export async function isBuilt(): Promise<boolean> {
  const { isServerBuilt } = (await import(pathToFileURL(path.join(root, "bin/build.js")).href)) as {
    readonly isServerBuilt: () => boolean;
  };
  return isServerBuilt();
}
