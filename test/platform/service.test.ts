import { describe, expect, it, vi } from "vitest";
import { createMetrics } from "../../src/platform/metrics.ts";
import { FailureLatch, PeriodicService, startAll, stopAll, type Service } from "../../src/platform/service.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";

function recorded(name: string, journal: string[], faults: { start?: boolean; stop?: boolean } = {}): Service {
  return {
    name,
    async start() {
      journal.push(`start ${name}`);
      if (faults.start) throw new Error(`${name} does not start`);
    },
    async stop() {
      journal.push(`stop ${name}`);
      if (faults.stop) throw new Error(`${name} does not stop`);
    },
  };
}

describe("startAll and stopAll", () => {
  it("start in order and stop in reverse", async () => {
    const journal: string[] = [];
    const services = [recorded("a", journal), recorded("b", journal)];
    await startAll(services);
    await stopAll(services);
    expect(journal).toEqual(["start a", "start b", "stop b", "stop a"]);
  });

  it("stop what was started when a later one fails to start", async () => {
    const journal: string[] = [];
    const services = [recorded("a", journal), recorded("b", journal, { start: true }), recorded("c", journal)];
    await expect(startAll(services)).rejects.toThrow("b does not start");
    expect(journal).toEqual(["start a", "start b", "stop b", "stop a"]);
  });

  it("stop every service even when one fails, and tell the failure", async () => {
    const journal: string[] = [];
    const services = [recorded("a", journal), recorded("b", journal, { stop: true }), recorded("c", journal)];
    await expect(stopAll(services)).rejects.toThrow("b does not stop");
    expect(journal).toEqual(["stop c", "stop b", "stop a"]);
  });
});

describe("PeriodicService", () => {
  it("rests so many times as long as a round took, where it is told to", async () => {
    const begun: number[] = [];
    const twice = deferred();
    const service = new PeriodicService({
      name: "slow",
      everyMs: 1,
      restFactor: 10,
      telemetry: new Telemetry(),
      runOnce: async () => {
        begun.push(performance.now());
        if (begun.length === 2) twice.resolve();
        const until = performance.now() + 20;
        while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
      },
    });
    await service.start();
    await twice.promise;
    await service.stop();
    expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(20 + 10 * 20 - 1);
  });

  it("runs on demand when it is woken, one round for all calls before it, and not before its pause is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const begun: number[] = [];
    let end = Promise.resolve();
    const service = new PeriodicService({
      ...{ name: "on demand", everyMs: 100, onDemand: true, telemetry: new Telemetry() },
      runOnce: () => {
        begun.push(performance.now());
        return end;
      },
    });
    const startedAt = performance.now();
    const rounds = async (afterMs: number): Promise<number[]> => {
      await vi.advanceTimersByTimeAsync(afterMs);
      return begun.splice(0).map((at) => at - startedAt);
    };
    try {
      await service.start();
      expect(await rounds(1000)).toEqual([]);
      service.wake();
      service.wake(30);
      service.wake(20);
      expect(await rounds(50)).toEqual([1020]);
      service.wake();
      expect(await rounds(1000)).toEqual([1120]);
      let finish = (): void => undefined;
      end = new Promise((resolve) => (finish = resolve));
      service.wake();
      expect(await rounds(10)).toEqual([2050]);
      service.wake();
      service.wake();
      end = Promise.resolve();
      finish();
      expect(await rounds(1000)).toEqual([2160]);
      await service.stop();
      service.wake();
      expect(await rounds(1000)).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("repeats a round that fails, with longer and longer pauses up to five seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let rounds = 0;
    const runOnce = () => Promise.reject(new Error(`round ${(rounds += 1)} fails`));
    const service = new PeriodicService({ name: "failing", everyMs: 100, telemetry: new Telemetry(), runOnce });
    try {
      await service.start();
      await vi.advanceTimersByTimeAsync(7_000);
      // After 100, 200, 400, 800, 1600 and 3200 ms, each counted from the last.
      expect(rounds).toBeGreaterThanOrEqual(5);
      expect(rounds).toBeLessThanOrEqual(7);
      const before = rounds;
      await vi.advanceTimersByTimeAsync(30_000);
      expect(rounds - before).toBeGreaterThanOrEqual(5);
      await service.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("runs again and again until stopped, never two rounds at once", async () => {
    let running = 0;
    let most = 0;
    let rounds = 0;
    const enough = deferred();
    const service = new PeriodicService({
      name: "counter",
      everyMs: 1,
      telemetry: new Telemetry(),
      runOnce: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        rounds += 1;
        if (rounds >= 5) enough.resolve();
        return { rounds };
      },
    });
    await service.start();
    await enough.promise;
    expect(await service.runNow()).toEqual({ rounds });
    await service.stop();
    await service.stop();
    const after = rounds;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(rounds).toBe(after);
    expect(most).toBe(1);
  });

  it("case 4: survives a failing round, and reports the failure and the recovery", async () => {
    const telemetry = new Telemetry();
    let fail = true;
    const service = new PeriodicService({
      name: "frail",
      everyMs: 1,
      telemetry,
      runOnce: async () => {
        if (fail) throw new Error("no database");
      },
    });
    const failed = telemetry.next("service.failed");
    await service.start();
    expect((await failed).service).toBe("frail");
    const recovered = telemetry.next("service.recovered");
    fail = false;
    await recovered;
    await service.stop();
  });

  it("aborts and waits for the round under way when stopped", async () => {
    const begun = deferred();
    let ended = false;
    const service = new PeriodicService({
      name: "slow",
      everyMs: 1,
      telemetry: new Telemetry(),
      runOnce: async (signal) => {
        begun.resolve();
        await new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        ended = true;
      },
    });
    await service.start();
    await begun.promise;
    await service.stop();
    expect(ended).toBe(true);
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("FailureLatch", () => {
  it("tells the first failure and the recovery, however often it fails in between", async () => {
    const telemetry = new Telemetry();
    const told: unknown[] = [];
    telemetry.on("service.failed", ({ service, error }) => told.push([service, (error as Error).message]));
    telemetry.on("service.recovered", ({ service }) => told.push([service, "recovered"]));
    const latch = new FailureLatch("lease", telemetry);
    const fail = (why: string) => latch.watch(() => Promise.reject(new Error(why)));
    await latch.watch(async () => undefined);
    await fail("first");
    await fail("second");
    expect(latch.isFailing).toBe(true);
    await latch.watch(async () => undefined);
    await latch.watch(async () => undefined);
    await fail("third");
    expect(told).toEqual([
      ["lease", "first"],
      ["lease", "recovered"],
      ["lease", "third"],
    ]);
  });

  it("counts each failure, also those that it does not tell", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    const failures = async () =>
      /^hodhod_service_failures_total\{service="lease"\} (\d+)$/m.exec(await metrics.text())?.[1];
    const latch = new FailureLatch("lease", telemetry);
    // A series that appears with its first failure never grows in the eyes of who watches it.
    expect(await failures()).toBe("0");
    latch.failed(new Error("first"));
    latch.failed(new Error("second"));
    latch.worked();
    latch.failed(new Error("third"));
    expect(await failures()).toBe("3");
  });

  it("pauses longer after each failure, until something works", () => {
    const latch = new FailureLatch("claims", new Telemetry());
    const pause = (): number => latch.pauseMs(200, 5000);
    expect(pause()).toBe(0);
    const pauses = Array.from({ length: 8 }, () => {
      latch.failed(new Error("no database"));
      return pause();
    });
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    latch.worked();
    expect(pause()).toBe(0);
    latch.failed(new Error("no database"));
    expect(pause()).toBe(200);
  });
});
