// Files of numbers as spreadsheets write them, through the commands that import them.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  await database.rows("insert into operator (name) values ('MCI')");
});
afterAll(() => folder.remove());

const run = (...args: readonly string[]): Promise<Outcome> =>
  hodhod(args, { env: { DATABASE_URL: database.url }, folder: folder.path });
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

  it("with a cut number changes nothing, and says which row and column it is", async () => {
    write("cut.csv", "name;mobile\nSara;09121234567\nAli;9.12123E+09\n");
    const refused = await run("block-list", "import", "cut", "cut.csv");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(
      'hodhod: 1 row of cut.csv is wrong: nothing was changed\n  row 3, column 2: the spreadsheet cut this number: "9.12123E+09"\n',
    );
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
