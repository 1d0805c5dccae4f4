// Gives the tests the product as it is built: what they import from src/ comes from dist/, which
// Node loads itself. From src/, Vite transforms each file once for each project, its runner
// evaluates it in each process, and each use of an imported name is the call of a getter.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = path.join(root, "src") + path.sep;
const built = path.join(root, "dist");

/** For `server.deps.external`: what Node loads itself. */
export const builtFiles = /\/dist\/(?!console\/)[^?]*\.js$/;

/** A thread begins with a script, which Node loads itself. */
const threadScript = /new URL\("\.\/([\w-]+)\.js", import\.meta\.url\)/g;

/**
 * For each project. The sources themselves are run where they may change during the run, as in a
 * watch, where their coverage is asked for, where they do not compile, and by `npm run mutants`,
 * which breaks them one after the other.
 */
export function builtProduct(): Plugin {
  let areSourcesAsked = process.env["TEST_CLUSTER"] !== undefined;
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
    transform(code, id) {
      if (!id.startsWith(sources)) return undefined;
      const folder = path.join(built, path.relative(sources, path.dirname(id)));
      return code.replaceAll(
        threadScript,
        (_, name: string) => `new URL(${JSON.stringify(pathToFileURL(path.join(folder, `${name}.js`)).href)})`,
      );
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
