// The main tasks from the browser to the phone and back: the whole gateway with simulated operators
// behind the pages.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, chooseFile, closePages, isBrowserThere, openBrowser, press, see } from "../support/browser.ts";
import { bothLanguages, english, persian, textsOf } from "../support/console-texts.ts";
import { addStaff, staffPassword } from "../support/console.ts";
import { openPageAs } from "../support/open-console.ts";
import { recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { baseConnectors, baseSetup, credentials, longText } from "../support/gateway-setup.ts";

let gateway: TestGateway;
let browser: Browser;
let base: string;

async function openAs(who: "staff" | "customer", place: string, locale = "en-GB"): Promise<Page> {
  const username = who === "staff" ? "admin" : credentials.username;
  const { page } = await openPageAs({ base, browser, api: gateway }, username, { next: place, locale });
  return page;
}

/**
 * The value beside this name among the facts of a page. To wait for one, wait for this with its
 * text: that is asked in the page, twice a second.
 */
function factOf(page: Page, name: string, value?: string) {
  const values = page
    .locator("dl > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .locator("dd");
  return value === undefined ? values : values.filter({ hasText: new RegExp(`^${value}$`) });
}

describe.skipIf(!isBrowserThere)("in the console, with operators behind it,", () => {
  beforeAll(async () => {
    await buildConsole();
    gateway = await startTestGateway({
      smsc: [{ receiptDelayMs: 10 }, { receiptDelayMs: 10 }],
      setup: (ports) => {
        const [patient, hasty] = baseConnectors(ports);
        return {
          // The second operator is soon taken for silent.
          connectors: [patient, { ...hasty, responseTimeoutMs: 500 }],
          routes: [
            { operator: "Irancell", line: "*", connectors: ["smsc-2"] },
            { operator: "*", line: "*", connectors: ["smsc-1"] },
          ],
          accounts: (baseSetup(ports, {})["accounts"] as object[]).map((account) => ({
            ...account,
            credit: 1_000_000_000,
          })),
        };
      },
    });
    base = `${gateway.url}/console`;
    browser = await openBrowser();
    const by = { db: gateway.db, actor: { who: "command:test@test" } };
    await addStaff(by, { username: "admin", password: staffPassword, role: "administrator" });
  });
  afterAll(async () => {
    await closePages(browser);
    await gateway.stop();
  });

  it("five hundred rows of a file come to five hundred phones", async () => {
    // Endings that the simulated operator delivers.
    const rows = Array.from({ length: 500 }, (_, at) => recipientOf(String(5001 + (at % 10)), Math.floor(at / 10)));
    const page = await openAs("customer", "/campaigns/new");
    await chooseFile(page, "autumn.csv", ["mobile", ...rows].join("\n"));
    await page.getByLabel("Text", { exact: true }).fill("سلام");
    await press(page, "Check the rows and the price");
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}$/);
    await factOf(page, "Will be sent", "500").waitFor({ timeout: 30_000 });
    await press(page, "Start", { exact: true });
    await press(page.getByRole("dialog"), "Start", { exact: true });
    await page.getByText("Done", { exact: true }).waitFor({ timeout: 120_000 });
    await factOf(page, "Delivered", "500").waitFor({ timeout: 120_000 });
    expect(await factOf(page, "Waiting").textContent()).toBe("0");
    expect(await gateway.count("message", "status = 2")).toBe(500);
    expect(new Set(gateway.smsc.submitted.map(({ recipient }) => recipient.address)).size).toBe(500);
    await page.getByRole("link", { name: "Its messages" }).click();
    await page.waitForURL(/messages\?campaign=/);
    await expect.poll(() => page.getByRole("table").getByRole("row").count(), { timeout: 30_000 }).toBe(51);
    // What it cost is booked under its name; its calls are one row.
    await page.goto(new URL("credit", page.url()).href);
    const charges = page.getByRole("row").filter({ has: page.getByRole("link", { name: "autumn" }) });
    await charges.first().waitFor();
    expect(await charges.allInnerTexts()).toEqual([expect.stringMatching(/Messages: 500\s+500\s+-695,000/)]);
  });

  it("a template is asked for, approved, and sent by", async () => {
    const { t, locale } = persian;
    const begins = "مرسولهٔ";
    const rest = "در راه است";
    const customer = await openAs("customer", "/templates", locale);
    await press(customer, t("template.new"));
    const form = customer.getByRole("dialog");
    await form.getByLabel(t("message.text")).fill(`${begins} {parcel} ${rest}`);
    await form.getByLabel(t("template.purpose")).selectOption("information");
    await press(form, t("template.ask"));
    const row = customer.getByRole("row").filter({ hasText: begins });
    await see(row, t("template.state.pending"));
    await customer.goto(`${base}/send`);
    const chosen = customer.getByLabel(t("message.template"), { exact: true });
    await chosen.waitFor();
    const option = chosen.locator("option", { hasText: begins });
    expect(await option.count()).toBe(0);
    const staff = await openAs("staff", "/templates?state=pending", locale);
    const pending = staff.getByRole("row").filter({ hasText: begins });
    await press(pending, t("template.approve"));
    const question = staff.getByRole("dialog");
    await see(question, begins);
    const read = await question.innerText();
    expect(read.indexOf(begins)).toBeLessThan(read.indexOf(t("template.purpose")));
    const purpose = question.getByLabel(t("template.purpose"));
    expect(await purpose.inputValue()).toBe("information");
    await purpose.selectOption("code");
    const follows = gateway.telemetry.next("configuration.reloaded");
    await press(question, t("template.approve"));
    await question.waitFor({ state: "detached" });
    // All nodes follow within a second; the page asks when it is opened.
    await follows;
    await expect
      .poll(
        async () => {
          await customer.reload();
          await chosen.waitFor();
          return option.count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await chosen.selectOption(await option.getAttribute("value"));
    await customer.getByLabel("parcel", { exact: true }).fill("A-17");
    const recipient = recipientOf("6001", 7);
    await customer.getByLabel(t("send.recipients")).fill(recipient);
    await press(customer, t("send.send"), { exact: true });
    await see(customer, t("send.sent", { count: 1 }));
    const [sent] = await gateway.untilSubmitted(recipient, 1);
    expect(sent?.text).toBe(`${begins} A-17 ${rest}`);
  });

  it("an operator is off meanwhile: the page says so before sending, until staff undo it", async () => {
    const { t, locale } = english;
    const staff = await openAs("staff", "/operators", locale);
    await staff.getByRole("switch", { name: "MCI", exact: true }).click();
    await see(staff, t("operators.nowOff", { name: "MCI" }));
    const customer = await openAs("customer", "/send", locale);
    const recipient = recipientOf("5001", 8);
    const text = customer.getByLabel(t("message.text"), { exact: true });
    await customer.getByLabel(t("send.recipients")).fill(recipient);
    await text.fill("during the pause");
    const isRefused = customer.getByText(t("send.refused", { count: 1 }));
    await expect
      .poll(
        async () => {
          await text.press("End");
          await text.pressSequentially(".");
          await customer
            .getByText(t("count.parts", { count: 1 }))
            .first()
            .waitFor();
          return isRefused.count();
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(1);
    await press(staff, t("object.undo"));
    await see(staff, t("operators.nowOn", { name: "MCI" }));
    const outcome = () =>
      gateway.send(recipient).then(
        () => "accepted",
        () => "refused",
      );
    await expect.poll(outcome, { timeout: 60_000 }).toBe("accepted");
    await press(customer, t("send.send"), { exact: true });
    await see(customer, t("send.sent", { count: 1 }));
    await customer.getByRole("link", { name: t("send.watch") }).click();
    await factOf(customer, t("state.delivered"), "1").waitFor({ timeout: 60_000 });
  });

  it("a message's life tells what became of it: delivered, refused, uncertain, long, canceled", async () => {
    const irancell = (suffix: string) => `0935100${suffix}`;
    const inAnHour = { sendTimestamp: Math.floor(Date.now() / 1000) + 3600 };
    const delivered = await gateway.send(recipientOf("5002", 9));
    const refused = await gateway.send(recipientOf("0010", 9));
    const uncertain = await gateway.send(irancell("0022"));
    const long = await gateway.send(recipientOf("5003", 9), { content: longText });
    await gateway.untilStatus(delivered.id, 2);
    await gateway.untilStatus(refused.id, 4);
    await gateway.untilStatus(uncertain.id, 2);
    await gateway.untilStatus(long.id, 2);
    for (const [at, { language, locale }] of bothLanguages.entries()) {
      const t = textsOf(language);
      const waiting = await gateway.send(recipientOf("5004", 9 + at), inAnHour);
      const page = await openAs("staff", `/messages/${delivered.id}`, locale);
      // Values of a text stand between marks of their direction, which nobody sees.
      const told = async (...[key, values]: Parameters<typeof t>): Promise<void> => {
        const marked = Object.entries(values ?? {}).map(([name, value]) => [name, `.?${value}.?`] as const);
        const pattern = new RegExp(t(key, Object.fromEntries(marked)));
        await page.getByText(pattern).first().waitFor();
      };
      const whole = { what: t("life.whatWhole") };
      await told("life.took", { connector: "smsc-1", ...whole, span: ".*" });
      await told("life.receipt", { ...whole, state: "DELIVRD" });
      await page.goto(`${base}/messages/${refused.id}`);
      await told("life.notTaken", { connector: "smsc-1", ...whole, answer: "ESME_RINVDSTADR.*", span: ".*" });
      await told("life.refunded");
      await page.goto(`${base}/messages/${uncertain.id}`);
      await told("life.unanswered", { connector: "smsc-2", ...whole });
      await told("life.took", { connector: "smsc-2", ...whole, span: ".*" });
      await page.goto(`${base}/messages/${long.id}`);
      for (const part of [1, 2, 3])
        await told("life.took", { connector: "smsc-1", what: t("life.whatPart", { part }), span: ".*" });
      await page.goto(`${base}/messages/${waiting.id}`);
      const cancel = page.getByRole("button", { name: t("send.cancel") });
      await cancel.click();
      await press(page.getByRole("alertdialog"), t("send.cancel"));
      await page.getByRole("alertdialog").waitFor({ state: "detached" });
      await cancel.waitFor({ state: "detached" });
      await page.getByText(t("state.unsent"), { exact: true }).first().waitFor();
      expect((await gateway.status(waiting.id)).messageStatus).toBe(4);
    }
  });
});
