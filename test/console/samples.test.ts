// The sample programs of the console, run against a gateway: what a customer copies works as it is,
// but for the key.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { codeSamplesText, programOf } from "../../bin/generate-docs.ts";
import { freePort } from "../../bench/free-port.ts";
import {
  codeSamples,
  exampleKey,
  keyPlaceholder,
  type SampleCall,
  templateCall,
  textCall,
} from "../../src/texts/code-samples.ts";
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

const aText = (at = base) => textCall(at, "10001234");
const aTemplate = () => templateCall(base, { id: "ServiceTpl", sender: "service", parameters: ["name", "item-1"] });

function textOf(name: string, call: SampleCall, key: string = keys.demo): string {
  const sample = codeSamples.find((each) => each.name === name);
  const text = sample === undefined ? "" : programOf(sample, call);
  expect(text).toContain(keyPlaceholder);
  // Each run is a message of its own.
  return text.replace(keyPlaceholder, key).replace(exampleKey(call), randomUUID());
}

const runners: Readonly<Record<string, readonly [file: string, command: string, ...args: string[]]>> = {
  curl: ["send.sh", "sh", "send.sh"],
  "Node.js": ["send.mjs", process.execPath, "send.mjs"],
  Python: ["send.py", "python3", "send.py"],
  PHP: ["send.php", "php", "send.php"],
  Go: ["send.go", "go", "run", "send.go"],
  Java: ["Send.java", "java", "Send.java"],
  // There is no Laravel: its syntax is checked.
  Laravel: ["laravel.php", "php", "-l", "laravel.php"],
};
const sending = Object.keys(runners).filter((name) => name !== "Laravel");

async function runSample(name: string, call: SampleCall, key?: string): Promise<Outcome> {
  const [file = "", command = "", ...args] = runners[name] ?? [];
  writeFileSync(path.join(folder, file), textOf(name, call, key));
  return run(command, args);
}

/** Where the interpreter is missing: Node is always there. */
function isMissing(name: string, { code }: Outcome): boolean {
  if (code !== null && code !== 127) return false;
  expect(name).not.toBe("Node.js");
  process.stderr.write(`the sample in ${name} is not run: its interpreter is not there\n`);
  return true;
}

describe("the sample code", () => {
  it.each(sending)("in %s sends a text, and a template, where its interpreter is there", async (name) => {
    for (const [call, content] of [
      [aText(), "Hodhod"],
      [aTemplate(), "Hello 471129, 471129"],
    ] as const) {
      const outcome = await runSample(name, call);
      if (isMissing(name, outcome)) return;
      const { code, stdout, stderr } = outcome;
      expect([code, stderr.includes("Error")]).toEqual([0, false]);
      const id = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
      const ids = stdout.match(id) ?? [];
      expect(ids.length).toBeGreaterThan(0);
      const rows = await api.rows<{ content: string; recipient: string }>(
        "select content, recipient from message where id = any($1::uuid[])",
        [ids],
      );
      expect(rows).toEqual([{ content, recipient: "989121234567" }]);
    }
  });

  it("in Laravel is PHP", async () => {
    const outcome = await runSample("Laravel", aTemplate());
    if (!isMissing("Laravel", outcome)) expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
  });

  const failing = sending.filter((name) => name !== "curl");

  it.each(failing)("in %s fails with the gateway's words where the key is wrong", async (name) => {
    const outcome = await runSample(name, aText(), "no-such-key");
    if (isMissing(name, outcome)) return;
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).toContain("401: ");
  });

  const flakyOf = {
    "without a response, and where it is told to": [
      ({ socket }) => socket.destroy(),
      (_, response) => response.writeHead(503, { "retry-after": "0" }).end("<html>Unavailable</html>"),
    ],
    "after a 200 whose body is cut": [
      ({ socket }, response) =>
        response.writeHead(200, { "content-length": "35" }).write('{"message":', () => socket.destroy()),
    ],
  } satisfies Record<string, ((request: IncomingMessage, response: ServerResponse) => unknown)[]>;
  const repeating = Object.entries(flakyOf).flatMap(([how, faults]) => sending.map((name) => ({ name, how, faults })));

  it.each(repeating)("in $name repeats the call with its key $how", async ({ name, faults }) => {
    const seenKeys: unknown[] = [];
    const flaky = createServer((request, response) => {
      request.resume().on("end", () => {
        const fault = faults[seenKeys.length];
        seenKeys.push(request.headers["idempotency-key"]);
        if (fault) fault(request, response);
        else response.end('{"message":{"sentMessageId":"m-1"}}');
      });
    });
    await once(flaky.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void flaky.close());
    const { port } = flaky.address() as AddressInfo;
    const outcome = await runSample(name, aText(`http://127.0.0.1:${port}`));
    if (isMissing(name, outcome)) return;
    expect([outcome.code, outcome.stdout]).toEqual([0, expect.stringContaining("m-1")]);
    expect(seenKeys).toHaveLength(faults.length + 1);
    expect(new Set(seenKeys).size).toBe(1);
  });

  it.each(failing)("in %s fails and says so where nobody answers", async (name) => {
    const outcome = await runSample(name, textCall(`http://127.0.0.1:${await freePort()}`, "10001234"));
    if (isMissing(name, outcome)) return;
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).toMatch(/refused|failed|ConnectException/i);
  });

  it.each(codeSamples.map(({ name }) => name))(
    "in %s is whole: each bracket and quotation mark has its fellow",
    (name) => {
      const text = textOf(name, aTemplate())
        .replace(/"""[^]*?"""/g, "''")
        .replace(/\$"[^\n]*"(?=\);)|'[^'\n]*'/g, "''");
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
      expect(text).not.toMatch(/[^\x20-\x7e\n\t]/);
    },
  );

  it("is what the guide shows", () => {
    const file = path.resolve(import.meta.dirname, "../../docs/guides/code-samples.md");
    expect(readFileSync(file, "utf8")).toBe(codeSamplesText());
  });
});
