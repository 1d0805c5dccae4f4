import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DirectoryService } from "../../src/directory/directory-service.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";
import { openDatabaseWire } from "../support/database-wire.ts";
import { putSettings } from "../support/object-sql.ts";

let database: TestDatabase;
let telemetry: Telemetry;
let service: DirectoryService;

beforeEach(async () => {
  database = await createTestDatabase();
  telemetry = new Telemetry();
  service = new DirectoryService({ database: database.db, telemetry, maximumParts: 10 });
});
afterEach(async () => {
  vi.useRealTimers();
  await service.stop();
  await database.drop();
});

async function setRetention(retentionDays: number): Promise<void> {
  const text = JSON.stringify({ retentionDays });
  await applyDocument(database.db, text);
}

/** Without a notification. */
const retention = (retentionDays: number, step: string): string =>
  `with changed as (${putSettings({ retentionDays })}) update configuration set version = version ${step}`;

function run(name: string, text: string): Promise<unknown> {
  return database.db.query({ name, text, values: [] });
}

describe("the directory service", () => {
  it("has no directory before its start, and none after a start without database", async () => {
    expect(() => service.current).toThrow(/not loaded/);
    await run("loseTable", "alter table configuration rename to configuration_away");
    await expect(service.start()).rejects.toThrow();
    await run("findTable", "alter table configuration_away rename to configuration");
  });

  it("follows a change at once, woken by the notification", async () => {
    // Its poll never comes by itself.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await service.start();
    const seen: number[] = [];
    service.onChange((directory) => seen.push(directory.retentionDays));
    const reloaded = telemetry.next("configuration.reloaded");
    await setRetention(77);
    await reloaded;
    expect(service.current.retentionDays).toBe(77);
    expect(seen).toEqual([77]);
  });

  it("follows without notification within a second, by its poll", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await service.start();
    const reloaded = telemetry.next("configuration.reloaded");
    await run("changeSilently", retention(78, "+ 1"));
    vi.advanceTimersByTime(1000);
    await reloaded;
    expect(service.current.retentionDays).toBe(78);
  });

  it("follows to a lower version, as after a restore", async () => {
    await setRetention(5);
    await service.start();
    await run("goBack", retention(6, "- 1"));
    await service.refresh();
    expect(service.current.retentionDays).toBe(6);
  });

  it("reads again only what has changed: the same directory stays", async () => {
    await service.start();
    const before = service.current;
    await service.refresh();
    expect(service.current).toBe(before);
  });

  it("case 5: keeps the last good one while the database is away, and recovers", async () => {
    await service.start();
    const failed = telemetry.next("service.failed", ({ service: name }) => name === "directory");
    await run("loseTable", "alter table configuration rename to configuration_away");
    await failed;
    expect(service.current.retentionDays).toBe(400);
    const recovered = telemetry.next("service.recovered", ({ service: name }) => name === "directory");
    await run("findTable", "alter table configuration_away rename to configuration");
    await recovered;
    await setRetention(3);
    await service.refresh();
    expect(service.current.retentionDays).toBe(3);
  });

  it("tells of a change whose first load ended without its commit", async () => {
    const wire = await openDatabaseWire(database.url);
    const overWire = new DirectoryService({ database: wire.db, telemetry, maximumParts: 10 });
    const seen: number[] = [];
    await overWire.refresh();
    overWire.onChange((directory) => seen.push(directory.retentionDays));
    await setRetention(79);
    wire.cutAt("commit", "before the server");
    await expect(overWire.refresh()).rejects.toThrow();
    await overWire.refresh();
    await wire.close();
    expect(seen).toEqual([79]);
  });

  it("stops before its start, and twice", async () => {
    await service.stop();
    await service.start();
    await service.stop();
    await service.stop();
  });
});
