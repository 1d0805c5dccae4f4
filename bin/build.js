// Compiles src/ into dist/, and the console into dist/console, each when it is missing or older than its sources. A finished tree is put
// in place by renames, so that several first starts at once never see half of one.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const dist = path.join(root, "dist");
const consoleDist = path.join(dist, "console");
const stampName = ".built";

/** Newest modification time, in ms, of everything in the folders and of the files. */
function newestTime(folders, files) {
  const inFolders = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(root, folder, String(name))),
  );
  return Math.max(
    ...[...inFolders, ...files.map((file) => path.join(root, file))].map((file) => statSync(file).mtimeMs),
  );
}

const newestServerTime = () => newestTime(["src"], ["tsconfig.json", "tsconfig.build.json", "package.json"]);
/** The console counts parts and letters with the rules of src/sms. */
const newestConsoleTime = () => newestTime(["console", "src/sms"], ["package.json"]);

function isCurrent(folder, newest) {
  const stamp = path.join(folder, stampName);
  return existsSync(stamp) && statSync(stamp).mtimeMs >= newest;
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

const bundler = path.join(root, "node_modules", "vite", "bin", "vite.js");

function bundle(outDir) {
  const config = path.join(root, "console", "vite.config.ts");
  const result = spawnSync(process.execPath, [bundler, "build", "--config", config, "--outDir", outDir], {
    encoding: "utf8",
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (result.status !== 0) throw new Error(`the console does not build:\n${result.stdout}${result.stderr}`);
  compress(path.join(outDir, "assets"));
}

const bestBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Beside each asset that becomes smaller: the same in gzip and in brotli. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const octets = readFileSync(path.join(folder, name));
    writeFileSync(path.join(folder, `${name}.gz`), gzipSync(octets, { level: 9 }));
    writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(octets, bestBrotli));
  }
}

/** Makes dist/ current. A package without sources (as published) is always current. */
export function ensureBuilt() {
  if (!existsSync(path.join(root, "src"))) return;
  const newest = newestServerTime();
  if (isCurrent(dist, newest)) return;
  buildTree(newest, compile, (fresh) => {
    // The console is built apart, and moves along.
    if (existsSync(consoleDist)) takeOver(consoleDist, path.join(fresh, "console"));
    replace(dist, fresh);
  });
}

/**
 * Makes dist/console current. Returns why it could not, for the gateway runs without it: undefined where it is current, or where only a
 * server was installed.
 */
export function ensureConsoleBuilt() {
  if (!existsSync(path.join(root, "console")) || !existsSync(bundler)) return undefined;
  const newest = newestConsoleTime();
  if (isCurrent(consoleDist, newest)) return undefined;
  try {
    buildTree(newest, bundle, (fresh) => replace(consoleDist, fresh));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function buildTree(newest, make, place) {
  const fresh = mkdtempSync(path.join(root, ".hodhod-build-"));
  try {
    make(fresh);
    // A temporary folder is its maker's alone; who may read the sources may run what they make.
    chmodSync(fresh, statSync(path.join(root, "src")).mode & 0o777);
    writeFileSync(path.join(fresh, stampName), "");
    utimesSync(path.join(fresh, stampName), newest / 1000 + 1, newest / 1000 + 1);
    place(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Moves the fresh tree to its place; where another process was quicker, its tree is as good as ours. */
function replace(place, fresh) {
  const old = `${fresh}-old`;
  try {
    if (existsSync(place)) renameSync(place, old);
    renameSync(fresh, place);
  } catch (error) {
    if (!existsSync(path.join(place, stampName))) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

/** Another process may be quicker to move it; it is built again where it is missing. */
function takeOver(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  ensureBuilt();
  const problem = ensureConsoleBuilt();
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}
