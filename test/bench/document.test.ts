import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { busyNote, replaceMarked } from "../../bench/document.ts";
import type { Measurement } from "../../bench/measure.ts";

const file = path.resolve(import.meta.dirname, "../../docs/benchmarks.md");

describe("replaceMarked", () => {
  it("replaces only the text between the marks of docs/benchmarks.md", () => {
    const text = readFileSync(file, "utf8");
    const once = replaceMarked(text, "what was measured");
    expect(once).toContain("npm run bench -->\n\nwhat was measured\n\n<!-- end");
    expect(replaceMarked(once, "other")).toBe(replaceMarked(text, "other"));
    expect(once.split("\n")[0]).toBe(text.split("\n")[0]);
    expect(once.trimEnd().endsWith(text.trimEnd().slice(-200))).toBe(true);
  });

  it("refuses a text without the marks", () => {
    expect(() => replaceMarked("no marks here", "x")).toThrow(/lacks the marks/);
  });
});

describe("busyNote", () => {
  const withOthers = (...shares: number[]): Parameters<typeof busyNote>[0] => {
    const spread = { count: 1, p50: 1, p90: 1, p99: 1, p999: 1, most: 1 };
    const rounds = shares.map((others): Measurement => ({
      accepted: 1,
      carried: 1,
      messages: 1,
      latencyMs: spread,
      processorTime: { gateway: 1, postgres: 1, smsc: 1, load: 1 },
      walOctets: 1,
      idle: 0,
      stolen: 0,
      seconds: 1,
      others,
    }));
    return { figures: { "single-calls": { rounds: { hodhod: rounds }, best: {} } }, memory: {} };
  };

  it("warns of a machine that did much else in any round", () => {
    expect(busyNote(withOthers(0.02, 0.61))).toContain("61 %");
  });

  it("says nothing of a quiet machine, or where nothing was measured", () => {
    expect(busyNote(withOthers(0.02, 0.05))).toBeUndefined();
    expect(busyNote({ figures: {}, memory: {} })).toBeUndefined();
  });
});
