// What somebody gets who installs the TypeScript client: packed, installed in a clean folder
// without a registry, and used there as an ES module, with require, from TypeScript, and as its
// README shows.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { keys, startTestGateway, type TestGateway } from "../support/gateway.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = path.join(root, "clients", "typescript");
const readme = readFileSync(path.join(source, "README.md"), "utf8");

let folder: string;
let gateway: TestGateway;
let receiver: ChildProcess | undefined;

interface Run {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Run> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env }, (error, output, complaint) =>
      resolve({ code: error === null ? 0 : 1, output, complaint }),
    );
  });
}

/** As somebody with a key of the demo account. */
function runWithKey(file: string): Promise<Run> {
  return run(process.execPath, [file], { ...process.env, HODHOD_URL: gateway.url, HODHOD_API_KEY: keys.demo });
}

/** The code under a heading of the README, as a file of the clean folder. */
function exampleOf(heading: string): string {
  const section = readme.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? "";
  const [, code] = /^```js\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (code === undefined) throw new Error(`no example under ${heading}`);
  const file = path.join(folder, `${heading.replaceAll(/\W+/g, "-")}.mjs`);
  writeFileSync(file, code);
  return file;
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-client-"));
  const begun = startTestGateway();
  // `prepack` compiles. npm's own cache may belong to somebody else.
  const npm = ["--offline", "--silent", "--cache", path.join(folder, ".npm")];
  const packed = await run("npm", ["pack", source, "--pack-destination", folder, ...npm]);
  expect(packed.code, packed.complaint).toBe(0);
  writeFileSync(path.join(folder, "package.json"), '{"name":"somebody","private":true}');
  const installed = await run("npm", ["install", "--no-audit", "--no-fund", `./${packed.output.trim()}`, ...npm]);
  expect(installed.code, installed.complaint).toBe(0);
  gateway = await begun;
});
afterAll(async () => {
  receiver?.kill();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("contains what was compiled, its README and its licence, and depends on nothing", () => {
  const own = path.join(folder, "node_modules", "@hodhod", "client");
  expect(readdirSync(own).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(readdirSync(path.join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@hodhod"]);
  const { version } = JSON.parse(readFileSync(path.join(own, "package.json"), "utf8")) as { version: string };
  const product = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  expect(version).toBe(product.version);
});

const use = `
const client = new HodhodClient({ baseUrl: process.env.HODHOD_URL, apiKey: process.env.HODHOD_API_KEY });
const check = async () => {
  const { message } = await client.preview({ senderNumber: "10001234", recipientNumber: "09121234567", content: "سلام" });
  const error = await client.status("x").catch((error) => error);
  console.log(message.cost, error instanceof ValidationError);
};
`;

it("works as an ES module and with require", async () => {
  const names = "HodhodClient, ValidationError";
  writeFileSync(path.join(folder, "use.mjs"), `import { ${names} } from "@hodhod/client";${use}await check();`);
  writeFileSync(path.join(folder, "use.cjs"), `const { ${names} } = require("@hodhod/client");${use}check();`);
  for (const file of ["use.mjs", "use.cjs"])
    expect(await runWithKey(file)).toEqual({ code: 0, output: "1,390 true\n", complaint: "" });
});

const typed = `
const client = new HodhodClient({ baseUrl: "https://sms.example.com", apiKey: "k" });
export async function use(): Promise<string> {
  const { batchId, message } = await client.send({ senderNumber: "1000", recipientNumber: "0912", content: "x" });
  const [state] = await client.waitForFinal(batchId, { signal: AbortSignal.timeout(1000) });
  for await (const { receivedMessageId } of client.received({ pollMs: 1000 })) if (receivedMessageId === "") break;
  const { events } = verifyWebhook({ body: "", headers: new Headers() }, ["whsec_"]);
  for (const event of events) if (event.type === "message.received") return event.data.senderNumber;
  // @ts-expect-error -- a recipient is missing
  await client.send({ senderNumber: "1000", content: "x" });
  // @ts-expect-error -- a status is a number
  const status: string | undefined = state?.messageStatus;
  return \`\${message.cost} \${status}\`;
}
`;

it("compiles in strict TypeScript, in both kinds of module", async () => {
  const head = 'import { HodhodClient, verifyWebhook } from "@hodhod/client";';
  const project = path.join(folder, "typed");
  mkdirSync(project);
  for (const name of ["use.mts", "use.cts"]) writeFileSync(path.join(project, name), head + typed);
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    types: ["node"],
    typeRoots: [path.join(root, "node_modules", "@types")],
  };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts", "*.cts"] }));
  for (const compiler of ["typescript-7", "typescript"]) {
    const script = path.join(root, "node_modules", compiler, "bin", "tsc");
    const { code, output } = await run(process.execPath, [script, "-p", project]);
    expect([compiler, code, output]).toEqual([compiler, 0, ""]);
  }
});

it("does what the README shows", async () => {
  const sent = await runWithKey(exampleOf("Send, and wait for the result"));
  expect(sent).toEqual({ code: 0, output: "1 part(s), 1,390 rials\ndelivered\n", complaint: "" });
  const failed = await runWithKey(exampleOf("Errors"));
  expect(failed).toEqual({ code: 0, output: "recipientNumber\n", complaint: "" });
  // The simulated operator answers such a number with a message.
  await gateway.send("09121000050");
  await gateway.until("a message", async () => {
    const { body } = await gateway.call("GET", "messages/received/recent");
    return (body.messages?.length ?? 0) > 0 || undefined;
  });
  const read = await runWithKey(exampleOf("Read messages from subscribers"));
  expect([read.code, read.complaint]).toEqual([0, ""]);
  expect(read.output).toMatch(/^989121000050 .*\nbegin here the next time: \S+\n$/);
});

it("receives webhooks as the README shows, of both secrets, each event once", async () => {
  const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString("base64")}`);
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), HODHOD_WEBHOOK_SECRETS: secrets.join() };
  const started = spawn(process.execPath, [exampleOf("Webhooks")], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  receiver = started;
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const event = { type: "message.delivered", timestamp: "2026-11-21T08:30:00.123Z", data: { sentMessageId: "m-1" } };
  const post = async (secret: string, body: string): Promise<number> => {
    const at = new Date();
    const headers = {
      "webhook-id": "e-1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("e-1", at, body),
    };
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body }).catch(() => undefined);
      if (answer !== undefined) return answer.status;
      // It has only just been started.
      await pause(50);
    }
  };
  const [first = "", second = ""] = secrets;
  expect(await post(first, JSON.stringify(event))).toBe(204);
  expect(await post(second, JSON.stringify(event))).toBe(204);
  expect(await post("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", JSON.stringify(event))).toBe(400);
  const events = ["m-1", "m-2"].map((id, index) => ({ ...event, id: `e-${index + 1}`, data: { sentMessageId: id } }));
  expect(await post(first, JSON.stringify({ ...event, type: "batch", data: { events } }))).toBe(204);
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual(["m-1 delivered", "m-2 delivered"]);
});
