import { expect, it } from "vitest";
import { desireState } from "../../src/setup/desired-state.ts";
import { pruneState } from "../../src/setup/prune.ts";
import { emptyState, hashed, setupOf, whole } from "./setup-states.ts";

const { state: stored } = desireState(emptyState, setupOf(whole), hashed);

function prune(value: object) {
  const setup = setupOf(value);
  return pruneState(desireState(stored, setup, hashed).state, setup);
}

it("leaves what the file names, and what that needs", () => {
  const left = prune({ templates: [{ id: "T" }], portedNumbers: [{ number: "09121112233", operator: "Taliya" }] });
  expect([...left.templates.keys(), ...left.accounts.keys(), ...left.tariffs.keys()]).toEqual(["T", "a", "t"]);
  // 1000 is the account's, 2000 the template's, 3000 a system line.
  expect([...left.lines.keys()]).toEqual(["1000", "2000", "3000"]);
  expect([...left.operators.keys()]).toEqual(["Taliya"]);
  expect([left.routes, left.connectors.size]).toEqual([[], 0]);
});

it("takes a line from an account that goes", () => {
  const left = prune({ lines: [{ number: "1000" }] });
  expect(left.accounts.size).toBe(0);
  expect(left.lines.get("1000")).toEqual({ kind: "dedicated", inbound: null, connectors: null, optOut: null });
});

it("leaves a connector that a line lists, as long as the line stays", () => {
  const setup = setupOf({ lines: [{ number: "4000", connectors: ["c"] }] });
  const withList = desireState(stored, setup, hashed).state;
  const pruned = (value: object) => pruneState(desireState(withList, setupOf(value), hashed).state, setupOf(value));
  expect([...pruned({ lines: [{ number: "4000" }] }).connectors.keys()]).toEqual(["c"]);
  expect(pruned({ lines: [{ number: "4000", connectors: null }] }).connectors.size).toBe(0);
  expect(pruned({ lines: [{ number: "1000" }] }).connectors.size).toBe(0);
});

it("leaves everything of a file that names everything it uses", () => {
  const left = prune(whole);
  expect(left).toEqual(stored);
});
