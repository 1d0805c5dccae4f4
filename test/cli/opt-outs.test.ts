import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";
import { addObject } from "../support/object-sql.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  await database.rows(addObject("lines", "'10001234'"));
});
beforeEach(() => database.rows("truncate opt_out"));
afterAll(async () => {
  folder.remove();
});

const run = (args: readonly string[], input = ""): Promise<Outcome> =>
  hodhod(["opt-outs", ...args], { env: { DATABASE_URL: database.url }, folder: folder.path, input });
const write = (name: string, text: string): void => writeFileSync(path.join(folder.path, name), text);
const audited = () =>
  database.rows<{ action: string; name: string; after: unknown }>(
    "select action, name, after from audit_entry where kind = 'optOut' order by id",
  );

describe("hodhod opt-outs", () => {
  it("adds, lists and removes a number, and audits what changed", async () => {
    expect(await run(["add", "10001234", "0912 111 2201"])).toEqual({
      code: 0,
      stdout: "989121112201 is now on the opt-out list of 10001234.\n",
      stderr: "",
    });
    expect((await run(["add", "10001234", "09121112201"])).stdout).toBe(
      "989121112201 is already on the opt-out list of 10001234.\n",
    );
    const { stdout } = await run(["list", "10001234"]);
    expect(stdout).toMatch(/^number +how +since +applies to\n989121112201 +staff +20\S+Z +all accounts\n$/);
    expect((await run(["list", "10001234", "09121112202"])).stdout).toBe(
      "989121112202 is not on the opt-out list of 10001234.\n",
    );
    expect((await run(["remove", "10001234", "09121112201"])).stdout).toBe(
      "989121112201 is no longer on the opt-out list of 10001234.\n",
    );
    expect((await run(["remove", "10001234", "09121112201"])).stdout).toBe(
      "989121112201 is not on the opt-out list of 10001234.\n",
    );
    expect((await run(["list", "10001234"])).stdout).toBe("Nobody opted out of 10001234.\n");
    expect(await audited()).toMatchObject([
      { action: "create", name: "10001234 989121112201" },
      { action: "remove", name: "10001234 989121112201" },
    ]);
  });

  it("imports what it exports, each number once", async () => {
    await run(["add", "10001234", "09121112201"]);
    write("numbers.txt", "09121112201\n+98 912 111 2202\n\n09121112202\n۰۹۱۲۱۱۱۲۲۰۳");
    expect(await run(["import", "10001234", "numbers.txt"])).toEqual({
      code: 0,
      stdout: "The file contains 3 numbers. 2 were added to the opt-out list of 10001234.\n",
      stderr: "",
    });
    const { stdout } = await run(["export", "10001234"]);
    expect(stdout).toMatch(
      /^number,how,createdTimestamp\n989121112201,staff,\d{10}\n989121112202,import,\d{10}\n989121112203,import,\d{10}\n$/,
    );
    await database.rows("truncate opt_out");
    expect(await run(["import", "10001234", "-"], stdout)).toMatchObject({
      code: 0,
      stdout: "The file contains 3 numbers. 3 were added to the opt-out list of 10001234.\n",
    });
    expect((await audited()).at(-1)).toMatchObject({ action: "create", name: "10001234", after: { imported: 3 } });
  });

  it.each([
    [["add", "10009999", "09121112201"], /The service has no line 10009999/],
    [["list", "10009999"], /The service has no line 10009999/],
    [["export", "10009999"], /The service has no line 10009999/],
    [["add", "10001234", "021"], /021 is not a mobile number/],
    [["import", "10001234", "no-such-file"], /there is no file no-such-file/],
    [["import", "10001234", "."], /hodhod: \. is a folder/],
    [["import", "10009999", "-"], /The service has no line 10009999/],
  ])("%j is refused", async (args, message) => {
    const { code, stdout, stderr } = await run(args, "09121112201\n");
    expect([code, stdout]).toEqual([args.includes("10009999") ? 1 : 2, ""]);
    expect(stderr).toMatch(message);
  });

  it("has one head over a long list", async () => {
    const numbers = Array.from({ length: 1500 }, (_, index) => `0935${String(index).padStart(7, "0")}\n`);
    await run(["import", "10001234", "-"], numbers.join(""));
    const lines = (await run(["list", "10001234"])).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(1501);
    expect(lines.filter((line) => line.startsWith("number"))).toHaveLength(1);
  });
});
