// Lines of the log on a file, a full disk, and a pipe whose reader stops or goes away.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LogOutput } from "../../src/platform/logger.ts";

const built = (name: string): string =>
  JSON.stringify(path.join(import.meta.dirname, `../../dist/platform/${name}.js`));

function temporaryFile(): { readonly name: string; readonly fd: number } {
  const folder = mkdtempSync(path.join(tmpdir(), "hodhod-log-"));
  const name = path.join(folder, "log");
  const fd = openSync(name, "a");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  return { name, fd };
}

/** A program that writes to its standard output by a LogOutput. */
const programOf = (body: string): string =>
  `import { LogOutput } from ${built("logger")}; const output = new LogOutput(1); ${body}`;

/** A program whose `output` goes to the descriptor `to`, and is also the log of its `telemetry`. */
const loggingProgramOf = (to: string, body: string): string => `
  import { closeSync, openSync } from "node:fs";
  import { LogOutput } from ${built("logger")};
  import { createLogger, logTelemetry } from ${built("logger")};
  import { createMetrics } from ${built("metrics")};
  import { Telemetry } from ${built("telemetry")};
  const telemetry = new Telemetry();
  const metrics = createMetrics(telemetry);
  const lost = async () => Number((await metrics.text()).match(/^hodhod_log_lines_lost_total (.*)/m)[1]);
  const to = ${to};
  const output = new LogOutput(to, telemetry);
  logTelemetry(createLogger({ logLevel: "info" }, output), telemetry);
  ${body}`;

it("writes lines in their order", async () => {
  const { name, fd } = temporaryFile();
  const output = new LogOutput(fd);
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} سلام\n`);
  for (const line of lines) output.write(line);
  await expect.poll(() => readFileSync(name, "utf8")).toBe(lines.join(""));
});

it("has written each line when a process crashes or is killed", () => {
  const program = programOf(
    `for (let n = 0; n < 3; n += 1) output.write(n + "\\n"); process.kill(process.pid, "SIGKILL");`,
  );
  const { signal, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect([signal, stdout]).toEqual(["SIGKILL", "0\n1\n2\n"]);
});

it("writes all that waits for a slow reader when the process ends, and in its order", async () => {
  const program = programOf(`
    process.stdout.on("error", () => undefined);
    const line = (n) => String(n).padStart(999, "0") + "\\n";
    for (let n = 0; n < 500; n += 1) output.write(line(n));
    setTimeout(() => { output.write(line(500)); process.exit(0); }, 20);`);
  const { stdout } = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(stdout, "readable");
  const lines = Buffer.concat((await stdout.toArray()) as Buffer[])
    .toString()
    .trimEnd()
    .split("\n");
  expect(lines.map(Number)).toEqual(Array.from({ length: 501 }, (_, n) => n));
});

it.skipIf(!existsSync("/dev/full"))("ends in time on a full disk", () => {
  const program = programOf(`output.write("a\\n"); setTimeout(() => output.write("b\\n"), 50);`);
  const shell = `"${process.execPath}" --input-type=module -e '${program}' > /dev/full`;
  const { status, stderr } = spawnSync("sh", ["-c", shell], { encoding: "utf8", timeout: 20_000 });
  expect([status, stderr]).toEqual([0, ""]);
});

it.skipIf(!existsSync("/dev/full"))("goes on when a disk has room again, and tells how many lines are missing", () => {
  const { name } = temporaryFile();
  // The file gets the number of the full disk: the lowest that is free.
  const program = loggingProgramOf(
    'openSync("/dev/full", "a")',
    `const line = "x".repeat(1023) + "\\n";
    // The first one is at work, the others wait.
    for (let n = 0; n < 1 + 8192 + 5; n += 1) output.write(line);
    closeSync(to);
    // A thread of Node.js may take the number for a moment, or give back a lower one.
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0, given; (given = openSync(${JSON.stringify(name)}, "a")) !== to; tries += 1) {
      if (given > to) closeSync(given);
      if (tries === 10000) process.exit(3);
      Atomics.wait(pause, 0, 0, 1);
    }
    output.write("again\\n");
    output.write("and on\\n");
    console.log(await lost());`,
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  expect([status, stderr, stdout]).toEqual([0, "", "5\n"]);
  const lines = readFileSync(name, "utf8").split("\n");
  expect(lines.slice(0, 8193).every((line) => line.length === 1023)).toBe(true);
  expect(JSON.parse(lines[8193] ?? "")).toMatchObject({ event: "log.lost", level: "warn", lines: 5 });
  expect(lines.slice(8194)).toEqual(["again", "and on", ""]);
});

it("tells a slow reader how many lines are missing, though no further line comes", async () => {
  const program = loggingProgramOf(
    "1",
    `process.stdout.on("error", () => undefined);
    for (let n = 0; n < 12_000; n += 1) output.write(String(n).padStart(999, "0") + "\\n");
    process.on("message", () => process.disconnect());
    process.send(await lost());`,
  );
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [lost] = (await once(child, "message")) as [number];
  const { stdout } = child;
  if (stdout === null) throw new Error("the program has no output");
  let text = "";
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.endsWith("\n") && text.slice(-500).includes("log.lost")) break;
  }
  child.send("end");
  expect(await once(child, "exit")).toEqual([0, null]);
  const lines = text.trimEnd().split("\n");
  expect(lost).toBeGreaterThan(0);
  expect(JSON.parse(lines.pop() ?? "")).toMatchObject({ event: "log.lost", lines: lost });
  expect(lines.map(Number)).toEqual(Array.from({ length: 12_000 - lost }, (_, n) => n));
});

it("waits for a reader that is slow, and goes on without one that is gone", async () => {
  const line = `${"x".repeat(999)}\n`;
  const program = programOf(`
    process.stdout.on("error", () => undefined);
    for (let n = 0; n < 1000; n += 1) output.write(${JSON.stringify(line)});
    process.on("message", () => { output.write("late\\n"); process.disconnect(); });
    process.send("written");`);
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  await once(child, "message");
  let octets = 0;
  const { stdout } = child;
  if (stdout === null) throw new Error("the program has no output");
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    octets += (chunk as Buffer).length;
    if (octets === 1000 * line.length) break;
  }
  stdout.destroy();
  child.send("go on");
  expect(await once(child, "close")).toEqual([0, null]);
});
