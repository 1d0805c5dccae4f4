// The main tasks of each role of the staff, by the buttons of one language: an administrator
// keeps the staff and the setup, an operator the network, sales the accounts and their credit; a
// viewer looks.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatNumber } from "../../console/src/format/numbers.ts";
import { send } from "../http/console/reads.ts";
import { isBrowserThere } from "../support/browser.ts";
import { english, persian } from "../support/console-texts.ts";
import { type OpenConsole, goOn, goTo, openConsole, openPageAs } from "../support/open-console.ts";

let shown: OpenConsole;

const rowOf = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

describe.skipIf(!isBrowserThere)("in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator", omid: "operator", sara: "sales", vera: "viewer" });
    await send(shown.api, "09121234567", { content: "hidden from staff" });
  });
  afterAll(() => shown.close());

  it("an administrator adds somebody to the staff, applies a file, and finds both in the audit", async () => {
    const { t, locale } = english;
    const { page, problems } = await openPageAs(shown, "admin", { locale, next: "/staff" });
    await page.getByRole("button", { name: t("staff.add") }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel(t("signIn.username")).fill("nima");
    await form.getByLabel(t("people.role")).selectOption("viewer");
    await form.getByRole("button", { name: t("object.add"), exact: true }).click();
    await form.getByText(t("people.tellThem")).waitFor();
    await form.getByRole("button", { name: t("dialog.close") }).click();
    await rowOf(page, "nima").getByText(t("people.passwordWaits")).waitFor();
    await goOn(page, `${shown.base}/setup`);
    await page.getByLabel(t("setup.text")).fill('lines: [{ number: "30007700", kind: advertising }]');
    await page.getByRole("button", { name: t("setup.check") }).click();
    await page.getByRole("button", { name: t("setup.applyNow"), exact: true }).click();
    const question = page.getByRole("alertdialog");
    await question.getByRole("button", { name: t("setup.applyNow"), exact: true }).click();
    await page.getByText(t("setup.done", { count: 1 })).waitFor();
    await shown.api.rows(
      `insert into audit_entry (who, action, kind, name, after)
       values ('staff:vera', 'use', 'messageText', '', '{"sentMessageIds": ["one", "two"]}')`,
    );
    await goOn(page, `${shown.base}/audit`);
    await rowOf(page, "vera")
      .getByText(/^.?one.?, .?two.?$/)
      .waitFor();
    await rowOf(page, "30007700").getByText(t("audit.action.create")).waitFor();
    await rowOf(page, "nima").getByText("staff:admin").waitFor();
    expect(problems).toEqual([]);
  });

  it("an operator switches an operator off and on, pauses a connector, and asks which way a number goes", async () => {
    const { t, locale } = persian;
    const { page, problems } = await openPageAs(shown, "omid", { locale, next: "/operators" });
    await page.getByRole("switch", { name: "MCI", exact: true }).click();
    await page.getByText(t("operators.nowOff", { name: "MCI" })).waitFor();
    await page.getByRole("button", { name: t("object.undo") }).click();
    await page.getByText(t("operators.nowOn", { name: "MCI" })).waitFor();
    await goOn(page, `${shown.base}/connectors`);
    await rowOf(page, "mci-1")
      .getByRole("button", { name: t("campaign.pause") })
      .click();
    await page.getByText(t("connectors.done.paused", { name: "mci-1" })).waitFor();
    await page.getByRole("button", { name: t("object.undo") }).click();
    await page.getByText(t("connectors.done.resumed", { name: "mci-1" })).waitFor();
    await goOn(page, `${shown.base}/routes`);
    await page.getByLabel(t("trace.number")).fill("09121234567");
    await page.getByRole("button", { name: t("trace.ask") }).click();
    await page.getByText(t("trace.by.prefix", { prefix: "0912" })).waitFor();
    expect(problems).toEqual([]);
  });

  it("sales add an account and book credit for it", async () => {
    const { t, locale, language } = persian;
    const { page, problems } = await openPageAs(shown, "sara", { locale, next: "/accounts" });
    await page.getByRole("button", { name: t("account.add") }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel(t("message.account"), { exact: true }).fill("parsian");
    await form.getByLabel(t("accounts.tariff")).selectOption("standard");
    await form.getByRole("button", { name: t("object.add"), exact: true }).click();
    await form.waitFor({ state: "detached" });
    await page.getByRole("button", { name: t("booking.open") }).click();
    await form.getByLabel(t("booking.amount")).fill("1.5");
    await form.getByRole("button", { name: t("booking.open") }).waitFor();
    await form.getByLabel(t("booking.amount")).fill("2500000");
    await form.getByLabel(t("booking.reference")).fill("invoice-7");
    const amount = t("money.rials", { amount: formatNumber(language, 2_500_000) });
    await form.getByRole("button", { name: t("booking.add", { amount }) }).click();
    await form.getByText(t("booking.done", { reference: "invoice-7" })).waitFor();
    await form.getByRole("button", { name: t("dialog.close") }).click();
    await page.locator("dl").getByText(amount).waitFor();
    expect(problems).toEqual([]);
  });

  it("a viewer goes from a number to a message's life, and finds no text and nothing to change", async () => {
    const { t, locale } = english;
    const { page, problems } = await openPageAs(shown, "vera", { locale });
    await page.getByRole("heading", { level: 1, name: t("overview.title") }).waitFor();
    await page.getByRole("searchbox").fill("09121234567");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "09121234567" }).first().click();
    await page.getByRole("heading", { level: 2, name: t("life.title") }).waitFor();
    await page.getByText(t("life.accepted")).waitFor();
    expect(await page.getByRole("button", { name: t("message.showText") }).count()).toBe(0);
    expect(await page.getByText("hidden from staff").count()).toBe(0);
    await goOn(page, `${shown.base}/accounts`);
    await page.getByRole("link", { name: "demo", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: t("account.add") }).count()).toBe(0);
    await goTo(page, `${shown.base}/audit`);
    await page.getByText(t("notFound.lead")).waitFor();
    expect(problems).toEqual([]);
  });
});
