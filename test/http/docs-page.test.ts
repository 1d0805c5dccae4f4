import { describe, expect, it, onTestFinished } from "vitest";
import { isBrowserThere, newPage, openBrowser } from "../support/browser.ts";
import { ownTestApi } from "../support/test-api.ts";
import { speak } from "../support/raw-http.ts";

const codeOf = (body: string) => (JSON.parse(body) as { errorCode: number }).errorCode;

describe("GET /docs/api", () => {
  it("is served from here, under a policy that lets nothing else in", async () => {
    const api = await ownTestApi();
    const page = await api.app.inject("/docs/api");
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it("has its own files and no others", async () => {
    const port = await (await ownTestApi()).listen();
    // By hand: clients take such paths apart before they ask.
    const ask = async (file: string, headers = "") => {
      const answer = await speak(port, `GET /docs/api/static/${file} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`);
      return { status: answer.status, errorCode: answer.status === 200 ? 0 : codeOf(answer.body) };
    };
    expect(await ask("swagger-ui.css")).toEqual({ status: 200, errorCode: 0 });
    expect(await ask("swagger-ui.css", "range: bytes=99999999-\r\n")).toMatchObject({ status: 400 });
    const ranged = (range: string) =>
      speak(port, `GET /docs/api/static/swagger-ui.css HTTP/1.1\r\nhost: x\r\nrange: bytes=${range}\r\n\r\n`);
    expect((await ranged("0-9")).status).toBe(206);
    expect((await ranged(`0-9${",".repeat(300)}`)).status).toBe(200);
    const strays = ["%00", "swagger-ui.css%00", "x%00.css", "../../package.json", "..%2f..%2fpackage.json"];
    const encoded = ["%2e%2e/%2e%2e/package.json", "%2E%2E%2F%2E%2E%2Fpackage.json", "..%5c..%5cpackage.json", "..\\x"];
    const others = [
      ".",
      "..",
      "",
      "%2e",
      "/etc/passwd",
      "//etc/passwd",
      ".env",
      "nothing.css",
      "csp",
      "%252e%252e%252fx",
    ];
    for (const file of [...strays, ...encoded, ...others])
      expect([file, await ask(file)]).toEqual([file, { status: 404, errorCode: 404 }]);
  });

  it.skipIf(!isBrowserThere)("shows every operation and asks no other host for anything", async () => {
    const base = `http://127.0.0.1:${await (await ownTestApi()).listen()}`;
    const { page, problems, close } = await newPage(await openBrowser(), base);
    onTestFinished(close);
    await page.goto(`${base}/docs/api`);
    await page.locator(".opblock").nth(30).waitFor();
    expect(await page.locator(".opblock").count()).toBe(32);
    await page.locator("#operations-Sending-sendMessage .opblock-summary-control").click();
    await page.getByText("Idempotency-Key").first().waitFor();
    expect(problems.filter((each) => !each.startsWith("asked for data:"))).toEqual([]);
  });
});
