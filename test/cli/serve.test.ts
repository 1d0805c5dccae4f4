// The gateway's process from outside: signals while it starts, its address, its environment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { hodhod, startHodhod, temporaryFolder } from "./run-hodhod.ts";

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

it("Ctrl-C ends the wait for a database that refuses", async () => {
  const env = { DATABASE_URL: "postgres://x@127.0.0.1:1/x", HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "silent" };
  const gateway = await startHodhod(["serve"], /waiting for the database/, { env });
  gateway.signal("SIGINT");
  expect(await gateway.ended).toBe(0);
  expect(gateway.output()).toMatch(/^stopped$/m);
});

it("Ctrl-C ends the wait for a database that says nothing, before the attempt to connect has run out", async () => {
  const { server, port } = await listen();
  const connected = new Promise<void>((resolve) => server.once("connection", () => resolve()));
  const url = `postgres://x@127.0.0.1:${port}/x`;
  const env = {
    DATABASE_URL: url,
    HODHOD_PORT: "0",
    HODHOD_LOG_LEVEL: "silent",
    HODHOD_SHUTDOWN_SECONDS: "600",
    HODHOD_PROT: "1",
  };
  const gateway = await startHodhod(["serve"], /HODHOD_PROT/, { env });
  await connected;
  gateway.signal("SIGINT");
  expect(await gateway.ended).toBe(0);
  // Nothing said that the attempt had failed: it was broken off.
  expect(gateway.output()).not.toContain("waiting for the database");
});

it("a taken port is found before anything is made", async () => {
  const { port } = await listen();
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const { code, stdout, stderr } = await hodhod(["serve"], {
    env: { HODHOD_PORT: String(port) },
    folder: folder.path,
  });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(
    `hodhod: 127.0.0.1:${port} is used by another program\nhint: choose another HODHOD_PORT, or another address of this machine as HODHOD_HOST\n`,
  );
  expect(existsSync(path.join(folder.path, "data"))).toBe(false);
});

it("a misspelt variable is named, and those that Kubernetes sets are not", async () => {
  const kubernetes = {
    HODHOD_SERVICE_HOST: "10.0.0.1",
    HODHOD_SERVICE_PORT_HTTP: "8080",
    HODHOD_PORT_8080_TCP: "tcp://10.0.0.1:8080",
    HODHOD_PORT_8080_TCP_ADDR: "10.0.0.1",
    HODHOD_API_PORT: "tcp://10.0.0.2:80",
  };
  const quiet = await hodhod(["simulate", "--help"], { env: kubernetes });
  expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
  const { code, stderr } = await hodhod(["simulate", "--help"], {
    env: { HODHOD_PROT: "1", HODHOD_SOMETHING_ELSE: "1" },
  });
  expect(code).toBe(0);
  expect(stderr).toBe(
    "warning: unknown variable HODHOD_PROT (did you mean HODHOD_PORT?)\n" +
      "warning: unknown variable HODHOD_SOMETHING_ELSE\n",
  );
});

/** Log and notes go to a disk that is full. */
it.skipIf(!existsSync("/dev/full"))("a full disk under the log stops nothing", async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const { server, port } = await listen();
  await new Promise((resolve) => server.close(resolve));
  const gateway = spawn("sh", ["-c", `exec "${process.execPath}" bin/hodhod serve > /dev/full 2>&1`], {
    cwd: path.join(import.meta.dirname, "../.."),
    env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.url, HODHOD_PORT: String(port) },
  });
  const ended = once(gateway, "close");
  onTestFinished(() => void gateway.kill("SIGKILL"));
  await expect
    .poll(() => fetch(`http://127.0.0.1:${port}/health/ready`).then(({ status }) => status, String), {
      timeout: 30_000,
    })
    .toBe(200);
  gateway.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
