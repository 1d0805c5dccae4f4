// The pages as they are drawn: small, and true to what they are told.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { seriousFindings } from "../support/axe.ts";
import { loseFirstBind } from "../support/bound-connector.ts";
import { isBrowserThere, newPage, press, see } from "../support/browser.ts";
import { callConsole, demoOwner, signInAs } from "../support/console.ts";
import { keys, type TestApi } from "../support/test-api.ts";
import { goOn, openConsole, type OpenConsole, openPageAs, untilShown } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";

const assets = fileURLToPath(new URL("../../dist/console/assets/", import.meta.url));

let api: TestApi;
let browser: Browser;
let base: string;
let shown: OpenConsole;
let messageId: string;

/** With what moves, which the other tests do without. */
const openAs = async (who: "staff" | "customer", next: string, options = {}) => {
  const moving = { next, reducedMotion: "no-preference", ...options } as const;
  const opened = await openPageAs(shown, who === "staff" ? "admin" : "demo", moving);
  await untilShown(opened.page);
  return opened;
};

describe.skipIf(!isBrowserThere)("the pages of the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ api, base, browser } = shown);
    ({ sentMessageId: messageId } = await send(api, "09121234567", { content: hostile }));
    await send(api, "09351234567");
    await loseFirstBind(api);
  });
  afterAll(() => shown.close());

  const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

  it("show what is open over them without a serious finding: filters, menu, a question", async () => {
    const { page, problems } = await openAs("staff", "/messages");
    await press(page, "Filter", { exact: true });
    await page.getByLabel("Recipient").fill("۰۹۱۲۱۲۳۴۵۶۷");
    await page.getByLabel("From day").fill("not a day");
    await press(page, "Show", { exact: true });
    await see(page, "There is no such day");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("From day").fill("1405/01/01");
    await press(page, "Show", { exact: true });
    await page.waitForURL(`${base}/messages?recipient=09121234567&since=2026-03-21`);
    await press(page, "Remove the filter From day");
    await page.waitForURL(`${base}/messages?recipient=09121234567`);
    await expect.poll(() => page.getByRole("table").getByRole("row").count(), { timeout: 60_000 }).toBe(2);
    await press(page, "admin", { exact: true });
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("show a script in a text as text, to staff only when they ask", async () => {
    const customer = await openAs("customer", `/messages/${messageId}`);
    await see(customer.page, hostile);
    expect(await customer.page.title()).not.toBe("owned");
    const staff = await openAs("staff", `/messages/${messageId}`);
    expect(await staff.page.getByText("onerror").count()).toBe(0);
    await press(staff.page, "Show text");
    await see(staff.page, hostile);
    await goOn(staff.page, `${base}/audit`);
    await staff.page.getByRole("cell", { name: "text of the message" }).first().waitFor();
    expect([...customer.problems, ...staff.problems]).toEqual([]);
  });

  it("show the text of one message at no other, also after a step back", async () => {
    const { sentMessageId: other } = await send(api, "09351234568", { content: "Nothing special" });
    const { page, problems } = await openAs("staff", `/messages/${other}`);
    await page.getByRole("searchbox").fill(messageId);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "09121234567" }).waitFor();
    await press(page, "Show text");
    await see(page, hostile);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "09351234568" }).waitFor();
    expect(await page.getByText(hostile).count()).toBe(0);
    await page.getByRole("button", { name: "Show text" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("tell in the language that was just chosen why a message was not sent", async () => {
    const { sentMessageId } = await send(api, "09351234569");
    const cookie = await signInAs(api, demoOwner);
    await callConsole(api, "POST", `/messages/${sentMessageId}/cancel`, { cookie });
    const { page, problems } = await openAs("customer", `/messages/${sentMessageId}`);
    await page.getByText("The message was canceled.").first().waitFor();
    const copied = async (button: string | RegExp) => {
      await press(page, button);
      return page.evaluate("navigator.clipboard.readText()");
    };
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    expect(await copied("Copy as text")).toMatch(/ {2}Ended: Not sent\. The message was canceled\.$/m);
    await press(page, "فارسی");
    await page.getByText("ارسال پیامک لغو شد.").first().waitFor();
    expect(await page.getByText("The message was canceled.").count()).toBe(0);
    // It says that it was copied for a moment only.
    expect(await copied(/^(کپی شد|کپی متن)$/)).toMatch(/ {2}پایان: ارسال‌نشده\. ارسال پیامک لغو شد\.$/m);
    expect(problems).toEqual([]);
  });

  it("tell what needs a person, and lead from a number to a message's life", async () => {
    const { page } = await openAs("staff", "/overview");
    await see(page, /Connector .mci-1. has had no bind for/);
    await see(page, "ESME_RBINDFAIL");
    await page.getByRole("searchbox", { name: "Search" }).fill("0912 123 4567");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "09121234567" }).first().click();
    await page.waitForURL(`${base}/messages/${messageId}`);
    await see(page, "Accepted and charged");
    const time = page.locator("main time[tabindex]").first();
    await time.focus();
    const exact = await page.evaluate("getComputedStyle(document.activeElement, '::after').content");
    expect(exact).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} GMT/);
    await goOn(page, `${base}/messages/${uuidv7()}`);
    await see(page, "There is no message with this id");
  });

  it.each([
    { part: "of its own", address: "/profile", read: /console\/api\/sessions$/, below: "Change password" },
    { part: "of the same list", address: "/accounts/demo", read: /demo\/api-keys/, below: "Make a key" },
  ])("let nobody aim below what is still read, which moves as it comes: a part $part", async (each) => {
    const { page } = await openAs("staff", "/overview");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(each.read, (route) => released.then(() => route.continue()));
    await page.goto(base + each.address);
    const below = page.getByRole("button", { name: each.below, includeHidden: true });
    await below.waitFor({ state: "attached" });
    expect(await below.isVisible()).toBe(false);
    release();
    await below.waitFor();
    expect(await page.getByText("Loading").count()).toBe(0);
  });

  it("keep another account's message from a customer", async () => {
    const { sentMessageId } = await send(api, "09121112233", { key: keys.foreign });
    const { page } = await openAs("customer", `/messages/${sentMessageId}`);
    await see(page, "There is no message with this id");
  });

  it("say that the connection is lost, and go on by themselves", async () => {
    const { page } = await openAs("staff", "/overview");
    await page.context().setOffline(true);
    await see(page, "The gateway has been unreachable since");
    await page.context().setOffline(false);
    await page.getByText("The gateway has been unreachable since").waitFor({ state: "detached" });
    await see(page, /Connector .mci-1. has had no bind for/);
    expect(await page.getByRole("alert").count()).toBe(0);
    // To the second, in Persian, too.
    const persian = await openAs("staff", "/overview", { locale: "fa-IR" });
    await persian.page.context().setOffline(true);
    await see(persian.page, /از ساعت [۰-۹]{2}:[۰-۹]{2}:[۰-۹]{2} دسترسی/);
  });

  it("wait for the gateway where a page was not loaded before it went, and open it when it is back", async () => {
    const { page } = await openAs("staff", "/overview");
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Tariffs" }).first().click();
    await see(page, "The gateway does not respond. Nothing was changed.");
    await see(page, "The gateway has been unreachable since");
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Tariffs" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/tariffs");
  });

  it("come at once where a link was pointed at: their code is loaded by then", async () => {
    const { page } = await openAs("staff", "/messages");
    const code = page.waitForRequest(/\/assets\/routes-page-/);
    await page.getByRole("link", { name: "Routes" }).first().hover();
    const address = (await code).url();
    // Ends when the page has it, too, which asked before.
    await page.evaluate(`import(${JSON.stringify(address)}).then(() => {})`);
    await page.evaluate(
      `new MutationObserver(() => { if (document.querySelector("h1") === null) globalThis.stoodEmpty = true; })
        .observe(document.querySelector("main"), { childList: true, subtree: true })`,
    );
    await page.getByRole("link", { name: "Routes" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Routes" }).waitFor();
    expect(await page.evaluate("globalThis.stoodEmpty")).toBeUndefined();
  });

  it("load their code while it is asked who opens them", async () => {
    const { page } = await openAs("staff", "/messages");
    const code = page.waitForRequest(/\/assets\/routes-page-/);
    await page.route(/console\/api\/session$/, async (route) => {
      await code;
      await route.continue();
    });
    await page.goto(`${base}/routes`);
    await page.getByRole("heading", { level: 1, name: "Routes" }).waitFor();
  });

  it("load nothing ahead while the gateway is away", async () => {
    const { page } = await openAs("staff", "/messages");
    await page.context().setOffline(true);
    await press(page, "Refresh");
    await see(page, "The gateway has been unreachable since");
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    await page.getByRole("link", { name: "Routes" }).first().hover();
    await page.context().setOffline(false);
    await page.getByText("The gateway has been unreachable since").waitFor({ state: "detached" });
    expect(asked.filter((url) => url.includes("/assets/"))).toEqual([]);
  });

  it("are small: what the first page loads is at most 200 KB of scripts and styles, and 100 KB of fonts", async () => {
    for (const locale of ["en-GB", "fa-IR"]) {
      const opened = await newPage(browser, base, { locale });
      onTestFinished(opened.close);
      const loaded = new Set<string>();
      opened.page.on("request", (request) => loaded.add(new URL(request.url()).pathname.split("/").at(-1) ?? ""));
      await opened.page.goto(`${base}/sign-in`, { waitUntil: "networkidle" });
      // Fonts are asked for when the first text is drawn. (waitForFunction asks by eval, which the
      // pages forbid.)
      const areFontsLoaded =
        "document.fonts.status === 'loaded' && [...document.fonts].some(({ status }) => status === 'loaded')";
      await expect.poll(() => opened.page.evaluate(areFontsLoaded), { timeout: 30_000 }).toBe(true);
      const sizes = readdirSync(assets).map((name) => ({ name, octets: readFileSync(assets + name).length }));
      const sum = (pattern: RegExp) =>
        sizes
          .filter(({ name }) => pattern.test(name) && loaded.has(name.replace(/\.gz$/, "")))
          .reduce((total, { octets }) => total + octets, 0);
      const [scripts, fonts] = [sum(/\.(js|css)\.gz$/), sum(/\.woff2$/)];
      expect(scripts).toBeGreaterThan(50_000);
      expect(scripts).toBeLessThanOrEqual(200 * 1024);
      expect(fonts).toBeGreaterThan(20_000);
      expect(fonts).toBeLessThanOrEqual(100 * 1024);
    }
  });
});
