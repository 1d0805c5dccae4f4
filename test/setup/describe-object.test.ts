import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { applySetup } from "../../src/setup/change-setup.ts";
import { exportSetup } from "../../src/setup/describe-object.ts";
import { stateOf } from "../../src/setup/load-state.ts";
import { seedOperators } from "../../src/setup/save-setup.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import type { Database } from "../../src/store/database.ts";
import { createTestDatabase } from "../support/database.ts";

const folder = path.join(import.meta.dirname, "../fixtures");
const fixture = readFileSync(path.join(folder, "setup.yaml"), "utf8");

const exported = async (db: Database): Promise<string> => exportSetup(stateOf(await db.transaction(loadConfiguration)));

const apply = (db: Database, text: string, prune = false) => applySetup(db, { text, folder, prune, dryRun: false });

const word = fc.stringMatching(/^[a-zآ-ی0-9][a-zآ-ی0-9 :#'"{}-]{0,10}[a-zآ-ی0-9]$/);
const name = fc.oneof(word, fc.constantFrom("true", "null", "0912", "1e3", "~", "=", "yes", "- x"));

/** Setups in which names and texts look like anything that YAML could take for something else. */
const setups = fc
  .record({
    connectors: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    accounts: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
    content: fc.stringMatching(/^[^\0\uD800-\uDFFF]{1,60}$/).filter((text) => text.trim() !== ""),
    line: fc.stringMatching(/^[1-9][0-9]{3,13}$/),
    price: fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n }),
    unlimited: fc.boolean(),
    enabled: fc.boolean(),
    window: fc.integer({ min: 1, max: 10_000 }),
    ips: fc.subarray(["10.0.0.0/8", "2001:db8::/32", "192.0.2.1"]),
  })
  .map(({ connectors, accounts, content, line, price, unlimited, enabled, window, ips }) => ({
    connectors: connectors.map((each) => ({
      name: each,
      type: "smpp",
      host: "127.0.0.1",
      port: 2775,
      systemId: "1e3",
      password: "secret",
      window,
      enabled,
    })),
    routes: [{ operator: "*", line, connectors }],
    lines: [{ number: line, kind: "service", inbound: accounts[0] }],
    tariffs: [{ name: "t", prices: [{ price: String(price) }] }],
    accounts: accounts.map((each) => ({
      name: each,
      tariff: "t",
      lines: [line],
      credit: unlimited ? "unlimited" : 5,
      allowedIps: ips,
      users: [],
    })),
    templates: [{ id: "welcome", account: accounts[0], content, approved: true }],
    systemLines: { service: line },
  }));

describe("the setup as a file", () => {
  it("keeps certificates as text, so that the file needs no other", async () => {
    const { db, drop } = await createTestDatabase();
    await seedOperators(db);
    await apply(db, fixture.replace("tls: false", "tls: { ca: tls/ca.pem, verify: false }"));
    const text = await exported(db);
    expect(text).toContain("-----BEGIN CERTIFICATE-----");
    expect(await applySetup(db, { text, folder: "/", prune: true, dryRun: false })).toMatchObject({ changes: [] });
    await drop();
  });

  it("says of any setup what it is", async () => {
    const { db, drop } = await createTestDatabase();
    await fc.assert(
      fc.asyncProperty(setups, async (setup) => {
        await apply(db, stringify(setup), true);
        expect(await apply(db, await exported(db), true)).toMatchObject({ changes: [] });
      }),
      { numRuns: 15 },
    );
    await drop();
  });
});
