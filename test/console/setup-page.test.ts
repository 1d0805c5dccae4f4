// The page of the setup file in a real browser: what a file would change and undo is said first,
// the question names it, and faults have lines.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseFile, isBrowserThere, press, see } from "../support/browser.ts";
import { callConsole, signInStaff } from "../support/console.ts";
import type { TestApi } from "../support/test-api.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let api: TestApi;
let shown: OpenConsole;
let cookie: string;

const isEnabled = (name: string) => !api.directory.current.disabledOperators.has(name);

describe.skipIf(!isBrowserThere)("the page of the setup file", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ api } = shown);
    cookie = await signInStaff(api, "administrator");
  });
  afterAll(() => shown.close());

  it("checks a file, shows what it changes and undoes, and applies it after a question", async () => {
    const change = { setup: "operators: [{ name: Irancell, enabled: false }]" };
    expect((await callConsole(api, "POST", "/setup", { cookie, payload: change })).status).toBe(200);
    const { page } = await openPageAs(shown, "admin", { next: "/setup" });
    const text = page.getByLabel("Text of the file");
    const check = page.getByRole("button", { name: "Check the file" });

    await text.fill("operators:\n  - name: MCI\n    prefixs: []\n");
    await check.click();
    await see(page, "line 3: prefixs is an unknown key");

    const file = "operators: [{ name: Irancell, enabled: true }, { name: MCI, enabled: false }]";
    await chooseFile(page, "setup.yaml", file);
    await expect.poll(() => text.inputValue(), { timeout: 30_000 }).toBe(file);
    await check.click();
    const changes = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
    await changes.first().waitFor();
    expect(await changes.count()).toBe(2);
    await see(page, /Reverts what .?administrator.? changed in the console/);
    await api.directory.refresh();
    expect(isEnabled("MCI")).toBe(true);

    await press(page, "Apply", { exact: true });
    const question = page.getByRole("alertdialog", { name: "Apply these changes (2)?" });
    await see(question, /Change operator .?MCI/);
    await press(question, "Apply", { exact: true });
    await see(page, "Applied. Changes: 2.");
    await api.directory.refresh();
    expect([isEnabled("MCI"), isEnabled("Irancell")]).toEqual([false, true]);
    await check.click();
    await see(page, "The file changes nothing.");
  });

  it("changes the settings by the form", async () => {
    const stored = { setup: "calendar: gregorian\neventDays: 10\noptOutNotice: stop 11" };
    expect((await callConsole(api, "POST", "/setup", { cookie, payload: stored })).status).toBe(200);
    const { page, problems } = await openPageAs(shown, "admin", { next: "/setup" });
    await press(page, "Settings", { exact: true });
    await page.getByLabel("Days that messages are kept").fill("45");
    await page.getByLabel("Days that texts are kept").fill("7");
    await page.getByLabel("Note to customers").fill("Buy credit at shop.example\nor call us.");
    await page.getByLabel("Stop words").fill("no more\n۱۱");
    const service = await page.getByLabel("service", { exact: false }).first().inputValue();
    await press(page, "Save");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { body } = await callConsole(api, "GET", "/settings", { cookie });
    expect(body).toMatchObject({ retentionDays: 45, systemLines: { service }, contentDays: 7 });
    expect(body["optOutWords"]).toEqual({ stop: ["no more", "۱۱"] });
    // What was not touched stays.
    expect(body).toMatchObject({ calendar: "gregorian", eventDays: 10, optOutNotice: "stop 11" });
    expect(problems).toEqual([]);
    const customer = await openPageAs(shown, "demo");
    await see(customer.page, "Buy credit at shop.example");
    await customer.page.getByRole("link", { name: "Credit" }).click();
    await see(customer.page, "Buy credit at shop.example");
  });
});
