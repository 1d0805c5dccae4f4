// A change that was not seen: 412, with who made it and when, as far as the caller may know.
import { beforeAll, describe, expect, it } from "vitest";
import { callConsole, demoOwner, signInAs, signInStaff } from "../../support/console.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";

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

const operator = { prefixes: ["912", "991"] };
const account = { domain: "poor.example", tariff: "standard", lines: ["10001234"] };
const template = { account: "demo", content: "Code {code}!" };
const addresses = { allowedIps: [], blockedRecipients: [] };
const routes = { routes: ["RighTel", "Irancell", "MCI"].map((of) => ({ operator: of, connectors: ["mci-1"] })) };
const reza = { role: "sales", enabled: true };
const isNew = { "if-none-match": "*" };

describe("a change that was not seen", () => {
  it.each<[path: string, first: Who, change: object, who: string | undefined, late: Who, lateChange: object]>([
    ["/operators/MCI", "ali", { ...operator, enabled: false }, "staff:ali", "ali", operator],
    ["/accounts/poor", "ali", { ...account, lowCredit: 5 }, "staff:ali", "sara", account],
    ["/settings", "ali", { retentionDays: 77 }, "staff:ali", "ali", {}],
    ["/routes", "ali", routes, "staff:ali", "ali", routes],
    ["/templates/Unapproved", "sara", template, "staff:sara", "ali", template],
    ["/accounts/demo/addresses", "owner", addresses, "user:demo/demo", "sara", addresses],
    // Customers are not told the names of staff.
    ["/accounts/demo/addresses", "sara", { ...addresses, allowedIps: ["::1"] }, undefined, "owner", addresses],
    ["/people/nima?account=demo", "owner", { role: "reader" }, "user:demo/demo", "sara", { role: "owner" }],
    ["/accounts/demo/api-keys/shop", "owner", { allowedIps: ["10.0.0.1"] }, "user:demo/demo", "sara", {}],
    ["/people/reza", "ali", reza, "staff:ali", "ali", reza],
  ])("of %s is told with its author: %s", async (path, first, change, who, late, lateChange) => {
    const password = "a first password";
    if (path.includes("nima")) await call("owner", "PUT", path, { role: "sender", password }, isNew);
    if (path.includes("shop")) await call("owner", "PUT", path, {}, isNew);
    if (path.includes("reza")) await call("ali", "PUT", path, { role: "viewer", password }, isNew);
    const seen = { "if-match": await tagOf(path) };
    const done = await call(first, "PUT", path, change, seen);
    expect([done.status, done.text]).toEqual([200, expect.anything()]);
    const told = { ...(who !== undefined && { who }), at: expect.any(String) as string, action: "change" };
    for (const method of path.includes("shop") ? (["PUT", "DELETE"] as const) : (["PUT"] as const)) {
      const { status, body } = await call(late, method, path, lateChange, seen);
      expect([status, body["lastChange"]]).toEqual([412, told]);
    }
  });

  it("is not taken for a change of something else: another account's, or another part of the account", async () => {
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
    expect(refusal(late)).toEqual([412, 412]);
    expect((await call("ali", "GET", "/operators/Irancell")).body).toMatchObject({ enabled: true });
    const again = await call("ali", "POST", "/setup?dryRun=true", { setup });
    const applied = await call("ali", "POST", "/setup", { setup }, { "if-match": String(again.headers["etag"]) });
    expect(applied.body).toMatchObject({ changed: true, changes: [{ kind: "operator", name: "Irancell" }] });
  });
});
