import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { demoSecrets, demoSetup } from "../../src/app/demo-setup.ts";
import { readSetup } from "../../src/setup/read-setup.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-demo-setup-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

it("makes secrets once, for their owner alone, and keeps them", () => {
  const secrets = demoSecrets(dataDir);
  expect(statSync(path.join(dataDir, "demo-secrets.json")).mode & 0o777).toBe(0o600);
  mkdirSync(path.join(dataDir, "postgres"));
  expect(demoSecrets(dataDir)).toEqual(secrets);
  expect(new Set(Object.values(secrets)).size).toBe(4);
});

it("leaves the data folder of a gateway that is no demo alone", () => {
  mkdirSync(path.join(dataDir, "postgres"));
  expect(() => demoSecrets(dataDir)).toThrow(/holds the data of a gateway that is no demo/);
});

it("neither reads nor writes through a link that another user put in its folder", () => {
  const elsewhere = path.join(dataDir, "elsewhere");
  symlinkSync(elsewhere, path.join(dataDir, "demo-secrets.json"));
  expect(() => demoSecrets(dataDir)).toThrow("is a symbolic link");
  expect(existsSync(elsewhere)).toBe(false);
  rmSync(path.join(dataDir, "demo-secrets.json"));
  writeFileSync(elsewhere, "{}");
  linkSync(elsewhere, path.join(dataDir, "demo-secrets.json"));
  expect(() => demoSecrets(dataDir)).toThrow("has a second name");
});

it("describes a service without a fault", () => {
  const { faults } = readSetup(JSON.parse(demoSetup(demoSecrets(dataDir), 2775)));
  expect(faults).toEqual([]);
});
