import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { importExample } from "../../console/src/pages/block-lists/import-example.ts";

it.each(["spam", "law suits/2026", "editor's", "''", '$(id) `id` "$HOME" \\', "فهرست"])(
  "names the list %s as a shell reads it",
  (name) => {
    const told = importExample(name).replace(/^hodhod block-list import /, "printf '%s\\n' ");
    expect(execFileSync("sh", ["-c", told], { encoding: "utf8" })).toBe(`${name}\nnumbers.txt\n`);
  },
);
