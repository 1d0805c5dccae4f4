import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { errorCatalogue } from "../../src/texts/errors.ts";
import { useTestApi } from "../support/test-api.ts";

const api = useTestApi();

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

it("writes the address that the reader came by into commands, and no other text", async () => {
  const at = async (page: string, host: string) =>
    (await api.app.inject({ url: `/docs/${page}`, headers: { host } })).body;
  for (const page of ["guides/send", "guides/send.md"]) {
    expect(await at(page, "sms.example.com:9000")).toContain("BASE=http://sms.example.com:9000\n");
    expect(await at(page, 'x"$(id)<b>')).toContain("BASE=http://127.0.0.1:8080\n");
  }
  expect(await at("operate/install", "sms.example.com")).toContain("http://127.0.0.1:8080/health/ready");
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

const exampleOf = async (code: number, language = "en"): Promise<string> => {
  const { body } = await get(`/docs/errors/${code}`, language);
  expect(body).not.toMatch(/\{[a-zA-Z]+\}/);
  const example = /<pre dir="auto"><code>([^]*?)<\/code>/.exec(body)?.[1] ?? "";
  return example.replaceAll("&#34;", '"');
};

it.each(["en", "fa"])("shows the response of an error as the gateway sends it, in %s", async (language) => {
  const [invalid, blocked, tooMany, refused, undelivered] = await Promise.all(
    [1001, 1202, 429, 1303, 1306].map((code) => exampleOf(code, language)),
  );
  expect(invalid).toMatch(
    /^HTTP 400\n\{"errorCode":1001,.*"validationErrors":\[\{"field":"recipientNumber","errorMessage":/,
  );
  expect(blocked).toContain(language === "en" ? "opted out of messages from the line 20001234." : "خط 20001234");
  expect(tooMany).toMatch(/^HTTP 429\nRetry-After: 5\n/);
  expect(refused).toMatch(/^HTTP 200\n\{"messages":\[.*"messageStatus":4,"errorCode":1303,.*ESME_RINVDSTADR/);
  expect(undelivered).toMatch(/"messageStatus":3,"errorCode":1306,.*UNDELIV 027\).*"reason":"unreachable"/);
});

it("has one page for all numbers of server errors, and says in a browser that a code is not known", async () => {
  const serverError = await get("/docs/errors/1234567890");
  expect([serverError.statusCode, serverError.body]).toEqual([200, (await get("/docs/errors/500")).body]);
  expect((await get("/docs/errors/1306")).body).toContain('href="/docs/api-guide#the-word-in-brackets"');
  for (const code of ["9999", "2147483648", "x"]) {
    const unknown = await get(`/docs/errors/${code}`, "fa");
    expect([unknown.statusCode, unknown.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(unknown.body).toContain('href="/docs/errors.fa"');
  }
});

it("finds pages in the reader's language first, and the limit of calls by its usual name", async () => {
  const found = async (words: string, language: string) =>
    [...(await get(`/docs/search?q=${words}`, language)).body.matchAll(/<li><a href="([^"#]*)/g)].map(
      ([, address = ""]) => address,
    );
  const persian = await found("webhook", "fa");
  const firstEnglish = persian.findIndex((address) => !address.endsWith(".fa"));
  expect(firstEnglish).toBeGreaterThan(0);
  expect(persian.slice(firstEnglish).filter((address) => address.endsWith(".fa"))).toEqual([]);
  expect((await found("webhook", "en"))[0]).not.toMatch(/\.fa$/);
  expect((await found("rate+limit", "en")).slice(0, 3)).toContain("/docs/reference/limits");
});

it("is where each error leads", async () => {
  const refused = await get("/account/balance");
  expect(refused.headers["link"]).toBe('</docs/errors/401>; rel="help"');
  expect((await get("/docs/errors/9999")).statusCode).toBe(404);
  const asBrowser = { "accept-language": "fa", accept: "text/html,*/*" };
  const missing = await api.app.inject({ url: "/docs/guides/nothing", headers: asBrowser });
  expect([missing.statusCode, missing.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  expect(missing.body).toContain("چنین صفحه‌ای وجود ندارد.");
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
