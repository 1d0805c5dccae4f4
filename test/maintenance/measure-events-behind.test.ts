import { describe, expect, it, vi } from "vitest";
import { EventsBehind } from "../../src/maintenance/measurements.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { measureLogHolder } from "../../src/store/event-log.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { useTestDatabase } from "../support/database.ts";

const database = useTestDatabase();

/** Works while somebody else holds a writing transaction open. */
function whileHeld(work: () => Promise<void>): Promise<void> {
  return database.db.dedicatedSession(async (client) => {
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    // What commits after it is what readers wait for.
    await database.rows("select pg_current_xact_id()");
    try {
      await work();
    } finally {
      await client.query("rollback");
    }
  });
}

describe("how far the events are behind", () => {
  it("is the age of the oldest writing transaction", async () => {
    const telemetry = new Telemetry();
    const told: number[] = [];
    telemetry.on("events.behind", ({ seconds }) => told.push(seconds));
    await whileHeld(async () => {
      // For a moment the oldest one may be another test's that has just ended.
      await vi.waitFor(async () => expect(await measureLogHolder(database.db)).not.toBeNull());
      const measuring = new EventsBehind({ db: database.db, telemetry });
      await vi.waitFor(async () => {
        await measuring.measure();
        expect(told.at(-1)).toBeGreaterThan(0);
      });
    });
  });

  it("counts from the first look, anew for each transaction", () => {
    const behind = new EventsBehind({ db: database.db, telemetry: new Telemetry() });
    expect(behind.secondsOf(7n, 5_000_000)).toBe(0);
    expect(behind.secondsOf(7n, 5_090_000)).toBe(90);
    expect(behind.secondsOf(8n, 5_100_000)).toBe(0);
    expect(behind.secondsOf(null, 5_200_000)).toBe(0);
    expect(behind.secondsOf(8n, 5_300_000)).toBe(0);
  });

  it("is a gauge of the greater one of log and webhooks", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    telemetry.emit("events.behind", { seconds: 30 });
    expect(await metrics.text()).toContain("\nhodhod_events_behind_seconds 30\n");
  });
});
