import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { keys, useTestApi } from "./support/test-api.ts";

const api = useTestApi();
let url: string;

beforeAll(async () => {
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
});

interface Run {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/** Runs an example as a reader of it would. */
function run(name: string, args: readonly string[], key: string = keys.demo): Promise<Run> {
  const file = fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
  const isScript = name.endsWith(".mjs");
  const env = { ...process.env, HODHOD_URL: url, HODHOD_API_KEY: key };
  return new Promise((resolve) => {
    const command = isScript ? process.execPath : file;
    execFile(command, isScript ? [file, ...args] : args, { env }, (error, output, complaint) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output, complaint }),
    );
  });
}

describe("examples", () => {
  it("send.sh sends a text with quotes and backslashes as it is", async () => {
    const { code, output } = await run("send.sh", ["10001234", "09121234567", 'سلام "دنیا" \\ 100%']);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ message: { content: 'سلام "دنیا" \\ 100%', messageStatus: 0 } });
  });

  it.each(["send.sh", "send-batch.sh"])("%s says how it is used", async (name) => {
    const { code, complaint } = await run(name, ["10001234"]);
    expect(code).not.toBe(0);
    expect(complaint).toContain(`usage: ${name} SENDER `);
  });

  it.each(["سلام\n\nخط دوم\n", "a\tb", "a\r\nb"])(
    "send.sh sends a text with line breaks and tabs: %j",
    async (content) => {
      const { code, output } = await run("send.sh", ["10001234", "09121234567", content]);
      expect([code, JSON.parse(output)]).toMatchObject([0, { message: { content } }]);
    },
  );

  it("send.sh fails and shows why when the message is refused", async () => {
    const { code, output } = await run("send.sh", ["10001234", "12", "x"]);
    expect(code).not.toBe(0);
    expect(JSON.parse(output)).toMatchObject({ errorCode: 1001 });
  });

  it("send-batch.sh sends to all", async () => {
    const { code, output } = await run("send-batch.sh", ["10001234", "سلام & 1+1", "09121234567", "09351234567"]);
    expect(code).toBe(0);
    const { messages } = JSON.parse(output) as { messages: { recipientNumber: string; content: string }[] };
    expect(messages.map(({ recipientNumber }) => recipientNumber)).toEqual(["09121234567", "09351234567"]);
    expect(messages[0]?.content).toBe("سلام & 1+1");
  });

  it("send.mjs sends, and status.mjs tells what became of it", async () => {
    const sent = await run("send.mjs", ["10001234", "09121234567", "سلام"]);
    expect(sent.code).toBe(0);
    expect(sent.output).toMatch(/^batch [0-9a-f-]{36}: 1 part\(s\), 1,390 rials/);
    const batchId = /[0-9a-f-]{36}/.exec(sent.output)?.[0] ?? "";
    const status = await run("status.mjs", [batchId]);
    expect([status.code, status.output]).toEqual([0, "09121234567  waiting\n"]);
  });

  it("send.mjs and status.mjs show what is wrong", async () => {
    const sent = await run("send.mjs", ["10001234", "12", "سلام"]);
    expect(sent.code).toBe(1);
    expect(sent.complaint).toMatch(/refused, 1001[^]*recipientNumber: /);
    const status = await run("status.mjs", ["x"], "wrong-key");
    expect([status.code, status.complaint.slice(0, 4)]).toEqual([1, "401:"]);
  });
});

describe("examples behind a proxy", () => {
  /** In turn: a page of the proxy, answers of the gateway, and at last a 200. */
  const answers: readonly (readonly [number, string])[] = [
    [502, "<html>Bad Gateway</html>"],
    [504, '{"message":"upstream timed out"}'],
    [500, '{"errorCode":1000000001,"errorMessage":"Server error"}'],
    [408, '{"errorCode":408,"errorMessage":"The request did not arrive in time."}'],
    [200, '{"batchId":"b-1","message":{"parts":"1","cost":"1,390"}}'],
  ];

  async function startProxy(): Promise<{ readonly url: string; readonly seenKeys: readonly unknown[] }> {
    const seenKeys: unknown[] = [];
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        const [status, body] = answers[Math.min(seenKeys.length, answers.length - 1)] ?? [0, ""];
        if (request.method === "POST") seenKeys.push(request.headers["idempotency-key"]);
        response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(body);
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seenKeys };
  }

  const guide = readFileSync(new URL("../docs/api-guide.md", import.meta.url), "utf8");
  /** The sample of the guide in a language. */
  const sampleOf = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "m").exec(guide.slice(guide.indexOf("## Examples")))?.[1] ?? "";
  const samples: readonly {
    readonly name: string;
    /** Succeeds where the sample can run. */
    readonly probe?: readonly string[];
    readonly program: string;
    readonly args: readonly string[];
  }[] = [
    {
      name: "examples/send.mjs",
      program: process.execPath,
      args: [fileURLToPath(new URL("../examples/send.mjs", import.meta.url)), "1", "2", "x"],
    },
    { name: "the guide's JavaScript", program: process.execPath, args: ["--input-type=module", "-e", sampleOf("js")] },
    { name: "the guide's Python", probe: ["--version"], program: "python3", args: ["-c", sampleOf("python")] },
    {
      name: "the guide's PHP",
      probe: ["-r", "exit(function_exists('curl_init') ? 0 : 1);"],
      program: "php",
      args: ["-r", sampleOf("php").replace("<?php", "")],
    },
  ];

  it.for(samples)(
    "$name repeats the call under its key until it is answered 200",
    async ({ probe, program, args }, { skip }) => {
      if (probe !== undefined && spawnSync(program, probe).status !== 0) skip(`${program} is not installed`);
      const { url, seenKeys } = await startProxy();
      const env = { ...process.env, BASE: url, KEY: "k", HODHOD_URL: url, HODHOD_API_KEY: "k" };
      const output = await new Promise((resolve) =>
        execFile(program, args, { env }, (error, stdout, stderr) => resolve([error?.code ?? 0, stdout, stderr])),
      );
      expect(output).toEqual([0, expect.stringContaining("b-1"), ""]);
      expect(seenKeys).toHaveLength(answers.length);
      expect(new Set(seenKeys).size).toBe(1);
    },
  );
});
