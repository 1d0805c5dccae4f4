// Compiles src/ into dist/, and the console into dist/console, each when it is missing or older
// than its sources. One process builds at a time, and a finished tree is put in place by renames,
// so that several first starts at once never see half of one.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
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
const isBuildItself = process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url);

/**
 * Newest modification time, in ms, of everything in the folders and of the files. Each start asks:
 * a recursive readdirSync takes three times as long.
 */
function newestTime(folders, files) {
  let newest = 0;
  const look = (file) => {
    newest = Math.max(newest, statSync(file).mtimeMs);
  };
  const lookInto = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const place = `${folder}${path.sep}${entry.name}`;
      look(place);
      if (entry.isDirectory()) lookInto(place);
    }
  };
  for (const folder of folders) lookInto(path.join(root, folder));
  for (const file of files) look(path.join(root, file));
  return newest;
}

const newestServerTime = () =>
  newestTime(["src"], ["bin/join-modules.js", "tsconfig.json", "tsconfig.build.json", "package.json"]);
/** The console counts with the rules of src/sms, and makes its forms of the declared fields. */
const newestConsoleTime = () =>
  newestTime(
    ["console", "src/connectors", "src/credentials", "src/fields", "src/sms", "src/smpp", "src/tables", "src/texts"],
    ["package.json"],
  );

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
    throw new Error(`the sources do not compile:\n${result.stdout}${result.stderr}`.trimEnd());
  }
  throw new Error("no TypeScript compiler is installed: run `npm ci` first");
}

function compileAndJoin(outDir) {
  compile(outDir);
  joinModules(outDir);
}

/** This process has told that the modules could not be joined. */
let hasToldUnjoined = false;

/**
 * So that the programs start sooner. They start without it, too, so where the bundler is missing or
 * does not run, that is told and nothing else is lost.
 */
function joinModules(outDir) {
  const script = path.join(root, "bin", "join-modules.js");
  const result = spawnSync(process.execPath, [script, outDir], { encoding: "utf8", cwd: root });
  if (result.status === 0) return;
  rmSync(path.join(outDir, "joined"), { recursive: true, force: true });
  if (isBuildItself) process.exitCode = 1;
  hasToldUnjoined = true;
  process.stderr.write(
    `hodhod: starts take longer, for the modules cannot be joined:\n${result.stdout}${result.stderr}`,
  );
}

/** The files of that build, without those that it kept. */
function partsOf(joined) {
  const list = path.join(joined, "parts.json");
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
}

/**
 * A gateway that runs may load a part of its own joined files later. Their names tell their
 * contents, so those of the build before stay beside the new ones.
 */
function keepFormerParts(fresh) {
  const [former, own] = [path.join(dist, "joined"), path.join(fresh, "joined")];
  if (!existsSync(former) || !existsSync(own)) return;
  for (const name of partsOf(former))
    if (!existsSync(path.join(own, name))) copyFileSync(path.join(former, name), path.join(own, name));
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

/** Whether dist/ is current. */
export const isServerBuilt = () => isCurrent(dist, newestServerTime());

const isJoined = () => existsSync(path.join(dist, "joined"));

/** What a start says where an earlier build could not join the modules. */
export function unjoinedNotice() {
  if (isJoined() || hasToldUnjoined) return undefined;
  return "starts take longer, for the modules are not joined: run `npm run build`";
}

/** A start goes on with modules that are not joined, a build tries again to join them. */
const isDone = (newest) => isCurrent(dist, newest) && (isJoined() || !isBuildItself);

/** Makes dist/ current. A package without sources (as published) is always current. */
export function ensureBuilt() {
  if (!existsSync(path.join(root, "src"))) return;
  if (isDone(newestServerTime())) return;
  alone(() => {
    const newest = newestServerTime();
    if (isDone(newest)) return;
    buildTree(newest, compileAndJoin, (fresh) => {
      // The console is built apart, and moves along.
      if (existsSync(consoleDist)) renameSync(consoleDist, path.join(fresh, "console"));
      keepFormerParts(fresh);
      replace(dist, fresh);
    });
  });
}

/**
 * Makes dist/console current. Returns why it could not, for the gateway runs without it: undefined
 * where it is current, or where only a server was installed.
 */
export function ensureConsoleBuilt() {
  if (!existsSync(path.join(root, "console")) || !existsSync(bundler)) return undefined;
  if (isCurrent(consoleDist, newestConsoleTime())) return undefined;
  try {
    alone(() => {
      const newest = newestConsoleTime();
      if (!isCurrent(consoleDist, newest)) buildTree(newest, bundle, (fresh) => replace(consoleDist, fresh));
    });
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

/** Moves the fresh tree to its place. */
function replace(place, fresh) {
  const old = `${fresh}-old`;
  try {
    if (existsSync(place)) renameSync(place, old);
    renameSync(fresh, place);
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

const lock = path.join(root, ".hodhod-build-lock");
const askAgainMs = 100;
/**
 * No build takes as long: a lock of this age is left over, even if its process number lives on as
 * another's.
 */
const longestBuildMs = 300_000;

/** Runs it while no other process builds here. Others wait, and then find their work done. */
function alone(build) {
  while (!takeLock()) {
    if (isLeftOver()) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, askAgainMs);
  }
  try {
    build();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
    throw new Error(
      `the program in ${root} is not built from its present sources, and this user cannot write there (${error.code}): ` +
        "run `npm run build` as its owner",
    );
  }
}

/** Whether the process that took the lock has ended without giving it back. */
function isLeftOver() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > longestBuildMs) return true;
    const holder = Number(readFileSync(lock, "utf8"));
    // Its maker writes the number a moment after it makes the file.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

if (isBuildItself) {
  try {
    ensureBuilt();
    const problem = ensureConsoleBuilt();
    if (problem !== undefined) throw new Error(problem);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
