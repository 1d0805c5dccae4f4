import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), "hodhod-build-"));
  for (const name of ["bin", "src", "console", "package.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
});
afterEach(() => {
  rmSync(copy, { recursive: true, force: true });
});

/**
 * Leaves a server of one module and a console of one line: how trees are made and put in place does
 * not depend on what is in them.
 */
function keepLittle(): void {
  for (const folder of ["src", path.join("console", "src")]) rmSync(path.join(copy, folder), { recursive: true });
  // The console is made anew when what it shares with the server is.
  for (const folder of ["connectors", "credentials", "fields", "sms", "smpp", "tables", "texts"])
    mkdirSync(path.join(copy, "src", folder), { recursive: true });
  mkdirSync(path.join(copy, "console", "src", "styles"), { recursive: true });
  writeFileSync(path.join(copy, "src", "main.ts"), "export const main = async (): Promise<void> => undefined;\n");
  writeFileSync(path.join(copy, "console", "src", "main.tsx"), 'document.title = "little";\n');
  for (const file of ["app.tsx", "first-paint.ts", path.join("styles", "mark.svg")])
    cpSync(path.join(root, "console", "src", file), path.join(copy, "console", "src", file));
}

const buildIn = (tree: string) =>
  spawnSync(process.execPath, [path.join(tree, "bin", "build.js")], { encoding: "utf8", cwd: tree });
const build = () => buildIn(copy);
const dist = () => statSync(path.join(copy, "dist"));

const consoleTree = () => statSync(path.join(copy, "dist", "console")).ino;
const touch = (...file: string[]) => {
  const later = Date.now() / 1000 + 60;
  utimesSync(path.join(copy, ...file), later, later);
};

it("makes a tree that another user may run, and leaves a current one alone; the console apart from the server", () => {
  keepLittle();
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  // npm run build as root, serve as hodhod.
  expect(dist().mode).toBe(statSync(path.join(copy, "src")).mode);
  const { ino } = dist();
  expect(build().status).toBe(0);
  expect(dist().ino).toBe(ino);
});

it("tells a user who cannot build what to do, where the sources are newer than the build", () => {
  keepLittle();
  expect(build().status).toBe(0);
  touch("src", "main.ts");
  chmodSync(copy, 0o555);
  // Root may write anywhere.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { status, stderr } = spawnSync(process.execPath, [path.join(copy, "bin", "hodhod")], {
    ...nobody,
    encoding: "utf8",
    cwd: copy,
  });
  chmodSync(copy, 0o755);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `hodhod: the program in ${copy} is not built from its present sources, and this user cannot write there (EACCES): ` +
      "run `npm run build` as its owner\n",
  );
});

it("says that the modules cannot be joined, and the program runs as it was compiled", () => {
  keepLittle();
  writeFileSync(
    path.join(copy, "bin", "join-modules.js"),
    'process.stderr.write("no bundler\\n");\nprocess.exit(1);\n',
  );
  const started = spawnSync(process.execPath, [path.join(copy, "bin", "hodhod")], { encoding: "utf8", cwd: copy });
  expect(started.status).toBe(0);
  expect(started.stderr).toMatch(/the modules cannot be joined:\nno bundler/);
  expect(existsSync(path.join(copy, "dist", "joined"))).toBe(false);
  touch("src", "main.ts");
  expect(build()).toMatchObject({ status: 1 });
});

it("joins in a later build what one could not join; a gateway starts meanwhile, and says so", () => {
  keepLittle();
  const script = path.join(copy, "bin", "join-modules.js");
  const own = readFileSync(script, "utf8");
  // As where the bundler is installed later: nothing of the sources changes.
  const refusing = `import { existsSync as isThere } from "node:fs"; if (isThere("no-bundler")) process.exit(1);\n`;
  writeFileSync(script, refusing + own);
  writeFileSync(path.join(copy, "no-bundler"), "");
  expect([build().status, build().status]).toEqual([1, 1]);
  const unjoined = dist().ino;
  const start = (command: string) =>
    spawnSync(process.execPath, [path.join(copy, "bin", "hodhod"), command], { encoding: "utf8", cwd: copy });
  expect(start("serve")).toMatchObject({
    status: 0,
    stderr: "hodhod: starts take longer, for the modules are not joined: run `npm run build`\n",
  });
  expect(start("status")).toMatchObject({ status: 0, stderr: "" });
  expect(dist().ino).toBe(unjoined);
  rmSync(path.join(copy, "no-bundler"));
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(path.join(copy, "dist", "joined", "main.js"))).toBe(true);
  const joined = dist().ino;
  expect(build().status).toBe(0);
  expect(start("serve")).toMatchObject({ status: 0, stderr: "" });
  expect(dist().ino).toBe(joined);
});

