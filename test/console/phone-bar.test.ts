// The bar at the bottom of a phone: few places that do not touch, and a way to every page from it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isBrowserThere, newPage } from "../support/browser.ts";
import { staffPassword } from "../support/console.ts";
import { openConsole, type OpenConsole } from "../support/open-console.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const languages = {
  en: { locale: "en-GB", pages: "Pages", more: "More", others: "Other pages", close: "Close" },
  fa: { locale: "fa-IR", pages: "صفحه‌ها", more: "بیشتر", others: "صفحه‌های دیگر", close: "بستن" },
} as const;

let browser: Browser;
let base: string;
let shown: OpenConsole;

async function openAs(who: "staff" | "customer", locale: string, width: number) {
  const opened = await newPage(browser, base, { locale, viewport: { width, height: 740 } });
  onTestFinished(opened.close);
  const { page } = opened;
  await page.goto(`${base}/sign-in`);
  await page.locator("[name=username]").fill(who === "staff" ? "admin" : "demo");
  await page.locator("[name=password]").fill(who === "staff" ? staffPassword : "demo-password");
  if (who === "customer") await page.locator("[name=organisation]").fill("demo.example");
  await page.locator("[type=submit]").click();
  await page.waitForURL(/overview|home/);
  return opened;
}

async function linksIn(page: Page, name: string): Promise<readonly (string | null)[]> {
  const links = await page.getByRole("navigation", { name, exact: true }).getByRole("link").all();
  return Promise.all(links.map((link) => link.getAttribute("href")));
}

/** Names in the bar that are longer than their places. */
const cutNames = `[...document.querySelectorAll("nav li span")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent)`;

describe.skipIf(!isBrowserThere)("the bar of a phone", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ base, browser } = shown);
  });
  afterAll(() => shown.close());

  it.each([
    ["staff", "en", 360],
    ["staff", "fa", 360],
    ["customer", "en", 360],
    ["customer", "fa", 390],
  ] as const)("has at most five places, and leads %s to every page (%s, %d px)", async (who, language, width) => {
    const { locale, pages, more, others } = languages[language];
    const { page, problems } = await openAs(who, locale, width);
    const bar = page.getByRole("navigation", { name: pages });
    const places = bar.getByRole("listitem");
    await places.first().waitFor();
    expect(await places.count()).toBe(5);
    expect(await page.evaluate(cutNames)).toEqual([]);
    const inBar = await linksIn(page, pages);
    await bar.getByRole("button", { name: more }).click();
    await page.getByRole("dialog", { name: others }).waitFor();
    const onPhone = [...inBar, ...(await linksIn(page, others))];
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1280, height: 740 });
    await expect.poll(() => bar.getByRole("button").count()).toBe(0);
    const wide = await linksIn(page, pages);
    expect(wide.length).toBeGreaterThan(5);
    expect([...onPhone].sort()).toEqual([...wide].sort());
    expect(problems).toEqual([]);
  });

  it.each(["en", "fa"] as const)(
    "is worked by the keyboard, marks the page, and gives the focus back (%s)",
    async (language) => {
      const { locale, pages, more, others, close } = languages[language];
      const { page } = await openAs("staff", locale, 390);
      const button = page.getByRole("navigation", { name: pages }).getByRole("button", { name: more });
      await button.press("Enter");
      const sheet = page.getByRole("dialog", { name: others });
      await sheet.waitFor();
      await page.evaluate(axe);
      const findings = await page.evaluate<{ id: string; impact: string }[]>(
        "axe.run(document).then(({ violations }) => violations.map(({ id, impact }) => ({ id, impact })))",
      );
      expect(findings.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement?.textContent")).toBe(more);
      expect(await button.getAttribute("aria-current")).toBe(null);
      await button.press("Enter");
      await sheet.getByRole("link").and(page.locator("[href$='/audit']")).press("Enter");
      await page.waitForURL(`${base}/audit`);
      await sheet.waitFor({ state: "detached" });
      expect(await button.getAttribute("aria-current")).toBe("true");
      await button.press("Enter");
      expect(await sheet.locator("[aria-current=page]").getAttribute("href")).toBe("/console/audit");
      await sheet.getByRole("button", { name: close }).click();
      await sheet.waitFor({ state: "detached" });
    },
  );
});
