import { describe, expect, it } from "vitest";
import { type CpuProfile, timeByStage } from "../../bench/cpu-profile.ts";

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
  children,
});

const profile: CpuProfile = {
  nodes: [
    node(1, "(root)", "", [2, 5, 6, 7, 8]),
    node(2, "handle", "file:///x/dist/http/server.js", [3]),
    node(3, "query", "file:///x/node_modules/pg/lib/client.js", [4]),
    node(4, "writev", ""),
    node(5, "(garbage collector)", ""),
    node(6, "(idle)", ""),
    node(7, "(program)", ""),
    node(8, "processTimers", "node:internal/timers"),
  ],
  startTime: 1_000_000,
  // At 1001, 1002, 1004, 1005, 1006, 1010, 1011 ms.
  samples: [2, 4, 5, 6, 7, 8, 2],
  timeDeltas: [1000, 1000, 2000, 1000, 1000, 4000, 1000],
};

describe("timeByStage", () => {
  it("counts time for the nearest function that belongs to a stage, and leaves idle time out", () => {
    expect(Object.fromEntries(timeByStage(profile, 0, 2000))).toEqual({
      HTTP: 1000,
      "SQL (client side)": 2000,
      "garbage collection": 1000,
      "system calls and native code outside JavaScript": 4000,
      "Node.js itself (sockets, timers, promises)": 1000,
    });
  });

  it("counts samples within the two moments only", () => {
    expect(Object.fromEntries(timeByStage(profile, 1002, 1004))).toEqual({ "SQL (client side)": 2000 });
  });
});
