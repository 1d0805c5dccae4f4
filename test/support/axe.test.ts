import { expect, it } from "vitest";
import { seriousFindings } from "./axe.ts";
import { closePages, isBrowserThere, openBrowser } from "./browser.ts";

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
