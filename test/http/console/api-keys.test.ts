import { beforeAll, describe, expect, it } from "vitest";
import { noteApiKeyUse } from "../../../src/store/credentials.ts";
import { createHash } from "node:crypto";
import { demoOwner, signInAs, signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
const { get, post, put, remove } = consoleCalls(api);
let sales: string;
let auditor: string;
let owner: string;

beforeAll(async () => {
  sales = await signInStaff(api, "sales");
  auditor = await signInStaff(api, "operator");
  owner = await signInAs(api, demoOwner);
});

const path = (name: string, account = "demo") => `/accounts/${account}/api-keys/${encodeURIComponent(name)}`;
const isNew = { "if-none-match": "*" };
const make = (name: string, payload: object = {}, cookie = owner) => put(path(name), cookie, payload, isNew);
const rotateSeen = (name: string, keepHours: unknown, headers: Record<string, string>) =>
  post(`${path(name)}/rotate`, owner, { keepHours }, headers);
const rotate = async (name: string, keepHours: unknown) => rotateSeen(name, keepHours, await tagOf(name));
const tagOf = async (name: string) => ({
  "if-match": String((await get(path(name), owner)).headers["etag"]),
});

async function list(): Promise<Record<string, unknown>[]> {
  const { body } = await get("/accounts/demo/api-keys", owner);
  return body["items"] as Record<string, unknown>[];
}

async function statusWith(key: string): Promise<number> {
  await api.directory.refresh();
  return (await api.call("GET", "/account/balance", { key })).status;
}

describe("an API key", () => {
  it("is made here, shown once, and known by its name and last characters afterwards", async () => {
    const { body, headers } = await make("web shop");
    const key = String(body["key"]);
    expect(key).toMatch(/^hodhod_[A-Za-z0-9_-]{32}$/);
    expect(await statusWith(key)).toBe(200);
    expect(headers["cache-control"]).toContain("no-store");
    const one = await get(path("web shop"), owner);
    expect(one.body).toMatchObject({ name: "web shop", lastFour: key.slice(-4), allowedIps: [] });
    const rows = await api.rows("select * from api_key");
    const { body: audit } = await get("/audit?kind=apiKey", auditor);
    for (const text of [one.text, JSON.stringify(await list()), JSON.stringify(rows), JSON.stringify(audit)])
      expect(text).not.toContain(key);
    expect(audit["items"]).toMatchObject([
      { who: "user:demo/demo", action: "create", name: "web shop", account: "demo" },
    ]);
    // One that came from a file has no last characters.
    expect((await list()).find(({ name }) => name === "main")).toEqual({ name: "main", allowedIps: [] });
  });

  it.each([0, 1, 24, 168] as const)("is rotated, and the old one goes on for %d h", async (hours) => {
    const name = `rotated ${hours}`;
    const old = String((await make(name, { allowedIps: ["127.0.0.1"] })).body["key"]);
    const rotated = await rotate(name, hours);
    const key = String(rotated.body["key"]);
    expect(rotated.body).toMatchObject({ name, allowedIps: ["127.0.0.1"], lastFour: key.slice(-4) });
    expect([await statusWith(key), await statusWith(old)]).toEqual([200, hours === 0 ? 401 : 200]);
    const retired = (await list()).find((each) => each["name"] === `${name} (old)`);
    if (hours === 0) {
      expect(retired).toBeUndefined();
      return;
    }
    const left = (new Date(String(retired?.["expires"])).getTime() - Date.now()) / 3_600_000;
    expect(retired).toMatchObject({ retired: true, lastFour: old.slice(-4) });
    expect(left).toBeGreaterThan(hours - 0.1);
    expect(left).toBeLessThanOrEqual(hours);
    expect((await rotate(`${name} (old)`, 1)).status).toBe(400);
    // Its time is over.
    await api.rows("update api_key set expires_at = now() where name = $1", [`${name} (old)`]);
    await api.rows("update configuration set version = version + 1");
    expect([await statusWith(key), await statusWith(old)]).toEqual([200, 401]);
    // The next change of a key of the account clears it away.
    await make(`after ${hours}`);
    expect((await list()).map((each) => each["name"])).not.toContain(`${name} (old)`);
  });

  it.each([0, 24])(
    "is rotated once by two who saw the same (%d h): the other is 412 and gets no key",
    async (hours) => {
      const name = `at once ${hours}`;
      await make(name);
      const seen = await tagOf(name);
      const answers = await Promise.all([rotateSeen(name, hours, seen), rotateSeen(name, hours, seen)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const made = answers.flatMap(({ body }) => (typeof body["key"] === "string" ? [body["key"]] : []));
      expect(made).toHaveLength(1);
      expect(await statusWith(made[0] ?? "")).toBe(200);
      expect((await rotateSeen(name, hours, { "if-none-match": "*" })).status).toBe(428);
    },
  );

  it("that has expired is not rotated: the new one would be as dead", async () => {
    await make("over", { expires: new Date(Date.now() + 60_000).toISOString() });
    await api.rows("update api_key set expires_at = now() - interval '1 hour' where name = 'over'");
    const refused = await rotate("over", 24);
    expect([refused.status, refused.body["errorCode"]]).toEqual([400, 1001]);
    expect(refused.text).toContain("has expired");
    expect((await list()).filter(({ name }) => String(name).startsWith("over"))).toHaveLength(1);
  });

  it("keeps two old ones at a time apart", async () => {
    const first = String((await make("twice")).body["key"]);
    const second = String((await rotate("twice", 168)).body["key"]);
    const third = String((await rotate("twice", 168)).body["key"]);
    expect((await list()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["twice", "twice (old)", "twice (old 2)"]),
    );
    for (const key of [first, second, third]) expect(await statusWith(key)).toBe(200);
  });

  it("ends when it expires, and the key of the rotation keeps that time", async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const key = String((await make("ending", { expires: soon })).body["key"]);
    const rotated = await rotate("ending", 168);
    expect(rotated.body["expires"]).toBe(soon);
    expect((await list()).find(({ name }) => name === "ending (old)")?.["expires"]).toBe(soon);
    expect(await statusWith(key)).toBe(200);
  });

  it("is changed with the tag that was read, and removed", async () => {
    const key = String((await make("office")).body["key"]);
    const condition = await tagOf("office");
    const change = (payload: object, headers: Record<string, string>) => put(path("office"), owner, payload, headers);
    const changed = await change({ allowedIps: ["10.9.0.0/16"] }, condition);
    expect(changed.body).toMatchObject({ allowedIps: ["10.9.0.0/16"] });
    expect(changed.body["key"]).toBeUndefined();
    expect(await statusWith(key)).toBe(403);
    expect((await change({}, condition)).status).toBe(412);
    expect((await make("office")).status).toBe(412);
    expect((await remove(path("office"), owner, undefined, condition)).status).toBe(412);
    const removed = await remove(path("office"), sales, undefined, await tagOf("office"));
    expect(removed.status).toBe(200);
    expect(await statusWith(key)).toBe(401);
  });

  it("tells when it was used last, and keeps that when the account is saved from a file", async () => {
    const key = String((await make("used")).body["key"]);
    const sha256 = createHash("sha256").update(key).digest("hex");
    await noteApiKeyUse(api.db, [sha256, createHash("sha256").update(keys.demo).digest("hex")]);
    const before = (await list()).find(({ name }) => name === "used");
    expect(before?.["lastUsedAt"]).toMatch(/^\d{4}-/);
    const condition = await tagOf("used");
    await api.rows("update api_key set last_used_at = now() - interval '2 minutes'");
    await noteApiKeyUse(api.db, [sha256]);
    // That it was used is no other state.
    expect(await tagOf("used")).toEqual(condition);

    const stored = (await list()).find(({ name }) => name === "used");
    const { headers, body } = await get("/accounts/demo", sales);
    const saved = await put(
      "/accounts/demo",
      sales,
      { ...body, requestsPerSecond: 70 },
      { "if-match": String(headers["etag"]) },
    );
    expect(saved.status).toBe(200);
    expect((await list()).find(({ name }) => name === "used")).toEqual(stored);
    expect(await statusWith(key)).toBe(200);
  });

  it.each([
    [{ allowedIps: ["10.0.0.0/99"] }, "allowedIps"],
    [{ allowedIps: "10.0.0.1" }, "allowedIps"],
    [{ expires: "2020-01-01T00:00:00Z" }, "expires"],
    [{ expires: "tomorrow" }, "expires"],
  ])("given as %j is 1001", async (payload, field) => {
    const { status, body } = await make("wrong", payload);
    expect(status).toBe(400);
    expect(body["validationErrors"]).toMatchObject([{ field }]);
    expect((await make(" wrong")).body["validationErrors"]).toMatchObject([{ field: "name" }]);
  });

  it.each([[2], [undefined], [-1]])("is not rotated with keepHours %j", async (hours) => {
    const { status, body } = await rotate("main", hours);
    expect([status, body["errorCode"]]).toEqual([400, 1001]);
    expect(await statusWith(keys.demo)).toBe(200);
  });

  it("is one of at most 100", async () => {
    const fill = `insert into api_key (account_id, name, key_sha256)
                  select $1, 'fill ' || n, sha256(('fill ' || n)::bytea) from generate_series(1, 100) n`;
    await api.rows(fill, [api.accountId("demo")]);
    const { status, body } = await make("one too many");
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain("at most 100 API keys");
  });
});