it("keeps the joined files of the build before, and no older ones, for a gateway that runs", () => {
  keepLittle();
  const partsAfter = (text: string): readonly string[] => {
    writeFileSync(path.join(copy, "src", "later.ts"), `export const text = "${text}";\n`);
    const main = 'export const main = async (): Promise<string> => (await import("./later.ts")).text;\n';
    writeFileSync(path.join(copy, "src", "main.ts"), main);
    writtenAt += 60;
    utimesSync(path.join(copy, "src", "main.ts"), writtenAt, writtenAt);
    expect(build()).toMatchObject({ status: 0, stderr: "" });
    const names = readdirSync(path.join(copy, "dist", "joined"));
    return names.filter((name) => /^later-\w+\.js$/.test(name));
  };
  let writtenAt = Date.now() / 1000;
  const [first = ""] = partsAfter("one");
  const second = partsAfter("two");
  expect(second).toHaveLength(2);
  expect(second).toContain(first);
  const third = partsAfter("three");
  expect(third).toHaveLength(2);
  expect(third).not.toContain(first);
});

it("joins the modules of each program: it loads packages and joined files alone, and finds what lies beside the tree", () => {
  // Made from these sources, by the same script, before the first test of the run.
  const tree = path.join(root, "dist");
  const programs = ["main", "app/worker-main"];
  for (const program of programs) {
    const [, target = ""] =
      /^export \* from "(.*)";\n$/.exec(readFileSync(path.join(tree, `${program}.js`), "utf8")) ?? [];
    const file = path.resolve(tree, path.dirname(program), target);
    expect(file).toBe(path.join(tree, "joined", `${path.basename(program)}.js`));
    expect(existsSync(file)).toBe(true);
  }
  const files = readdirSync(path.join(tree, "joined")).filter((name) => name.endsWith(".js"));
  const modules = readdirSync(tree, { recursive: true }).filter((name) => String(name).endsWith(".js"));
  expect(files.length).toBeLessThan(modules.length / 3);
  const imports = files.flatMap((name) =>
    Array.from(
      readFileSync(path.join(tree, "joined", name), "utf8").matchAll(/(?:\bfrom|\bimport\(?)\s*"(\.[^"]*)"/g),
      ([, wanted = ""]) => wanted,
    ),
  );
  expect(imports.length).toBeGreaterThan(100);
  expect(
    imports.filter((wanted) => !existsSync(path.join(tree, "joined", wanted)) || !wanted.startsWith("./")),
  ).toEqual([]);
  const version = spawnSync(process.execPath, [path.join(root, "bin", "hodhod"), "--version"], { encoding: "utf8" });
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  expect(version.stdout.trim()).toBe(own.version);
});

