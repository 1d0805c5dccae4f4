// Every page as it is drawn: without errors, accessible in both languages and themes and on a
// phone, small, and true to what it is told.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { acquireBinds, insertNode, markBind } from "../../src/store/nodes.ts";
import type { NodeFigures } from "../../src/figures/node-figures.ts";
import { noCounts } from "../../src/figures/tally.ts";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { importBlockList } from "../../src/setup/change-block-lists.ts";
import { createEndpoint } from "../../src/setup/change-endpoints.ts";
import { NumberCollector } from "../../src/sms/number-collector.ts";
import { tellFigures } from "../../src/store/figures.ts";
import { addOptOuts } from "../../src/store/opt-outs.ts";
import { uuidv7 } from "../../src/uuid.ts";
import { seriousFindings } from "../support/axe.ts";
import { isBrowserThere, newPage } from "../support/browser.ts";
import { statement } from "../support/database.ts";
import { keys, type FrontDoor } from "../support/front-door.ts";
import { goOn, goTo as goToAddress, openConsole, openPageAs, type OpenConsole } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";

const assets = fileURLToPath(new URL("../../dist/console/assets/", import.meta.url));

/** A theme, and the width of a window in px. */
const looks = [
  ["light", 1280],
  ["dark", 390],
] as const;

/** Ends when no colour is on its way to another theme's. */
const coloursAreThere = `Promise.all(
  document.getAnimations().filter((motion) => motion instanceof CSSTransition).map((motion) => motion.finished.catch(() => {})))`;

let door: FrontDoor;
let browser: Browser;
let base: string;
let shown: OpenConsole;
let messageId: string;

const openAs = (who: "staff" | "customer", options = {}) =>
  openPageAs(shown, who === "staff" ? "admin" : "demo", options);

const goTo = (page: Page, path: string) => goToAddress(page, base + path);

const staffPages = () => [
  "/overview",
  "/messages?recipient=09121234567&since=2026-01-01",
  `/messages/${messageId}`,
  "/received",
  "/review",
  "/reports",
  "/accounts",
  "/accounts/demo",
  "/operators",
  "/connectors",
  "/routes",
  "/lines",
  "/rules",
  "/block-lists",
  "/block-lists/spam",
  "/opt-outs",
  "/tariffs",
  "/setup",
  "/audit",
  "/profile",
  "/nowhere",
];
const customerPages = () => [
  "/home",
  "/messages",
  `/messages/${messageId}`,
  "/received",
  "/reports",
  "/credit",
  "/send",
  "/campaigns",
  "/campaigns/new",
  "/opt-outs",
  "/webhooks",
];

