// The numbers of block lists in a real browser: looked up, added and taken off by staff of the
// network, and seen by others of the staff.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importBlockList } from "../../src/setup/change-number-lists.ts";
import { NumberCollector } from "../../src/sms/number-blocks.ts";
import { seriousFindings } from "../support/axe.ts";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { applyDocument } from "../support/apply-document.ts";

let shown: OpenConsole;

describe.skipIf(!isBrowserThere)("block lists in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ olga: "operator", vida: "viewer" });
  });
  afterAll(() => shown.close());

  it("say how one is made, and then what they hold and where they count", async () => {
    const { page, problems } = await openPageAs(shown, "olga", { next: "/block-lists" });
    await see(page, "No block lists yet");
    const { db } = shown.api;
    const by = { who: "command:test@test" };
    for (const name of ["lawsuits", "spare"]) await importBlockList(db, { name, numbers: new NumberCollector(), by });
    const text = "blockLists: [{ name: lawsuits, accounts: [demo] }]";
    await applyDocument(db, text);
    await page.reload();
    await see(rowOf(page, "lawsuits"), "demo");
    await see(rowOf(page, "spare"), "Nothing: no rule uses it");

    const dialog = page.getByRole("dialog");
    const act = async (button: string, number: string, outcome: string): Promise<void> => {
      await press(rowOf(page, "lawsuits"), button);
      await dialog.getByLabel("Number").fill(number);
      await press(dialog, button);
      await see(dialog, outcome);
      await press(dialog, "Close");
      await dialog.waitFor({ state: "detached" });
    };
    await act("Look up a number", "09120003001", "is not on the list lawsuits");
    await act("Add a number", "۰۹۱۲ ۰۰۰ ۳۰۰۱", "is on the list lawsuits");
    await rowOf(page, "lawsuits").getByRole("cell", { name: "1", exact: true }).waitFor();
    await act("Add a number", "09120003001", "is on the list lawsuits");
    await act("Look up a number", "+989120003001", "09120003001");
    await act("Remove a number", "09120003001", "is not on the list lawsuits");
    await rowOf(page, "lawsuits").getByRole("cell", { name: "0", exact: true }).waitFor();

    await press(rowOf(page, "lawsuits"), "Add a number");
    await dialog.getByLabel("Number").fill("12");
    await press(dialog, "Add a number");
    await expect.poll(() => dialog.getByLabel("Number").getAttribute("aria-invalid")).toBe("true");
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${shown.base}/audit`);
    await page.getByRole("cell", { name: "block list" }).first().waitFor();
    // The browser logs the refused call.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  it("show their numbers on a page of their own, where one is found, added and taken off", async () => {
    const { page, problems } = await openPageAs(shown, "olga", { next: "/block-lists" });
    const { db } = shown.api;
    const numbers = new NumberCollector();
    for (let place = 120_004_000; place < 120_004_060; place += 1) numbers.add(place, 1);
    await importBlockList(db, { name: "law suits/2026", numbers, by: { who: "command:test@test" } });
    await page.reload();
    await page.getByRole("link", { name: "law suits/2026" }).click();
    await page.getByRole("heading", { name: "law suits/2026" }).waitFor();
    const table = page.getByRole("table", { name: "Numbers" });
    await expect.poll(() => table.getByRole("row").count()).toBe(51);
    await press(page, "Show more");
    await expect.poll(() => table.getByRole("row").count()).toBe(61);
    expect(await seriousFindings(page)).toEqual([]);

    await press(page, "Add a number");
    await page.getByRole("dialog").getByLabel("Number").fill("09129990000");
    await press(page.getByRole("dialog"), "Add a number");
    await press(page.getByRole("dialog"), "Close");
    await rowOf(page, "09129990000").waitFor();
    await press(page, "Filter", { exact: true });
    await page.getByLabel("Number", { exact: true }).fill("۰۹۱۲۰۰۰۴۰۵۰");
    await press(page, "Show", { exact: true });
    await expect.poll(() => table.getByRole("row").count()).toBe(2);
    await press(rowOf(page, "09120004050"), "Remove");
    await see(page.getByRole("alertdialog"), /Remove .09120004050. from law suits.2026\?/);
    await press(page.getByRole("alertdialog"), "Remove");
    await see(page, "Nothing matches these filters");
    await page.goto(`${shown.base}/block-lists/nothing`);
    await see(page, "There is no block list with this name");
    expect(problems).toEqual([]);
  });

  it("are only looked up by those who may not change the network, in Persian, too", async () => {
    const { page, problems } = await openPageAs(shown, "vida", { next: "/block-lists", locale: "fa-IR" });
    await rowOf(page, "lawsuits").waitFor();
    const names = await rowOf(page, "lawsuits").getByRole("button").allTextContents();
    expect(names).toEqual(["جست‌وجوی شماره"]);
    await rowOf(page, "lawsuits").getByRole("button").click();
    await page.getByLabel("شماره", { exact: true }).fill("۰۹۱۲۰۰۰۳۰۰۱");
    await press(page.getByRole("dialog"), "جست‌وجوی شماره");
    await see(page, "در لیست lawsuits نیست");
    expect(problems).toEqual([]);
  });
});
