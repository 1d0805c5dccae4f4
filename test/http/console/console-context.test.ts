import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { addStaff, callConsole, cookieIn, demoOwner, signInAs, staffPassword } from "../../support/console.ts";
import { openTestApi, useTestApi } from "../../support/test-api.ts";

const api = useTestApi({ HODHOD_STAFF_ALLOW: "10.0.0.0/8", HODHOD_TRUST_PROXY: "127.0.0.1" });

const installGuide = path.join(import.meta.dirname, "../../../docs/operate/install.md");

/** What nginx, as in docs/operate/install.md, sends on of a call to https://sms.example.com:8443. */
function headersOfGuide(): Record<string, string> {
  const values: Readonly<Record<string, string>> = {
    $http_host: "sms.example.com:8443",
    $remote_addr: "192.0.2.1",
    $scheme: "https",
  };
  const set = readFileSync(installGuide, "utf8").matchAll(/^ *proxy_set_header (\S+) (\$\w+);/gm);
  return Object.fromEntries([...set].map(([, name = "", value = ""]) => [name.toLowerCase(), values[value] ?? value]));
}

const post = (headers: Record<string, string | undefined>) =>
  callConsole(api, "POST", "/session", { payload: demoOwner, headers });

describe("a call that changes something", () => {
  it.each([
    ["without the header", { "x-hodhod-console": undefined }],
    ["with another value of the header", { "x-hodhod-console": "0" }],
    ["of a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["of plain text", { "content-type": "text/plain" }],
    ["without a type", { "content-type": undefined }],
    ["of a type that only begins like JSON", { "content-type": "application/jsonx" }],
    ["from another site", { origin: "http://evil.example" }],
    ["from another port of ours", { origin: "http://localhost:8081" }],
    ["from another scheme of ours", { origin: "https://localhost:80" }],
    ["from a page without an origin", { origin: "null" }],
    ["from no origin at all", { origin: "" }],
    ["from an origin longer than any", { origin: `http://localhost/${"a".repeat(300)}` }],
    ["from a proxy's other host", { origin: "http://localhost", "x-forwarded-host": "sms.example" }],
    ["by http where the browser came by https", { origin: "http://localhost", "x-forwarded-proto": "https" }],
  ])("%s is 403", async (_, headers) => {
    const { status, body } = await post(headers);
    expect([status, body["errorCode"]]).toEqual([403, 1005]);
  });

  it.each(["/session/", "/session/?x=1"])("at %s is 404: what it names was lost on the way", async (url) => {
    const { status, body } = await callConsole(api, "POST", url, { payload: demoOwner });
    expect([status, body["errorCode"]]).toEqual([404, 404]);
  });

  it.each([
    ["without an origin", {}],
    ["from our origin", { origin: "http://localhost" }],
    ["from our origin with its default port", { origin: "http://localhost:80" }],
    ["of JSON with a parameter", { "content-type": "application/json; charset=utf-8" }],
    [
      "through a proxy",
      { origin: "https://sms.example", "x-forwarded-host": "sms.example", "x-forwarded-proto": "https" },
    ],
  ])("%s is taken", async (_, headers) => {
    expect((await post(headers)).status).toBe(200);
  });

  it("through a proxy that is configured as in docs/operate/install.md is taken, and gets a cookie for https", async () => {
    const { status, headers } = await post({ ...headersOfGuide(), origin: "https://sms.example.com:8443" });
    expect(status).toBe(200);
    expect(headers["set-cookie"]).toMatch(/^__Host-hodhod_session=[^;]+; Path=\/; .*; Secure$/);
  });

  it("gets a cookie for https alone where the browser came by https", async () => {
    const header = async (headers: Record<string, string>) => (await post(headers)).headers["set-cookie"];
    expect(await header({ "x-forwarded-proto": "https" })).toMatch(/; Secure$/);
    expect(await header({})).not.toMatch(/Secure/);
  });

  it("by https is of nobody with a cookie that another host of the domain may have set", async () => {
    const https = { "x-forwarded-proto": "https" };
    const set = String((await post(https)).headers["set-cookie"]);
    const [cookie = ""] = set.split(";");
    const statusOf = async (sent: string) =>
      (await callConsole(api, "GET", "/session", { cookie: sent, headers: https })).status;
    expect(await statusOf(cookie)).toBe(200);
    expect(await statusOf(cookie.replace("__Host-", ""))).toBe(401);
  });

  it("is refused before its body is read, and whoever calls", async () => {
    const cookie = await signInAs(api, demoOwner);
    const answer = await callConsole(api, "DELETE", "/session", {
      cookie,
      headers: { origin: "http://evil.example" },
    });
    expect(answer.status).toBe(403);
    expect((await callConsole(api, "GET", "/session", { cookie })).status).toBe(200);
  });
});

describe("staff from elsewhere than HODHOD_STAFF_ALLOW", () => {
  const staff = { username: "near", password: staffPassword };
  const from = (address: string) => ({ "x-forwarded-for": address });
  beforeAll(() =>
    addStaff(
      { db: api.db, actor: { who: "command:test@test" } },
      { username: "near", password: staffPassword, role: "viewer" },
    ),
  );

  it("cannot sign in, as if the password were wrong", async () => {
    const far = await callConsole(api, "POST", "/session", { payload: staff, headers: from("192.0.2.1") });
    expect([far.status, far.body["errorCode"]]).toEqual([401, 401]);
    expect((await callConsole(api, "POST", "/session", { payload: staff, headers: from("10.1.2.3") })).status).toBe(
      200,
    );
  });

  it("cannot use a session, and customers can", async () => {
    const near = await callConsole(api, "POST", "/session", { payload: staff, headers: from("10.1.2.3") });
    const call = (cookie: string | undefined, address: string) =>
      callConsole(api, "GET", "/session", { cookie, headers: from(address) });
    const far = await call(cookieIn(near), "192.0.2.1");
    expect([far.status, far.body["errorCode"]]).toEqual([403, 1006]);
    expect((await call(cookieIn(near), "10.1.2.3")).status).toBe(200);
    expect((await call(await signInAs(api, demoOwner), "192.0.2.1")).status).toBe(200);
  });
});

describe("the paths below /console/api", () => {
  it("tell no other site anything", async () => {
    const { headers } = await callConsole(api, "GET", "/session", { headers: { origin: "http://evil.example" } });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("answer 405 with the methods that there are, and 404 where nothing is", async () => {
    const patch = await api.app.inject({ method: "PATCH", url: "/console/api/session" });
    expect([patch.statusCode, patch.headers.allow]).toEqual([405, "POST, GET, DELETE"]);
    const options = await api.app.inject({ method: "OPTIONS", url: "/console/api/session" });
    expect(options.statusCode).toBe(405);
    // The pages take these methods for every other address below /console.
    for (const [method, url, allow] of [
      ["GET", "/console/api/preview", "POST"],
      ["HEAD", "/console/api/session", "POST, GET, DELETE"],
      ["HEAD", "/console/api/send", "GET, POST"],
    ] as const) {
      const { statusCode, headers } = await api.app.inject({ method, url });
      expect([url, statusCode, headers.allow]).toEqual([url, 405, allow]);
    }
    expect((await api.app.inject("/console/api/nothing")).json()).toMatchObject({ errorCode: 404 });
  });

  it("are not there with HODHOD_CONSOLE=off", async () => {
    const off = await openTestApi({ HODHOD_CONSOLE: "off" });
    try {
      for (const url of ["/console/api/session", "/console/api/openapi.json"])
        expect((await off.app.inject(url)).statusCode).toBe(404);
      const post = { method: "POST", url: "/console/api/session", payload: demoOwner } as const;
      expect((await off.app.inject(post)).statusCode).toBe(404);
    } finally {
      await off.close();
    }
  });
});
