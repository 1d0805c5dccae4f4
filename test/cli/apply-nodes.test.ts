// apply beside running gateways: when it is back, they work by what it stored.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { freePort } from "../../bench/free-port.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database.ts";
import { hodhod, startHodhod, temporaryFolder, type Running } from "./run-hodhod.ts";

const setup = (key: string): string =>
  JSON.stringify({
    tariffs: [{ name: "t", prices: [{ price: 10 }] }],
    accounts: [{ name: "demo", tariff: "t", credit: 1000, apiKeys: [{ name: "main", key }] }],
  });

async function balanceStatus(node: Running | string, key: string): Promise<number> {
  const address = typeof node === "string" ? node : String(node.match[1]);
  const answer = await fetch(`${address}/account/balance`, { headers: { "x-api-key": key } });
  return answer.status;
}

let database: TestDatabase;
const nodes: Running[] = [];
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await database.drop();
});

async function serve(...args: string[]): Promise<Running> {
  const env = { DATABASE_URL: database.url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "silent" };
  const node = await startHodhod(["serve", ...args], /(http:\/\/\S+)/, { env });
  nodes.push(node);
  return node;
}

it("a key works on every node when apply is back, also where only calls are taken", async () => {
  const env = { DATABASE_URL: database.url };
  const both = [await serve(), await serve("--only", "http")];
  for (let round = 1; round <= 2; round += 1) {
    const key = `key-of-round-${round}-1234567890`;
    const { code, stdout, stderr } = await hodhod(["apply", "-"], { env, input: setup(key) });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/2 of 2 gateways use the new setup\.\n$/);
    expect(await Promise.all(both.map((node) => balanceStatus(node, key)))).toEqual([200, 200]);
  }
}, 120_000);

it("names a node that does not take the change within 5 s, and succeeds", async () => {
  const env = { DATABASE_URL: database.url };
  const [well, frozen] = [await serve(), await serve()];
  const key = "key-of-the-frozen-1234567890";
  frozen.signal("SIGSTOP");
  try {
    const { code, stdout, stderr } = await hodhod(["apply", "-"], { env, input: setup(key) });
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 of 2 gateways use the new setup\.\n$/);
    expect(stderr).toMatch(
      new RegExp(`^warning: node [0-9a-f-]{36} \\(process ${frozen.pid} on .+\\) does not use the change yet\\n$`),
    );
    expect(await balanceStatus(well, key)).toBe(200);
  } finally {
    frozen.signal("SIGCONT");
  }
}, 120_000);

it("README's serve & and apply work pasted into a folder that has no database yet", async () => {
  const folder = temporaryFolder();
  const key = "key-of-the-first-start-123456";
  const port = await freePort();
  const env = {
    HODHOD_DATA_DIR: path.join(folder.path, "data"),
    HODHOD_PORT: String(port),
    HODHOD_LOG_LEVEL: "silent",
  };
  let gateway: ChildProcess | undefined;
  try {
    gateway = spawn(process.execPath, ["bin/hodhod", "serve"], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: "ignore",
    });
    const applied = await hodhod(["apply", "-"], { env, input: setup(key) });
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("+ account demo") as unknown });
    // At once: the key works when the command is back, so the gateway listens by then.
    expect(await balanceStatus(`http://127.0.0.1:${port}`, key)).toBe(200);
  } finally {
    if (gateway?.exitCode === null) {
      gateway.kill("SIGTERM");
      await once(gateway, "exit");
    }
    folder.remove();
  }
}, 120_000);
