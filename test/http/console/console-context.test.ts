import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  addStaff,
  callConsole,
  cookieIn,
  demoOwner,
  signInAs,
  staffPassword,
  consoleCalls,
} from "../../support/console.ts";
import { useTestApi, refusal } from "../../support/test-api.ts";

const api = useTestApi({ HODHOD_STAFF_ALLOW: "10.0.0.0/8", HODHOD_TRUST_PROXY: "127.0.0.1" });
const { get } = consoleCalls(api);

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

  it("by https is of nobody with a cookie that another host of the domain may have set", async () => {
    const https = { "x-forwarded-proto": "https" };
    const set = String((await post(https)).headers["set-cookie"]);
    const [cookie = ""] = set.split(";");
    const statusOf = async (sent: string) => (await get("/session", sent, undefined, https)).status;
    expect(await statusOf(cookie)).toBe(200);
    expect(await statusOf(cookie.replace("__Host-", ""))).toBe(401);
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
    expect(refusal(far)).toEqual([401, 401]);
    expect((await callConsole(api, "POST", "/session", { payload: staff, headers: from("10.1.2.3") })).status).toBe(
      200,
    );
  });

  it("cannot use a session, and customers can", async () => {
    const near = await callConsole(api, "POST", "/session", { payload: staff, headers: from("10.1.2.3") });
    const call = (cookie: string | undefined, address: string) => get("/session", cookie, undefined, from(address));
    const far = await call(cookieIn(near), "192.0.2.1");
    expect(refusal(far)).toEqual([403, 1006]);
    expect((await call(cookieIn(near), "10.1.2.3")).status).toBe(200);
    expect((await call(await signInAs(api, demoOwner), "192.0.2.1")).status).toBe(200);
  });
});
