import { beforeEach, describe, expect, it } from "vitest";
import { passwordMatches } from "../../src/credentials/password-check.ts";
import { listAuditEntries } from "../../src/store/audit.ts";
import { findPerson } from "../../src/store/people.ts";
import { useTestDatabase } from "../support/database.ts";
import { hodhod, startHodhod, temporaryFolder, type Outcome } from "./run-hodhod.ts";

const test = useTestDatabase();
const password = "گذرواژهٔ نخست ۱";
beforeEach(() => test.rows("delete from person where account_id is null"));

const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  hodhod(["people", ...args], { env: { DATABASE_URL: test.url }, ...(input !== undefined && { input }) });
const add = (name: string, role: string, input = `${password}\n`) =>
  run(["add", name, "--role", role, "--password-stdin"], input);

describe("hodhod serve", () => {
  const start = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const folder = temporaryFolder();
    const all = { DATABASE_URL: test.url, HODHOD_PORT: "0", HODHOD_LOG_LEVEL: "silent", ...env };
    const gateway = await startHodhod(["serve"], /listening on .*\n/, { folder: folder.path, env: all });
    await gateway.stop();
    folder.remove();
    return gateway.output();
  };
  const hint = "hodhod people add NAME --role administrator";

  it("says how to add the first of staff, until there is one, and not where there is no console", async () => {
    expect(await start({})).toContain(hint);
    expect(await start({ HODHOD_CONSOLE: "off" })).not.toContain(hint);
    await add("root", "administrator");
    expect(await start({})).not.toContain(hint);
  });
});

describe("hodhod people", () => {
  it("adds, lists, changes and removes people, and audits each change", async () => {
    expect(await add("root", "administrator")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("root can sign in") as string,
    });
    const stored = await findPerson(test.db, undefined, "root");
    expect(stored).toMatchObject({ role: "administrator", enabled: true, passwordSetBy: null });
    expect(await passwordMatches(stored?.passwordHash ?? "", password)).toBe(true);

    expect((await add("ali", "viewer")).code).toBe(0);
    expect((await run(["role", "ali", "sales"])).code).toBe(0);
    expect((await run(["disable", "ali"])).code).toBe(0);
    const { stdout } = await run(["list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([
      { username: "ali", role: "sales", enabled: false, secondFactor: false },
      { username: "root", role: "administrator", enabled: true },
    ]);
    expect((await run(["list"])).stdout).toMatch(/^ali +sales +disabled +no /m);
    expect((await run(["enable", "ali"])).code).toBe(0);
    expect((await run(["password", "ali", "--password-stdin"], "another long one")).code).toBe(0);
    expect(
      await passwordMatches((await findPerson(test.db, undefined, "ali"))?.passwordHash ?? "", "another long one"),
    ).toBe(true);
    expect((await run(["reset-second-factor", "ali"])).stdout).toContain("ali has no second factor.");
    expect((await run(["remove", "ali"])).code).toBe(0);
    expect(await findPerson(test.db, undefined, "ali")).toBeUndefined();

    const { entries } = await listAuditEntries(test.db, { limit: 7 });
    expect(entries.map(({ action, name }) => `${action} ${name}`)).toEqual([
      "remove ali",
      "change ali",
      "change ali",
      "change ali",
      "change ali",
      "create ali",
      "create root",
    ]);
    expect(entries.every(({ who }) => /^command:.+@.+/.test(who))).toBe(true);
  });

  it.each([
    ["no terminal", ["add", "x", "--role", "viewer"], "", "there is no terminal"],
    ["a short password", ["add", "x", "--role", "viewer", "--password-stdin"], "123456789\n", "10 to 200 characters"],
    ["a long password", ["add", "x", "--role", "viewer", "--password-stdin"], "x".repeat(201), "10 to 200 characters"],
    ["no password", ["add", "x", "--role", "viewer", "--password-stdin"], "", "10 to 200 characters"],
    ["an unknown role", ["add", "x", "--role", "king", "--password-stdin"], password, "administrator"],
    ["no role", ["add", "x", "--password-stdin"], password, "--role"],
    ["a name that is none", ["add", "x y", "--role", "viewer", "--password-stdin"], password, "not a username"],
    ["an unknown role", ["role", "x", "king"], "", "administrator"],
  ])("with %s ends with 2 and changes nothing", async (_, args, input, text) => {
    const { code, stderr } = await run(args, input);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect(await findPerson(test.db, undefined, "x")).toBeUndefined();
  });

  it("ends with 1 for somebody unknown, and for a name that is taken", async () => {
    await add("root", "administrator");
    expect(await run(["disable", "nobody"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the staff has no nobody") as string,
    });
    expect(await add("root", "viewer")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already") as string,
    });
    expect(await findPerson(test.db, undefined, "root")).toMatchObject({ role: "administrator" });
  });
});
