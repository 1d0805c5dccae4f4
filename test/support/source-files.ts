// The files of a folder of sources, with what each imports: what tests of the architecture look at.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface SourceFile {
  /** Relative to the folder, with forward slashes. */
  readonly name: string;
  /** The folder within it, or the file there by its name. */
  readonly room: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  /** `later`: when the program comes to it, and not before it starts. */
  readonly imports: readonly { readonly from: string; readonly typeOnly: boolean; readonly later: boolean }[];
}

export function readSources(folder: string, endings: readonly string[]): readonly SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .sort()
    .map((name) => readSource(folder, name));
}

function readSource(folder: string, name: string): SourceFile {
  const text = readFileSync(path.join(folder, name), "utf8");
  const code = text.replace(/\/\*(?!\s*\w+ \*\/)[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");
  const imports = [...code.matchAll(/\b(?:import|export)\s+(type\s)?[^"';]*?from\s+"([^"]+)"/g)].map((match) => ({
    from: match[2] ?? "",
    typeOnly: match[1] !== undefined,
    later: false,
  }));
  const dynamic = [...code.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)].map((match) => ({
    from: match[1] ?? "",
    typeOnly: false,
    later: true,
  }));
  return { name, room: roomOf(name), text, code, imports: [...imports, ...dynamic] };
}

export function roomOf(name: string): string {
  return name.includes("/") ? name.slice(0, name.indexOf("/")) : name.replace(/\.ts$/, "");
}

/** A relative import as a name under the folder; undefined for packages. */
export function target(file: SourceFile, from: string): string | undefined {
  return from.startsWith(".") ? path.posix.join(path.posix.dirname(file.name), from) : undefined;
}

/** Each as the way round it. */
export function circlesOf(files: readonly SourceFile[]): readonly string[] {
  const edges = new Map(files.map((file) => [file.name, file.imports.flatMap(({ from }) => target(file, from) ?? [])]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) circles.push([...above.slice(above.indexOf(name)), name].join(" → "));
    if (done.has(name) || above.includes(name)) return;
    for (const next of edges.get(name) ?? []) visit(next, [...above, name]);
    done.add(name);
  };
  for (const name of edges.keys()) visit(name, []);
  return circles;
}
