import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isRunning } from "../../src/postgres/owner-lock.ts";
import { eventually } from "../support/factories.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-demo-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

it("ends with npm start, also where the signal is sent to npm alone", async () => {
  const npm = spawn("npm", ["start"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { ...process.env, HODHOD_DATA_DIR: dataDir, HODHOD_PORT: "0" },
    stdio: "pipe",
  });
  let output = "";
  npm.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(npm, "close");
  await eventually(() => output.includes("gateway listens on"));
  const { pid } = JSON.parse(readFileSync(path.join(dataDir, "hodhod.lock"), "utf8")) as { pid: number };
  npm.kill("SIGTERM");
  await eventually(() => !isRunning(pid));
  await ended;
  expect(existsSync(path.join(dataDir, "hodhod.lock"))).toBe(false);
});
