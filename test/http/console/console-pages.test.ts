import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApi, type TestApi, ownTestApi } from "../../support/test-api.ts";
import { speak } from "../../support/raw-http.ts";

const script = "console.log('the console')";
let folder: string;
let api: TestApi;
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "hodhod-console-"));
  mkdirSync(path.join(folder, "assets"));
  writeFileSync(path.join(folder, "index.html"), `<html data-c="SESSION_COOKIE"><style nonce="CSP_NONCE"></style>`);
  writeFileSync(path.join(folder, "assets", "main-Ab_1.js"), script);
  writeFileSync(path.join(folder, "assets", "main-Ab_1.js.gz"), "its gzip");
  writeFileSync(path.join(folder, "assets", "main-Ab_1.js.br"), "its brotli");
  writeFileSync(path.join(folder, "assets", "font-Cd2.woff2"), "its font");
  writeFileSync(path.join(folder, "licences.md"), "licences");
  api = await openTestApi({}, { consoleFolder: folder });
  port = await api.listen();
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** By hand: clients take paths apart before they ask. */
const ask = (target: string, headers = "", method = "GET") =>
  speak(port, `${method} ${target} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);

describe("pages of the console", () => {
  it("are one page for each address, never kept, under a policy without unsafe-*, with a nonce of each answer", async () => {
    const nonces = new Set<string>();
    const deep = ["/console/messages/0193?x=1", "/console/accounts/%D8%A8%D8%A7%D9%86%DA%A9", "/console/apis"];
    for (const target of ["/console", "/console/", "/console/sign-in", ...deep]) {
      const answer = await api.app.inject(target);
      expect([target, answer.statusCode]).toEqual([target, 200]);
      expect(answer.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      const policy = String(answer.headers["content-security-policy"]);
      const nonce = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? "";
      nonces.add(nonce);
      expect(answer.body).toBe(`<html data-c="none"><style nonce="${nonce}"></style>`);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).not.toContain("unsafe");
    }
    expect(nonces.size).toBe(6);
  });

  it("say whether the browser has a session's cookie, which no script can see", async () => {
    const page = async (cookie: string) => (await api.app.inject({ url: "/console", headers: { cookie } })).body;
    expect(await page("a=b; hodhod_session=x")).toContain('data-c="there"');
    for (const none of ["", "hodhod_session=", "xhodhod_session=x", "a=hodhod_session=x"])
      expect([none, await page(none)]).toEqual([none, expect.stringContaining('data-c="none"')]);
  });

  it("have assets that are kept for ever, in the smallest form that the browser takes", async () => {
    const asset = (accepted: string) =>
      api.app.inject({ url: "/console/assets/main-Ab_1.js", headers: { "accept-encoding": accepted } });
    const plain = await asset("");
    expect(plain).toMatchObject({ statusCode: 200, body: script });
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const small = await asset("gzip, br");
    expect([small.headers["content-encoding"], small.body]).toEqual(["br", "its brotli"]);
    const middle = await asset("gzip");
    expect([middle.headers["content-encoding"], middle.body]).toEqual(["gzip", "its gzip"]);
    const font = await api.app.inject({ url: "/console/assets/font-Cd2.woff2", headers: { "accept-encoding": "br" } });
    expect([font.headers["content-encoding"], font.headers["content-type"], font.body]).toEqual([
      undefined,
      "font/woff2",
      "its font",
    ]);
    const head = await api.app.inject({ method: "HEAD", url: "/console/assets/main-Ab_1.js" });
    expect([head.statusCode, head.headers["content-length"], head.body]).toEqual([200, String(script.length), ""]);
  });

  it("lead nowhere else in the file system", async () => {
    const out = ["../index.html", "..%2findex.html", "%2e%2e/licences.md", "%2E%2E%2F%2E%2E%2Fpackage.json", "..%5cx"];
    const cut = [
      "main-Ab_1.js%00",
      "%00",
      "main-Ab_1.js%00.css",
      "main-Ab_1.js/",
      "main-Ab_1.js/x",
      "%252e%252e%252fx",
    ];
    const others = ["", ".", "..", "%2e", "MAIN-AB_1.JS", "main-Ab_1.js.br", "main-Ab_1.js.gz", "/etc/passwd", "csp"];
    for (const name of [...out, ...cut, ...others]) {
      const { status, body } = await ask(`/console/assets/${name}`);
      // Only the router's own rules may make the same name of it.
      const isAllowed = status === 404 || (status === 200 && name === "main-Ab_1.js/" && body === script);
      expect([name, status, isAllowed]).toEqual([name, status, true]);
    }
    const tricks = [
      "..",
      ".env",
      "../package.json",
      "..%2fpackage.json",
      "x/%2e%2e/%2e%2e/package.json",
      "%00",
      "a%0ab",
    ];
    for (const rest of [...tricks, "..%5c..%5cpackage.json", "%2e%2e%2fpackage.json", "x/.git/config"])
      expect([rest, (await ask(`/console/${rest}`)).status]).toEqual([rest, 404]);
  });

  it("leave the API's addresses to the API", async () => {
    for (const target of ["/console/api", "/console/api/", "/console/api/nothing", "/console/API/nothing"]) {
      const answer = await ask(target);
      expect([target, answer.status, JSON.parse(answer.body)]).toEqual([
        target,
        404,
        expect.objectContaining({ errorCode: 404 }),
      ]);
    }
    expect((await ask("/console/sign-in", "content-length: 0\r\n", "POST")).status).toBe(405);
  });
});

describe("a console that is not there", () => {
  it("says how it is built", async () => {
    const other = await ownTestApi({}, { consoleFolder: path.join(folder, "nowhere") });
    for (const url of ["/console", "/console/overview"]) {
      const answer = await other.app.inject(url);
      expect([url, answer.statusCode]).toEqual([url, 503]);
      expect(answer.body).toContain("npm run build");
      expect(answer.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
    }
    expect((await other.app.inject("/console/assets/main-Ab_1.js")).statusCode).toBe(404);
  });

  it("is 404 everywhere where HODHOD_CONSOLE is off", async () => {
    const other = await ownTestApi({ HODHOD_CONSOLE: "off" }, { consoleFolder: folder });
    for (const url of [
      "/console",
      "/console/",
      "/console/overview",
      "/console/assets/main-Ab_1.js",
      "/console/api/session",
    ])
      expect([url, (await other.app.inject(url)).statusCode]).toEqual([url, 404]);
  });
});
