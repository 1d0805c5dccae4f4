// Sending by hand and by campaigns, as customers do it: in Chromium, with the duty that feeds
// campaigns beside it.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedCampaigns } from "../../src/intake/feed-campaigns.ts";
import { watchDueWork } from "../../src/maintenance/due-work.ts";
import { type PeriodicService, startAll, stopAll } from "../../src/platform/service.ts";
import { chooseFile, isBrowserThere, press, see } from "../support/browser.ts";
import type { TestApi } from "../support/test-api.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";

let api: TestApi;
let shown: OpenConsole;
let feeding: PeriodicService;
let looking: PeriodicService;

async function open(path: string, locale = "en-GB") {
  const opened = await openPageAs(shown, "demo", { next: path, locale });
  await opened.page.getByRole("main").locator("form").waitFor();
  return opened;
}

const countMessages = async () => Number((await api.rows<{ n: bigint }>("select count(*) as n from message"))[0]?.n);

async function compose(page: Page, text: string): Promise<void> {
  await page.getByLabel("Recipients").fill("09121234567");
  await page.getByLabel("Text", { exact: true }).fill(text);
}

/** What the page sends is done, and it does not hear so. */
const loseAnswers = (page: Page): Promise<unknown> =>
  page.route(/console\/api\/send$/, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });

