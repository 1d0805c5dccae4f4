// The fuzz targets as plain JavaScript on the built product, for the threads of a campaign. From
// their sources each thread starts a loader of its own, which reads most of src/ once more: that
// takes longer than the inputs of most targets.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Program } from "../../fuzz/campaign.ts";
import type { Target } from "../../fuzz/target.ts";
import { builtFileOf, isBuilt } from "../support/built-product.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const onBuiltProduct: Plugin = {
  name: "hodhod:built-product",
  setup(bundle) {
    bundle.onResolve({ filter: /^\..*\.ts$/ }, ({ path: name, resolveDir }) => {
      const script = builtFileOf(path.resolve(resolveDir, name));
      return script === undefined ? undefined : { path: pathToFileURL(script).href, external: true };
    });
    // What they read lies beside their sources.
    bundle.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const address = JSON.stringify(pathToFileURL(file).href);
      return { contents: text.replaceAll("import.meta.url", () => address), loader: "ts" };
    });
  },
};

export interface JoinedTargets {
  /** Undefined where the sources themselves are run. */
  programOf(target: Target): Program | undefined;
  remove(): void;
}

export async function joinTargets(targets: readonly Target[]): Promise<JoinedTargets> {
  const runsSources = !(await isBuilt());
  if (runsSources) return { programOf: () => undefined, remove: () => undefined };
  // Below it, packages are found.
  const parent = path.join(root, "node_modules", ".cache");
  mkdirSync(parent, { recursive: true });
  const outdir = mkdtempSync(path.join(parent, "fuzz-"));
  const modules = new Set(targets.map(({ from }) => fileURLToPath(from)));
  await build({
    entryPoints: [path.join(root, "fuzz", "worker.ts"), ...modules],
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    plugins: [onBuiltProduct],
    logLevel: "warning",
  });
  const scriptOf = (file: string): URL => pathToFileURL(path.join(outdir, `${path.basename(file, ".ts")}.mjs`));
  return {
    programOf: ({ from }) => ({ worker: scriptOf("worker.ts"), from: scriptOf(fileURLToPath(from)).href }),
    remove: () => rmSync(outdir, { recursive: true }),
  };
}
