// Files of campaigns as operators, phones and spreadsheets write them, in Chromium: the numbers are
// found, what is wrong is named with its row and column, and nothing starts without a number.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseFile, isBrowserThere, see } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let shown: OpenConsole;

async function openForm(locale: string): Promise<Page> {
  const opened = await openPageAs(shown, "demo", { next: "/campaigns/new", locale });
  await opened.page.getByRole("main").locator("form").waitFor();
  return opened.page;
}

const check = (on: Page) => on.locator("form button[type=submit]");

describe.skipIf(!isBrowserThere)("files of campaigns", () => {
  beforeAll(async () => {
    shown = await openConsole({});
  });
  afterAll(() => shown.close());

  it("are read with every separator, and with numbers as spreadsheets write them", async () => {
    const page = await openForm("en-GB");
    await page.getByLabel("Kind of text").selectOption("own");
    const contents = [
      "09121234567;سلام, خوبی؟\n09351234567;1,200\n",
      "sep=;\r\n09121234567;a, b\r\n09351234567;c",
      `="09121234567"\ta, b\n\u001f'+989351234567\tc\n`,
      "09121234567.0,a\n9.89351234567E+11,b\n",
      Buffer.from("\ufeff09121234567\ta, b\r\n09351234567\tc\r\n", "utf16le"),
    ];
    for (const content of contents) {
      await chooseFile(page, "empty.csv", "");
      await see(page, "The file has no rows");
      await chooseFile(page, "numbers.csv", content);
      await see(page, "Rows: 2", { exact: true });
      expect(await page.getByRole("table").getByRole("columnheader").count()).toBe(2);
      await expect.poll(() => check(page).isEnabled()).toBe(true);
      expect(await page.getByText("wrong number").count()).toBe(0);
    }
  });

  it("send what was read", async () => {
    const page = await openForm("en-GB");
    await page.getByLabel("Kind of text").selectOption("own");
    await chooseFile(
      page,
      "sent.csv",
      "name;mobile\nSara, too;'+989121234567\n\nAli;9.89351234567E+11\nReza;9.12123E+09\n",
    );
    await see(page, "Row 5, column 2: Excel has removed the last digits of the number (⁨9.12123E+09⁩).");
    await see(page, "Rows with a wrong number: 1.");
    await check(page).click();
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await see(page, "The spreadsheet cut this number");
    // The row that the spreadsheet shows, here as above.
    await page.getByRole("table", { name: "Rows" }).getByRole("cell", { name: "5", exact: true }).waitFor();
    await page.getByLabel("Rows to show").selectOption("");
    await see(page, "09121234567");
    await see(page, "09351234567");
    expect(await page.getByRole("button", { name: "Start", exact: true }).isEnabled()).toBe(true);
  });

  it("have their texts in the column that is called so, or in the one that is chosen", async () => {
    const page = await openForm("en-GB");
    await page.getByLabel("Kind of text").selectOption("own");
    const column = page.getByLabel("Column of the texts");
    await chooseFile(page, "export.csv", "time;mobile;متن\n2026-11-28;09121234567;Hello\n");
    await expect.poll(() => column.inputValue()).toBe("2");
    await chooseFile(page, "other.csv", "time;mobile;note\n2026-11-28;09121234567;Hello\n");
    await expect.poll(() => column.inputValue()).toBe("");
    expect(await check(page).isDisabled()).toBe(true);
    await column.selectOption("2");
    await expect.poll(() => check(page).isEnabled()).toBe(true);
  });

  it("are shown as a sheet, measured with their first row, and their wrong numbers counted", async () => {
    const page = await openForm("en-GB");
    await page.getByLabel("Text", { exact: true }).fill("Dear {name}");
    const wrong = Array.from({ length: 6 }, (_, row) => `x;${row}`).join("\n");
    await chooseFile(page, "many.csv", `name;mobile;a;b;c;d;e;f;g\nSara;09121234567\nAli;\n${wrong}\n`);
    await see(page, "Characters: 9, Parts: 1");
    await see(page, "Row 3, column 2 is empty.");
    await see(page, "and 2 more");
    const sheet = page.getByRole("table", { name: "The first rows of the file" });
    const box = await sheet.getByRole("row").nth(1).boundingBox();
    expect(box?.height).toBeLessThan(60);
  });

  it("without a number cannot be checked, and say why in both languages", async () => {
    const cut = "name;mobile\nSara;9.12123E+09\n";
    const page = await openForm("en-GB");
    await chooseFile(page, "cut.csv", cut);
    await see(page, "The numbers of all rows are wrong");
    expect(await check(page).isDisabled()).toBe(true);
    const persian = await openForm("fa-IR");
    await chooseFile(persian, "cut.csv", cut);
    await see(persian, "ردیف ۲، ستون ۲: اکسل رقم‌های آخر شماره را حذف کرده است");
    expect(await check(persian).isDisabled()).toBe(true);
  });

  it("that are not what their names say, or hold what no message carries, are refused in both languages", async () => {
    const [page, persian] = [await openForm("en-GB"), await openForm("fa-IR")];
    const files: readonly (readonly [string, string | Buffer, string, string])[] = [
      ["random.xlsx", Buffer.from([7, 250, 0, 31, 200, 9, 1, 0]), "no Excel workbook", "فایل اکسل نیست"],
      ["sheet.csv", "PK\u0003\u0004............", "not the text that its name promises", "متن نیست"],
      ["old.xls", "09121234567", "old Excel format", "قالب قدیمی"],
      ["bell.csv", "09121234567,a\n09351234567,b\u0007\n", "Row 2, column 2: the text has", "ردیف ۲، ستون ۲: متن"],
      ["long.csv", `09121234567,${"x".repeat(4_001)}`, "Row 1, column 2: the cell has", "ردیف ۱، ستون ۲: خانه"],
      ["empty.csv", "\n\n", "The file has no rows", "هیچ ردیفی ندارد"],
    ];
    for (const [name, content, english, inPersian] of files) {
      await chooseFile(page, name, content);
      await see(page.getByRole("alert"), english);
      expect(await check(page).isDisabled()).toBe(true);
      await chooseFile(persian, name, content);
      await see(persian.getByRole("alert"), inPersian);
    }
  });
});