describe.skipIf(!isBrowserThere)("sending in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({});
    ({ api } = shown);
    await api.rows("update account_balance set balance = 1000000000");
    const { db, telemetry, directory } = api;
    const duties = { validitySeconds: 3600, announceDue: () => undefined, isBusy: () => false };
    feeding = feedCampaigns({ db, telemetry, directory, ...duties });
    looking = watchDueWork({ db, telemetry, services: [feeding] });
    await startAll([feeding, looking]);
  });
  afterAll(async () => {
    await stopAll([feeding, looking]);
    await shown.close();
  });

  it("counts while one types, tells the price, and sends once however often one clicks", async () => {
    const { page, problems } = await open("/send");
    await page.getByLabel("Recipients").fill("0912 123 4567, ۰۹۳۵۱۲۳۴۵۶۷\n12");
    await page.getByLabel("Text", { exact: true }).fill("س".repeat(71));
    await see(page, "Characters: 71, Parts: 2");
    await see(page, "Messages: 2 of 3, Parts: 4");
    await see(page, "Not sent: 1");
    await page.getByLabel("Recipients").fill("0912 123 4567, 09121234567");
    await see(page, "Repeated numbers: 1, each sent and charged again");
    await page.getByLabel("Recipients").fill("12");
    await see(page, "Messages: 0 of 1");
    expect(await page.getByRole("button", { name: "Send now" }).isDisabled()).toBe(true);
    await page.getByLabel("Recipients").fill("0912 123 4567, ۰۹۳۵۱۲۳۴۵۶۷\n12");
    await see(page, "Messages: 2 of 3, Parts: 4");
    const before = await countMessages();
    await page.getByRole("button", { name: "Send now" }).dblclick();
    await see(page, "Messages accepted: 2.");
    expect(await countMessages()).toBe(before + 2);
    await page.getByRole("link", { name: "See their status" }).click();
    await page.waitForURL(/batches/);
    await press(page, "Cancel sending");
    await press(page.getByRole("alertdialog"), "Cancel sending");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Cancel sending" }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("sends by a click during which the price comes", async () => {
    const { page } = await open("/send");
    const before = await countMessages();
    const price = page.waitForResponse(/console\/api\/preview$/);
    await page.getByLabel("Recipients").fill("09121234567, 12");
    await page.getByLabel("Text", { exact: true }).fill("One");
    await page.getByRole("button", { name: "Send now" }).hover();
    await page.mouse.down();
    await price;
    await see(page, "Not sent: 1");
    await page.mouse.up();
    await see(page, "Messages accepted: 1.");
    expect(await countMessages()).toBe(before + 1);
  });

  it("sends without the price where the account may not ask for it", async () => {
    const permit = async (permissions: readonly string[]): Promise<void> => {
      await api.rows("update account set permissions = $1 where name = 'demo'", [permissions]);
      await api.rows("update configuration set version = version + 1");
      await api.directory.refresh();
    };
    await permit(["send"]);
    const { page, problems } = await open("/send");
    const before = await countMessages();
    await page.clock.install();
    await compose(page, "No price");
    // The typing rests, so that the price would be asked for.
    await page.clock.runFor(1_000);
    await press(page, "Send now");
    await see(page, "Messages accepted: 1.");
    expect(await countMessages()).toBe(before + 1);
    expect(problems).toEqual([]);
    await permit(["*"]);
  });

  it("shows a price as a former one until that of what is typed has come", async () => {
    const { page } = await open("/send");
    await compose(page, "One");
    const price = page.getByRole("status").filter({ hasText: "Messages: " });
    await expect.poll(() => price.getAttribute("aria-busy")).toBe("false");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/console\/api\/preview$/, async (route) => {
      await released;
      await route.continue();
    });
    const asked = page.waitForRequest(/console\/api\/preview$/);
    await page.getByLabel("Recipients").fill("09121234567, 09121234568");
    await asked;
    await see(page, "Messages: 1,");
    expect(await price.getAttribute("aria-busy")).toBe("true");
    release();
    await see(page, "Messages: 2,");
    await expect.poll(() => price.getAttribute("aria-busy")).toBe("false");
  });

  it("says beside the time of sending that it is over, in words of the page", async () => {
    const { page } = await open("/send");
    await compose(page, "Late");
    await page.getByLabel("Send later").check();
    await page.getByLabel("Day").fill("2026-01-01");
    await page.getByLabel("Hour").fill("09:30");
    await see(page, "The time must be later than the current time.", { exact: true });
    expect(await page.getByLabel("Day").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText(/sendAt/).count()).toBe(0);
  });

  it("sends a message whose answer was lost once, also after a reload, and tells of a change made since", async () => {
    const { page } = await open("/send");
    const notKnown = page.getByText("It is not known whether this was done").first();
    const send = page.getByRole("button", { name: "Send now" });
    await compose(page, "One");
    const before = await countMessages();
    await loseAnswers(page);
    await send.click();
    await notKnown.waitFor();
    expect(await countMessages()).toBe(before + 1);
    await page.unroute(/console\/api\/send$/);
    await page.reload();
    await notKnown.waitFor();
    await send.click();
    await see(page, "Messages accepted: 1.");
    expect(await countMessages()).toBe(before + 1);

    await compose(page, "Two");
    await loseAnswers(page);
    await send.click();
    await notKnown.waitFor();
    await page.unroute(/console\/api\/send$/);
    await page.getByLabel("Text", { exact: true }).fill("Three");
    await send.click();
    await see(page, "What you have changed since was not sent");
    expect(await countMessages()).toBe(before + 2);
    await send.click();
    await see(page, "Messages accepted: 1.");
    expect(await countMessages()).toBe(before + 3);
    // The gateway is away, and nothing was asked of it that could be done.
    await page.route(/console\/api\/preview$/, (route) => route.abort());
    await compose(page, "Four");
    await see(page, "Nothing was changed.");
  });

  it("sends a template only when it shows what is sent: each placeholder has a value", async () => {
    const { page } = await open("/send");
    await page.getByLabel("Recipients").fill("09121234567");
    await page.getByLabel("Template").selectOption("TydSt1skQE");
    await see(page, "کد ورود شما: {code}", { exact: true });
    const send = page.getByRole("button", { name: "Send now" });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel("code").fill("4711");
    await see(page, "کد ورود شما: 4711");
    expect(await send.isEnabled()).toBe(true);
  });

  it("asks before it sends a message whose answer was lost more than a day ago", async () => {
    const { page } = await open("/send");
    const send = page.getByRole("button", { name: "Send now" });
    await compose(page, "Yesterday");
    const before = await countMessages();
    await loseAnswers(page);
    await send.click();
    await page.getByText("It is not known whether this was done").first().waitFor();
    await page.unroute(/console\/api\/send$/);
    // In the browser, whose names the tests do not know.
    await page.evaluate(
      `const stored = JSON.parse(sessionStorage["hodhod.send"]);
       sessionStorage["hodhod.send"] = JSON.stringify({ ...stored, openSince: stored.openSince - 86_400_000 });`,
    );
    await page.reload();
    await see(page, "it may be sent twice");
    expect(await send.isDisabled()).toBe(true);
    expect(await countMessages()).toBe(before + 1);
    await press(page, "Send it as a new message");
    await send.click();
    await see(page, "Messages accepted: 1.");
    expect(await countMessages()).toBe(before + 2);
  });

  it("reads a file of twelve hundred rows, shows faults and price, and sends each row once", async () => {
    const rows = Array.from({ length: 1200 }, (_, at) => `912${String(at).padStart(7, "0")};نام ${at}`);
    const content = ["mobile;name", ...rows, "12;x", "9120000000;again"].join("\r\n");
    const { page, problems } = await open("/campaigns/new", "fa-IR");
    // What is typed while the file is read stays.
    let typed = (): void => undefined;
    const isTyped = new Promise<void>((resolve) => {
      typed = resolve;
    });
    await page.route(/table-worker/, (route) => isTyped.then(() => route.continue()));
    await chooseFile(page, "autumn.csv", content);
    await see(page, "در حال خواندن فایل");
    await page.locator("textarea").fill("{name} عزیز");
    typed();
    await press(page, "بررسی ردیف‌ها و هزینه");
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await page.getByText("۱٬۶۶۸٬۰۰۰").first().waitFor();
    await see(page, "شمارهٔ همراه درست نیست");
    expect(await page.getByText("recipientNumber").count()).toBe(0);
    const before = await countMessages();
    await press(page, "شروع", { exact: true });
    const dialog = page.getByRole("dialog");
    await see(dialog, "۱٬۲۰۰ پیامک ارسال می‌شود. هزینه: ۱٬۶۶۸٬۰۰۰ ریال");
    expect(await countMessages()).toBe(before);
    await dialog.getByRole("button", { name: "شروع", exact: true }).dblclick();
    await expect
      .poll(
        async () => {
          // What waits would hold the campaign back; nothing submits it here.
          await api.rows("delete from message_queue");
          return page.getByText("پیامک‌های در صف: ۱٬۲۰۰").count();
        },
        { timeout: 120_000, interval: 300 },
      )
      .toBe(1);
    expect(await countMessages()).toBe(before + 1200);
    const [campaign] = await api.rows<object>(
      "select state, rows, accepted, refused, skipped from campaign order by id desc limit 1",
    );
    expect(campaign).toEqual({ state: "done", rows: 1202, accepted: 1200, refused: 1, skipped: 1 });
    expect(problems).toEqual([]);
  });

  it("asks which column a name of the text means that no column has, and tells no number erased that was not there", async () => {
    const { page } = await open("/campaigns/new");
    await chooseFile(page, "misspelled.csv", ["mobile,name,city", "09121230000,Sara,Yazd", ",Ali,Qom"].join("\n"));
    await see(page, "Rows: 2");
    await page.getByLabel("Text", { exact: true }).fill("Dear {name} of {ctiy}");
    const check = page.getByRole("button", { name: "Check the rows and the price" });
    expect(await page.getByLabel("Column of name").inputValue()).toBe("1");
    expect(await page.getByLabel("Column of ctiy").inputValue()).toBe("");
    expect(await check.isDisabled()).toBe(true);
    await page.getByLabel("Column of ctiy").selectOption("2");
    await check.click();
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await see(page, "The number is missing.");
    expect(await page.getByText("number erased").count()).toBe(0);
  });

  it("is locked while the rows go up, and gives up the draft of a text that is changed after a break", async () => {
    const { page } = await open("/campaigns/new");
    await chooseFile(
      page,
      "wrong.csv",
      Array.from({ length: 1500 }, (_, at) => `912${String(at).padStart(7, "0")}`).join("\n"),
    );
    await see(page, "Rows: 1,500");
    const text = page.getByLabel("Text", { exact: true });
    await text.fill("The wrong text");
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = page.waitForRequest(/campaigns\/[^/]+\/rows$/);
    await page.route(/campaigns\/[^/]+\/rows$/, (route) => released.then(() => route.fulfill({ status: 500 })));
    const check = page.getByRole("button", { name: "Check the rows and the price" });
    await check.click();
    await held;
    expect(await text.isDisabled()).toBe(true);
    release();
    await page.getByRole("alert").waitFor();
    await page.unroute(/campaigns\/[^/]+\/rows$/);
    await text.fill("The right text");
    await check.click();
    await page.waitForURL(/campaigns\/[0-9a-f-]{36}/);
    await page.getByText("The right text").first().waitFor();
    const drafts = () =>
      api.rows<object>("select content, rows from campaign where state = 'draft' and name = 'wrong'");
    await expect.poll(drafts).toEqual([{ content: "The right text", rows: 1500 }]);
  });

  it("says of a campaign that is planned when it is sent, and what its end gave back", async () => {
    const { page, problems } = await open("/campaigns/new");
    await chooseFile(page, "tomorrow.csv", "09121110011\n09121110012\n");
    await page.getByLabel("Text", { exact: true }).fill("Tomorrow");
    await press(page, "Check the rows and the price");
    await page.getByLabel("Send later").check();
    await press(page, "Tomorrow 09:00");
    await press(page, "Schedule", { exact: true });
    await see(page, /Their cost, [\d,]+ rials, is taken from the credit now\./);
    await press(page.getByRole("dialog"), "Schedule", { exact: true });
    await see(page, /^Scheduled for \d+ \w+ \d{4}, 09:00$/);
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    const fact = (name: string) => page.locator("dl > div", { hasText: name });
    const cost = await fact("Cost").locator("dd").innerText();
    await press(page, "Cancel the campaign", { exact: true });
    await press(page.getByRole("alertdialog"), "Cancel the campaign", { exact: true });
    await see(fact("Refunded"), cost, { exact: true });
    expect(await fact("Delivery rate").locator("dd").innerText()).toBe("–");
    expect(problems).toEqual([]);
  });

  it("stops a campaign whose last row is accepted as long as its messages wait", async () => {
    const { page, problems } = await open("/campaigns/new");
    await chooseFile(page, "late.csv", "09121110001\n09121110002\n");
    await page.getByLabel("Text", { exact: true }).fill("Too early");
    await press(page, "Check the rows and the price");
    await press(page, "Start", { exact: true });
    await press(page.getByRole("dialog"), "Start", { exact: true });
    await see(page, "Messages in the queue: 2");
    // Each row tells of its message now.
    await page.getByRole("table", { name: "Rows" }).getByText("Waiting").first().waitFor();
    await press(page, "Cancel the campaign", { exact: true });
    await press(page.getByRole("alertdialog"), "Cancel the campaign", { exact: true });
    await page.getByText("Canceled", { exact: true }).first().waitFor();
    await page.getByRole("table", { name: "Rows" }).getByText("Not sent").first().waitFor();
    await page.getByRole("button", { name: "Cancel the campaign", exact: true }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });
});
