// Webhooks in a real browser: made with a secret that is shown once, tested, switched off and
// deleted by a customer; seen by staff on the account's page.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let shown: OpenConsole;
let receiver: Server;
let url: string;
let status = 204;
const received: Received[] = [];
/** What a gateway answers that cannot store a change now. */
const busy = { status: 503, json: { errorCode: 1502, errorMessage: "Not now." } };

/** Opens the form behind a button of the row, and does what it is for. */
async function act(page: Page, button: string, submit = button): Promise<void> {
  await press(rowOf(page, "shop"), button, { exact: true });
  await press(page.getByRole("dialog"), submit, { exact: true });
}

async function makeWebhook(page: Page, name: string): Promise<void> {
  await press(page, "Make a webhook");
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("URL").fill(url);
  await press(form, "Make a webhook");
  await see(form, /^whsec_/);
  await closeResult(page);
}

async function closeResult(page: Page): Promise<void> {
  await press(page.getByRole("dialog"), "Close");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

describe.skipIf(!isBrowserThere)("webhooks in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ vida: "viewer" }, { HODHOD_WEBHOOK_ALLOW: "127.0.0.0/8" });
    receiver = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (text: string) => (body += text));
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/hook`;
  });
  afterAll(async () => {
    await shown.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  it("are made, tested, switched off and deleted by a customer, and seen by staff", async () => {
    const { page, problems } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await see(page, "No webhooks yet");
    await press(page, "Make a webhook");
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("shop");
    await form.getByLabel("URL").fill("ftp://shop");
    await press(form, "Make a webhook");
    await expect.poll(() => form.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("URL").fill(url);
    // What all events of messages cover is chosen with them.
    expect(await form.getByLabel(/message\.delivered/).isDisabled()).toBe(true);
    await form.getByLabel(/All events of messages/).uncheck();
    await form.getByLabel(/message\.delivered/).check();
    await form.getByLabel(/Credit is low/).check();
    await form.getByLabel("Largest number of events in a request").fill("۱۰");
    await press(form, "Make a webhook");
    const secret = await form.getByText(/^whsec_/).textContent();
    await closeResult(page);
    await see(rowOf(page, "shop"), "Nothing sent yet");
    for (const pattern of ["message.delivered", "credit.low"]) await see(rowOf(page, "shop"), pattern);
    expect(await page.getByText("whsec_").count()).toBe(0);

    await act(page, "Test", "Send the test");
    await see(form, "The webhook accepted the test.");
    await closeResult(page);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    // Throws for a signature that is wrong; the headers are all texts.
    expect(new Webhook(secret ?? "").verify(body, headers as Record<string, string>)).toMatchObject({ type: "batch" });
    status = 500;
    await act(page, "Test", "Send the test");
    await see(form, "The endpoint returned 500.");
    await closeResult(page);

    const staff = await openPageAs(shown, "vida", { next: "/accounts/demo" });
    await rowOf(staff.page, "shop").waitFor();
    const names = await rowOf(staff.page, "shop").getByRole("button").allTextContents();
    expect(names).toEqual(["Attempts"]);
    await press(rowOf(staff.page, "shop"), "Attempts");
    await see(staff.page, "No attempts yet");
    expect(staff.problems).toEqual([]);

    await press(rowOf(page, "shop"), "Send again");
    await form.getByLabel("From").fill("2026-01-01 14:65");
    await form.getByLabel("To", { exact: true }).fill("۱۴۰۶/۰۱/۰۱");
    await press(form, "Send again");
    await see(form, "The day or the time cannot be read.");
    expect(await form.getByLabel("From").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("From").fill("2026-01-01 ۱۴:۰۵:۳۰");
    const replay = page.waitForRequest(/\/replay$/);
    await press(form, "Send again");
    await see(form, "Events that are sent again: 0");
    const asked = await page.evaluate(() => [new Date(2026, 0, 1, 14, 5, 30), new Date(2027, 2, 22)]);
    expect((await replay).postDataJSON()).toEqual({ from: asked[0]?.toISOString(), to: asked[1]?.toISOString() });
    await closeResult(page);
    await act(page, "Disable");
    await see(rowOf(page, "shop"), "Disabled");
    await act(page, "Enable");
    await see(rowOf(page, "shop"), "Nothing sent yet");
    await act(page, "Replace the secret");
    expect(await form.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await closeResult(page);
    await press(rowOf(page, "shop"), "Remove");
    await press(page.getByRole("alertdialog"), "Remove");
    await see(page, "No webhooks yet");
    // The browser logs the refused call.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  it("are not switched before the form knows their state, and the page says why it does not", async () => {
    const { page, problems } = await openPageAs(shown, "demo", { next: "/webhooks" });
    const form = page.getByRole("dialog");
    await makeWebhook(page, "slow");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let changes = 0;
    // By method: the form asks again after a 503, so a reading that is late would use it up.
    await page.route(/\/webhooks\/[0-9a-f-]{36}$/, async (route) => {
      if (route.request().method() === "GET") await released;
      else if (changes++ === 0) return route.fulfill(busy);
      await route.continue();
    });
    await press(rowOf(page, "slow"), "Disable");
    const disable = form.getByRole("button", { name: "Disable" });
    await disable.waitFor();
    expect(await disable.isDisabled()).toBe(true);
    release();
    await disable.click();
    await see(form, busy.json.errorMessage);
    await disable.click();
    await form.waitFor({ state: "detached" });
    await see(rowOf(page, "slow"), "Disabled");
    expect(problems.filter((problem) => !problem.includes("503"))).toEqual([]);
  });

  it("that pause are shown apart from those that fail, with until when, in both languages", async () => {
    const { page, problems } = await openPageAs(shown, "demo", { next: "/webhooks" });
    await makeWebhook(page, "sleepy");
    await shown.api.rows(
      `update webhook_progress set last_failure_at = now(), paused_until = $1::timestamptz
          where endpoint_id = (select id from webhook_endpoint where name = 'sleepy')`,
      [new Date(2090, 5, 1)],
    );
    await page.reload();
    await see(rowOf(page, "sleepy"), "Paused after failures, until");
    await see(rowOf(page, "sleepy"), "2090");
    await press(rowOf(page, "sleepy"), "Attempts");
    await see(page.getByRole("dialog"), "Paused after failures, until");
    await closeResult(page);
    const persian = await openPageAs(shown, "demo", { next: "/webhooks", locale: "fa-IR" });
    await see(rowOf(persian.page, "sleepy"), "مکث پس از چند شکست، تا");
    expect([...problems, ...persian.problems]).toEqual([]);
  });
});
