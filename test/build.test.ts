import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), "hodhod-build-"));
  for (const name of ["bin", "src", "package.json", "tsconfig.json", "tsconfig.build.json"])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
});
afterEach(() => {
  rmSync(copy, { recursive: true, force: true });
});

const build = () => spawnSync(process.execPath, [path.join(copy, "bin", "build.js")], { encoding: "utf8", cwd: copy });
const dist = () => statSync(path.join(copy, "dist"));

it("makes a tree that another user may run (npm run build as root, serve as hodhod), and leaves a current one alone", () => {
  expect(build()).toMatchObject({ status: 0, stderr: "" });
  expect(dist().mode).toBe(statSync(path.join(copy, "src")).mode);
  const { ino } = dist();
  expect(build().status).toBe(0);
  expect(dist().ino).toBe(ino);
  const later = Date.now() / 1000 + 60;
  utimesSync(path.join(copy, "src", "main.ts"), later, later);
  expect(build().status).toBe(0);
  expect(dist().ino).not.toBe(ino);
});
