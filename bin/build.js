// Compiles src/ into dist/ when dist/ is missing or older than the sources. A compiled tree is put in place by a
// rename, so that several first starts at once never see half of one.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const stamp = path.join(root, "dist", ".built");

/** Newest modification time, in ms, of the files that the compiled tree is made of. */
function newestSourceTime() {
  const files = readdirSync(path.join(root, "src"), { recursive: true }).map((name) =>
    path.join(root, "src", String(name)),
  );
  files.push(path.join(root, "tsconfig.json"), path.join(root, "tsconfig.build.json"), path.join(root, "package.json"));
  return Math.max(...files.map((file) => statSync(file).mtimeMs));
}

function compile(outDir) {
  for (const compiler of ["typescript-7/bin/tsc", "typescript/bin/tsc"]) {
    const script = path.join(root, "node_modules", compiler);
    if (!existsSync(script)) continue;
    const result = spawnSync(
      process.execPath,
      [script, "-p", path.join(root, "tsconfig.build.json"), "--outDir", outDir],
      {
        encoding: "utf8",
        cwd: root,
      },
    );
    if (result.status === 0) return;
    throw new Error(`the sources do not compile:\n${result.stdout}${result.stderr}`);
  }
  throw new Error("no TypeScript compiler is installed: run `npm ci` first");
}

/** Makes dist/ current. A package without sources (as published) is always current. */
export function ensureBuilt() {
  if (!existsSync(path.join(root, "src"))) return;
  const newest = newestSourceTime();
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= newest) return;
  const fresh = mkdtempSync(path.join(root, ".hodhod-build-"));
  try {
    compile(fresh);
    // A temporary folder is its maker's alone; who may read the sources may run what they make.
    chmodSync(fresh, statSync(path.join(root, "src")).mode & 0o777);
    writeFileSync(path.join(fresh, ".built"), "");
    utimesSync(path.join(fresh, ".built"), newest / 1000 + 1, newest / 1000 + 1);
    swap(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Moves the fresh tree to dist/; where another process was quicker, its tree is as good as ours. */
function swap(fresh) {
  const dist = path.join(root, "dist");
  const old = `${fresh}-old`;
  try {
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    if (!existsSync(stamp)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) ensureBuilt();
