import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statement, useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
});
afterAll(async () => {
  folder.remove();
});

const command = (args: readonly string[], input = ""): Promise<Outcome> =>
  hodhod(args, { env: { DATABASE_URL: database.url }, folder: folder.path, input });
const run = (args: readonly string[], input = ""): Promise<Outcome> => command(["block-list", ...args], input);
const numbersOf = async (name: string): Promise<string> => (await run(["show", name])).stdout;

describe("hodhod block-list", () => {
  it("makes, replaces, changes and shows a list, and audits what changed", async () => {
    expect(await run(["import", "spam", "-"], "09121112201\n+98 912 111 2202\n۰۹۳۵۱۱۱۲۲۰۳\n09121112201\n")).toEqual({
      code: 0,
      stdout: "4 rows read. 1 row repeats a number.\nThe new list spam has 3 numbers.\n",
      stderr: "",
    });
    expect(await numbersOf("spam")).toBe("989121112201\n989121112202\n989351112203\n");
    await run(["import", "other", "-"], "09121112201\n");
    expect((await run(["import", "spam", "-"], "09121112202\n")).stdout).toContain(
      "The list spam now has 1 number; before, it had 3.",
    );
    expect(await numbersOf("other")).toBe("989121112201\n");
    expect((await run(["import", "spam", "-"], "09121112202\n")).stdout).toContain("Nothing to change");
    expect((await run(["add", "spam", "09121112209"])).stdout).toBe("989121112209 is now on the list spam.\n");
    expect((await run(["add", "spam", "09121112209"])).stdout).toBe("989121112209 is already on the list spam.\n");
    expect((await run(["remove", "spam", "09121112202"])).stdout).toBe("989121112202 is no longer on the list spam.\n");
    expect((await run(["remove", "spam", "09121112202"])).stdout).toBe("989121112202 is not on the list spam.\n");
    expect((await run(["show", "spam", "09121112209"])).stdout).toBe("989121112209 is on the list spam.\n");
    expect((await run(["show", "spam", "09121112202"])).stdout).toBe("989121112202 is not on the list spam.\n");
    expect((await run(["list"])).stdout).toMatch(/^other +1 +20\S+Z +nothing: no rule uses it\nspam +1 /m);
    const entries = statement(
      "select action, name, before, after from audit_entry where kind = 'blockList' and name = 'spam' order by id",
    );
    expect(await database.db.query(entries)).toMatchObject([
      { action: "create", after: { numbers: 3 } },
      { action: "change", before: { numbers: 3 }, after: { numbers: 1 } },
      { action: "change", after: { added: "989121112209" } },
      { action: "change", before: { removed: "989121112202" } },
    ]);
  });

  it("shows a long list to a reader that does not read on, and ends quietly", async () => {
    const numbers = Array.from({ length: 200_000 }, (_, index) => `0912${String(index).padStart(7, "0")}\n`);
    await run(["import", "long", "-"], numbers.join(""));
    const shown = (words: string) =>
      spawnSync("bash", ["--norc", "-c", `"${process.execPath}" bin/hodhod ${words}`], {
        env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.url },
        encoding: "utf8",
      });
    const { stdout, stderr } = shown('block-list show long | head -1; echo "${PIPESTATUS[0]}" >&2');
    expect([stdout, stderr]).toEqual(["989120000000\n", "0\n"]);
    if (existsSync("/dev/full")) {
      const full = "hodhod: cannot write the output: ENOSPC: no space left on device, write\n1\n";
      expect(shown("block-list show long > /dev/full; echo $? >&2").stderr).toBe(full);
    }
    expect((await run(["show", "long"])).stdout).toHaveLength(200_000 * 13);
  });

  it("deletes a list, but not one that a rule names, which apply wants to be there", async () => {
    const apply = (setup: object) => command(["apply", "-"], JSON.stringify(setup));
    const missing = await apply({ blockLists: [{ name: "named" }] });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("there is no block list named")]);
    await run(["import", "named", "-"], "09121112201\n");
    expect(await apply({ blockLists: [{ name: "named" }] })).toMatchObject({ code: 0 });
    expect((await run(["list"])).stdout).toMatch(/^named .* lines \*; accounts \*$/m);
    const refused = await run(["delete", "named"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("blockLists of the setup names named")]);
    expect(await numbersOf("named")).toBe("989121112201\n");
    await apply({ blockLists: [] });
    expect((await run(["delete", "named"])).stdout).toBe("The list named was deleted, with 1 number.\n");
    expect((await run(["delete", "named"])).stderr).toContain("there is no block list named");
  });

  it.each([
    [["add", "nobody", "09121112201"], /there is no block list nobody\n/],
    [["show", "nobody"], /there is no block list nobody\n/],
    [["add", "spam", "021"], /021 is not a mobile number/],
    [["import", "spam", "no-such-file"], /there is no file no-such-file/],
    [["import", " ", "-"], /the name of a list /],
  ])("%j is refused: exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await run(args, "09121112201\n");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});
