import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enrolSecondFactor } from "../../../src/credentials/second-factor.ts";
import { findStaff } from "../../../src/store/staff.ts";
import { callConsole, cookieIn, signInStaff, staffPassword } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { openTestApi, type TestApi } from "../../support/test-api.ts";

let api: TestApi;
let admin: string;

beforeAll(async () => {
  api = await openTestApi();
  admin = await signInStaff(api, "administrator", "admin");
});
afterAll(() => api.close());

const isNew = { "if-none-match": "*" };
const path = (name: string) => `/staff/${name}`;
const get = (name: string) => callConsole(api, "GET", path(name), { cookie: admin });
const tagOf = async (name: string) => ({ "if-match": String((await get(name)).headers["etag"]) });
const put = (name: string, payload: object, headers: Record<string, string>, cookie = admin) =>
  callConsole(api, "PUT", path(name), { cookie, payload, headers });
const remove = (name: string, headers: Record<string, string>, cookie = admin) =>
  callConsole(api, "DELETE", path(name), { cookie, headers });
const signIn = async (username: string, password = staffPassword) =>
  callConsole(api, "POST", "/session", { payload: { username, password } });

describe("staff", () => {
  it("are added with a password that they change first of all", async () => {
    const added = await put("sima", { role: "sales", password: staffPassword }, isNew);
    expect(added.body).toMatchObject({ username: "sima", role: "sales", enabled: true, mustChangePassword: true });
    const cookie = cookieIn(await signIn("sima"));
    expect((await callConsole(api, "GET", "/accounts", { cookie })).status).toBe(403);
    const { body } = await callConsole(api, "GET", "/staff", { cookie: admin });
    expect(body["items"]).toMatchObject([{ username: "admin" }, { username: "sima" }]);
    expect(JSON.stringify(body)).not.toContain("argon2");
  });

  it("are signed out by another role, disabling, another password and removal", async () => {
    for (const change of [
      { role: "viewer" },
      { role: "operator", enabled: false },
      { role: "operator", password: "some other words" },
      undefined,
    ]) {
      await api.db.query(statement("delete from staff where username = 'leila'"));
      const cookie = await signInStaff(api, "operator", "leila");
      const condition = await tagOf("leila");
      const { status } =
        change === undefined ? await remove("leila", condition) : await put("leila", change, condition);
      expect(status).toBe(200);
      expect((await callConsole(api, "GET", "/session", { cookie })).status).toBe(401);
    }
    const { body } = await callConsole(api, "GET", "/audit?kind=staff&name=leila&who=staff:admin", { cookie: admin });
    expect(body["items"]).toMatchObject([
      { action: "remove", before: { role: "operator", enabled: true } },
      { action: "change", after: { password: "changed" } },
      { action: "change", before: { role: "operator", enabled: true }, after: { role: "operator", enabled: false } },
      { action: "change", before: { role: "operator", enabled: true }, after: { role: "viewer", enabled: true } },
    ]);
  });

  it("never lose the last administrator who can sign in, also when two ask at the same time", async () => {
    const other = await signInStaff(api, "administrator", "other");
    const answers = await Promise.all([
      put("other", { role: "viewer" }, await tagOf("other"), admin),
      put("admin", { role: "viewer" }, await tagOf("admin"), other),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200]);
    await api.db.query(
      statement(
        "update staff set role = 'administrator', enabled = true, password_version = password_version + 1 where username in ('admin', 'other')",
      ),
    );
    admin = cookieIn(await signIn("admin")) ?? "";
    const again = cookieIn(await signIn("other")) ?? "";
    await api.db.query(
      statement("update staff set enabled = false, password_version = password_version where username = 'third'"),
    );
    expect((await remove("other", await tagOf("other"))).status).toBe(200);
    expect((await callConsole(api, "GET", "/staff", { cookie: again })).status).toBe(401);
    // The one who is left cannot be touched by anybody: there is nobody else who may.
    const last = await remove("admin", await tagOf("admin"));
    expect([last.status, last.body["errorCode"]]).toEqual([400, 1001]);
  });

  it("do not change, remove or free themselves", async () => {
    const condition = await tagOf("admin");
    const answers = [
      await put("admin", { role: "viewer" }, condition),
      await put("admin", { role: "administrator", password: "another password" }, condition),
      await remove("admin", condition),
      await callConsole(api, "POST", `${path("admin")}/reset-second-factor`, { cookie: admin }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect((await get("admin")).body).toMatchObject({ role: "administrator", enabled: true });
  });

  it("get rid of a lost second factor by another, which is audited", async () => {
    await put("nima", { role: "viewer", password: staffPassword }, isNew);
    const staffId = (await findStaff(api.db, "nima"))?.id ?? 0;
    await api.db.transaction((tx) => enrolSecondFactor(tx, { staffId }, "nima"));
    await api.db.query(statement("update second_factor set secret = pending_secret where staff_id = $1", [staffId]));
    expect((await get("nima")).body["secondFactor"]).toBe(true);
    const reset = await callConsole(api, "POST", `${path("nima")}/reset-second-factor`, { cookie: admin });
    expect(reset.status).toBe(200);
    expect((await get("nima")).body["secondFactor"]).toBe(false);
    const { body } = await callConsole(api, "GET", "/audit?kind=staff&name=nima&count=1", { cookie: admin });
    expect(body["items"]).toMatchObject([{ who: "staff:admin", after: { secondFactor: "removed" } }]);
    expect((await callConsole(api, "POST", "/staff/nobody/reset-second-factor", { cookie: admin })).status).toBe(404);
  });

  it("are changed only by who has read the present state", async () => {
    await put("race", { role: "viewer", password: staffPassword }, isNew);
    const condition = await tagOf("race");
    expect((await put("race", { role: "sales" }, {})).status).toBe(428);
    expect((await put("race", { role: "sales", password: staffPassword }, isNew)).status).toBe(412);
    const answers = await Promise.all([
      put("race", { role: "sales" }, condition),
      put("race", { role: "operator" }, condition),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect((await remove("race", condition)).status).toBe(412);
    expect((await remove("race", {})).status).toBe(428);
    expect((await remove("nobody", condition)).status).toBe(412);
  });

  it.each([
    ["new", { role: "viewer" }, "password"],
    ["new", { role: "viewer", password: "short" }, "password"],
    ["new", { role: "owner", password: staffPassword }, "role"],
    ["a%20b", { role: "viewer", password: staffPassword }, "username"],
  ])("%s given as %j is 1001", async (name, payload, field) => {
    const { status, body } = await put(name, payload, isNew);
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field }]);
  });
});
