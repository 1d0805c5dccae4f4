// Files of numbers as spreadsheets write them, through the commands that import them.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";
import { addObject } from "../support/object-sql.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  await database.rows(addObject("operators", "'MCI'"));
  await database.rows(addObject("lines", "'10001234'"));
});
afterAll(() => folder.remove());

const runWith = (input: string, ...args: readonly string[]): Promise<Outcome> =>
  hodhod(args, { env: { DATABASE_URL: database.url }, folder: folder.path, input });
const run = (...args: readonly string[]): Promise<Outcome> => runWith("", ...args);
const write = (name: string, content: string | Buffer): void => writeFileSync(path.join(folder.path, name), content);

describe("a file of numbers", () => {
  it("is read by each command from the column that holds numbers", async () => {
    write("list.csv", `sep=;\r\nname;mobile\r\n"Sara; too";="09121234567"\r\nAli, Reza;'+989351234567\r\n`);
    expect(await run("block-list", "import", "spam", "list.csv")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("block-list", "show", "spam")).stdout).toBe("989121234567\n989351234567\n");
    write("ported.csv", "operator|number\nMCI|9.89121234567E+11\n");
    expect(await run("ported-numbers", "import", "ported.csv")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("ported-numbers", "show", "09121234567")).stdout).toBe("989121234567 MCI (imported)\n");
  });

  describe.each([
    { command: "block-list", to: ["wrong"], table: "listed_block", header: "number\n" },
    { command: "ported-numbers", to: [], table: "ported_block", header: "number,operator\n" },
    { command: "opt-outs", to: ["10001234"], table: "opt_out", header: undefined },
  ])("given to $command", ({ command, to, table, header }) => {
    const stored = () => database.rows(`select * from ${table}`);
    const load = (input: string, ...options: string[]) => runWith(input, command, "import", ...options, ...to, "-");

    it("with wrong rows changes nothing and names them; --skip-bad leaves them out", async () => {
      await load("09121112201,MCI\n");
      const before = await stored();
      const bad = `09121112209,MCI\nnonsense,MCI\n${"x,MCI\n".repeat(30)}`;
      const refused = await load(bad);
      expect([refused.code, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toMatch(
        /^hodhod: 31 rows of standard input are wrong: nothing was changed\n {2}row 2, column 1: "nonsense" is not a mobile number\n[^]*\n {2}and 11 more\nhint: .*--skip-bad\n$/,
      );
      expect(await stored()).toEqual(before);
      // What a file holds does not move the cursor of a terminal, nor turn what follows it.
      const odd = await load("1234\u001b[2J\u009b2J\u007f\u202e1,MCI\n");
      expect(odd.stderr).toContain("is not a mobile number");
      expect(odd.stderr.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      const taken = await load(bad, "--skip-bad");
      expect([taken.code, taken.stderr]).toEqual([
        0,
        expect.stringMatching(/^warning: 31 rows skipped\n {2}row 2, column 1: /),
      ]);
      expect(await stored()).not.toEqual(before);
    });

    it("without numbers changes nothing, unless its header says that it is meant so", async () => {
      const before = await stored();
      for (const refused of [await load(""), await load("x,y\n", "--skip-bad")]) {
        expect([refused.code, refused.stdout]).toEqual([2, ""]);
        expect(refused.stderr).toContain("hodhod: standard input has no numbers: nothing was changed\n");
      }
      expect(await stored()).toEqual(before);
      if (header === undefined) return;
      expect((await load(header)).code).toBe(0);
      expect(await stored()).toHaveLength(before.length - 1);
    });
  });

  it.each([
    ["random.xlsx", Buffer.from([7, 250, 0, 31, 200, 9, 1, 0]), "it is no Excel workbook"],
    ["sheet.csv", Buffer.from("PK\u0003\u0004............"), "not the text that its name promises"],
    ["old.xls", Buffer.from("09121234567"), "old Excel format"],
  ])("is refused that is not what its name says: %s", async (name, content, text) => {
    write(name, content);
    const refused = await run("block-list", "import", "none", name);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(new RegExp(`^hodhod: ${name}: .*${text}`));
  });
});
