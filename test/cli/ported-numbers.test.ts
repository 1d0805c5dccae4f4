import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, type Outcome, temporaryFolder } from "./run-hodhod.ts";

const database = useTestDatabase();
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
});
afterAll(async () => {
  folder.remove();
});

const run = (args: readonly string[], input = ""): Promise<Outcome> =>
  hodhod(["ported-numbers", ...args], { env: { DATABASE_URL: database.url }, folder: folder.path, input });
const write = (name: string, text: string): void => writeFileSync(path.join(folder.path, name), text);
const stored = () => database.rows("select block, numbers from ported_block order by block");

describe("hodhod ported-numbers", () => {
  it("imports a file, changes it from standard input, and shows what is known", async () => {
    write("ported.csv", "number,operator\n09121112201,Irancell\n09121112202,Irancell\n09121112202,RighTel\n");
    expect(await run(["import", "ported.csv"])).toEqual({
      code: 0,
      stdout:
        "3 rows read. 1 row was replaced by a later row for the same number.\n" +
        "2 numbers are now imported; before, there were 0. No gateway is running.\n",
      stderr: "",
    });
    expect(await run(["import", "ported.csv"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nNothing to change: 2 numbers are imported\.\n$/) as unknown,
    });
    const changes = await run(["import", "--changes", "-"], "09121112201\n09121112203,MCI\n");
    expect(changes).toMatchObject({
      code: 0,
      stdout: "2 rows read.\n2 numbers are now imported; before, there were 2. No gateway is running.\n",
    });
    expect((await run(["show", "0912 111 2202"])).stdout).toBe("989121112202 RighTel (imported)\n");
    expect((await run(["show", "09121112201"])).stdout).toBe("989121112201 is not ported.\n");
    const { stdout } = await run(["status"]);
    expect(stdout).toMatch(/^operator +imported +from the setup\n/);
    expect(stdout).toMatch(/^MCI +1 +0$/m);
    expect(stdout).toMatch(/^Irancell +0 +0$/m);
  });

  it("of a file with wrong rows changes nothing and names them; --skip-bad leaves them out", async () => {
    const before = await stored();
    write("bad.csv", `09121112209,MCI\nnonsense\n09121112208,Nobody\n${"x,MCI\n".repeat(30)}`);
    const refused = await run(["import", "bad.csv"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toMatch(
      /^hodhod: 32 rows of bad\.csv are wrong: nothing was changed\n {2}row 2, column 1: "nonsense" is not a mobile number\n {2}row 3, column 2: there is no operator "Nobody"\n/,
    );
    expect(refused.stderr).toMatch(/\n {2}and 12 more\nhint: .*--skip-bad\n$/);
    expect(await stored()).toEqual(before);
    const taken = await run(["import", "--skip-bad", "bad.csv"]);
    expect(taken).toMatchObject({
      code: 0,
      stdout: "1 row read.\n1 number is now imported; before, there were 2. No gateway is running.\n",
      stderr: expect.stringMatching(/^warning: 32 rows skipped\n {2}row 2, column 1: /) as unknown,
    });
  });

  it("of a file without numbers changes nothing, unless it says by its header that it is meant so", async () => {
    const before = await stored();
    expect(before).toHaveLength(1);
    write("wrong.csv", "x,y\n");
    for (const args of [["-"], ["--skip-bad", "wrong.csv"]]) {
      const refused = await run(["import", ...args]);
      expect([refused.code, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toContain("has no numbers: nothing was changed\n");
    }
    expect(await stored()).toEqual(before);
    expect(await run(["import", "-"], "number,operator\n")).toMatchObject({
      code: 0,
      stdout: "0 rows read.\n0 numbers are now imported; before, there was 1. No gateway is running.\n",
    });
    expect(await stored()).toEqual([]);
  });

  it("says what is wrong with the command line", async () => {
    expect(await run(["import", "none.csv"])).toMatchObject({ code: 2, stderr: "hodhod: there is no file none.csv\n" });
    expect(await run(["show", "123"])).toMatchObject({
      code: 2,
      stderr: "hodhod: 123 is not a mobile number\nhint: write it as 09121234567\n",
    });
  });
});
