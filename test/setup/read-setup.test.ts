import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { settingKeys } from "../../src/connectors/connector-settings.ts";
import { readSetup } from "../../src/setup/read-setup.ts";
import { parseSetupDocument } from "../../src/setup/setup-document.ts";

const text = readFileSync(path.join(import.meta.dirname, "../fixtures/setup.yaml"), "utf8");

it("reads every key of the example", () => {
  const { setup, faults } = readSetup(parseSetupDocument(text).value);
  expect(faults).toEqual([]);
  const [connector] = setup.connectors;
  expect(Object.keys(connector?.settings ?? {}).sort()).toEqual([...settingKeys].sort());
  for (const objects of Object.values(setup)) {
    for (const object of Array.isArray(objects) ? (objects as object[]) : []) {
      // An approved template has no reason why it was refused.
      const missing = Object.entries(object).filter(([, value]) => value === undefined);
      expect(missing.map(([key]) => key)).toEqual("approved" in object ? ["refused"] : []);
    }
  }
});

it("leaves absent what is absent", () => {
  const { setup } = readSetup({ accounts: [{ name: "a" }], operators: null });
  expect(setup.routes).toBeUndefined();
  expect(setup.operators).toEqual([]);
  expect(setup.accounts[0]).toEqual({ name: "a", path: ["accounts", 0] });
});

it.each([undefined, null, {}])("reads %j as a file that says nothing", (value) => {
  expect(readSetup(value).faults).toEqual([]);
});

it.each([[[1]], ["text"], [5]])("refuses %j", (value) => {
  expect(readSetup(value).faults).toMatchObject([{ path: [], message: "must be an object with keys" }]);
});
