import { beforeAll, describe, expect, it } from "vitest";
import { findPerson } from "../../../src/store/people.ts";
import {
  callConsole,
  cookieIn,
  demoOwner,
  signInAs,
  signInStaff,
  staffPassword,
  consoleCalls,
} from "../../support/console.ts";
import { demoUser, useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi();
const { post } = consoleCalls(api);
let admin: string;
let sales: string;
let owner: string;

beforeAll(async () => {
  admin = await signInStaff(api, "administrator", "admin");
  sales = await signInStaff(api, "sales");
  owner = await signInAs(api, demoOwner);
});

const isNew = { "if-none-match": "*" };
const password = "a first password";
const query = (text: string, ...values: unknown[]) => api.rows(text, values);

/** Staff, as an administrator manages them; and users of an account, as its owner does. */
const kinds = {
  staff: {
    account: undefined,
    manager: () => admin,
    me: "admin",
    roles: ["operator", "viewer"],
    otherRole: "owner",
    organisation: undefined,
  },
  user: {
    account: "demo",
    manager: () => owner,
    me: "demo",
    roles: ["sender", "reader"],
    otherRole: "administrator",
    organisation: "demo.example",
  },
} as const;

const cases = (["staff", "user"] as const).map((kind) => [kind] as const);

function calls(kind: keyof typeof kinds) {
  const { account, manager, organisation } = kinds[kind];
  const path = (name: string) => `/people${name}${account === undefined ? "" : `?account=${account}`}`;
  const get = (name: string) => callConsole(api, "GET", path(`/${name}`), { cookie: manager() });
  return {
    ...kinds[kind],
    path,
    get,
    tagOf: async (name: string) => ({ "if-match": String((await get(name)).headers["etag"]) }),
    put: (name: string, payload: object, headers: Record<string, string>, cookie = manager()) =>
      callConsole(api, "PUT", path(`/${name}`), { cookie, payload, headers }),
    remove: (name: string, headers: Record<string, string>, cookie = manager()) =>
      callConsole(api, "DELETE", path(`/${name}`), { cookie, headers }),
    reset: (name: string, cookie = manager()) => post(path(`/${name}/reset-second-factor`), cookie),
    signIn: async (username: string, given = password) => {
      await api.directory.refresh();
      return callConsole(api, "POST", "/session", {
        payload: { username, password: given, ...(organisation !== undefined && { organisation }) },
      });
    },
  };
}

/** As if the person had chosen the password. */
const settle = (username: string) => query("update person set password_set_by = null where username = $1", username);

describe.each(cases)("%s", (kind) => {
  const { path, put, get, tagOf, remove, reset, signIn, roles, otherRole, me } = calls(kind);
  const [role, lowerRole] = roles;

  it("case 57: is added with a password that somebody else has chosen, and changes it first of all", async () => {
    const added = await put("sima", { role, password }, isNew);
    expect(added.body).toMatchObject({ username: "sima", role, enabled: true, mustChangePassword: true });
    expect(added.body["secondFactor"]).toBe(false);
    const cookie = cookieIn(await signIn("sima"));
    expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(403);
    const payload = { password, newPassword: "a second password" };
    const own = cookieIn(await post("/profile/password", cookie, payload));
    expect((await callConsole(api, "GET", "/messages", { cookie: own })).status).toBe(200);
    expect((await callConsole(api, "GET", path("/sima"), { cookie: own })).status).toBe(403);
    const list = await callConsole(api, "GET", path(""), { cookie: kinds[kind].manager() });
    expect((list.body["items"] as { username: string }[]).map(({ username }) => username)).toContain("sima");
    expect(list.text).not.toContain("argon2");
  });

  it.each([
    ["another role", { role: lowerRole }, { role: lowerRole, enabled: true }],
    ["disabling", { role, enabled: false }, { role, enabled: false }],
    ["another password", { role, password: "another password" }, { password: "set" }],
    ["removal", undefined, undefined],
  ])("is signed out by %s, which is audited", async (what, change, after) => {
    const name = `leila-${what.replace(" ", "-")}`;
    await put(name, { role, password }, isNew);
    await settle(name);
    const cookie = cookieIn(await signIn(name));
    expect((await callConsole(api, "GET", "/messages", { cookie })).status).toBe(200);
    const condition = await tagOf(name);
    const { status } = change === undefined ? await remove(name, condition) : await put(name, change, condition);
    expect(status).toBe(200);
    expect((await callConsole(api, "GET", "/session", { cookie })).status).toBe(401);
    const { body } = await callConsole(api, "GET", `/audit?kind=${kind}&name=${name}&count=1`, { cookie: admin });
    const removed = { action: "remove", before: { role, enabled: true } };
    expect(body["items"]).toMatchObject([after === undefined ? removed : { action: "change", after }]);
  });

  it("who is disabled cannot sign in, and is told nothing more than who gives a wrong password", async () => {
    await put("off", { role, password }, isNew);
    expect((await put("off", { role, enabled: false }, await tagOf("off"))).body["enabled"]).toBe(false);
    const [right, wrong] = [await signIn("off"), await signIn("off", "wrong password")];
    expect([right.status, right.text]).toEqual([401, wrong.text]);
  });

  it("does not change, remove or free themselves", async () => {
    const condition = await tagOf(me);
    const answers = [
      await put(me, { role: lowerRole }, condition),
      await put(me, { role, password: "another password" }, condition),
      await remove(me, condition),
      await reset(me),
    ];
    expect(answers.map(({ status, body }) => [status, body["errorCode"]])).toEqual(answers.map(() => [400, 1001]));
    expect((await get(me)).body).toMatchObject({ enabled: true });
  });

  it("loses a second factor by another, which is audited", async () => {
    await put("phone", { role, password }, isNew);
    await query("update person set factor_secret = 'secret' where username = 'phone'");
    expect((await get("phone")).body["secondFactor"]).toBe(true);
    expect((await reset("phone")).status).toBe(200);
    expect((await get("phone")).body["secondFactor"]).toBe(false);
    const { body } = await callConsole(api, "GET", `/audit?kind=${kind}&name=phone&count=1`, { cookie: admin });
    expect(body["items"]).toMatchObject([{ after: { secondFactor: "removed" } }]);
    expect((await reset("nobody")).status).toBe(404);
  });

  it("is changed only by who has read the present state", async () => {
    await put("race", { role, password }, isNew);
    const condition = await tagOf("race");
    expect((await put("race", { role: lowerRole, password }, isNew)).status).toBe(412);
    const answers = await Promise.all([
      put("race", { role: lowerRole }, condition),
      put("race", { role, enabled: false }, condition),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect((await remove("race", condition)).status).toBe(412);
    expect((await remove("nobody", condition)).status).toBe(412);
  });

  it.each([
    ["new", { role }, "password"],
    ["new", { role, password: "short" }, "password"],
    ["new", { role: otherRole, password }, "role"],
    ["new", { password }, "role"],
    ["new", { role, password, enabled: "yes" }, "enabled"],
    ["%20x", { role, password }, "username"],
  ])("%s given as %j is 1001", async (name, payload, field) => {
    const { status, body } = await put(name, payload, isNew);
    expect([status, body["validationErrors"]]).toMatchObject([400, [{ field }]]);
  });
});

describe("staff", () => {
  it("are no business of those who manage accounts alone", async () => {
    const payload = { role: "administrator", password };
    for (const answer of [
      await callConsole(api, "GET", "/people", { cookie: sales }),
      await callConsole(api, "PUT", "/people/mine", { cookie: sales, payload, headers: isNew }),
      await post("/people/admin/reset-second-factor", sales),
    ])
      expect(refusal(answer)).toEqual([403, 1005]);
    const users = await callConsole(api, "GET", "/people", { cookie: owner });
    expect((users.body["items"] as { role: string }[]).map(({ role }) => role)).not.toContain("administrator");
  });

  it("never lose the last administrator who can sign in, also when two ask at the same time", async () => {
    const { put, remove, tagOf, signIn } = calls("staff");
    const other = await signInStaff(api, "administrator", "other");
    const answers = await Promise.all([
      put("other", { role: "viewer" }, await tagOf("other"), admin),
      put("admin", { role: "viewer" }, await tagOf("admin"), other),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).not.toEqual([200, 200]);
    await query(
      `update person set role = 'administrator', password_version = password_version + 1, password_set_by = null
        where username in ('admin', 'other')`,
    );
    admin = cookieIn(await signIn("admin", staffPassword)) ?? "";
    const again = cookieIn(await signIn("other", staffPassword)) ?? "";
    expect((await remove("other", await tagOf("other"))).status).toBe(200);
    expect((await callConsole(api, "GET", "/people", { cookie: again })).status).toBe(401);
    // The one who is left cannot be touched by anybody: there is nobody else who may.
    const last = await remove("admin", await tagOf("admin"));
    expect([last.status, last.body["errorCode"]]).toEqual([400, 1001]);
  });
});

describe("a user of an account", () => {
  const { put, get, tagOf } = calls("user");

  it("loses the access token by any change", async () => {
    await put("token", { role: "sender", password }, isNew);
    await settle("token");
    await query("update configuration set version = version + 1");
    await api.directory.refresh();
    const login = { userName: "token", password, domain: demoUser.domain };
    const token = await api.call("POST", "/auth/token", { payload: login });
    const headers = { authorization: `Bearer ${token.body.accessToken}` };
    const balance = async () => (await api.call("GET", "/account/balance", { headers })).status;
    expect(await balance()).toBe(200);
    expect((await put("token", { role: "reader" }, await tagOf("token"))).status).toBe(200);
    await api.directory.refresh();
    expect(await balance()).toBe(401);
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

  it("has a name of its own among all accounts of the domain, whatever its case", async () => {
    await query("update account set domain = 'DEMO.example' where name = 'open'");
    const { status, body } = await callConsole(api, "PUT", "/people/demo?account=open", {
      cookie: sales,
      payload: { role: "reader", password },
      headers: isNew,
    });
    expect([status, body["validationErrors"]]).toMatchObject([400, [{ field: "username" }]]);
    expect(await findPerson(api.db, api.accountId("open"), "demo")).toBeUndefined();
  });

  it("is one of at most a thousand", async () => {
    await query(
      `insert into person (account_id, username, password_hash, role)
       select $1, 'many-' || n, '', 'reader' from generate_series(1, 1000) as n`,
      api.accountId("slow"),
    );
    const full = await callConsole(api, "PUT", "/people/more?account=slow", {
      cookie: sales,
      payload: { role: "reader", password },
      headers: isNew,
    });
    expect([full.status, full.body["validationErrors"]]).toMatchObject([400, [{ field: "username" }]]);
  });
});
