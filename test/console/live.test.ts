// What the service does now, in a real browser: a page asks for it while somebody can see the page,
// and no longer.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertMinute } from "../../src/store/figures.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { isBrowserThere, see } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let shown: OpenConsole;

/** As a browser does with a tab that goes behind another one. */
async function setVisibility(page: Page, state: "visible" | "hidden"): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${state}" });
     document.dispatchEvent(new Event("visibilitychange"));`,
  );
}

const nextLook = (page: Page) => page.waitForResponse((response) => response.url().endsWith("/api/live"));

describe.skipIf(!isBrowserThere)("the present figures of a page", () => {
  beforeAll(async () => {
    shown = await openConsole({ vera: "viewer" });
    // Of what the test API begins with, nothing needs a person.
    await shown.api.rows("update template set approved = true");
  });
  afterAll(() => shown.close());

  it("says at once that a connector is not bound and what becomes of its messages", async () => {
    const { page } = await openPageAs(shown, "vera");
    await see(page, /No running node has held connector .mci-1. for .*\. Its route has no other connector/);
    expect(await page.getByText("All systems normal").count()).toBe(0);
  });

  it("stands beside figures of the day that say why they are not there", async () => {
    const { page } = await openPageAs(shown, "vera", { next: "/connectors" });
    await page.route(/console\/api\/reports/, (route) =>
      route.fulfill({ status: 500, json: { errorCode: 1500, errorMessage: "Not now." } }),
    );
    await page.goto(`${shown.base}/overview`);
    await see(page.getByRole("alert"), "Not now.");
  });

  it("are asked for again and again, and at once when the page is seen again", async () => {
    const { page, problems } = await openPageAs(shown, "vera");
    await nextLook(page);
    await nextLook(page);
    await setVisibility(page, "hidden");
    await Promise.all([nextLook(page), setVisibility(page, "visible")]);
    expect(problems).toEqual([]);
  });
});

/** Of the last chart: its pixels in the colour of the slowest answers. */
const drawnPixels = `(() => {
  const canvas = [...document.querySelectorAll("figure canvas")].at(-1);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colour = getComputedStyle(canvas).getPropertyValue("--undelivered").trim();
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  let drawn = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] === 255 && wanted.every((part, index) => Math.abs(data[at + index] - part) < 8)) drawn += 1;
  return drawn;
})()`;

describe.skipIf(!isBrowserThere)("the charts of the overview", () => {
  it("show no time of answers for a minute without one, and a point for a minute alone", async () => {
    const opened = await openConsole({ vera: "viewer" });
    const minuteMs = 60_000;
    const last = Math.floor(Date.now() / minuteMs) * minuteMs - minuteMs;
    const counts = { accepted: 4, sent: 4, delivered: 4, undelivered: 0, unsent: 0 };
    const parts = { taken: 4, refused: 0, throttled: 0, unanswered: 0 };
    for (const [minutesAgo, answers, ms] of [
      [2, 0, 0],
      [1, 4, 170],
      [0, 0, 0],
    ] as const) {
      const times = { answers, medianMs: ms, slowMs: ms };
      const at = new Date(last - minutesAgo * minuteMs);
      await insertMinute(opened.api.db, { at, processId: uuidv7(), ...counts, ...parts, ...times });
    }
    const { page } = await openPageAs(opened, "vera");
    const legend = page.locator("figcaption").last();
    await see(legend, "Response time, median: —");
    await see(legend, "Slowest 5 %: —");
    await see(page.locator("figcaption").first(), "Delivered: 4");
    expect(await page.evaluate(drawnPixels)).toBeGreaterThan(4);
    await opened.close();
  });
});
