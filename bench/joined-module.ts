// Which module a function of a joined file (bin/join-modules.js) comes from.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CallFrame } from "./cpu-profile.ts";

/** Each module begins with a comment that names its file below dist/. */
const beginning = /^\/\/ ([\w/-]+\.js)$/;

/** By the URL of the joined file: for each of its lines the module, if any. */
const modulesOfLines = new Map<string, readonly (string | undefined)[]>();

/** The URL of the file that the function was compiled to before it was joined; else its own. */
export function fileOfFrame({ url, lineNumber }: CallFrame): string {
  const [, tree] = /^(file:.*\/dist\/)joined\/[^/]+\.js$/.exec(url) ?? [];
  if (tree === undefined) return url;
  const modules = modulesOfLines.get(url) ?? readModules(url);
  const module = modules[lineNumber];
  return module === undefined ? url : tree + module;
}

function readModules(url: string): readonly (string | undefined)[] {
  let module: string | undefined;
  const modules = readFileSync(fileURLToPath(url), "utf8")
    .split("\n")
    .map((line) => (module = beginning.exec(line)?.[1] ?? module));
  modulesOfLines.set(url, modules);
  return modules;
}
