// The page of delivery quality, and the way to it from the overview, in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FiguresReporter } from "../../src/figures/report-figures.ts";
import { measureDeliveryFalls } from "../../src/maintenance/measurements.ts";
import { isBrowserThere, press } from "../support/browser.ts";
import { countDelivery, endCounting } from "../support/count-delivery.ts";
import { openConsole, type OpenConsole, openPageAs, untilShown } from "../support/open-console.ts";

let shown: OpenConsole;

describe.skipIf(!isBrowserThere)("delivery quality", () => {
  beforeAll(async () => {
    shown = await openConsole({ vera: "viewer" });
    const { api } = shown;
    await endCounting(api);
    await countDelivery(api, { hoursAgo: 3, messages: 410 });
    await countDelivery(api, { hoursAgo: 3, messages: 90, status: 3, failure: "UNDELIV 027" });
    await countDelivery(api, { hoursAgo: 3, messages: 30, status: 4, failure: "1304", connector: 0 });
    await countDelivery(api, { hoursAgo: 3, messages: 700, operator: "Irancell", time: 5 });
    await countDelivery(api, { hoursAgo: 30, messages: 970 });
    await countDelivery(api, { hoursAgo: 30, messages: 30, status: 3, failure: "UNDELIV 027" });
    await countDelivery(api, { hoursAgo: 30, messages: 680, operator: "Irancell", time: 4 });
  });
  afterAll(() => shown.close());

  it("leads from a fall on the overview to what fell", async () => {
    const { api } = shown;
    const reporter = new FiguresReporter({ db: api.db, telemetry: api.telemetry });
    await reporter.start();
    await measureDeliveryFalls({ db: api.db, telemetry: api.telemetry });
    await reporter.runNow();
    const { page, problems } = await openPageAs(shown, "vera");
    const item = page.getByRole("listitem").filter({ hasText: /operator .*MCI.* fell by 19.6 points, to 77.4 %/ });
    await item.getByRole("link").click();
    await untilShown(page);
    const rows = page.getByRole("table").getByRole("row");
    expect(await rows.nth(1).innerText()).toMatch(/MCI\s+−19.6\s+77.4 %\s+97 %\s+530\s+1,000/);
    expect(await rows.nth(2).innerText()).toMatch(/Irancell/);
    await reporter.stop();
    expect(problems).toEqual([]);
  });

  it("says why, in the words of the viewer", async () => {
    const { page } = await openPageAs(shown, "vera", { next: "/quality?by=failure", locale: "fa-IR" });
    await untilShown(page);
    const rows = page.getByRole("table").getByRole("row");
    expect(await rows.nth(1).innerText()).toMatch(/UNDELIV 027\s+\+/);
    expect(await rows.nth(2).innerText()).toContain("مهلت ارسال پیامک به پایان رسید");
  });

  it("offers customers no connectors", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/quality" });
    await untilShown(page);
    expect(await page.getByRole("columnheader").first().innerText()).toBe("Operator");
    await press(page, "Filter");
    expect(await page.getByLabel("Compare by").locator("option").allInnerTexts()).toEqual([
      "Operator",
      "Line",
      "Why it failed",
    ]);
    // What is compared, and over what time, where nothing is chosen.
    expect(await page.getByLabel("Compare by").inputValue()).toBe("operator");
    expect(await page.getByLabel("Range").inputValue()).toBe("24h");
  });
});
