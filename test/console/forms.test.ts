// Forms while something else happens: an answer that comes late, somebody else who changes the
// same, a connection that is lost and mended.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { callConsole, signInAs, staffPassword } from "../support/console.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { applyDocument } from "../support/apply-document.ts";

let shown: OpenConsole;
const oneWebhook = /\/webhooks\/[0-9a-f-]{36}$/;

async function makeWebhook(page: Page, name: string): Promise<void> {
  await press(page, "Make a webhook");
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("URL").fill("https://shop.example/hook");
  await press(form, "Make a webhook");
  await see(form, /^whsec_/);
  await press(form, "Close");
  await form.waitFor({ state: "detached" });
}

function apply(text: string) {
  return applyDocument(shown.api.db, text);
}

describe.skipIf(!isBrowserThere)("forms of the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ ali: "operator" }, { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" });
  });
  afterAll(() => shown.close());

  it("a late answer leaves a form alone that was opened after it", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "late");
    const form = page.getByRole("dialog");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(oneWebhook, async (route) => {
      if (route.request().method() === "PATCH") await released;
      await route.continue();
    });
    const change = rowOf(page, "late").getByRole("button", { name: "Edit" });
    await change.click();
    await form.getByLabel("Largest number of events in a request").fill("5");
    await press(form, "Save");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await change.click();
    await form.getByLabel("Name").fill("typed meanwhile");
    const listed = page.waitForResponse(
      (response) => response.url().endsWith("/webhooks") || response.url().includes("/webhooks?"),
    );
    release();
    await listed;
    await page.waitForLoadState("networkidle");
    expect(await form.count()).toBe(1);
    expect(await form.getByLabel("Name").inputValue()).toBe("typed meanwhile");
  });

  it("a step that was refused is asked for anew without its error, however late that comes", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "kept");
    const busy = { status: 503, json: { errorCode: 9999, errorMessage: "busy today" } };
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    await page.route(oneWebhook, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      calls += 1;
      if (calls === 2) await released;
      await route.fulfill(busy);
    });
    const remove = rowOf(page, "kept").getByRole("button", { name: "Remove" });
    const dialog = page.getByRole("alertdialog");
    await remove.click();
    await press(dialog, "Remove");
    await see(dialog, "busy today");
    await page.keyboard.press("Escape");
    await remove.click();
    await dialog.waitFor();
    expect(await dialog.getByText("busy today").count()).toBe(0);
    const asked = page.waitForRequest((request) => request.method() === "DELETE");
    await press(dialog, "Remove");
    await asked;
    await page.keyboard.press("Escape");
    await remove.click();
    await dialog.waitFor();
    const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
    release();
    await answered;
    await page.waitForLoadState("networkidle");
    expect(await dialog.getByText("busy today").count()).toBe(0);
    await expect.poll(() => dialog.getByRole("button", { name: "Remove" }).isEnabled()).toBe(true);
  });

  it("what somebody changes while the question is open is not removed unseen", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "twins");
    await press(rowOf(page, "twins"), "Remove");
    const dialog = page.getByRole("alertdialog");
    const remove = dialog.getByRole("button", { name: "Remove" });
    await expect.poll(() => remove.isEnabled()).toBe(true);
    await shown.api.rows("update webhook_endpoint set batch_size = 30 where name = 'twins'");
    await remove.click();
    await see(dialog, "has changed");
    await page.keyboard.press("Escape");
    await press(rowOf(page, "twins"), "Remove");
    await remove.click();
    await dialog.waitFor({ state: "detached" });
    await rowOf(page, "twins").waitFor({ state: "detached" });
  });

  it("a form that could not be read cannot be sent, and does not look as if it was at work", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "unread");
    await page.route(oneWebhook, (route) => route.fulfill({ status: 500, json: { errorMessage: "not today" } }));
    await press(rowOf(page, "unread"), "Disable");
    const form = page.getByRole("dialog");
    await see(form, "not today");
    const disable = form.getByRole("button", { name: "Disable" });
    expect([await disable.isDisabled(), await disable.getAttribute("aria-busy")]).toEqual([true, null]);
  });

  it("a rule that somebody has removed is not put back unseen", async () => {
    await apply(
      "contentRules: [{ name: games, words: [casino], action: review }, { name: odds, words: [odds], action: review }]",
    );
    await shown.api.directory.refresh();
    const { page } = await openPageAs(shown, "ali", { next: "/rules" });
    await rowOf(page, "games").waitFor();
    await apply("contentRules: [{ name: odds, words: [odds], action: review }]");
    await press(rowOf(page, "games"), "Edit");
    const form = page.getByRole("dialog");
    await form.getByLabel("Words and phrases").fill("poker");
    await press(form, "Save");
    await Promise.race([form.getByRole("alert").waitFor(), form.waitFor({ state: "detached" })]);
    const cookie = await signInAs(shown.api, { username: "ali", password: staffPassword });
    const rules = (await callConsole(shown.api, "GET", "/content-rules", { cookie })).body["contentRules"] as {
      name: string;
    }[];
    expect(rules.map(({ name }) => name)).toEqual(["odds"]);
  });

  it("a mended connection does not make a form overwrite what somebody has changed", async () => {
    const { page } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "mended");
    const form = page.getByRole("dialog");
    await press(rowOf(page, "mended"), "Edit");
    await form.getByLabel("Largest number of events in a request").fill("5");
    await shown.api.rows("update webhook_endpoint set batch_size = 20 where name = 'mended'");
    // The call that fails tells that the gateway is away.
    await page.route(oneWebhook, (route) => (route.request().method() === "PATCH" ? route.abort() : route.continue()));
    await page.route("**/console/api/session", (route) => route.abort());
    await press(form, "Save");
    await page.locator("html[data-lost]").waitFor({ state: "attached" });
    await page.unroute(oneWebhook);
    await page.unroute("**/console/api/session");
    await page.locator("html:not([data-lost])").waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    await press(form, "Save");
    await Promise.race([see(form, "has changed this"), form.waitFor({ state: "detached" })]);
    const [stored] = await shown.api.rows("select batch_size as size from webhook_endpoint where name = 'mended'");
    expect(stored).toEqual({ size: 20 });
  });
});
