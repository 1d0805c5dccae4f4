import { describe, expect, it } from "vitest";
import { Telemetry } from "../../src/platform/telemetry.ts";

describe("Telemetry", () => {
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
});
