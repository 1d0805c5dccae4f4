// The built console, read into memory when the server starts: its page, and its assets in every form
// that they are kept in. What is asked for is looked up by its exact name, so that no path leads
// out of the folder. Must never follow a link.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Where bin/build.js puts it: the same seen from src/ and from dist/. */
export const builtConsole = fileURLToPath(new URL("../../../dist/console/", import.meta.url));

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly brotli?: Buffer;
}

export interface ConsoleFiles {
  /** With `nonceMark` where the nonce of an answer belongs. */
  readonly page: string;
  /** By file name. */
  readonly assets: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Undefined where the console was not built. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const page = path.join(folder, "index.html");
  const assetFolder = path.join(folder, "assets");
  if (!existsSync(page) || !existsSync(assetFolder)) return undefined;
  const names = new Set(
    readdirSync(assetFolder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  );
  const read = (name: string) => (names.has(name) ? readFileSync(path.join(assetFolder, name)) : undefined);
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const type = types[path.extname(name)];
    if (type === undefined) continue;
    const [gzip, brotli] = [read(`${name}.gz`), read(`${name}.br`)];
    const plain = readFileSync(path.join(assetFolder, name));
    assets.set(name, { type, plain, ...(gzip && { gzip }), ...(brotli && { brotli }) });
  }
  return { page: readFileSync(page, "utf8"), assets };
}
