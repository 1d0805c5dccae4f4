import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseTime } from "../../src/cli/output.ts";

describe("parseTime", () => {
  it.each([
    ["2026-11-26", "2026-11-26T00:00:00.000Z"],
    ["2026-11-26T22:00", "2026-11-26T22:00:00.000Z"],
    ["2026-11-26 22:00:01", "2026-11-26T22:00:01.000Z"],
    ["2026-11-26T22:00:01.5Z", "2026-11-26T22:00:01.500Z"],
    ["2026-11-26T22:00+03:30", "2026-11-26T18:30:00.000Z"],
    ["2026-11-26T22:00-0330", "2026-11-27T01:30:00.000Z"],
  ])("%s is %s", (text, time) => {
    expect(new Date(parseTime(text)).toISOString()).toBe(time);
  });

  it("takes a time without an offset as UTC, like the times that commands show, in any zone", () => {
    const module = path.join(import.meta.dirname, "../../dist/cli/output.js");
    const program = `import { parseTime } from ${JSON.stringify(module)}; console.log(parseTime("2026-11-26T22:00"));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      env: { TZ: "Pacific/Honolulu" },
      encoding: "utf8",
    });
    expect(Number(stdout)).toBe(Date.parse("2026-11-26T22:00Z"));
  });

  it.each(["2026-02-30", "2026-13-01", "2026-11-26 8 am", "2026-11-26T25:00", "2026-11-26T08:00+3", "1795721412", ""])(
    "%j is no time",
    (text) => {
      expect(parseTime(text)).toBeNaN();
    },
  );
});
