// The packages that npm ci installs: each works with the oldest Node.js that README promises, so
// that npm warns of none (EBADENGINE).
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

type Version = readonly [number, number, number];

const oldest: Version = [20, 19, 0];

function versionOf(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text.split(".").map((part) => Number.parseInt(part, 10));
  return [major, minor, patch];
}

function compare(left: Version, right: Version): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

/** Throws at a form that does not occur so far. */
function admits(comparator: string): boolean {
  if (comparator === "*") return true;
  const [, operator = "", text = ""] = /^(>=|<=|>|<|\^|~|=)?v?(\d+(?:\.\d+)*)(?:\.[x*])*$/.exec(comparator) ?? [];
  if (text === "") throw new Error(`unknown form: ${comparator}`);
  const version = versionOf(text);
  const difference = compare(oldest, version);
  if (operator === "^") return difference >= 0 && oldest[0] === version[0];
  if (operator === "~") return difference >= 0 && oldest[0] === version[0] && oldest[1] === version[1];
  if (operator === ">=") return difference >= 0;
  if (operator === ">") return difference > 0;
  if (operator === "<=") return difference <= 0;
  if (operator === "<") return difference < 0;
  return text.split(".").every((part, place) => Number(part) === oldest[place]);
}

function admitsOldest(range: string): boolean {
  return range.split("||").some((alternative) =>
    alternative
      .trim()
      .replaceAll(/([<>=^~]) +/g, "$1")
      .split(/\s+/)
      .every(admits),
  );
}

it("reads ranges as npm does", () => {
  const admitted = [">=18", ">= 20.19.0", "^20.19.0 || >=22.12.0", "18 || 20 || >=22", "20.x", "*", ">=12 <21"];
  expect(admitted.filter((range) => !admitsOldest(range))).toEqual([]);
  const refused = [">=22", "^20.20.0 || >=22", ">=20.19.1", "18", "^18.0.0", ">=12 <20", "~20.18.0", "<20 || 22.x"];
  expect(refused.filter(admitsOldest)).toEqual([]);
});

it("work with Node.js 20.19", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const packages = Object.entries(lock.packages);
  expect(packages.length).toBeGreaterThan(100);
  const unfit = packages.filter(([, { engines }]) => engines?.node !== undefined && !admitsOldest(engines.node));
  expect(unfit.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([]);
});
