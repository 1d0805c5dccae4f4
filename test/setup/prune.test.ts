// What --prune keeps, beside what the file names.
import { beforeEach, expect, it } from "vitest";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { stateOf } from "../../src/setup/load-state.ts";
import type { SetupState } from "../../src/setup/sections.ts";
import { loadConfiguration } from "../../src/store/configuration.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

const whole = {
  operators: [{ name: "MCI", prefixes: ["912"] }, { name: "Taliya" }],
  connectors: [{ name: "c", type: "smpp", host: "h", port: 1, systemId: "s", password: "p" }],
  routes: [{ operator: "MCI", line: "1000", connectors: ["c"] }],
  lines: [{ number: "1000", inbound: "a" }, { number: "2000" }, { number: "3000" }, { number: "4000" }],
  tariffs: [{ name: "t", prices: [{ price: 1 }] }],
  accounts: [{ name: "a", tariff: "t", lines: ["1000"] }],
  templates: [{ id: "T", account: "a", content: "x", sender: "2000" }],
  systemLines: { service: "3000" },
};

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await apply(whole, false);
  return () => database.drop();
});

async function apply(setup: object, prune = true): Promise<SetupState> {
  await applySetup(database.db, { text: JSON.stringify(setup), prune, dryRun: false });
  return stateOf(await database.db.transaction(loadConfiguration));
}

it("leaves what the file names, and what that needs", async () => {
  const left = await apply({
    templates: [{ id: "T" }],
    portedNumbers: [{ number: "09121112233", operator: "Taliya" }],
  });
  expect([...left.templates.keys(), ...left.accounts.keys(), ...left.tariffs.keys()]).toEqual(["T", "a", "t"]);
  // 1000 is the account's, 2000 the template's, 3000 a system line.
  expect([...left.lines.keys()]).toEqual(["1000", "2000", "3000"]);
  expect([...left.operators.keys()]).toEqual(["Taliya"]);
  expect([left.routes, left.connectors.size]).toEqual([[], 0]);
});

it("takes a line from an account that goes", async () => {
  const left = await apply({ lines: [{ number: "1000" }] });
  expect(left.accounts.size).toBe(0);
  expect(left.lines.get("1000")).toEqual({ kind: "dedicated", inbound: null, connectors: null, optOut: null });
});

it("leaves a connector that a line lists, as long as the line stays", async () => {
  await apply({ lines: [{ number: "4000", connectors: ["c"] }] }, false);
  expect([...(await apply({ lines: [{ number: "4000" }] })).connectors.keys()]).toEqual(["c"]);
  expect((await apply({ lines: [{ number: "4000", connectors: null }] })).connectors.size).toBe(0);
});
