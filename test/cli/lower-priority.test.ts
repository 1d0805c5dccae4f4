import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { getPriority, platform } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { spawnHodhod, startHodhod } from "./run-hodhod.ts";

/** Of the process, and on Linux of each of its threads. */
function prioritiesOf(pid: number): ReadonlySet<number> {
  const threads = platform() === "linux" ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  return new Set(threads.map((thread) => getPriority(thread)));
}

/** It reads its input, and nothing comes. */
const waiting = ["apply", "-"];

function pidOf(command: ChildProcess): number {
  onTestFinished(() => void command.kill());
  if (command.pid === undefined) throw new Error("it did not start");
  return command.pid;
}

it("a command lets the gateways and databases of its machine go first", async () => {
  const pid = pidOf(spawnHodhod(waiting, {}));
  await expect.poll(() => prioritiesOf(pid)).toEqual(new Set([Math.max(5, getPriority())]));
});

it("a command that was started with a lower priority keeps it", async () => {
  const program = [process.execPath, "bin/hodhod", ...waiting];
  const pid = pidOf(spawn("nice", ["-n", "9", ...program], { stdio: ["pipe", "pipe", "inherit"] }));
  await expect.poll(() => prioritiesOf(pid)).toEqual(new Set([Math.min(19, getPriority() + 9)]));
});

it("a gateway keeps its priority", async () => {
  const env = { DATABASE_URL: "postgres://x@127.0.0.1:1/x", HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "silent" };
  const gateway = await startHodhod(["serve"], /waiting for the database/, { env });
  expect(prioritiesOf(gateway.pid)).toEqual(new Set([getPriority()]));
  expect(await gateway.stop()).toBe(0);
});

it("a simulated operator keeps its priority", async () => {
  const simulator = await startHodhod(["simulate", "--port", "0"], /listens on/);
  expect(prioritiesOf(simulator.pid)).toEqual(new Set([getPriority()]));
  expect(await simulator.stop()).toBe(0);
});