it("packs the assets of the console in gzip and brotli, and brings the licences of what is in it", () => {
  // Made from these sources, by the same script, before the first test of the run.
  expect(buildIn(root)).toMatchObject({ status: 0, stderr: "" });
  const built = path.join(root, "dist", "console");
  const assets = readdirSync(path.join(built, "assets"));
  const script = assets.find((name) => /^index-[\w-]{8}\.js$/.test(name)) ?? "";
  expect(assets).toContain(`${script}.gz`);
  expect(assets).toContain(`${script}.br`);
  const asset = (name: string): Buffer => readFileSync(path.join(built, "assets", name));
  const plain = asset(script);
  expect(gunzipSync(asset(`${script}.gz`)).equals(plain)).toBe(true);
  expect(brotliDecompressSync(asset(`${script}.br`)).equals(plain)).toBe(true);
  expect(statSync(path.join(built, "licence-of-fonts.txt")).size).toBeGreaterThan(1000);

  const licences = readFileSync(path.join(built, "licences.md"), "utf8");
  const packages = [...licences.matchAll(/^## (\S+) - /gm)].map(([, name = ""]) =>
    name.replace(/^(@(?:radix|floating)-ui)\/.*/, "$1/*"),
  );
  expect(packages.length).toBeGreaterThan(20);
  const notice = readFileSync(path.join(root, "NOTICE"), "utf8").split(/[\s,]+/);
  expect(
    packages.filter((name) => !notice.includes(name)),
    "packages that NOTICE does not name",
  ).toEqual([]);
});

it("makes each anew where its own sources are newer; the console moves along with the server", () => {
  keepLittle();
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  const [server, tree] = [dist().ino, consoleTree()];
  touch("src", "main.ts");
  expect(build().status).toBe(0);
  expect([dist().ino === server, consoleTree() === tree]).toEqual([false, true]);
  const serverThen = dist().ino;
  touch("console", "src", "app.tsx");
  expect(build().status).toBe(0);
  expect([dist().ino === serverThen, consoleTree() === tree]).toEqual([true, false]);
  expect(readdirSync(copy).filter((name) => name.startsWith(".hodhod-build-"))).toEqual([]);
});

it("builds once where many start at once, also after a build that was killed", async () => {
  keepLittle();
  writeFileSync(path.join(copy, ".hodhod-build-lock"), String(endedProcess()));
  const starts = Array.from({ length: 4 }, () => runBuild());
  expect(await Promise.all(starts)).toEqual(starts.map(() => ({ code: 0, stderr: "" })));
  expect(existsSync(path.join(copy, "dist", "main.js"))).toBe(true);
  expect(existsSync(path.join(copy, "dist", "console", "index.html"))).toBe(true);
  expect(readdirSync(copy).filter((name) => name.startsWith(".hodhod-build-"))).toEqual([]);
});

it("says what does not compile, and nothing of the program that builds", () => {
  keepLittle();
  writeFileSync(path.join(copy, "src", "main.ts"), 'export const main: number = "none";\n');
  const { status, stderr } = build();
  expect(stderr).toMatch(/^the sources do not compile:\nsrc\/main\.ts\(1,14\): error TS2322: .*\n$/);
  expect(status).toBe(1);
});

/** The number of a process that is no more. */
const endedProcess = (): number => spawnSync(process.execPath, ["--version"]).pid;

async function runBuild(): Promise<{ code: unknown; stderr: string }> {
  const child = spawn(process.execPath, [path.join(copy, "bin", "build.js")], { cwd: copy });
  let stderr = "";
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
  const [code] = (await once(child, "close")) as unknown[];
  return { code, stderr };
}

it("fails where the console does not build, and keeps the one before; a gateway starts without it", () => {
  keepLittle();
  mkdirSync(path.join(copy, "dist", "console"), { recursive: true });
  writeFileSync(path.join(copy, "dist", "console", "index.html"), "the one before");
  writeFileSync(path.join(copy, "console", "src", "main.tsx"), "this is no program (");
  const { status, stderr } = build();
  expect(status).toBe(1);
  expect(stderr).toContain("the console does not build");
  expect(readFileSync(path.join(copy, "dist", "console", "index.html"), "utf8")).toBe("the one before");
  expect(existsSync(path.join(copy, "dist", "main.js"))).toBe(true);
  const start = spawnSync(process.execPath, [path.join(copy, "bin", "hodhod"), "serve", "--help"], {
    encoding: "utf8",
  });
  expect(start.status).toBe(0);
  expect(start.stderr).toContain("the gateway runs without its console");
});

it("leaves the console out where only a server is installed", () => {
  keepLittle();
  rmSync(path.join(copy, "node_modules"));
  mkdirSync(path.join(copy, "node_modules"));
  for (const name of readdirSync(path.join(root, "node_modules")))
    if (name !== "vite") symlinkSync(path.join(root, "node_modules", name), path.join(copy, "node_modules", name));
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  expect(existsSync(path.join(copy, "dist", "main.js"))).toBe(true);
  expect(existsSync(path.join(copy, "dist", "console"))).toBe(false);
});
