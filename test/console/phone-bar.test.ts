// The bar at the bottom of a phone: few places that do not touch, and a way to every page from it.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { isBrowserThere, press } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

const languages = {
  en: { locale: "en-GB", pages: "Pages", more: "More", others: "Other pages", close: "Close" },
  fa: { locale: "fa-IR", pages: "صفحه‌ها", more: "بیشتر", others: "صفحه‌های دیگر", close: "بستن" },
} as const;

let base: string;
let shown: OpenConsole;

const openAs = (who: "staff" | "customer", locale: string, width: number) =>
  openPageAs(shown, who === "staff" ? "admin" : "demo", { locale, viewport: { width, height: 740 } });

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
    ({ base } = shown);
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
    await press(bar, more);
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
      expect(await seriousFindings(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate("document.activeElement?.textContent")).toBe(more);
      expect(await button.getAttribute("aria-current")).toBe(null);
      await button.press("Enter");
      await sheet.getByRole("link").and(page.locator("[href$='/audit']")).press("Enter");
      await page.waitForURL(`${base}/audit`);
      await sheet.waitFor({ state: "detached" });
      expect(await button.getAttribute("aria-current")).toBe("true");
      await button.press("Enter");
      expect(await sheet.locator("[aria-current=page]").getAttribute("href")).toBe("/console/audit");
      await press(sheet, close);
      await sheet.waitFor({ state: "detached" });
    },
  );
});
