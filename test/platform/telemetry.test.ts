import { describe, expect, it } from "vitest";
import { Telemetry } from "../../src/platform/telemetry.ts";

describe("Telemetry", () => {
  it("hands an event to every listener until it leaves", () => {
    const telemetry = new Telemetry();
    const seen: number[] = [];
    const off = telemetry.on("inbound.joined", ({ count }) => seen.push(count));
    telemetry.on("inbound.joined", ({ count }) => seen.push(-count));
    telemetry.emit("inbound.joined", { count: 1 });
    off();
    telemetry.emit("inbound.joined", { count: 2 });
    expect(seen).toEqual([1, -1, -2]);
  });

  it("keeps a throwing listener away from the emitter and the other listeners", async () => {
    const telemetry = new Telemetry();
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    let reached = false;
    telemetry.on("inbound.joined", () => {
      throw new Error("broken listener");
    });
    telemetry.on("inbound.joined", () => {
      reached = true;
    });
    telemetry.emit("inbound.joined", { count: 1 });
    expect(reached).toBe(true);
    expect((await warned).message).toContain("broken listener");
  });

  it("waits for the next event that fits, and gives up at the deadline", async () => {
    const telemetry = new Telemetry();
    const awaited = telemetry.next("inbound.joined", ({ count }) => count > 1);
    telemetry.emit("inbound.joined", { count: 1 });
    telemetry.emit("inbound.joined", { count: 2 });
    expect(await awaited).toEqual({ count: 2 });
    await expect(telemetry.next("inbound.joined", undefined, 5)).rejects.toThrow("no inbound.joined within 5 ms");
  });
});
