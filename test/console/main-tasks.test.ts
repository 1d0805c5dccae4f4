// The main tasks from the browser to the phone and back: the whole gateway with simulated operators
// behind the pages.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addStaff } from "../../src/credentials/staff.ts";
import { buildConsole, isBrowserThere, newPage, openBrowser } from "../support/browser.ts";
import { staffPassword } from "../support/console.ts";
import { recipientOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { baseConnectors, baseSetup, credentials, longText } from "../support/gateway-setup.ts";

let gateway: TestGateway;
let browser: Browser;
let base: string;

async function openAs(who: "staff" | "customer", place: string, locale = "en-GB"): Promise<Page> {
  const { page, close } = await newPage(browser, base, { locale });
  onTestFinished(close);
  await page.goto(`${base}/sign-in?next=${encodeURIComponent(place)}`);
  await page.locator("[name=username]").fill(who === "staff" ? "admin" : credentials.username);
  await page.locator("[name=password]").fill(who === "staff" ? staffPassword : credentials.password);
  if (who === "customer") await page.locator("[name=organisation]").fill(credentials.domain);
  await page.locator("[type=submit]").click();
  await page.waitForURL(base + place);
  return page;
}

/** The value beside this name among the facts of a page. */
function factOf(page: Page, name: string) {
  return page.locator("dl > div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).locator("dd");
}

describe.skipIf(!isBrowserThere)("in the console, with operators behind it,", () => {
  beforeAll(async () => {
    buildConsole();
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
    await browser.close();
    await gateway.stop();
  });

  it("ten thousand rows of a file come to ten thousand phones", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hodhod-campaign-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "autumn.csv");
    // Endings that the simulated operator delivers.
    const rows = Array.from({ length: 10_000 }, (_, at) => recipientOf(String(5001 + (at % 10)), Math.floor(at / 10)));
    writeFileSync(file, ["mobile", ...rows].join("\n"));
    const page = await openAs("customer", "/campaigns/new");
    await page.getByLabel("File", { exact: true }).setInputFiles(file);
    await page.getByLabel("Text", { exact: true }).fill("سلام");
    await page.getByRole("button", { name: "Check the rows and the price" }).click();
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}$/);
    await expect.poll(() => factOf(page, "Will be sent").textContent(), { timeout: 30_000 }).toBe("10,000");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("Done", { exact: true }).waitFor({ timeout: 120_000 });
    await expect.poll(() => factOf(page, "Delivered").textContent(), { timeout: 120_000 }).toBe("10,000");
    expect(await factOf(page, "Waiting").textContent()).toBe("0");
    expect(await gateway.count("message", "status = 2")).toBe(10_000);
    expect(new Set(gateway.smsc.submitted.map(({ recipient }) => recipient.address)).size).toBe(10_000);
    await page.getByRole("link", { name: "Its messages" }).click();
    await page.waitForURL(/messages\?campaign=/);
    await expect.poll(() => page.getByRole("table").getByRole("row").count(), { timeout: 30_000 }).toBe(51);
  });

  it("a template is asked for, approved, and sent by", async () => {
    const customer = await openAs("customer", "/templates");
    await customer.getByRole("button", { name: "Ask for a template" }).click();
    const form = customer.getByRole("dialog");
    await form.getByLabel("Text").fill("Your parcel {parcel} is on its way");
    await form.getByRole("button", { name: "Ask for approval" }).click();
    const row = customer.getByRole("row").filter({ hasText: "Your parcel" });
    await row.getByText("Waits for approval").waitFor();
    await customer.goto(`${base}/send`);
    await customer.getByLabel("Template").waitFor();
    const offered = () => customer.getByLabel("Template").locator("option", { hasText: "Your parcel" }).count();
    expect(await offered()).toBe(0);
    const staff = await openAs("staff", "/templates?state=pending");
    await staff.getByRole("row").filter({ hasText: "Your parcel" }).getByRole("button", { name: "Approve" }).click();
    await staff.getByRole("dialog").getByText("Your parcel").waitFor();
    await staff.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await staff.getByRole("dialog").waitFor({ state: "detached" });
    // All nodes follow within a second; the page asks when it is opened.
    await expect
      .poll(
        async () => {
          await customer.reload();
          await customer.getByLabel("Template").waitFor();
          return offered();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    const id = await customer
      .getByLabel("Template")
      .locator("option", { hasText: "Your parcel" })
      .getAttribute("value");
    await customer.getByLabel("Template").selectOption(id);
    await customer.getByLabel("parcel", { exact: true }).fill("A-17");
    await customer.getByLabel("Recipients").fill(recipientOf("6001", 7));
    await customer.getByRole("button", { name: "Send now" }).click();
    await customer.getByText("Messages accepted: 1.").waitFor();
    const [sent] = await gateway.untilSubmitted(recipientOf("6001", 7), 1);
    expect(sent?.text).toBe("Your parcel A-17 is on its way");
  });

  it("an operator is off meanwhile: the page says so before sending, until staff undo it", async () => {
    const staff = await openAs("staff", "/operators");
    await staff.getByRole("switch", { name: "MCI", exact: true }).click();
    await staff.getByText("MCI is off.").waitFor();
    const customer = await openAs("customer", "/send");
    const recipient = recipientOf("5001", 8);
    await customer.getByLabel("Recipients").fill(recipient);
    await customer.getByLabel("Text", { exact: true }).fill("during the pause");
    await expect
      .poll(
        async () => {
          await customer.getByLabel("Text", { exact: true }).press("End");
          await customer.getByLabel("Text", { exact: true }).pressSequentially(".");
          await customer.getByText(/Messages: \d+/).waitFor();
          return customer.getByText("Not sent: 1").count();
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(1);
    await staff.getByRole("button", { name: "Undo" }).click();
    await staff.getByText("MCI is on.").waitFor();
    await expect
      .poll(
        () =>
          gateway.send(recipient).then(
            () => "accepted",
            () => "refused",
          ),
        { timeout: 60_000 },
      )
      .toBe("accepted");
    await customer.getByRole("button", { name: "Send now" }).click();
    await customer.getByText("Messages accepted: 1.").waitFor();
    await customer.getByRole("link", { name: "See what becomes of them" }).click();
    await expect.poll(() => factOf(customer, "Delivered").textContent(), { timeout: 60_000 }).toBe("1");
  });

  it("a message's life tells what became of it: delivered, refused, uncertain, long, canceled", async () => {
    const irancell = (suffix: string) => `0935100${suffix}`;
    const delivered = await gateway.send(recipientOf("5002", 9));
    const refused = await gateway.send(recipientOf("0010", 9));
    const uncertain = await gateway.send(irancell("0022"));
    const long = await gateway.send(recipientOf("5003", 9), { content: longText });
    const waiting = await gateway.send(recipientOf("5004", 9), { sendTimestamp: Math.floor(Date.now() / 1000) + 3600 });
    await gateway.untilStatus(delivered.id, 2);
    await gateway.untilStatus(refused.id, 4);
    await gateway.untilStatus(uncertain.id, 2);
    await gateway.untilStatus(long.id, 2);
    const page = await openAs("staff", `/messages/${delivered.id}`);
    await page
      .getByText(/smsc-1.? took the message in/)
      .first()
      .waitFor();
    await page
      .getByText(/Receipt for the message: .?DELIVRD/)
      .first()
      .waitFor();
    await page.goto(`${base}/messages/${refused.id}`);
    await page
      .getByText(/smsc-1.? did not take the message: .?ESME_RINVDSTADR/)
      .first()
      .waitFor();
    await page.getByText("The price was paid back").first().waitFor();
    await page.goto(`${base}/messages/${uncertain.id}`);
    await page
      .getByText(/Submitted the message to .?smsc-2.?: no answer came/)
      .first()
      .waitFor();
    await page
      .getByText(/smsc-2.? took the message in/)
      .first()
      .waitFor();
    await page.goto(`${base}/messages/${long.id}`);
    for (const part of [1, 2, 3])
      await page
        .getByText(new RegExp(`took part ${part} in`))
        .first()
        .waitFor();
    await page.goto(`${base}/messages/${waiting.id}`);
    await page.getByRole("button", { name: "Cancel the message" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel the message" }).click();
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Cancel the message" }).waitFor({ state: "detached" });
    await page.getByText("Not sent", { exact: true }).first().waitFor();
    expect((await gateway.status(waiting.id)).messageStatus).toBe(4);
  });
});
