// Accounts as sales keep them: one is added, changed while somebody else changes it too, and
// removed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, see } from "../support/browser.ts";
import { callConsole, signInAs, staffPassword } from "../support/console.ts";
import type { TestApi } from "../support/test-api.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { applyDocument } from "../support/apply-document.ts";

let api: TestApi;
let base: string;
let shown: OpenConsole;

const openAsSales = (next: string) => openPageAs(shown, "sara", { next });

/** As another one of staff has it. */
async function accountOf(name: string) {
  const cookie = await signInAs(api, { username: "ali", password: staffPassword });
  const { body, headers } = await callConsole(api, "GET", `/accounts/${name}`, { cookie });
  const put = (change: object) =>
    callConsole(api, "PUT", `/accounts/${name}`, {
      cookie,
      payload: { ...body, ...change },
      headers: { "if-match": String(headers["etag"]) },
    });
  return { body, put };
}

describe.skipIf(!isBrowserThere)("accounts in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ sara: "sales", ali: "administrator" });
    ({ api, base } = shown);
  });
  afterAll(() => shown.close());

  it("are added with all their keys, and what is wrong is said at its field", async () => {
    const { page, problems } = await openAsSales("/accounts");
    await press(page, "Add an account");
    const form = page.getByRole("dialog");
    await form.getByLabel("Account", { exact: true }).fill("parsian");
    await form.getByLabel("Domain").fill("parsian.example");
    await form.getByLabel("Opening credit in rials").fill("۵٬۰۰۰٬۰۰۰");
    await form.getByLabel("10005678").check();
    await form.getByLabel("10001234").check();
    await form.getByLabel("Allowed calls").selectOption("Only these");
    await form.getByLabel("Send single messages").check();
    await form.getByLabel("Read statuses").check();
    await form.getByLabel("Manage opt-outs").check();
    await form.getByLabel("Calls a second").fill("many");
    await form.getByLabel("Low credit, in rials").fill("1,000,000");
    await form.getByText("More settings").click();
    await form.getByLabel("Replace costly characters").check();
    await form.getByLabel("IP addresses").fill("10.0.0.0/8\n203.0.113.7");
    await form.getByLabel("Blocked numbers").fill("+98 912 111 0000\n0912 111\n۰۹۱۲ ۱۱۱ ۰۰۰۱؛ none");
    await press(form, "Add", { exact: true });
    await see(form, /^\u20680912 111\u2069: must be [^:]* \u2068none\u2069: must be [^:]*$/);
    await form.getByLabel("Blocked numbers").fill("+98 912 111 0000\n۰۹۱۲ ۱۱۱ ۰۰۰۱");
    await press(form, "Add", { exact: true });
    const pace = form.getByLabel("Calls a second");
    await expect.poll(() => pace.getAttribute("aria-invalid")).toBe("true");
    await pace.fill("20");
    await press(form, "Add", { exact: true });
    await see(form, "is required for a new account");
    await form.getByLabel("Tariff").selectOption("standard");
    await press(form, "Add", { exact: true });
    await form.waitFor({ state: "detached" });
    // What is made next stands on its page.
    await page.waitForURL(/accounts\/parsian$/);
    await page.getByText("5,000,000 rials").first().waitFor();
    const facts = page.locator("dl").first();
    expect(await facts.innerText()).toMatch(
      /Lines\s+10001234, 10005678\s+Calls a second\s+20\s+Low credit, in rials\s+1,000,000$/,
    );
    // The first user is to manage the account.
    await press(page, "Add a user");
    expect(await form.getByLabel("Role").inputValue()).toBe("owner");
    await press(form, "Cancel");
    expect((await accountOf("parsian")).body).toEqual({
      name: "parsian",
      domain: "parsian.example",
      tariff: "standard",
      balance: 5_000_000,
      unlimited: false,
      lines: ["10001234", "10005678"],
      permissions: ["opt-outs", "send", "status"],
      requestsPerSecond: 20,
      tidyTexts: true,
      lowCredit: 1_000_000,
      allowedIps: ["10.0.0.0/8", "203.0.113.7"],
      blockedRecipients: ["989121110000", "989121110001"],
      duplicateSeconds: 0,
      dailyMessages: 0,
      monthlyCost: 0,
      users: [],
      apiKeys: [],
    });
    // The browser logs each refused call.
    expect(problems.filter((line) => !line.includes("status of 400"))).toEqual([]);
  });

  it("are changed: users and keys stay, and what somebody else changed meanwhile is kept", async () => {
    const before = (await accountOf("demo")).body;
    const { page } = await openAsSales("/accounts/demo");
    await press(page, "Edit demo");
    const form = page.getByRole("dialog");
    await form.getByLabel("Credit", { exact: true }).selectOption("unlimited");
    await (await accountOf("demo")).put({ requestsPerSecond: 7 });
    await press(form, "Save", { exact: true });
    await see(form.getByRole("alert"), /ali.? has changed this/);
    await press(form, "Load the current state");
    await expect.poll(() => form.getByLabel("Calls a second").inputValue()).toBe("7");
    expect(await form.getByLabel("Credit", { exact: true }).inputValue()).toBe("unlimited");
    await press(form, "Save", { exact: true });
    await form.waitFor({ state: "detached" });
    await page.getByText(", Unlimited").first().waitFor();
    const now = (await accountOf("demo")).body;
    expect(now).toEqual({ ...before, credit: "unlimited", unlimited: true, requestsPerSecond: 7 });
  });

  it("keep what is typed in a form when the page behind it cannot be read anew, and say so", async () => {
    const { page } = await openAsSales("/accounts/demo");
    await press(page, "Edit demo");
    const typed = page.getByRole("dialog").getByLabel("Calls a second");
    await typed.fill("9");
    await page.route("**/console/api/accounts/demo", (route) =>
      route.request().method() === "PUT"
        ? route.abort()
        : route.fulfill({ status: 500, json: { errorCode: 1500, errorMessage: "Not now." } }),
    );
    await page.route("**/console/api/session", (route) => route.abort());
    await press(page.getByRole("dialog"), "Save", { exact: true });
    await page.locator("html[data-lost]").waitFor({ state: "attached" });
    await page.unroute("**/console/api/session");
    await page.locator("html:not([data-lost])").waitFor({ state: "attached" });
    await page.getByText("Not now.").waitFor({ state: "attached" });
    expect(await typed.inputValue()).toBe("9");
  });

  it("ask for a name where none is given, and what is wrong is gone to where it stands", async () => {
    const { page, problems } = await openAsSales("/accounts");
    await press(page, "Add an account");
    const form = page.getByRole("dialog");
    const add = form.getByRole("button", { name: "Add", exact: true });
    const focused = "document.activeElement.getAttribute('name')";
    const isInView = `const box = document.activeElement.getBoundingClientRect(); box.top >= 0 && box.bottom <= innerHeight`;
    await add.click();
    const name = form.getByLabel("Account", { exact: true });
    await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
    await see(form, "Required.");
    await expect.poll(() => page.evaluate(focused)).toBe("name");
    await name.fill("nameless");
    await add.click();
    await see(form, "is required for a new account");
    await expect.poll(() => page.evaluate(focused)).toBe("tariff");
    expect(await page.evaluate(isInView)).toBe(true);
    await name.fill("..");
    await add.click();
    await see(form, "cannot be part of an address");
    expect(problems.filter((line) => !line.includes("status of 400"))).toEqual([]);
  });

  it("stay when a user of theirs is removed whose name an address takes for the way up", async () => {
    const text = JSON.stringify({
      accounts: [{ name: "dotted", tariff: "standard", users: [{ username: "..", password: "password-1234" }] }],
    });
    await applyDocument(api.db, text);
    const { page } = await openAsSales("/accounts/dotted");
    const row = page.getByRole("row").filter({ hasText: ".." });
    await press(row, "Remove");
    const question = page.getByRole("alertdialog");
    await see(question, "cannot be part of an address");
    expect(await question.getByRole("button", { name: "Remove" }).isDisabled()).toBe(true);
    expect((await accountOf("dotted")).body).toMatchObject({ name: "dotted" });
  });

  it("are removed after the question says what is lost", async () => {
    const { page, problems } = await openAsSales("/accounts/open");
    await page.getByRole("button", { name: "Remove", exact: true }).first().click();
    const question = page.getByRole("alertdialog");
    await see(question, "Its credit, users, API keys and templates are lost");
    await press(question, "Remove");
    await page.waitForURL(`${base}/accounts`);
    await page.getByRole("link", { name: "demo", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "open", exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
