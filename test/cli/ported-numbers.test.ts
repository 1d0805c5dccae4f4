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
});
