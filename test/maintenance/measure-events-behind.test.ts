import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EventsBehind } from "../../src/maintenance/measure-events-behind.ts";
import { createMetrics } from "../../src/metrics.ts";
import { Telemetry } from "../../src/telemetry.ts";
import { createTestDatabase, statement, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Works while somebody else holds a writing transaction open. */
function whileHeld(work: () => Promise<void>): Promise<void> {
  return database.db.dedicatedSession(async (client) => {
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    // What commits after it is what readers wait for.
    await database.db.query(statement("select pg_current_xact_id()"));
    try {
      await work();
    } finally {
      await client.query("rollback");
    }
  });
}

describe("how far the events are behind", () => {
  it("is the age of the oldest writing transaction", async () => {
    const behind = new EventsBehind(database.db, () => 0);
    await whileHeld(async () => {
      const seconds = await behind.look();
      expect(seconds).toBeGreaterThan(0);
      expect(await behind.look()).toBeGreaterThanOrEqual(seconds);
    });
  });

  it("counts from the first look where the age is hidden", async () => {
    let now = 5_000_000;
    const behind = new EventsBehind(database.db, () => now);
    await whileHeld(async () => {
      await behind.look();
      now += 3_600_000;
      expect(await behind.look()).toBeGreaterThanOrEqual(3600);
    });
  });

  it("is a gauge of the greater one of log and webhooks", async () => {
    const telemetry = new Telemetry();
    const metrics = createMetrics(telemetry);
    telemetry.emit("events.behind", { source: "log", seconds: 30 });
    expect(await metrics.text()).toContain("\nhodhod_events_behind_seconds 30\n");
    telemetry.emit("events.behind", { source: "webhooks", seconds: 90 });
    expect(await metrics.text()).toContain("\nhodhod_events_behind_seconds 90\n");
    telemetry.emit("events.behind", { source: "webhooks", seconds: 0 });
    expect(await metrics.text()).toContain("\nhodhod_events_behind_seconds 30\n");
  });
});
