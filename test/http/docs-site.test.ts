import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorCatalogue } from "../../src/texts/errors.ts";
import { openTestApi, type TestApi } from "../support/test-api.ts";

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const get = (url: string, language = "en") => api.app.inject({ url, headers: { "accept-language": language } });
const docs = new URL("../../docs/", import.meta.url);
const names = readdirSync(docs, { recursive: true, encoding: "utf8" }).flatMap((file) =>
  file.endsWith(".md") && !file.startsWith("decisions") ? [file.slice(0, -3)] : [],
);

it("has each guide as a page and as Markdown, and no link of a page leads nowhere", async () => {
  expect(names.length).toBeGreaterThan(20);
  const addresses = new Set<string>();
  for (const name of names) {
    const page = await get(`/docs/${name}`);
    expect([name, page.statusCode]).toEqual([name, 200]);
    expect(page.body).toContain(name.endsWith(".fa") ? '<html lang="fa" dir="rtl">' : '<html lang="en" dir="ltr">');
    expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(page.body).not.toMatch(/<script|<img|<style/);
    const markdown = await get(`/docs/${name}.md`);
    expect(markdown.headers["content-type"]).toBe("text/markdown; charset=utf-8");
    for (const [, address = ""] of page.body.matchAll(/href="(\/[^"#]*)/g)) addresses.add(address);
  }
  for (const address of addresses) expect([address, (await get(address)).statusCode]).toEqual([address, 200]);
});

it("begins in the language of the reader", async () => {
  expect((await get("/docs", "fa")).body).toContain('<h1 id="راهنماها">');
  expect((await get("/docs")).body).toContain("Documentation</h1>");
});

it.each(
  Object.values(errorCatalogue)
    .map(({ code }) => code)
    .concat(500),
)("has a page for error %i", async (code) => {
  for (const language of ["en", "fa"]) {
    const page = await get(`/docs/errors/${code}`, language);
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-language"]).toBe(language);
    expect(page.body).toContain(language === "fa" ? "راه حل" : "What to do");
  }
});

it("is where each error leads", async () => {
  const refused = await get("/account/balance");
  expect(refused.headers["link"]).toBe('</docs/errors/401>; rel="help"');
  expect((await get("/docs/errors/9999")).statusCode).toBe(404);
  expect((await get("/docs/decisions/0001-one-package-built-on-first-use")).statusCode).toBe(404);
  expect((await get("/docs/../package.json")).statusCode).toBe(404);
});

it("finds words in both languages, and shows what was typed as text", async () => {
  expect((await get("/docs/search?q=messageIdFormat")).body).toContain('href="/docs/operate/connect-an-operator#');
  expect((await get(`/docs/search?q=${encodeURIComponent("بلك‌لیست مخابرات")}`, "fa")).body).toContain(
    'href="/docs/guides/in-iran.fa',
  );
  const odd = await get(`/docs/search?q=${encodeURIComponent('<script>"')}`);
  expect(odd.body).not.toContain("<script>");
  expect(odd.body).toContain("Nothing was found.");
});

it("lists the guides for programs", async () => {
  const list = (await get("/llms.txt")).body;
  for (const name of names) expect(list).toContain(`(/docs/${name}.md)`);
});
