import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const script = path.join(import.meta.dirname, "../support/heap-growth-child.ts");
/** Young objects have little room, on any version of Node.js: those of the script get old. */
const nodeArguments = ["--max-semi-space-size=4", "--import", "tsx"];

it("lets the heap grow less while the node has or reads many accounts, and as V8 likes when it has few", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeArguments, script], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { most } = JSON.parse(stdout) as { most: [number, number, number, number] };
  const [few, many, fewAgain, reading] = most;
  expect(many / few).toBeLessThan(0.8);
  expect(many / fewAgain).toBeLessThan(0.8);
  expect(reading / fewAgain).toBeLessThan(0.8);
});
