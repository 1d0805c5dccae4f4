// Webhooks in a real browser: made with a secret that is shown once, tested, switched off and
// deleted by a customer; seen by staff on the account's page.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere } from "../support/browser.ts";
import { openConsole, openPageAs, type OpenConsole } from "../support/open-console.ts";

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

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

/** Opens the form behind a button of the row, and does what it is for. */
async function act(page: Page, button: string, submit = button): Promise<void> {
  await rowOf(page, "shop").getByRole("button", { name: button, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: submit, exact: true }).click();
}

async function makeWebhook(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Make a webhook" }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("URL").fill(url);
  await form.getByRole("button", { name: "Make a webhook" }).click();
  await form.getByText(/^whsec_/).waitFor();
  await closeResult(page);
}

async function closeResult(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
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
    await page.getByText("No webhooks yet").waitFor();
    await page.getByRole("button", { name: "Make a webhook" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("shop");
    await form.getByLabel("URL").fill("ftp://shop");
    await form.getByRole("button", { name: "Make a webhook" }).click();
    await expect.poll(() => form.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("URL").fill(url);
    // What all events of messages cover is chosen with them.
    expect(await form.getByLabel(/message\.delivered/).isDisabled()).toBe(true);
    await form.getByLabel(/All events of messages/).uncheck();
    await form.getByLabel(/message\.delivered/).check();
    await form.getByLabel(/Credit is low/).check();
    await form.getByLabel("Largest number of events in a request").fill("۱۰");
    await form.getByRole("button", { name: "Make a webhook" }).click();
    const secret = await form.getByText(/^whsec_/).textContent();
    await closeResult(page);
    await rowOf(page, "shop").getByText("Nothing sent yet").waitFor();
    for (const pattern of ["message.delivered", "credit.low"]) await rowOf(page, "shop").getByText(pattern).waitFor();
    expect(await page.getByText("whsec_").count()).toBe(0);

    await act(page, "Test", "Send the test");
    await form.getByText("The webhook accepted the test.").waitFor();
    await closeResult(page);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    // Throws for a signature that is wrong; the headers are all texts.
    expect(new Webhook(secret ?? "").verify(body, headers as Record<string, string>)).toMatchObject({ type: "batch" });
    status = 500;
    await act(page, "Test", "Send the test");
    await form.getByText("The endpoint returned 500.").waitFor();
    await closeResult(page);

    const staff = await openPageAs(shown, "vida", { next: "/accounts/demo" });
    await rowOf(staff.page, "shop").waitFor();
    const names = await rowOf(staff.page, "shop").getByRole("button").allTextContents();
    expect(names).toEqual(["Attempts"]);
    await rowOf(staff.page, "shop").getByRole("button", { name: "Attempts" }).click();
    await staff.page.getByText("No attempts yet").waitFor();
    expect(staff.problems).toEqual([]);

    await rowOf(page, "shop").getByRole("button", { name: "Send again" }).click();
    await form.getByLabel("From").fill("2026-01-01 14:65");
    await form.getByLabel("To", { exact: true }).fill("۱۴۰۶/۰۱/۰۱");
    await form.getByRole("button", { name: "Send again" }).click();
    await form.getByText("The day or the time cannot be read.").waitFor();
    expect(await form.getByLabel("From").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("From").fill("2026-01-01 ۱۴:۰۵:۳۰");
    const replay = page.waitForRequest(/\/replay$/);
    await form.getByRole("button", { name: "Send again" }).click();
    await form.getByText("Events that are sent again: 0").waitFor();
    const asked = await page.evaluate(() => [new Date(2026, 0, 1, 14, 5, 30), new Date(2027, 2, 22)]);
    expect((await replay).postDataJSON()).toEqual({ from: asked[0]?.toISOString(), to: asked[1]?.toISOString() });
    await closeResult(page);
    await act(page, "Disable");
    await rowOf(page, "shop").getByText("Disabled").waitFor();
    await act(page, "Enable");
    await rowOf(page, "shop").getByText("Nothing sent yet").waitFor();
    await act(page, "Replace the secret");
    expect(await form.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await closeResult(page);
    await rowOf(page, "shop").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No webhooks yet").waitFor();
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
    await rowOf(page, "slow").getByRole("button", { name: "Disable" }).click();
    const disable = form.getByRole("button", { name: "Disable" });
    await disable.waitFor();
    expect(await disable.isDisabled()).toBe(true);
    release();
    await disable.click();
    await form.getByText(busy.json.errorMessage).waitFor();
    await disable.click();
    await form.waitFor({ state: "detached" });
    await rowOf(page, "slow").getByText("Disabled").waitFor();
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
    await rowOf(page, "sleepy").getByText("Paused after failures, until").waitFor();
    await rowOf(page, "sleepy").getByText("2090").waitFor();
    await rowOf(page, "sleepy").getByRole("button", { name: "Attempts" }).click();
    await page.getByRole("dialog").getByText("Paused after failures, until").waitFor();
    await closeResult(page);
    const persian = await openPageAs(shown, "demo", { next: "/webhooks", locale: "fa-IR" });
    await rowOf(persian.page, "sleepy").getByText("مکث پس از چند شکست، تا").waitFor();
    expect([...problems, ...persian.problems]).toEqual([]);
  });
});
