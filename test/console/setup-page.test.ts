// The page of the setup file in a real browser: what a file would change and undo is said first,
// the question names it, and faults have lines.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closePages, isBrowserThere, listen, openBrowser } from "../support/browser.ts";
import { addStaff, callConsole, signInStaff, staffPassword } from "../support/console.ts";
import { openTestApi, type TestApi } from "../support/test-api.ts";
import { openPageAs } from "../support/open-console.ts";

let api: TestApi;
let browser: Browser;
let base: string;
let cookie: string;

const isEnabled = (name: string) => !api.directory.current.disabledOperators.has(name);

describe.skipIf(!isBrowserThere)("the page of the setup file", () => {
  beforeAll(async () => {
    api = await openTestApi();
    base = await listen(api);
    browser = await openBrowser();
    const by = { db: api.db, actor: { who: "command:test@test" } };
    await addStaff(by, { username: "admin", password: staffPassword, role: "administrator" });
    cookie = await signInStaff(api, "administrator");
  });
  afterAll(async () => {
    await closePages(browser);
    await api.close();
  });

  it("checks a file, shows what it changes and undoes, and applies it after a question", async () => {
    const change = { setup: "operators: [{ name: Irancell, enabled: false }]" };
    expect((await callConsole(api, "POST", "/setup", { cookie, payload: change })).status).toBe(200);
    const { page } = await openPageAs({ base, browser, api }, "admin", { next: "/setup" });
    const text = page.getByLabel("Text of the file");
    const check = page.getByRole("button", { name: "Check the file" });

    await text.fill("operators:\n  - name: MCI\n    prefixs: []\n");
    await check.click();
    await page.getByText("line 3: prefixs is an unknown key").waitFor();

    const file = "operators: [{ name: Irancell, enabled: true }, { name: MCI, enabled: false }]";
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "setup.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
    await expect.poll(() => text.inputValue(), { timeout: 30_000 }).toBe(file);
    await check.click();
    const changes = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await changes.first().waitFor();
    expect(await changes.count()).toBe(2);
    await page.getByText(/Reverts what .?administrator.? changed in the console/).waitFor();
    await api.directory.refresh();
    expect(isEnabled("MCI")).toBe(true);

    await page.getByRole("button", { name: "Apply", exact: true }).click();
    const question = page.getByRole("alertdialog", { name: "Apply these changes (2)?" });
    await question.getByText(/Change operator .?MCI/).waitFor();
    await question.getByRole("button", { name: "Apply", exact: true }).click();
    await page.getByText("Applied. Changes: 2.").waitFor();
    await api.directory.refresh();
    expect([isEnabled("MCI"), isEnabled("Irancell")]).toEqual([false, true]);
    await check.click();
    await page.getByText("The file changes nothing.").waitFor();
  });

  it("changes the settings by the form", async () => {
    const stored = { setup: "calendar: gregorian\neventDays: 10\noptOutNotice: stop 11" };
    expect((await callConsole(api, "POST", "/setup", { cookie, payload: stored })).status).toBe(200);
    const { page, problems } = await openPageAs({ base, browser, api }, "admin", { next: "/setup" });
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByLabel("Days that messages are kept").fill("45");
    await page.getByLabel("Days that texts are kept").fill("7");
    await page.getByLabel("Note to customers").fill("Buy credit at shop.example\nor call us.");
    await page.getByLabel("Stop words").fill("no more\n۱۱");
    const service = await page.getByLabel("service", { exact: false }).first().inputValue();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { body } = await callConsole(api, "GET", "/settings", { cookie });
    expect(body).toMatchObject({ retentionDays: 45, systemLines: { service }, contentDays: 7 });
    expect(body["optOutWords"]).toEqual({ stop: ["no more", "۱۱"] });
    // What was not touched stays.
    expect(body).toMatchObject({ calendar: "gregorian", eventDays: 10, optOutNotice: "stop 11" });
    expect(problems).toEqual([]);
    const customer = await openPageAs({ base, browser, api }, "demo");
    await customer.page.getByText("Buy credit at shop.example").waitFor();
    await customer.page.getByRole("link", { name: "Credit" }).click();
    await customer.page.getByText("Buy credit at shop.example").waitFor();
  });
});
