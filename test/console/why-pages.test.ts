// What pages say to the two questions that people ask of a message: why it waits, and why it failed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seriousFindings } from "../support/axe.ts";
import { loseFirstBind } from "../support/bound-connector.ts";
import { uuidv7 } from "../../src/platform/uuid.ts";
import { isBrowserThere, press, see } from "../support/browser.ts";
import { changeObjects } from "../support/object-sql.ts";
import { openConsole, type OpenConsole, openPageAs, untilShown } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";

let shown: OpenConsole;
let waiting: string;
let failed: string;
let refused: string;

async function openAs(username: string, next: string, { locale = "en-GB", width = 1280 } = {}) {
  const opened = await openPageAs(shown, username, { next, locale, viewport: { width, height: 800 } });
  await untilShown(opened.page);
  return opened;
}

async function reconfigure(text: string): Promise<void> {
  await shown.api.rows(text);
  await shown.api.rows("update configuration set version = version + 1");
  await shown.api.directory.refresh();
}

describe.skipIf(!isBrowserThere)("a message", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ sentMessageId: waiting } = await send(shown.api, "09121234567"));
    ({ sentMessageId: failed } = await send(shown.api, "09121234568"));
    await shown.api.rows(
      `update message set status = 3, reason = 1306, reason_detail = 'UNDELIV 130', failure = '{"kind": "blacklist"}', final_at = now() where id = $1`,
      [failed],
    );
    // What the service can know of failures is what a filter offers.
    await reconfigure(changeObjects("connectors", `'{"receiptErrors": {"130": "blacklist"}}'`));
    ({ sentMessageId: refused } = await send(shown.api, "09121234569"));
    await shown.api.rows(
      "update message set status = 4, reason = 1303, reason_detail = 'ESME_RINVDSTADR', final_at = now() where id = $1",
      [refused],
    );
    await loseFirstBind(shown.api);
  });
  afterAll(() => shown.close());

  it.each([
    ["admin", "en-GB", 1280, /^Connector mci-1 is down since \d\d:\d\d:\d\d, and its route has no other\.$/],
    ["admin", "fa-IR", 390, /^اتصال mci-1 از [۰-۹]{2}:[۰-۹]{2}:[۰-۹]{2} قطع است و مسیر اتصال دیگری ندارد\.$/],
    ["demo", "en-GB", 390, /^There is no link to this operator since .*\.$/],
    ["demo", "fa-IR", 1280, /^ارتباط با این اپراتور از .* قطع است\.$/],
  ])("that waits says why, to %s in %s, %i wide", async (who, locale, width, sentence) => {
    const { page, problems } = await openAs(who, `/messages/${waiting}`, { locale, width });
    await see(page, sentence);
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["en-GB", 1280, "What messages wait for", /^Connector mci-1 is down since .*, no other in the route$/],
    ["fa-IR", 390, "پیامک‌ها منتظر چه هستند", /^اتصال mci-1 از .* قطع است و مسیر اتصال دیگری ندارد$/],
  ])("that waits is counted on the overview: %s, %i wide", async (locale, width, title, sentence) => {
    const { page, problems } = await openAs("admin", "/overview", { locale, width });
    await page.getByRole("heading", { name: title }).waitFor();
    await see(page, sentence);
    await page.getByRole("heading", { name: title }).scrollIntoViewIfNeeded();
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["en-GB", 1280, "Filter", "Why it failed", "Show", "blacklist of the network"],
    ["fa-IR", 390, "فیلتر", "علت نرسیدن", "نمایش", "بلک‌لیست مخابرات"],
  ])("that failed is found by why, and says it: %s, %i wide", async (locale, width, open, label, apply, text) => {
    const { page, problems } = await openAs("demo", "/messages", { locale, width });
    await press(page, open, { exact: true });
    const networks = page.getByLabel(locale === "fa-IR" ? "اپراتور" : "Operator").locator("option");
    expect(await networks.allInnerTexts()).toContain(locale === "fa-IR" ? "همراه اول" : "MCI");
    expect(await page.getByLabel(label).locator("option").count()).toBe(2);
    await page.getByLabel(label).selectOption({ label: text });
    await press(page, apply, { exact: true });
    await page.waitForURL(/failureKind=blacklist/);
    await expect.poll(() => page.locator(`a[href$="/messages/${waiting}"]`).count(), { timeout: 60_000 }).toBe(0);
    await page.locator(`a[href$="/messages/${failed}"]`).first().waitFor();
    expect(await page.getByText(text).count()).toBeGreaterThan(1);
    await page.goto(page.url().replace(/\/messages.*/, `/messages/${failed}`));
    await page
      .getByText(`${text}${locale === "fa-IR" ? "؛" : ";"} UNDELIV 130`)
      .first()
      .waitFor();
    await see(page, locale === "fa-IR" ? "هزینهٔ آن برنمی‌گردد" : "It is not refunded");
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["en-GB", 1280, "ESME_RINVDSTADR; the recipient's number is invalid", "Error 1303"],
    ["fa-IR", 390, "ESME_RINVDSTADR؛ شمارهٔ گیرنده نامعتبر است", "راهنمای خطای 1303"],
  ])("that was refused says what the standard says of the status: %s, %i wide", async (locale, width, text, link) => {
    const { page, problems } = await openAs("demo", `/messages/${refused}`, { locale, width });
    await page.getByText(text).first().waitFor();
    expect(await page.getByRole("link", { name: link }).getAttribute("href")).toBe("/docs/errors/1303");
    const exact = await page.locator("time").first().getAttribute("data-exact");
    expect(exact).toMatch(locale === "fa-IR" ? /^14\d\d\/\d\d\/\d\d / : /^20\d\d-\d\d-\d\d /);
    expect(problems).toEqual([]);
  });

  it("of a call stands in the list of the call", async () => {
    const { batchId } = await send(shown.api, "09121234569");
    const { page } = await openAs("demo", `/batches/${batchId}`, { locale: "fa-IR" });
    await see(page.getByRole("table"), "09121234569");
  });

  it("from a subscriber is answered from its line", async () => {
    await shown.api.rows(
      `insert into inbound_message (account_id, sequence, id, sender, recipient, content, received_at)
       values ($1, 1, $2, '989351234567', '10001234', 'question', now())`,
      [shown.api.accountId("demo"), uuidv7()],
    );
    const { page } = await openAs("demo", "/received", { locale: "fa-IR" });
    await page.getByRole("link", { name: "پاسخ" }).click();
    await page.waitForURL(/\/send\?/);
    await expect.poll(() => page.getByLabel("گیرنده‌ها").inputValue()).toBe("09351234567");
    expect(await page.getByLabel("خط", { exact: true }).inputValue()).toBe("10001234");
    expect(await page.getByLabel("خط", { exact: true }).locator("option").first().innerText()).toMatch(/\(\S+\)/);
  });

  it("is not accepted for what is switched off, which the overview lists", async () => {
    await reconfigure(changeObjects("operators", `'{"enabled": false}'`, "'RighTel'"));
    for (const [locale, width, text] of [
      ["en-GB", 1280, "Operator ⁨RighTel⁩ is switched off."],
      ["fa-IR", 390, "اپراتور ⁨رایتل⁩ غیرفعال است."],
    ] as const) {
      const { page } = await openAs("admin", "/overview", { locale, width });
      await see(page, text);
    }
  });
});
