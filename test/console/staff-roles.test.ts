// The main tasks of each role of the staff, by the buttons of one language: an administrator
// keeps the staff and the setup, an operator the network, sales the accounts and their credit; a
// viewer looks.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatNumber } from "../../console/src/format/numbers.ts";
import { send } from "../http/console/reads.ts";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { english, persian } from "../support/console-texts.ts";
import { goOn, goTo, openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let shown: OpenConsole;

describe.skipIf(!isBrowserThere)("in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator", omid: "operator", sara: "sales", vera: "viewer" });
    await send(shown.api, "09121234567", { content: "hidden from staff" });
  });
  afterAll(() => shown.close());

  it("an administrator adds somebody to the staff, applies a file, and finds both in the audit", async () => {
    const { t, locale } = english;
    const { page, problems } = await openPageAs(shown, "admin", { locale, next: "/staff" });
    await press(page, t("staff.add"));
    const form = page.getByRole("dialog");
    await form.getByLabel(t("signIn.username")).fill("nima");
    await form.getByLabel(t("people.role")).selectOption("viewer");
    await press(form, t("object.add"), { exact: true });
    await see(form, t("people.tellThem"));
    await press(form, t("dialog.close"));
    await see(rowOf(page, "nima"), t("people.passwordWaits"));
    await goOn(page, `${shown.base}/setup`);
    await page.getByLabel(t("setup.text")).fill('lines: [{ number: "30007700", kind: advertising }]');
    await press(page, t("setup.check"));
    await press(page, t("setup.applyNow"), { exact: true });
    const question = page.getByRole("alertdialog");
    await press(question, t("setup.applyNow"), { exact: true });
    await see(page, t("setup.done", { count: 1 }));
    await shown.api.rows(
      `insert into audit_entry (who, action, kind, name, after)
       values ('staff:vera', 'use', 'messageText', '', '{"sentMessageIds": ["one", "two"]}')`,
    );
    await goOn(page, `${shown.base}/audit`);
    await see(rowOf(page, "vera"), /^.?one.?, .?two.?$/);
    await see(rowOf(page, "30007700"), t("audit.action.create"));
    await see(rowOf(page, "nima"), "staff:admin");
    expect(problems).toEqual([]);
  });

  it("an operator switches an operator off and on, pauses a connector, and asks which way a number goes", async () => {
    const { t, locale } = persian;
    const { page, problems } = await openPageAs(shown, "omid", { locale, next: "/operators" });
    await page.getByRole("switch", { name: "MCI", exact: true }).click();
    await see(page, t("operators.nowOff", { name: "MCI" }));
    await press(page, t("object.undo"));
    await see(page, t("operators.nowOn", { name: "MCI" }));
    await goOn(page, `${shown.base}/connectors`);
    await press(rowOf(page, "mci-1"), t("campaign.pause"));
    await see(page, t("connectors.done.paused", { name: "mci-1" }));
    await press(page, t("object.undo"));
    await see(page, t("connectors.done.resumed", { name: "mci-1" }));
    await goOn(page, `${shown.base}/routes`);
    await page.getByLabel(t("trace.number")).fill("09121234567");
    await press(page, t("trace.ask"));
    await see(page, t("trace.by.prefix", { prefix: "0912" }));
    expect(problems).toEqual([]);
  });

  it("sales add an account and book credit for it", async () => {
    const { t, locale, language } = persian;
    const { page, problems } = await openPageAs(shown, "sara", { locale, next: "/accounts" });
    await press(page, t("account.add"));
    const form = page.getByRole("dialog");
    await form.getByLabel(t("message.account"), { exact: true }).fill("parsian");
    await form.getByLabel(t("accounts.tariff")).selectOption("standard");
    await press(form, t("object.add"), { exact: true });
    await form.waitFor({ state: "detached" });
    await press(page, t("booking.open"));
    await form.getByLabel(t("booking.amount")).fill("1.5");
    await form.getByRole("button", { name: t("booking.open") }).waitFor();
    await form.getByLabel(t("booking.amount")).fill("2500000");
    await form.getByLabel(t("booking.reference")).fill("invoice-7");
    const amount = t("money.rials", { amount: formatNumber(language, 2_500_000) });
    await press(form, t("booking.add", { amount }));
    await see(form, t("booking.done", { reference: "invoice-7" }));
    await press(form, t("dialog.close"));
    await see(page.locator("dl"), amount);
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
    await see(page, t("life.accepted"));
    expect(await page.getByRole("button", { name: t("message.showText") }).count()).toBe(0);
    expect(await page.getByText("hidden from staff").count()).toBe(0);
    await goOn(page, `${shown.base}/accounts`);
    await page.getByRole("link", { name: "demo", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: t("account.add") }).count()).toBe(0);
    await goTo(page, `${shown.base}/audit`);
    await see(page, t("notFound.lead"));
    expect(problems).toEqual([]);
  });
});
