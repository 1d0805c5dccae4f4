import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseMachineTimes, parseProcessTimes, peakMemoryMiB, processorTimes } from "../../bench/machine.ts";

const hasProc = existsSync("/proc/self/stat");

describe("processor times", () => {
  it("reads a process whose name holds brackets and blanks", () => {
    const stat = "4711 (a (very) odd name) S 42 4711 4711 0 -1 4194304 100 200 0 0 12 3 20 5 20 0 7 0 100 0 0";
    // utime 12, stime 3, cutime 20, cstime 5 ticks of 10 ms.
    expect(parseProcessTimes(stat)).toEqual({ parent: 42, microseconds: 400_000 });
  });

  it("counts waiting for disks as idle, and tells what the host took", () => {
    const stat = "cpu  100 5 50 800 20 0 5 20 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
    expect(parseMachineTimes(stat)).toEqual({ idle: 8_200_000, stolen: 200_000, total: 10_000_000 });
  });

  it.skipIf(!hasProc)("includes children, those that have ended too", async () => {
    const burn = "while (process.cpuUsage().user < 200_000);";
    const script = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(burn)}]);
      console.log("done"); process.stdin.resume();`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
    try {
      await once(child.stdout, "data");
      const [ofChild = 0, ofNobody] = processorTimes([child.pid ?? 0, 2_147_483_647]);
      expect(ofChild).toBeGreaterThan(100_000);
      expect(ofNobody).toBe(0);
      expect(peakMemoryMiB(child.pid ?? 0)).toBeGreaterThan(10);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
