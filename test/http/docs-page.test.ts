import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { closePages, isBrowserThere, openBrowser } from "../support/browser.ts";
import { openTestApi } from "../support/test-api.ts";
import { speak } from "../support/raw-http.ts";

const codeOf = (body: string) => (JSON.parse(body) as { errorCode: number }).errorCode;

/** Ends what hangs; nothing is asserted by it. */
const timeout = 120_000;

describe("GET /docs/api", () => {
  it("is served from here, under a policy that lets nothing else in", async () => {
    const api = await openTestApi();
    onTestFinished(() => api.close());
    const page = await api.app.inject("/docs/api");
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect(page.body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it("has its own files and no others", async () => {
    const api = await openTestApi();
    onTestFinished(() => api.close());
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
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
    const api = await openTestApi();
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const browser = await openBrowser();
    onTestFinished(async () => {
      await closePages(browser);
      await api.close();
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(timeout);
    const asked: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (line) => {
      if (line.type() === "error") problems.push(line.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`http://127.0.0.1:${port}/docs/api`);
    await page.locator(".opblock").nth(30).waitFor();
    expect(await page.locator(".opblock").count()).toBe(32);
    await page.locator("#operations-Sending-sendMessage .opblock-summary-control").click();
    await page.getByText("Idempotency-Key").first().waitFor();
    const foreign = asked.filter((url) => !url.startsWith(`http://127.0.0.1:${port}/`) && !url.startsWith("data:"));
    expect(foreign).toEqual([]);
    expect(problems).toEqual([]);
  });
});
