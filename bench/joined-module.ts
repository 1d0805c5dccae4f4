// Which module a function of a joined file (bin/join-modules.js) comes from.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CpuProfile } from "./cpu-profile.ts";

/** Each module begins with a comment that names its file below dist/. */
const beginning = /^\/\/ ([\w/-]+\.js)$/;

/** By the URL of the joined file: for each of its lines the module, if any. */
const modulesOfLines = new Map<string, readonly (string | undefined)[]>();

type CallFrame = CpuProfile["nodes"][number]["callFrame"];

/** The same profile; functions of joined files are those of the files that were joined. */
export function withoutJoinedFiles(profile: CpuProfile): CpuProfile {
  const nodes = profile.nodes.map((node) => ({
    ...node,
    callFrame: { ...node.callFrame, url: fileOfFrame(node.callFrame) },
  }));
  return { ...profile, nodes };
}

/** The URL of the file that the function was compiled to before it was joined; else its own. */
export function fileOfFrame({ url, lineNumber }: Pick<CallFrame, "url" | "lineNumber">): string {
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
