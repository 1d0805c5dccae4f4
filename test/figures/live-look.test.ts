import { expect, it, onTestFinished } from "vitest";
import { LiveLook } from "../../src/figures/live-look.ts";
import { noCounts } from "../../src/figures/tally.ts";
import { insertAuditEntries } from "../../src/store/audit.ts";
import { tellFigures } from "../../src/store/figures.ts";
import { createTestDatabase } from "../support/database.ts";

it("an outage is as long as it is, also when nobody looked while the link was up again", async () => {
  const { db, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  let now = Date.parse("2026-11-26T08:00:00Z");
  const connector = { name: "mci-1", enabled: true, paused: false } as never;
  const look = new LiveLook({
    db,
    directory: { current: { connectors: [connector], routes: [], disabledOperators: new Set() } },
    now: () => new Date(now),
  });
  const unboundAfter = async (seconds: number, bound: boolean, sinceSeconds = seconds) => {
    now += 1000 * seconds;
    const since = new Date(now - 1000 * (seconds - sinceSeconds)).toISOString();
    const bind = { connector: "mci-1", bind: 1, bound, since, inFlight: 0, window: 10, partsPerSecond: 0 };
    const latency = { answers: 0, medianMs: 0, slowMs: 0 };
    const figures = { pid: 1, rates: noCounts, latency, binds: [bind], asked: {}, lease: true };
    await tellFigures(db, { processId: "0199a7c2-5b1e-7000-9d4e-0123456789ab", host: "one", figures });
    const [seen] = (await look.look()).connectors;
    return seen?.unboundSeconds;
  };
  expect(await unboundAfter(0, false)).toBe(0);
  expect(await unboundAfter(5, false, 0)).toBe(5);
  // Bound meanwhile, which nobody saw; the link went down again ten seconds ago.
  expect(await unboundAfter(600, false, 590)).toBe(10);
  // A try that fails does not begin the outage anew while somebody looks.
  expect(await unboundAfter(5, false, 5)).toBe(15);
  expect(await unboundAfter(1, true)).toBeUndefined();
});

it("what is switched off is told with since when and by whom", async () => {
  const { db, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  const connectors = [
    { name: "mci-1", enabled: false, paused: false },
    { name: "mci-2", enabled: true, paused: true },
    { name: "mci-3", enabled: true, paused: false },
  ] as never;
  const look = new LiveLook({
    db,
    directory: { current: { connectors, routes: [], disabledOperators: new Set(["MCI"]) } },
  });
  const change = { action: "change", kind: "connector", name: "mci-1" } as const;
  await insertAuditEntries(db, { who: "staff:ali" }, [
    { ...change, before: { enabled: true }, after: { enabled: false } },
    { ...change, name: "mci-2", before: { paused: false }, after: { paused: true } },
  ]);
  const { switchedOff: first } = await look.look();
  // Another change of the same connector says nothing of it.
  await insertAuditEntries(db, { who: "staff:sara" }, [{ ...change, before: { port: 1 }, after: { port: 2 } }]);
  expect(first).toEqual([
    { kind: "operator", name: "MCI", isPaused: false },
    { kind: "connector", name: "mci-1", isPaused: false, since: expect.any(Date) as Date, who: "staff:ali" },
    { kind: "connector", name: "mci-2", isPaused: true, since: expect.any(Date) as Date, who: "staff:ali" },
  ]);
  const again = new LiveLook({
    db,
    directory: { current: { connectors, routes: [], disabledOperators: new Set(["MCI"]) } },
  });
  expect((await again.look()).switchedOff).toEqual(first);
});

it("what is switched off instead of another is told at once", async () => {
  const { db, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  const current = { connectors: [], routes: [], disabledOperators: new Set(["MCI"]) };
  const directory = { current };
  const look = new LiveLook({ db, directory });
  expect((await look.look()).switchedOff).toMatchObject([{ name: "MCI" }]);
  directory.current = { ...current, disabledOperators: new Set(["Rightel"]) };
  expect((await look.look()).switchedOff).toMatchObject([{ name: "Rightel" }]);
});