describe.skipIf(!isBrowserThere)("the pages of the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ door, base, browser } = shown);
    ({ sentMessageId: messageId } = await send(door, "09121234567", { content: hostile }));
    await send(door, "09351234567");
    const rules = `
contentRules: [{ name: games, words: [casino], action: review }]
sendingHours: [{ name: nights, lines: ["10007777"], windows: [{ days: [sat, sun], from: "09:00", to: "21:00" }] }]
inboundRules: [{ line: "10001234", any: true, account: demo }]
`;
    await applySetup(door.db, { text: rules, folder: ".", prune: false, dryRun: false });
    await door.directory.refresh();
    const listed = new NumberCollector();
    listed.add(120_001_001, 1);
    await importBlockList(door.db, { name: "spam", numbers: listed, by: { who: "command:test@test" } });
    await addOptOuts(door.db, { line: "10001234", numbers: ["989120001001"], how: "message" });
    await send(door, "09121110001", { content: "casino" });
    await createEndpoint(
      door.db,
      { accountId: door.accountId("demo"), account: "demo", by: { who: "command:test@test" } },
      { name: "shop", url: "https://shop.example/hook", events: ["message.*"], batchSize: 1, enabled: true },
    );
    await holdBind();
  });
  afterAll(() => shown.close());

  const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

  async function holdBind(): Promise<void> {
    const nodeId = uuidv7();
    await insertNode(door.db, {
      nodeId,
      leaseMs: 3_600_000,
      configurationVersion: 1n,
      host: "sms-1",
      pid: 42,
      dispatches: true,
    });
    const connectorId = door.directory.current.connectors.values().next().value?.id ?? 0;
    await acquireBinds(door.db, { nodeId, connectorId, binds: 1, wanted: 1 });
    await markBind(door.db, { connectorId, bindNumber: 1, nodeId, bound: false, error: "ESME_RBINDFAIL" });
    const minuteAgo = new Date(Date.now() - 60_000).toISOString();
    const bind = { connector: "mci-1", bind: 1, bound: false, since: minuteAgo, inFlight: 0, window: 10 };
    const figures: NodeFigures = {
      pid: 42,
      rates: noCounts,
      latency: { answers: 0, medianMs: 0, slowMs: 0 },
      binds: [{ ...bind, partsPerSecond: 0, lastError: "ESME_RBINDFAIL", lastErrorAt: minuteAgo }],
      asked: {},
      lease: true,
    };
    await tellFigures(door.db, { processId: nodeId, host: "sms-1", figures });
    // Nobody tells them anew while the tests run.
    await door.db.query(statement("update node_figures set at = now() + interval '1 hour'"));
  }

  /**
   * What axe calls serious, and what does not fit, on a desk in the light and on a phone in the
   * dark.
   */
  async function faultsOf(page: Page): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [theme, width] of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
      await page.evaluate(coloursAreThere);
      found.push(...(await seriousFindings(page)).map((finding) => `${theme}, ${String(width)} px: ${finding}`));
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (overflow !== 0) found.push(`${page.url()} is ${String(overflow)} px too wide at ${String(width)} px`);
    }
    return found;
  }

  it.each(["en", "fa"] as const)(
    "log no error and have nothing that is serious to axe (%s)",
    async (language) => {
      const options = { locale: language === "fa" ? "fa-IR" : "en-GB" };
      const stranger = await newPage(browser, base, options);
      onTestFinished(stranger.close);
      await stranger.page.goto(`${base}/sign-in`);
      await stranger.page.locator("[name=username]").waitFor();
      const found = [...(await faultsOf(stranger.page))];
      for (const [who, pages] of [
        ["staff", staffPages()],
        ["customer", customerPages()],
      ] as const) {
        const { page, problems } = await openAs(who, options);
        for (const [index, path] of pages.entries()) {
          // In English each is loaded by its address, in Persian the others follow the first.
          await (language === "en" || index === 0 ? goToAddress : goOn)(page, base + path);
          found.push(...(await faultsOf(page)));
        }
        found.push(...problems);
      }
      expect(found).toEqual([]);
    },
    // Twenty-six pages, each read twice by axe.
    600_000,
  );

  it("show what is open over them without a serious finding: filters, menu, a question", async () => {
    const { page, problems } = await openAs("staff");
    await goTo(page, "/messages");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByLabel("Recipient").fill("۰۹۱۲۱۲۳۴۵۶۷");
    await page.getByLabel("From day").fill("not a day");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("Write the day as").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("From day").fill("1405/01/01");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.waitForURL(`${base}/messages?recipient=09121234567&since=2026-03-21`);
    await page.getByRole("button", { name: "Remove the filter From day" }).click();
    await page.waitForURL(`${base}/messages?recipient=09121234567`);
    await expect.poll(() => page.getByRole("table").getByRole("row").count(), { timeout: 60_000 }).toBe(2);
    await page.getByRole("button", { name: "admin", exact: true }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("show a script in a text as text, to staff only when they ask", async () => {
    const customer = await openAs("customer");
    await goTo(customer.page, `/messages/${messageId}`);
    await customer.page.getByText(hostile).waitFor();
    expect(await customer.page.title()).not.toBe("owned");
    const staff = await openAs("staff");
    await goTo(staff.page, `/messages/${messageId}`);
    expect(await staff.page.getByText("onerror").count()).toBe(0);
    await staff.page.getByRole("button", { name: "Show text" }).click();
    await staff.page.getByText(hostile).waitFor();
    await goTo(staff.page, "/audit");
    await staff.page.getByRole("cell", { name: "text of the message" }).first().waitFor();
    expect([...customer.problems, ...staff.problems]).toEqual([]);
  });

  it("tell what needs a person, and lead from a number to a message's life", async () => {
    const { page } = await openAs("staff");
    await goTo(page, "/overview");
    await page.getByText(/Connector .mci-1. has no bind for/).waitFor();
    await page.getByText("ESME_RBINDFAIL").waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("0912 123 4567");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "09121234567" }).first().click();
    await page.waitForURL(`${base}/messages/${messageId}`);
    await page.getByText("Accepted and charged").waitFor();
    const time = page.locator("main time[tabindex]").first();
    await time.focus();
    const exact = await page.evaluate("getComputedStyle(document.activeElement, '::after').content");
    expect(exact).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} GMT/);
    await page.goto(`${base}/messages/${uuidv7()}`);
    await page.getByText("There is no message with this id").waitFor();
  });

  it("keep another account's message from a customer", async () => {
    const { sentMessageId } = await send(door, "09121112233", { key: keys.foreign });
    const { page } = await openAs("customer");
    await page.goto(`${base}/messages/${sentMessageId}`);
    await page.getByText("There is no message with this id").waitFor();
  });

  it("say that the connection is lost, and go on by themselves", async () => {
    const { page } = await openAs("staff");
    await goTo(page, "/overview");
    await page.context().setOffline(true);
    await page.getByText("The gateway cannot be reached since").waitFor();
    await page.context().setOffline(false);
    await page.getByText("The gateway cannot be reached since").waitFor({ state: "detached" });
    await page.getByText(/Connector .mci-1. has no bind for/).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("are small: what the first page loads is at most 200 KB of scripts and styles, and 100 KB of fonts", async () => {
    for (const locale of ["en-GB", "fa-IR"]) {
      const opened = await newPage(browser, base, { locale });
      onTestFinished(opened.close);
      const loaded = new Set<string>();
      opened.page.on("request", (request) => loaded.add(new URL(request.url()).pathname.split("/").at(-1) ?? ""));
      await opened.page.goto(`${base}/sign-in`, { waitUntil: "networkidle" });
      // Fonts are asked for when the first text is drawn. (waitForFunction asks by eval, which the
      // pages forbid.)
      const areFontsLoaded =
        "document.fonts.status === 'loaded' && [...document.fonts].some(({ status }) => status === 'loaded')";
      await expect.poll(() => opened.page.evaluate(areFontsLoaded), { timeout: 30_000 }).toBe(true);
      const sizes = readdirSync(assets).map((name) => ({ name, octets: readFileSync(assets + name).length }));
      const sum = (pattern: RegExp) =>
        sizes
          .filter(({ name }) => pattern.test(name) && loaded.has(name.replace(/\.gz$/, "")))
          .reduce((total, { octets }) => total + octets, 0);
      const [scripts, fonts] = [sum(/\.(js|css)\.gz$/), sum(/\.woff2$/)];
      expect(scripts).toBeGreaterThan(50_000);
      expect(scripts).toBeLessThanOrEqual(200 * 1024);
      expect(fonts).toBeGreaterThan(20_000);
      expect(fonts).toBeLessThanOrEqual(100 * 1024);
    }
  });
});
