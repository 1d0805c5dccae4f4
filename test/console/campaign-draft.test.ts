// A draft before it is started, and what is saved of it, in Chromium: the first texts, rows without a
// value, a time chosen from the calendar of the language, and files for spreadsheets.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseFile, isBrowserThere, press, see } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import type { TestApi } from "../support/test-api.ts";

let api: TestApi;
let shown: OpenConsole;

async function open(next: string, locale: string): Promise<Page> {
  const viewport = { width: 390, height: 844 };
  const { page } = await openPageAs(shown, "demo", { next, locale, viewport });
  return page;
}

const file = "name;mobile\nسارا;09121234567\n ;09351234567\nعلی;09121234568\nرضا;09121234569\n";
/** The price is that of UCS-2 for one row of five. */
const quoted =
  "name;mobile\nSara;09121234561\nAli;09121234562\nReza;09121234563\nMina;09121234564\nO’Neil;09121234565\n";

describe.skipIf(!isBrowserThere)("a draft", () => {
  beforeAll(async () => {
    shown = await openConsole({});
    ({ api } = shown);
  });
  afterAll(() => shown.close());

  it("shows three texts, rows without a value, and a Jalali month to choose from", async () => {
    const page = await open("/campaigns/new", "fa-IR");
    await chooseFile(page, "a.csv", file);
    await page.locator("textarea").fill("سلام {name} عزیز");
    await press(page, "بررسی ردیف‌ها و هزینه");
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await see(page, "سلام سارا عزیز");
    expect(await page.locator("ol > li").allTextContents()).toEqual([
      "سلام سارا عزیز",
      "سلام علی عزیز",
      "سلام رضا عزیز",
    ]);
    await see(page, "۱ ردیف «⁨name⁩» ندارد و ارسال نمی‌شود.");
    const rows = page
      .getByRole("region", { name: "ردیف‌ها" })
      .or(page.locator("section", { hasText: "ردیف‌ها" }))
      .last();
    await see(rows, "09351234567");
    await see(rows, "مقدار name خالی است.");
    expect(await page.getByRole("main").getByText("الگو").count()).toBe(0);
    expect(await rows.getByText("09121234567").count()).toBe(0);
    await page.getByLabel("بعداً ارسال شود").check();
    await press(page, "ماه بعد");
    const last = page.getByRole("group", { name: "تقویم" }).locator("button[aria-pressed]").last();
    const name = (await last.getAttribute("aria-label")) ?? "";
    await last.click();
    const typed = await page.locator("fieldset input[type=text], fieldset input:not([type])").first().inputValue();
    expect(typed).toMatch(/^14\d\d\/\d\d\/(29|30|31)$/);
    expect(name).toMatch(/^(۲۹|۳۰|۳۱) \S+ ۱۴\d*/u);
    await press(page, "فردا ۰۹:۰۰");
    expect(await page.locator("fieldset input[placeholder='09:30']").inputValue()).toBe("09:00");
    expect(await page.getByRole("button", { name: "زمان‌بندی", exact: true }).isEnabled()).toBe(true);
    // The browser mirrors them in a text from right to left.
    expect(await page.getByRole("button", { name: "ماه قبل" }).innerText()).toBe("‹");
  });

  it("compares the cost with the credit beside the start", async () => {
    await api.rows("update account_balance set balance = 1000 where account_id = $1", [api.accountId("demo")]);
    const page = await open("/campaigns/new", "fa-IR");
    await chooseFile(page, "poor.csv", "09121234567\n");
    await page.locator("textarea").fill("سلام");
    await press(page, "بررسی ردیف‌ها و هزینه");
    await see(page, "اعتبار شما ۱٬۰۰۰ ریال است؛ ۳۹۰ ریال کم دارید.");
    expect(await page.getByRole("button", { name: "شروع", exact: true }).isEnabled()).toBe(true);
    await api.rows("update account_balance set balance = 1000000 where account_id = $1", [api.accountId("demo")]);
    await page.reload();
    await see(page, "اعتبار پس از ارسال: ۹۹۸٬۶۱۰ ریال");
  });

  it("names the characters that make a text dearer, in whichever row", async () => {
    const page = await open("/campaigns/new", "en-GB");
    await chooseFile(page, "b.csv", quoted);
    await page.locator("textarea").fill("Dear {name}");
    await press(page, "Check the rows and the price");
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await see(page, "’ U+2019: in rows: 1; first in row 6, character 7");
  });

  it("cannot be started while no row can be sent", async () => {
    const page = await open("/campaigns/new", "en-GB");
    await chooseFile(page, "c.csv", "09121234567\n09121234568\n");
    await page.locator("textarea").fill("x".repeat(3_999));
    await press(page, "Check the rows and the price");
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    const start = page.getByRole("button", { name: "Start", exact: true });
    await start.waitFor();
    expect(await start.isDisabled()).toBe(true);
  });

  it("is saved as a workbook, as CSV for people, and raw", async () => {
    const page = await open("/campaigns", "en-GB");
    await page.getByRole("link", { name: "a", exact: true }).click();
    await see(page, "Texts as they would be sent");
    await page.getByLabel("Rows to show").selectOption("");
    const save = async (form: string): Promise<string> => {
      await press(page, "Save as a file");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Kind of file").selectOption(form);
      const begun = page.waitForEvent("download");
      await press(dialog, "Save as a file");
      const download = await begun;
      const named = form === "raw" ? /^campaign\.csv$/ : new RegExp(`^a \\d{4}-\\d\\d-\\d\\d\\.${form}$`);
      expect(download.suggestedFilename()).toMatch(named);
      return readFileSync(await download.path(), form === "csv" ? "utf16le" : "latin1");
    };
    expect(await save("xlsx")).toMatch(/^PK/);
    const shown = await save("csv");
    expect(shown).toContain('"=""09121234567"""');
    expect(shown).toContain("Not sent yet");
    expect(shown).not.toContain("Message id");
    expect(await save("raw")).toContain("\r\n2,989121234567,");
  });

  it("is planned from a Gregorian month", async () => {
    const page = await open("/send", "en-GB");
    await page.getByLabel("Send later").check();
    await press(page, "Next month");
    await page.getByRole("group", { name: "Calendar" }).getByText("15", { exact: true }).click();
    expect(await page.getByLabel("Day").inputValue()).toMatch(/^\d{4}-\d\d-15$/);
  });

  it("is counted in reports with its deliveries", async () => {
    await api.rows(
      `insert into report_day (account_id, day, line, operator, status, messages, parts, charged, refunded)
       select $1, current_date, '10001234', 'MCI', s.status, s.messages, s.messages, 0, 0
         from (values (1, 5), (2, 6), (3, 1), (4, 1)) s (status, messages)`,
      [api.accountId("demo")],
    );
    const page = await open("/reports", "en-GB");
    const total = page.locator("dl > div", { hasText: "Delivery rate" });
    await see(total, "75 %", { exact: true });
    const persian = await open("/reports", "fa-IR");
    await press(persian, "فیلتر", { exact: true });
    await press(persian, "این ماه");
    await persian.waitForURL(/since=\d{4}-\d\d-\d\d&until=/);
    await see(persian.locator("dl > div", { hasText: "درصد تحویل" }), "۷۵٪", { exact: true });
  });
});
