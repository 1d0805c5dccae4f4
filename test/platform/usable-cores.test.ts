import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { usableCores } from "../../src/platform/config.ts";

function cgroup(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), "hodhod-cgroup-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(path.join(root, "cpu"));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  return root;
}

it.each([
  ["no control group", {}, 8],
  ["version 2, no limit", { "cpu.max": "max 100000\n" }, 8],
  ["version 2, two cores", { "cpu.max": "200000 100000\n" }, 2],
  ["version 2, two and a half", { "cpu.max": "250000 100000\n" }, 3],
  ["version 2, a tenth", { "cpu.max": "10000 100000\n" }, 1],
  ["version 2, more than there are", { "cpu.max": "3200000 100000\n" }, 8],
  ["version 2, not readable as numbers", { "cpu.max": "" }, 8],
  ["version 1, no limit", { "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n" }, 8],
  ["version 1, four cores", { "cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n" }, 4],
  ["version 1, no period", { "cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "0\n" }, 8],
])("%s", (_, files, expected) => {
  expect(usableCores(cgroup(files), 8)).toBe(expected);
});

it("are never more than this machine's", () => {
  expect(usableCores()).toBeGreaterThanOrEqual(1);
  expect(usableCores()).toBeLessThanOrEqual(availableParallelism());
});
