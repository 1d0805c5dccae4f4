// A change that was not seen: 412, with who made it and when, as far as the caller may know.
import { beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { useTestApi } from "../../support/test-api.ts";

const api = useTestApi();
const cookies = { sara: "", ali: "", owner: "" };
type Who = keyof typeof cookies;
type Method = "GET" | "POST" | "PUT" | "DELETE";

beforeAll(async () => {
  cookies.sara = await signInStaff(api, "sales", "sara");
  cookies.ali = await signInStaff(api, "administrator", "ali");
  cookies.owner = await signInAs(api, demoOwner);
});

const call = (who: Who, method: Method, path: string, payload?: object, headers: Record<string, string> = {}) =>
  callConsole(api, method, path, { cookie: cookies[who], headers, ...(payload && { payload }) });

async function tagOf(path: string): Promise<string> {
  return String((await call("ali", "GET", path)).headers["etag"]);
}

/** Somebody reads, somebody else changes, and the first one changes then. */
async function changeLate(
  path: string,
  first: { readonly who: Who; readonly payload: object },
  late: { readonly who: Who; readonly payload: object; readonly method?: "DELETE" },
) {
  const seen = { "if-match": await tagOf(path) };
  const done = await call(first.who, "PUT", path, first.payload, seen);
  expect([done.status, done.text]).toEqual([200, expect.anything()]);
  const { status, body } = await call(late.who, late.method ?? "PUT", path, late.payload, seen);
  return { status, lastChange: body["lastChange"] };
}

const changedBy = (who: string) => ({
  status: 412,
  lastChange: { who, at: expect.any(String) as string, action: "change" },
});
const byService = { status: 412, lastChange: { at: expect.any(String) as string, action: "change" } };

describe("a change that was not seen", () => {
  it("is told with its author: of the configuration", async () => {
    const operator = { prefixes: ["912", "991"] };
    const ali = { who: "ali", payload: { ...operator, enabled: false } } as const;
    expect(await changeLate("/operators/MCI", ali, { who: "ali", payload: operator })).toEqual(changedBy("staff:ali"));
    const account = { domain: "poor.example", tariff: "standard", lines: ["10001234"] };
    expect(
      await changeLate(
        "/accounts/poor",
        { who: "ali", payload: { ...account, lowCredit: 5 } },
        { who: "sara", payload: account },
      ),
    ).toEqual(changedBy("staff:ali"));
    const settings = (await call("ali", "GET", "/settings")).body;
    const route = (await call("ali", "GET", "/routes")).body;
    for (const [path, now] of [
      ["/settings", { ...settings, retentionDays: 77 }],
      ["/routes", { routes: (route["routes"] as object[]).toReversed() }],
    ] as const)
      expect(await changeLate(path, { who: "ali", payload: now }, { who: "ali", payload: now })).toEqual(
        changedBy("staff:ali"),
      );
  });

  it("is told of templates, addresses, users, keys and staff", async () => {
    const template = { content: "Code {code}!" };
    expect(
      await changeLate(
        "/templates/Unapproved",
        { who: "sara", payload: { ...template, account: "demo" } },
        { who: "ali", payload: { ...template, account: "demo" } },
      ),
    ).toEqual(changedBy("staff:sara"));
    const addresses = { allowedIps: [], blockedRecipients: [] };
    const owner = { who: "owner", payload: addresses } as const;
    expect(await changeLate("/accounts/demo/addresses", owner, { who: "sara", payload: addresses })).toEqual(
      changedBy("user:demo/demo"),
    );
    const isNew = { "if-none-match": "*" };
    const password = "a first password";
    await call("owner", "PUT", "/people/nima?account=demo", { role: "sender", password }, isNew);
    await call("owner", "PUT", "/accounts/demo/api-keys/shop", {}, isNew);
    await call("ali", "PUT", "/people/reza", { role: "viewer", password }, isNew);
    const byOwner = (payload: object) => ({ who: "owner", payload }) as const;
    const bySara = (payload: object) => ({ who: "sara", payload }) as const;
    expect(
      await changeLate(
        "/people/nima?account=demo",
        byOwner({ role: "reader", enabled: true }),
        bySara({ role: "owner", enabled: true }),
      ),
    ).toEqual(changedBy("user:demo/demo"));
    expect(
      await changeLate("/accounts/demo/api-keys/shop", byOwner({ allowedIps: ["10.0.0.1"] }), {
        ...bySara({}),
        method: "DELETE",
      }),
    ).toEqual(changedBy("user:demo/demo"));
    const reza = { role: "sales", enabled: true };
    expect(await changeLate("/people/reza", { who: "ali", payload: reza }, { who: "ali", payload: reza })).toEqual(
      changedBy("staff:ali"),
    );
  });

  it("is told to a customer without the names of staff", async () => {
    const addresses = { allowedIps: ["127.0.0.1"], blockedRecipients: [] };
    const sara = { who: "sara", payload: addresses } as const;
    expect(await changeLate("/accounts/demo/addresses", sara, { who: "owner", payload: addresses })).toEqual(byService);
  });

  it("is not taken for a change of something else: another account's, or another part of the account", async () => {
    const isNew = { "if-none-match": "*" };
    await call("owner", "PUT", "/accounts/demo/api-keys/office", {}, isNew);
    await call("ali", "PUT", "/accounts/foreign/api-keys/office", {}, isNew);
    const seen = { "if-match": await tagOf("/accounts/foreign/api-keys/office") };
    await call("sara", "PUT", "/accounts/foreign/api-keys/office", { allowedIps: ["10.0.0.1"] }, seen);
    const account = await tagOf("/accounts/foreign");
    const keys = { domain: "foreign.example", tariff: "standard", lines: ["10001234", "10007777"], lowCredit: 9 };
    expect((await call("ali", "PUT", "/accounts/foreign", keys, { "if-match": account })).status).toBe(200);
    const late = await call("ali", "PUT", "/accounts/foreign/api-keys/office", {}, seen);
    expect(late.body["lastChange"]).toMatchObject({ who: "staff:sara", action: "change" });
  });

  it("is seen also where a proxy has weakened its tag", async () => {
    const tag = await tagOf("/settings");
    const settings = (await call("ali", "GET", "/settings")).body;
    const withTag = async (given: string) =>
      (await call("ali", "PUT", "/settings", settings, { "if-match": given })).status;
    expect(await withTag("*")).toBe(412);
    expect(await withTag(`W/${tag}`)).toBe(200);
  });

  it("tells a removal as one", async () => {
    await call("ali", "PUT", "/lines/10009999", { kind: "dedicated" }, { "if-none-match": "*" });
    const seen = { "if-match": await tagOf("/lines/10009999") };
    await call("ali", "DELETE", "/lines/10009999", undefined, seen);
    const late = await call("ali", "PUT", "/lines/10009999", { kind: "service" }, seen);
    expect([late.status, late.body["lastChange"]]).toMatchObject([412, { who: "staff:ali", action: "remove" }]);
  });
});

describe("a setup file that is applied after its check", () => {
  const setup = "operators: [{ name: Irancell, enabled: false }, { name: Taliya, enabled: false }]";

  it("makes the changes that were shown and no others", async () => {
    const shown = await call("ali", "POST", "/setup?dryRun=true", { setup });
    const seen = { "if-match": String(shown.headers["etag"]) };
    const taliya = { prefixes: ["932"], enabled: false };
    await call("ali", "PUT", "/operators/Taliya", taliya, { "if-match": await tagOf("/operators/Taliya") });
    const late = await call("ali", "POST", "/setup", { setup }, seen);
    expect([late.status, late.body["errorCode"]]).toEqual([412, 412]);
    expect((await call("ali", "GET", "/operators/Irancell")).body).toMatchObject({ enabled: true });
    const again = await call("ali", "POST", "/setup?dryRun=true", { setup });
    const applied = await call("ali", "POST", "/setup", { setup }, { "if-match": String(again.headers["etag"]) });
    expect(applied.body).toMatchObject({ changed: true, changes: [{ kind: "operator", name: "Irancell" }] });
  });
});
