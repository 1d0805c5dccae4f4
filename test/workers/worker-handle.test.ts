import cluster from "node:cluster";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/platform/config.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { WorkerHandle } from "../../src/workers/worker-handle.ts";

/** A worker that runs this program. */
function handleOf(program: string, telemetry: Telemetry): WorkerHandle {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-worker-"));
  const exec = path.join(folder, "worker.cjs");
  writeFileSync(exec, program);
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
  const task = { number: 1, config: readConfig({}), databaseUrl: "" };
  const nothing = (): void => undefined;
  const handle = new WorkerHandle({ task, telemetry, onMessage: nothing, onEnd: nothing, askEveryMs: 100 });
  onTestFinished(async () => {
    const stopped = handle.stop();
    handle.kill();
    await stopped;
    rmSync(folder, { recursive: true });
  });
  return handle;
}

it("kills a worker that hangs before it is ready, and starts another", async () => {
  const telemetry = new Telemetry();
  const handle = handleOf("for (;;);", telemetry);
  const ended = telemetry.next("worker.ended");
  handle.start();
  expect((await telemetry.next("worker.silent")).worker).toBe(1);
  const { pid, signal, restartAfterMs } = await ended;
  expect([signal, restartAfterMs]).toEqual(["SIGKILL", 1000]);
  expect((await telemetry.next("worker.started")).pid).not.toBe(pid);
});

it("leaves a worker alone that answers", async () => {
  const telemetry = new Telemetry();
  const program = `process.on("message", ({ kind }) => {
    if (kind === "metricsWanted") process.send({ kind: "metrics", families: [] });
    if (kind === "stop") process.exit(0);
  });
  process.send({ kind: "ready", address: "" });`;
  const handle = handleOf(program, telemetry);
  let silent = 0;
  telemetry.on("worker.silent", () => (silent += 1));
  const ready = telemetry.next("worker.ready");
  handle.start();
  await ready;
  for (let asked = 0; asked < 20; asked += 1) await handle.refreshMetrics(60_000);
  await handle.stop();
  expect(silent).toBe(0);
});
