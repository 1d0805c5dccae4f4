// The main tasks around people, keys and templates, as they are done in a browser.
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { callConsole, signInAs, staffPassword } from "../support/console.ts";
import type { TestApi } from "../support/test-api.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let api: TestApi;
let shown: OpenConsole;

const openAs = (who: "staff" | "customer", next: string) =>
  openPageAs(shown, who === "staff" ? "admin" : "demo", { next });

describe.skipIf(!isBrowserThere)("in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator", vida: "viewer" });
    ({ api } = shown);
  });
  afterAll(() => shown.close());

  it("an approved template can be replaced, and shows how a program sends it", async () => {
    const { page, problems } = await openAs("customer", "/templates");
    const row = rowOf(page, "TydSt1skQE");
    await see(row, "Approved", { exact: true });
    await row.getByRole("button", { name: "Replace" }).waitFor();
    await press(row, "Sample code");
    await page.getByLabel("Language").selectOption("Go");
    await see(page, `"templateId": "TydSt1skQE"`);
    await page.getByRole("button", { name: "Copy the code" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("a key is made and shown once, and credit is named in words before it is booked", async () => {
    const { page, problems } = await openAs("customer", "/keys");
    await press(page, "Make a key");
    await page.getByLabel("Name").fill("web shop");
    await page.getByLabel("IP addresses").fill("۱۰.۰.۰.۷");
    await page.getByLabel("Last day").fill("2027-02-30");
    await press(page.getByRole("dialog"), "Make a key");
    await see(page, "No such day, or one that is over.");
    await page.getByLabel("Last day").fill("");
    await press(page.getByRole("dialog"), "Make a key");
    const shown = page.getByRole("dialog").getByText(/^hodhod_/);
    const key = (await shown.textContent()) ?? "";
    await press(page, "Close");
    await page
      .getByRole("row")
      .filter({ hasText: `…${key.slice(-4)}` })
      .filter({ hasText: "10.0.0.7" })
      .waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    const staff = await openAs("staff", "/accounts/demo");
    await press(staff.page, "Add credit");
    await staff.page.getByLabel("Amount in rials").fill("۲٬۵۰۰٬۰۰۰");
    await see(staff.page, "2.5 million rials");
    await staff.page.getByLabel("Reference").fill("invoice-7");
    await press(staff.page, "Add 2,500,000 rials");
    await see(staff.page, "invoice-7 is booked.");
    // The browser logs each refused call.
    expect([...problems, ...staff.problems].filter((line) => !line.includes("status of 400"))).toEqual([]);
  });

  it("a form whose object somebody else has changed says who, keeps what was typed, and takes over the rest", async () => {
    const { page } = await openAs("customer", "/keys");
    await press(page.getByRole("row").filter({ hasText: "main" }), "Edit");
    const form = page.getByRole("dialog");
    await form.getByLabel("IP addresses").fill("127.0.0.1");
    const cookie = await signInAs(api, { username: "admin", password: staffPassword });
    const path = "/accounts/demo/api-keys/main";
    const { headers } = await callConsole(api, "GET", path, { cookie });
    const expires = new Date(new Date().getFullYear() + 2, 0, 1).toISOString();
    const changed = await callConsole(api, "PUT", path, {
      cookie,
      payload: { expires },
      headers: { "if-match": String(headers["etag"]) },
    });
    expect(changed.status).toBe(200);
    await press(form, "Save");
    await see(form.getByRole("alert"), "support team has changed this");
    expect(await form.getByLabel("Last day").inputValue()).toBe("");
    await press(form, "Load the current state");
    await see(form, /^The current state, with what you typed\.|^Changed by both of you.*: Role$/);
    expect(await form.getByLabel("Last day").inputValue()).toMatch(/-12-31$/);
    expect(await form.getByLabel("IP addresses").inputValue()).toBe("127.0.0.1");
    await press(form, "Save");
    await form.waitFor({ state: "detached" });
    expect((await callConsole(api, "GET", path, { cookie })).body).toMatchObject({
      allowedIps: ["127.0.0.1"],
      expires,
    });
  });

  it("fields that were filled follow what is stored now, choices and boxes, too, but not what was touched", async () => {
    const { page } = await openAs("staff", "/staff");
    const change = async (touch: (form: Locator) => Promise<unknown>, payload: object) => {
      await press(page.getByRole("row").filter({ hasText: "vida" }), "Edit");
      const form = page.getByRole("dialog");
      await touch(form);
      const cookie = await signInAs(api, { username: "admin", password: staffPassword });
      const { headers } = await callConsole(api, "GET", "/people/vida", { cookie });
      const ifMatch = { "if-match": String(headers["etag"]) };
      const changed = await callConsole(api, "PUT", "/people/vida", { cookie, payload, headers: ifMatch });
      expect([changed.status, changed.text]).toEqual([200, expect.anything()]);
      await press(form, "Save");
      await press(form, "Load the current state");
      await see(form, /^The current state, with what you typed\.|^Changed by both of you.*: Role$/);
      const seen = [await form.getByLabel("Role").inputValue(), await form.getByLabel("May sign in").isChecked()];
      await press(form, "Cancel");
      return seen;
    };
    const untouched = await change((form) => form.getByLabel("Role").waitFor(), { role: "sales", enabled: false });
    expect(untouched).toEqual(["sales", false]);
    const touched = await change((form) => form.getByLabel("Role").selectOption("operator"), {
      role: "viewer",
      enabled: true,
    });
    expect(touched).toEqual(["operator", true]);
  });

  it("a key whose addresses are changed ends at the hour that it was given", async () => {
    const cookie = await signInAs(api, { username: "admin", password: staffPassword });
    const expires = new Date(new Date().getFullYear() + 1, 5, 15, 10, 30).toISOString();
    const path = "/accounts/demo/api-keys/by%20the%20hour";
    const made = await callConsole(api, "PUT", path, {
      cookie,
      payload: { expires },
      headers: { "if-none-match": "*" },
    });
    expect(made.status).toBe(200);
    const { page } = await openAs("customer", "/keys");
    const change = async (fill: (form: Locator) => Promise<void>) => {
      await press(page.getByRole("row").filter({ hasText: "by the hour" }), "Edit");
      const form = page.getByRole("dialog");
      await fill(form);
      await press(form, "Save");
      await form.waitFor({ state: "detached" });
      return (await callConsole(api, "GET", path, { cookie })).body;
    };
    const moved = await change((form) => form.getByLabel("IP addresses").fill("127.0.0.1"));
    expect(moved).toMatchObject({ allowedIps: ["127.0.0.1"], expires });
    const year = new Date().getFullYear() + 1;
    const later = await change((form) => form.getByLabel("Last day").fill(`${year}-06-20`));
    expect(later["expires"]).toBe(new Date(year, 5, 21).toISOString());
  });
});
