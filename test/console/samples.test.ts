// The sample programs of the console, run against a gateway: what a customer copies works as it is,
// but for the key.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { keyPlaceholder, samples } from "../../console/src/pages/code/samples.ts";
import { listen } from "../support/browser.ts";
import { keys, useTestApi } from "../support/test-api.ts";

const api = useTestApi();
let base: string;
let folder: string;

beforeAll(async () => {
  base = new URL(await listen(api)).origin;
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-samples-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  /** Null: there is no such program here, or it was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const longestRunMs = 60_000;

function run(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: folder, timeout: longestRunMs });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", () => resolve({ code: null, stdout, stderr }));
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function textOf(
  name: string,
  { key = keys.demo, at = base }: { readonly key?: string; readonly at?: string } = {},
): string {
  const sample = samples.find((each) => each.name === name);
  const text = sample?.text({ base: at, line: "10001234" }) ?? "";
  expect(text).toContain(keyPlaceholder);
  return text.replace(keyPlaceholder, key);
}

const runners: Readonly<Record<string, readonly [file: string, command: string, ...args: string[]]>> = {
  curl: ["send.sh", "sh", "send.sh"],
  "Node.js": ["send.mjs", process.execPath, "send.mjs"],
  Python: ["send.py", "python3", "send.py"],
  PHP: ["send.php", "php", "send.php"],
};

async function runSample(name: string, values?: Parameters<typeof textOf>[1]): Promise<Outcome> {
  const [file = "", command = "", ...args] = runners[name] ?? [];
  writeFileSync(path.join(folder, file), textOf(name, values));
  return run(command, args);
}

describe("the sample code", () => {
  it.each(Object.keys(runners))("in %s sends a message, where its interpreter is there", async (name) => {
    const { code, stdout, stderr } = await runSample(name);
    // Node is always there, and curl on each machine that these tests are run on by hand or in CI.
    if (code === null || code === 127) {
      expect(["curl", "Python", "PHP"]).toContain(name);
      process.stderr.write(`the sample in ${name} is not run: its interpreter is not there\n`);
      return;
    }
    expect([code, stderr.includes("Error")]).toEqual([0, false]);
    const id = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
    const ids = stdout.match(id) ?? [];
    expect(ids.length).toBeGreaterThan(0);
    const rows = await api.rows<{ content: string; recipient: string; line: string }>(
      "select content, recipient from message where id = any($1::uuid[])",
      [ids],
    );
    expect(rows).toMatchObject([{ content: "Hodhod", recipient: "989121234567" }]);
  });

  it.each(["Node.js", "Python", "PHP"])("in %s fails with the gateway's words where the key is wrong", async (name) => {
    const { code, stdout, stderr } = await runSample(name, { key: "no-such-key" });
    if (code === null || code === 127) return;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("401: ");
  });

  it.each(["Node.js", "Python", "PHP"])("in %s fails and says so where nobody answers", async (name) => {
    const { code, stdout, stderr } = await runSample(name, { at: `http://127.0.0.1:${await freePort()}` });
    if (code === null || code === 127) return;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(/refused|failed/i);
  });

  it.each(samples.map(({ name }) => name))("in %s is whole: each bracket and quotation mark has its fellow", (name) => {
    const text = textOf(name).replace(/\$"[^\n]*"(?=\);)|'[^'\n]*'/g, "''");
    const code = text
      .replace(/`[^`]*`/g, '""')
      .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
      .replace(/^\s*(?:\/\/|#).*$/gm, "");
    expect(code.replace(/""|''/g, "")).not.toMatch(/["`]/);
    const count = (mark: string) => code.split(mark).length;
    for (const [open, close] of [
      ["(", ")"],
      ["[", "]"],
      ["{", "}"],
    ] as const) {
      expect([open, count(open)]).toEqual([open, count(close)]);
    }
    expect(text).not.toMatch(/[^\x20-\x7e\n]/);
  });
});
