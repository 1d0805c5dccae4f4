import { expect, it } from "vitest";
import { listAuditEntries } from "../../src/store/audit.ts";
import { demoOwner, callConsole, signInAs } from "../support/console.ts";
import { useTestApi } from "../support/test-api.ts";
import { hodhod, type Outcome } from "./run-hodhod.ts";

const api = useTestApi();

const run = (account: string, name: string): Promise<Outcome> =>
  hodhod(["people", "reset-second-factor", name, "--account", account], { env: { DATABASE_URL: api.db.url } });

it("removes the second factor of a user, who signs in with the password alone; whoever has the phone is signed out", async () => {
  const onPhone = await signInAs(api, demoOwner);
  await api.rows("update person set factor_secret = 'x' where username = 'demo'");
  const { body } = await callConsole(api, "POST", "/session", { payload: demoOwner });
  expect(body).toEqual({ secondFactorRequired: true });

  expect(await run("demo", "demo")).toMatchObject({ code: 0, stdout: "demo has no second factor any more.\n" });
  expect((await callConsole(api, "GET", "/session", { cookie: onPhone })).status).toBe(401);
  const { entries } = await listAuditEntries(api.db, { limit: 1 });
  await api.directory.refresh();
  await signInAs(api, demoOwner);
  expect(entries).toMatchObject([
    { kind: "user", name: "demo", account: "demo", action: "change", after: { secondFactor: "removed" } },
  ]);
  expect(entries[0]?.who).toMatch(/^command:.+@.+/);
  expect((await run("demo", "demo")).stdout).toBe("demo has no second factor.\n");
});

it("says who is not there", async () => {
  const user = await run("demo", "dmeo");
  expect(user).toMatchObject({ code: 1, stderr: expect.stringContaining("demo has no dmeo") as string });
  expect(await run("dme", "demo")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("there is no account dme") as string,
  });
});

it("says how an account gets its first user", async () => {
  await api.rows("insert into account (name, domain, tariff) values ('empty', 'empty', 'standard')");
  const env = { DATABASE_URL: api.db.url };
  const { stdout } = await hodhod(["people", "list", "--account", "empty"], { env });
  expect(stdout).toContain("hodhod people add NAME --account empty --role owner");
  const refused = await hodhod(["people", "add", "a\tb", "--account", "empty", "--role", "owner"], { env });
  expect(refused).toMatchObject({ code: 2, stderr: expect.not.stringContaining("of staff") as string });
});
