import cluster from "node:cluster";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/platform/config.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { WorkerHandle } from "../../src/app/worker-handle.ts";

/** A worker that runs this program, asked for its metrics each so many milliseconds. */
function handleOf(program: string, telemetry: Telemetry, askEveryMs: number): WorkerHandle {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-worker-"));
  const exec = path.join(folder, "worker.cjs");
  writeFileSync(exec, program);
  cluster.setupPrimary({ exec, args: [], execArgv: [] });
  const task = { number: 1, config: readConfig({}), databaseUrl: "" };
  const nothing = (): void => undefined;
  const handle = new WorkerHandle({ task, telemetry, onMessage: nothing, onEnd: nothing, askEveryMs });
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
  const handle = handleOf("for (;;);", telemetry, 100);
  const ended = telemetry.next("worker.ended");
  handle.start();
  expect((await telemetry.next("worker.silent")).worker).toBe(1);
  const { pid, signal, restartAfterMs } = await ended;
  expect([signal, restartAfterMs]).toEqual(["SIGKILL", 1000]);
  expect((await telemetry.next("worker.started")).pid).not.toBe(pid);
});

it("leaves a worker alone that answers", async () => {
  const telemetry = new Telemetry();
  // Says "ready" with its tenth answer: by then it was asked more often than one that hangs.
  const program = `let answers = 0;
  process.on("message", ({ kind }) => {
    if (kind === "stop") process.exit(0);
    if (kind !== "metricsWanted") return;
    process.send({ kind: "metrics", families: [] });
    if (++answers === 10) process.send({ kind: "ready", address: "" });
  });`;
  // Enough for a process to start on a busy machine.
  const handle = handleOf(program, telemetry, 1_000);
  let silent = 0;
  telemetry.on("worker.silent", () => (silent += 1));
  const ready = telemetry.next("worker.ready");
  handle.start();
  await ready;
  await handle.stop();
  expect(silent).toBe(0);
});
