// What is left of sign-ins that failed: lines of the log, counts, entries of the audit.
import { expect, it } from "vitest";
import { SignIns } from "../../src/credentials/sign-ins.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { Telemetry } from "../../src/platform/telemetry.ts";
import { listAuditEntries } from "../../src/store/audit.ts";
import { createTestDatabase, useTestDatabase } from "../support/database.ts";

const database = useTestDatabase();

const ali = { personId: 7, username: "ali", account: { id: 1, name: "acme" } };

it("logs failures by person and address, once for all of 10 s, and names nobody whom strangers made up", async () => {
  const telemetry = new Telemetry();
  const metrics = createMetrics(telemetry);
  const lines: unknown[] = [];
  telemetry.on("login.failed", (line) => lines.push(line));
  const signIns = new SignIns({ telemetry });
  for (let attempt = 0; attempt < 3; attempt += 1) signIns.failed(ali, "203.0.113.1");
  signIns.failed(ali, "203.0.113.2");
  signIns.failed(undefined, "203.0.113.1");
  await signIns.record(database.db);
  await signIns.record(database.db);
  expect(lines).toEqual([
    { who: "user:acme/ali", address: "203.0.113.1", count: 3 },
    { who: "user:acme/ali", address: "203.0.113.2", count: 1 },
    { who: undefined, address: "203.0.113.1", count: 1 },
  ]);
  expect(await metrics.text()).toContain('hodhod_sign_ins_refused_total{reason="wrong"} 5');
});

it("audits the tenth and the hundredth failure in a row, which a success ends", async () => {
  const signIns = new SignIns();
  for (let attempt = 0; attempt < 9; attempt += 1) signIns.failed(ali, "203.0.113.1");
  expect(signIns.succeeded(ali, "203.0.113.1")).toBe(9);
  for (let attempt = 0; attempt < 150; attempt += 1) signIns.failed(ali, "203.0.113.3");
  await signIns.record(database.db);
  const { entries } = await listAuditEntries(database.db, { limit: 10 });
  const entry = { who: "gateway", action: "signInFailed", kind: "user", name: "ali", account: "acme" };
  expect(entries).toMatchObject([
    { ...entry, after: { failedInARow: 100, lastAddress: "203.0.113.3" } },
    { ...entry, after: { failedInARow: 10, lastAddress: "203.0.113.3" } },
  ]);
});

it("audits the first sign-in of a program in a day from an address, and the ones of the console not again", async () => {
  let now = Date.now();
  const sara = { personId: 9, username: "sara", account: { id: 1, name: "acme" } };
  const signIns = new SignIns({ now: () => now });
  const entries = async () => {
    await signIns.record(database.db);
    return (await listAuditEntries(database.db, { limit: 10, name: "sara" })).entries;
  };
  signIns.failed(sara, "203.0.113.8");
  for (let call = 0; call < 1_000; call += 1) signIns.succeeded(sara, "203.0.113.8", { isProgram: true });
  const entry = { who: "user:acme/sara", address: "203.0.113.8", action: "signIn", kind: "user", account: "acme" };
  expect(await entries()).toMatchObject([{ ...entry, after: { program: true, failedBefore: 1 } }]);
  signIns.succeeded(sara, "203.0.113.9", { isProgram: true });
  now += 90_000_000;
  signIns.succeeded(sara, "203.0.113.8", { isProgram: true });
  signIns.succeeded(sara, "203.0.113.10");
  expect((await entries()).map(({ address }) => address)).toEqual(["203.0.113.8", "203.0.113.9", "203.0.113.8"]);
});

it("knows the addresses of a person for 30 days, on all nodes and after a restart", async () => {
  let now = Date.now();
  const here = new SignIns({ now: () => now });
  here.succeeded(ali, "198.51.100.1");
  await here.record(database.db);
  const there = new SignIns({ now: () => now });
  expect(there.isKnown(ali, "198.51.100.1")).toBe(false);
  await there.record(database.db);
  expect(there.isKnown(ali, "198.51.100.1")).toBe(true);
  expect(there.isKnown(ali, "198.51.100.2")).toBe(false);
  expect(there.isKnown({ ...ali, personId: 8 }, "198.51.100.1")).toBe(false);
  now += 31 * 86_400_000;
  expect(there.isKnown(ali, "198.51.100.1")).toBe(false);
});

it("saves again what could not be saved", async () => {
  const signIns = new SignIns();
  signIns.succeeded(ali, "198.51.100.5");
  const away = await createTestDatabase();
  await away.drop();
  for (let attempt = 0; attempt < 10; attempt += 1) signIns.failed({ ...ali, username: "late" }, "203.0.113.1");
  await expect(signIns.record(away.db)).rejects.toThrow();
  await signIns.record(database.db);
  expect((await listAuditEntries(database.db, { limit: 10, name: "late" })).entries).toHaveLength(1);
  const other = new SignIns();
  await other.record(database.db);
  expect(other.isKnown(ali, "198.51.100.5")).toBe(true);
});

it("audits what fails while earlier failures are stored", async () => {
  const signIns = new SignIns();
  const failTen = (name: string): void => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      signIns.failed({ ...ali, personId: name.length, username: name }, "::1");
  };
  failTen("first");
  let stored: Promise<void> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.query({ name: "", text: "lock table audit_entry in exclusive mode", values: [] });
    stored = signIns.record(database.db);
    await expect.poll(() => database.rows("select from pg_locks where not granted")).toHaveLength(1);
    failTen("second");
  });
  await stored;
  await signIns.record(database.db);
  for (const name of ["first", "second"])
    expect((await listAuditEntries(database.db, { limit: 10, name })).entries).toHaveLength(1);
});
