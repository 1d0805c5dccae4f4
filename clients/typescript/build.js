// Generates the types of the API, and compiles src/ twice, into dist/esm and dist/cjs, with the
// compiler of the gateway's repository.
// The package.json in each of them tells Node, and TypeScript, which kind of module it holds.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.join(here, "..", "..");
const compiler = path.join(repository, "node_modules", "typescript-7", "bin", "tsc");

const kinds = [
  { name: "esm", type: "module", settings: ["--module", "nodenext"] },
  {
    name: "cjs",
    type: "commonjs",
    settings: ["--module", "commonjs", "--moduleResolution", "bundler", "--verbatimModuleSyntax", "false"],
  },
];

function run(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: repository });
  if (status !== 0) throw new Error(`the client does not compile:\n${stdout}${stderr}`);
}

run(["--import", "tsx", path.join(repository, "bin", "generate-docs.ts"), "types"]);
const dist = path.join(here, "dist");
rmSync(dist, { recursive: true, force: true });
for (const { name, type, settings } of kinds) {
  const folder = path.join(dist, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ type })}\n`);
  const args = [compiler, "-p", path.join(here, "tsconfig.build.json"), "--outDir", folder, ...settings];
  run(args);
}
