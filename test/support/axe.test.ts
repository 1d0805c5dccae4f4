import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { seriousFindings } from "./axe.ts";
import { closePages, isBrowserThere, openBrowser } from "./browser.ts";

const rulesOf = async (page: Page): Promise<readonly string[]> =>
  (await seriousFindings(page)).map((finding) => finding.split(" ")[1]?.slice(0, -1) ?? "");

it.skipIf(!isBrowserThere)("finds what is critical or serious, and nothing else", async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.setContent(`<!doctype html><html lang="en"><title>t</title>
      <button></button><p style="color:#ccc;background:#fff">faint</p><h1>one</h1><h4>four</h4></html>`);
    const findings = await seriousFindings(page);
    expect(
      findings.map((finding) => finding.split(/[ :]+/).find((word) => /^(button|color|heading)-/.test(word))),
    ).toEqual(["button-name", "color-contrast"]);
  } finally {
    await closePages(browser);
  }
});

it.skipIf(!isBrowserThere).each([
  ["what is on the page", "document.querySelector('main').innerHTML = '<p style=\"color:#ccc\">faint</p>'"],
  ["another theme", "document.documentElement.dataset.theme = 'dark'"],
  ["another width", ""],
  ["its own colour", "document.querySelector('nav a').style.color = '#ccc'"],
  ["its place", "document.querySelector('nav').className = 'faint'"],
  ["a pointer over it", ""],
  ["what lies under it", "document.querySelector('main').className = 'under'"],
])("reads again what stands around a page where that may change it: %s", async (what, change) => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
    await page.setContent(`<!doctype html><html lang="en"><title>t</title><style>
        body { margin: 0; background: #fff } a { color: #333; text-decoration: none } h1 { background: #fff }
        [data-theme=dark] a, .faint a, a:hover { color: #ccc }
        nav { position: relative; z-index: 1 }
        .under { position: absolute; top: 0; left: 0; width: 800px; height: 400px; background: #444 }
        .under h1 { display: none }
        @media (max-width: 700px) { a { color: #ccc } }
      </style><nav><ul><li><a href="/x">A page</a></li></ul></nav><main><h1>one</h1></main></html>`);
    expect(await rulesOf(page)).toEqual([]);
    expect(await rulesOf(page)).toEqual([]);
    if (what === "another width") await page.setViewportSize({ width: 600, height: 600 });
    else if (what === "a pointer over it") await page.getByRole("link").hover();
    else await page.evaluate(change);
    expect(await rulesOf(page)).toEqual(["color-contrast"]);
  } finally {
    await closePages(browser);
  }
});
