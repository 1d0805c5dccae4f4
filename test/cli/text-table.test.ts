import { expect, it } from "vitest";
import { tableLines } from "../../src/cli/output.ts";

it("gives each column the width of its longest cell, and aligns numbers to the right", () => {
  expect(
    tableLines(
      ["connector", " bind", "state"],
      [
        ["simulated-operator", "1", "bound"],
        ["a", "10", ""],
      ],
    ),
  ).toEqual(["connector           bind  state", "simulated-operator     1  bound", "a                     10"]);
  expect(tableLines(["name"], [])).toEqual(["name"]);
});
