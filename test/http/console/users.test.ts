import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { confirmSecondFactor, enrolSecondFactor } from "../../../src/credentials/second-factor.ts";
import { callConsole, cookieIn, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { statement } from "../../support/database.ts";
import { demoUser, openTestApi, type TestApi } from "../../support/test-api.ts";

let api: TestApi;
let sales: string;
let auditor: string;
let owner: string;

beforeAll(async () => {
  api = await openTestApi();
  sales = await signInStaff(api, "sales");
  auditor = await signInStaff(api, "operator");
  owner = await signInAs(api, demoOwner);
});
afterAll(() => api.close());

const path = (username: string, account = "demo") => `/accounts/${account}/users/${username}`;
const isNew = { "if-none-match": "*" };
const put = (username: string, payload: object, headers: Record<string, string>, cookie = owner) =>
  callConsole(api, "PUT", path(username), { cookie, payload, headers });
const get = (username: string) => callConsole(api, "GET", path(username), { cookie: owner });
const tagOf = async (username: string) => ({ "if-match": String((await get(username)).headers["etag"]) });
const password = "a first password";

const signIn = (username: string, given = password) =>
  callConsole(api, "POST", "/session", {
    payload: { username, password: given, organisation: "demo.example" },
  });

describe("a user of an account", () => {
  it("is added with a password that somebody else has chosen, and changes it first of all", async () => {
    const added = await put("sara", { role: "sender", password }, isNew);
    expect(added.body).toMatchObject({
      username: "sara",
      role: "sender",
      enabled: true,
      mustChangePassword: true,
      secondFactor: false,
    });
    await api.directory.refresh();
    const cookie = cookieIn(await signIn("sara"));
    expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(403);
    const changed = await callConsole(api, "POST", "/profile/password", {
      cookie,
      payload: { password, newPassword: "a second password" },
    });
    const own = cookieIn(changed);
    expect((await callConsole(api, "GET", "/messages", { cookie: own })).status).toBe(200);
    expect((await callConsole(api, "GET", "/accounts/demo/users", { cookie: own })).status).toBe(403);
  });

  it.each([
    ["another role", { role: "reader" }],
    ["disabling", { role: "sender", enabled: false }],
    ["another password", { role: "sender", password: "another password" }],
  ] as const)("is signed out by %s, and the access token ends", async (what, change) => {
    const username = `reza ${what}`;
    await put(encodeURIComponent(username), { role: "sender", password }, isNew);
    await api.db.query(
      statement("update account_user set must_change_password = false where username = $1", [username]),
    );
    await api.directory.refresh();
    const cookie = cookieIn(await signIn(username));
    expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(200);
    const login = { userName: username, password, domain: demoUser.domain };
    const token = await api.call({ method: "POST", url: "/auth/token", payload: login });
    const headers = { authorization: `Bearer ${token.body.accessToken}` };
    expect((await api.call({ method: "GET", url: "/account/balance", headers })).status).toBe(200);
    const changed = await put(encodeURIComponent(username), change, await tagOf(encodeURIComponent(username)));
    expect(changed.status).toBe(200);
    expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(401);
    await api.directory.refresh();
    expect((await api.call({ method: "GET", url: "/account/balance", headers })).status).toBe(401);
  });

  it("who is disabled cannot sign in, and is told nothing more than who gives a wrong password", async () => {
    await put("off", { role: "reader", password }, isNew);
    expect((await put("off", { role: "reader", enabled: false }, await tagOf("off"))).body["enabled"]).toBe(false);
    await api.directory.refresh();
    const [right, wrong] = [await signIn("off"), await signIn("off", "wrong password")];
    expect([right.status, right.text]).toEqual([401, wrong.text]);
  });

  it("stays what people made of them when the account is saved from a file", async () => {
    await put("kept", { role: "reader", enabled: false, password }, isNew);
    const { headers, body } = await callConsole(api, "GET", "/accounts/demo", { cookie: sales });
    const saved = await callConsole(api, "PUT", "/accounts/demo", {
      cookie: sales,
      payload: { ...body, requestsPerSecond: 50 },
      headers: { "if-match": String(headers["etag"]) },
    });
    expect(saved.status).toBe(200);
    expect((await get("kept")).body).toMatchObject({ role: "reader", enabled: false, mustChangePassword: true });
  });

  it("is removed, and signed out by it", async () => {
    await put("gone", { role: "reader", password }, isNew);
    await api.directory.refresh();
    const cookie = cookieIn(await signIn("gone"));
    const removed = await callConsole(api, "DELETE", path("gone"), { cookie: sales, headers: await tagOf("gone") });
    expect(removed.status).toBe(200);
    expect((await callConsole(api, "GET", "/session", { cookie })).status).toBe(401);
    expect((await get("gone")).status).toBe(404);
  });

  it("does not change, remove or free themselves", async () => {
    const condition = await tagOf("demo");
    const answers = [
      await put("demo", { role: "reader" }, condition),
      await callConsole(api, "DELETE", path("demo"), { cookie: owner, headers: condition }),
      await callConsole(api, "POST", `${path("demo")}/reset-second-factor`, { cookie: owner }),
    ];
    expect(answers.map(({ status, body }) => [status, body["errorCode"]])).toEqual([
      [400, 1001],
      [400, 1001],
      [400, 1001],
    ]);
    expect((await get("demo")).body).toMatchObject({ role: "owner", enabled: true });
  });

  it("loses a second factor by an owner and by staff, which is audited", async () => {
    await put("phone", { role: "sender", password }, isNew);
    const [row] = await api.db.query<{ id: number }>(statement("select id from account_user where username = 'phone'"));
    const person = { userId: row?.id ?? 0 };
    for (const cookie of [owner, sales]) {
      await api.db.transaction((tx) => enrolSecondFactor(tx, person, "phone"));
      await api.db.query(
        statement("update second_factor set secret = pending_secret where user_id = $1", [person.userId]),
      );
      expect((await get("phone")).body["secondFactor"]).toBe(true);
      const reset = await callConsole(api, "POST", `${path("phone")}/reset-second-factor`, { cookie });
      expect(reset.status).toBe(200);
      expect((await get("phone")).body["secondFactor"]).toBe(false);
    }
    expect(await confirmSecondFactor(api.db, person, "000000")).toBeUndefined();
    const { body } = await callConsole(api, "GET", "/audit?kind=user&name=phone", { cookie: auditor });
    expect(body["items"]).toMatchObject([
      { who: "staff:sales", after: { secondFactor: "removed" } },
      { who: "user:demo/demo", account: "demo", after: { secondFactor: "removed" } },
      { who: "user:demo/demo", action: "create", after: { role: "sender", enabled: true } },
    ]);
    expect(JSON.stringify(body)).not.toContain(password);
  });

  it("is changed only by who has read the present state", async () => {
    await put("race", { role: "reader", password }, isNew);
    expect((await put("race", { role: "sender", password }, isNew)).status).toBe(412);
    expect((await put("race", { role: "sender" }, {})).status).toBe(428);
    const condition = await tagOf("race");
    const answers = await Promise.all([
      put("race", { role: "sender" }, condition),
      put("race", { role: "owner" }, condition),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  it.each([
    ["x", { role: "reader" }, "password"],
    ["x", { role: "reader", password: "short" }, "password"],
    ["x", { role: "administrator", password }, "role"],
    ["x", { password }, "role"],
    ["%20x", { role: "reader", password }, "username"],
    ["x", { role: "reader", password, enabled: "yes" }, "enabled"],
  ])("%s given as %j is 1001", async (username, payload, field) => {
    const { status, body } = await put(username, payload, isNew);
    expect(status).toBe(400);
    expect((body["validationErrors"] as { field: string }[]).map((each) => each.field)).toEqual([field]);
  });

  it("has a name of its own among all accounts of the domain, whatever its case", async () => {
    await api.db.query(statement("update account set domain = 'DEMO.example' where name = 'open'"));
    const { status, body } = await callConsole(api, "PUT", path("demo", "open"), {
      cookie: sales,
      payload: { role: "reader", password },
      headers: isNew,
    });
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field: "username" }]);
  });

  it("of another account is not there", async () => {
    const answers = [
      await callConsole(api, "GET", "/accounts/foreign/users", { cookie: owner }),
      await callConsole(api, "GET", path("foreign", "foreign"), { cookie: owner }),
      await callConsole(api, "PUT", path("mine", "foreign"), {
        cookie: owner,
        payload: { role: "owner", password },
        headers: isNew,
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
