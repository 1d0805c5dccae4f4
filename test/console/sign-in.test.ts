import { savePerson } from "../../src/credentials/people.ts";
// Signing in and out, and one's own account, as people do it: by what is written on the page.
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  buildConsole,
  closePages,
  isBrowserThere,
  listen,
  newPage,
  openBrowser,
  press,
  see,
} from "../support/browser.ts";
import { addStaff, codeOf, staffPassword } from "../support/console.ts";
import { openTestApi, type TestApi } from "../support/test-api.ts";
import { secondFactor } from "../support/object-sql.ts";

let api: TestApi;
let browser: Browser;
let base: string;

const by = () => ({ db: api.db, actor: { who: "command:test@test" } });
const add = (username: string) => addStaff(by(), { username, password: staffPassword, role: "administrator" });

async function open(path = "/sign-in", options = {}) {
  const opened = await newPage(browser, base, options);
  onTestFinished(opened.close);
  await opened.page.goto(base + path);
  return opened;
}

async function signIn(page: Page, username: string, password: string, organisation = ""): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Organisation").fill(organisation);
  await press(page, "Sign in");
}

/** Signs somebody in as a tab does that still shows the sign-in page. */
async function callInPage(page: Page, credentials: object): Promise<void> {
  const headers = { "content-type": "application/json", "x-hodhod-console": "1" };
  const answer = await page.request.post(`${base}/api/session`, { headers, data: credentials });
  expect(answer.status()).toBe(200);
  await page.evaluate("localStorage.setItem('hodhod.signedIn', String(Date.now()))");
}

describe.skipIf(!isBrowserThere)("signing in to the console", () => {
  beforeAll(async () => {
    await buildConsole();
    api = await openTestApi({}, { demoTickets: [{ ticket: "ticket-of-the-demo", username: "admin" }] });
    base = await listen(api);
    browser = await openBrowser();
    await add("admin");
  });
  afterAll(async () => {
    await closePages(browser);
    await api.close();
  });

  it("tells the same whatever is wrong, and leads staff to the overview; the menu under the name signs out", async () => {
    const { page, problems } = await open();
    const told: (string | null)[] = [];
    for (const [name, password, organisation] of [
      ["admin", "wrong", ""],
      ["nobody", staffPassword, ""],
      ["admin", staffPassword, "demo.example"],
    ] as const) {
      await signIn(page, name, password, organisation);
      await page.getByRole("alert").waitFor();
      told.push(await page.getByRole("alert").textContent());
    }
    expect(new Set(told).size).toBe(1);
    // The browser itself logs each 401; nothing else may be logged.
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
    await signIn(page, "admin", staffPassword);
    await page.waitForURL(`${base}/overview`);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await press(page, "admin", { exact: true });
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(`${base}/sign-in`);
    await page.goto(`${base}/overview`);
    await page.waitForURL(/sign-in/);
    expect(await page.context().cookies()).toEqual([]);
  });

  it("leads customers home, and everybody where they were going", async () => {
    const { page, problems } = await open("/");
    await page.waitForURL(`${base}/sign-in`);
    await signIn(page, "demo", "password-of-demo", "demo.example");
    await page.waitForURL(`${base}/home`);
    const other = await open("/audit?who=staff%3Aadmin");
    await other.page.waitForURL(/sign-in\?next=/);
    await signIn(other.page, "admin", staffPassword);
    await other.page.waitForURL(`${base}/audit?who=staff%3Aadmin`);
    await other.page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    const lured = await open(`/sign-in?next=${encodeURIComponent("//evil.example/")}`);
    await signIn(lured.page, "admin", staffPassword);
    await lured.page.waitForURL(`${base}/overview`);
    expect([...problems, ...other.problems, ...lured.problems]).toEqual([]);
  });

  it("opens by a link of the demo, which leaves the address at once, also where somebody else is signed in", async () => {
    const { page, problems } = await open();
    await signIn(page, "demo", "password-of-demo", "demo.example");
    await page.waitForURL(`${base}/home`);
    await page.goto(`${base}/sign-in#ticket=ticket-of-the-demo`);
    await page.waitForURL(`${base}/overview`);
    await page.getByRole("button", { name: "admin", exact: true }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain("ticket");
    expect(problems).toEqual([]);
    const late = await open("/sign-in#ticket=of-a-demo-that-has-ended");
    await late.page.getByRole("alert").filter({ hasText: "a demo that has ended" }).waitFor();
    expect(late.page.url()).toBe(`${base}/sign-in`);
  });

  it("shows nothing more of a person where another tab signs somebody else in, or out", async () => {
    const { page } = await open();
    await signIn(page, "admin", staffPassword);
    await page.waitForURL(`${base}/overview`);
    await page.goto(`${base}/audit`);
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${base}/profile`);
    await press(other, "admin", { exact: true });
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
    await signIn(page, "admin", staffPassword);
    await page.waitForURL(`${base}/audit`);
    await other.waitForURL(`${base}/overview`);
    await callInPage(other, { username: "demo", password: "password-of-demo", organisation: "demo.example" });
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  });

  it("shows customers nothing that is the staff's", async () => {
    const { page } = await open("/accounts");
    await signIn(page, "demo", "password-of-demo", "demo.example");
    await page.waitForURL(`${base}/accounts`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    const own = [
      "Home",
      "Send",
      "Campaigns",
      "Messages",
      "Received",
      "Reports",
      "Delivery quality",
      "Templates",
      "Users",
      "API keys",
      "Block list and IPs",
      "Opt-outs",
      "Webhooks",
      "Sample code",
      "Credit",
    ];
    expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual(own);
  });

  it("is done by the keyboard alone", async () => {
    const { page } = await open();
    // The first field has the focus.
    await page.locator("input[name=username]:focus").waitFor();
    await page.keyboard.type("admin");
    await page.keyboard.press("Tab");
    await page.keyboard.type(staffPassword);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/overview`);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("۰۹۱۲۱۲۳۴۵۶۷");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/messages?recipient=09121234567`);
    await page.getByRole("button", { name: "admin", exact: true }).focus();
    await page.keyboard.press("Enter");
    // The menu is there before it has the focus, and takes keys from then on.
    const focused = (name: string) => page.locator("[role=menuitem]:focus", { hasText: name }).waitFor();
    await focused("Profile");
    await page.keyboard.press("End");
    await focused("Sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/sign-in`);
  });

  it("ends what is being read as somebody signs out: no answer is refused for want of a session", async () => {
    const { page, problems } = await open();
    const series = /console\/api\/figures/;
    let held: Route | undefined;
    await page.route(series, (route) => {
      held = route;
    });
    await page.route(/console\/api\/session$/, async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      const response = await route.fetch();
      await held?.continue();
      await held?.request().response();
      await route.fulfill({ response });
    });
    const asked = page.waitForRequest(series);
    await signIn(page, "admin", staffPassword);
    await asked;
    await press(page, "admin", { exact: true });
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(`${base}/sign-in`);
    expect(problems).toEqual([]);
  });

  it("is in Persian or English and light or dark as the browser asks, then as the person chose", async () => {
    const asked = await open("/sign-in", { locale: "fa-IR", colorScheme: "dark" });
    const root = asked.page.locator("html");
    const state = async () => [
      await root.getAttribute("lang"),
      await root.getAttribute("dir"),
      await root.getAttribute("data-theme"),
    ];
    expect(await state()).toEqual(["fa", "rtl", "dark"]);
    await asked.page.getByLabel("نام کاربری").fill("admin");
    await asked.page.getByLabel("رمز عبور").fill(staffPassword);
    expect(await asked.page.getByLabel("سازمان").inputValue()).toBe("");
    await press(asked.page, "ورود");
    await asked.page.waitForURL(`${base}/overview`);
    await asked.page.getByRole("heading", { level: 1, name: "نمای کلی" }).waitFor();
    await press(asked.page, "English");
    await asked.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await press(asked.page, "Light theme");
    expect(await state()).toEqual(["en", "ltr", "light"]);
    await asked.page.reload();
    expect(await state()).toEqual(["en", "ltr", "light"]);
    await press(asked.page, "Dark theme");
    await press(asked.page, "فارسی");
    expect(await state()).toEqual(["fa", "rtl", "dark"]);
    await press(asked.page, "پوستهٔ روشن");
    await press(asked.page, "admin", { exact: true });
    await asked.page.getByRole("menuitem", { name: "خروج" }).click();
    await asked.page.waitForURL(`${base}/sign-in`);
    expect(await state()).toEqual(["fa", "rtl", "light"]);
    expect(asked.problems).toEqual([]);
  });

  it("decides before the first paint: the script that blocks it is the first of the page", async () => {
    const page = await (await fetch(`${base}/sign-in`)).text();
    const [first = ""] = page.match(/<script[^>]*>/g) ?? [];
    expect(first).toMatch(/src="\/console\/assets\/first-paint-[\w-]{8}\.js"/);
    expect(first).not.toMatch(/module|defer|async/);
    expect(page.indexOf(first)).toBeLessThan(page.indexOf("stylesheet"));
    expect(page).not.toMatch(/<script[^>]*>[^<]/);
  });

  it("asks for a password of one's own where somebody else has set it", async () => {
    await add("new");
    await savePerson({ ...by(), username: "new" }, { password: staffPassword });
    const { page } = await open("/messages");
    await signIn(page, "new", staffPassword);
    await page.getByRole("heading", { name: "Choose your own password" }).waitFor();
    await see(page, /has set the current password/);
    expect(await page.getByRole("navigation").count()).toBe(0);
    const fill = async (next: string, again: string, present = staffPassword) => {
      await page.getByLabel("Current password").fill(present);
      await page.getByLabel("New password", { exact: true }).fill(next);
      await page.getByLabel("New password again").fill(again);
      await press(page, "Change password");
    };
    await fill("short", "short");
    await see(page, "must have 10 to 200 characters");
    await fill("a password of mine", "a password of nine");
    await see(page, "The two new passwords differ");
    const current = page.getByLabel("Current password");
    await fill("a password of mine", "a password of mine", "a wrong password");
    await see(page, "The current password is wrong.");
    expect(await current.getAttribute("aria-invalid")).toBe("true");
    await fill("a password of mine", "a password of mine");
    await page.getByRole("heading", { level: 1, name: "Messages" }).waitFor();
  });

  it("takes a second factor that was set in the profile, and a recovery code once", async () => {
    await add("careful");
    const { page, problems } = await open("/profile");
    await signIn(page, "careful", staffPassword);
    const factor = page.getByRole("region", { name: "Second factor" });
    await factor.getByLabel("Current password").fill(staffPassword);
    await press(factor, "Set up a second factor");
    await factor.getByRole("img", { name: "QR code" }).waitFor();
    const secret = await factor
      .getByRole("button", { name: /^Copy the key/ })
      .locator("bdi")
      .innerText();
    await factor.getByLabel("Code that the app shows").fill(codeOf(secret));
    await press(factor, "Turn the second factor on");
    const list = factor.getByRole("list", { name: "Recovery codes" });
    await list.waitFor();
    const codes = await list.getByRole("listitem").allTextContents();
    expect(codes).toHaveLength(10);
    await press(factor, "I have stored them");
    await see(factor, "Recovery codes left: 10");
    expect(problems).toEqual([]);

    const again = await open();
    await signIn(again.page, "careful", staffPassword);
    await again.page.getByLabel("Code").fill("000000");
    await press(again.page, "Verify");
    // Name and password were right: only the code is named.
    await see(again.page.getByRole("alert"), "The code is wrong or no longer valid.");
    await again.page.getByLabel("Code").fill(codeOf(secret, 1));
    await press(again.page, "Verify");
    await again.page.waitForURL(`${base}/overview`);

    const recovered = await open();
    await signIn(recovered.page, "careful", staffPassword);
    await recovered.page.getByLabel("Code").fill(codes[0] ?? "");
    await press(recovered.page, "Verify");
    await recovered.page.waitForURL(`${base}/overview`);
    await recovered.page.goto(`${base}/profile`);
    await see(recovered.page, "Recovery codes left: 9");
    const sessions = recovered.page.getByRole("table", { name: "Where you are signed in" });
    const others = sessions.getByRole("button", { name: "End session" });
    await expect.poll(() => others.count(), { timeout: 60_000 }).toBe(2);
    await others.first().click();
    await expect.poll(() => others.count(), { timeout: 60_000 }).toBe(1);
  });

  it("keeps the recovery codes in sight until they are kept, whatever is read anew meanwhile", async () => {
    // Others each time that the test is tried.
    const asked = `asked-${Date.now()}`;
    const demanded = `demanded-${Date.now()}`;
    for (const username of [asked, demanded]) await add(username);
    const openAndSet = async (username: string, path: string) => {
      const { page } = await open(path);
      await page.clock.install();
      await signIn(page, username, staffPassword);
      await page.getByLabel("Current password").first().waitFor();
      const place = page.locator("main");
      const factor = path === "/profile" ? place.getByRole("region", { name: "Second factor" }) : place;
      await factor.getByLabel("Current password").fill(staffPassword);
      await press(factor, "Set up a second factor");
      const secret = factor.getByRole("button", { name: /^Copy the key/ }).locator("bdi");
      await factor.getByLabel("Code that the app shows").fill(codeOf(await secret.innerText()));
      await press(factor, "Turn the second factor on");
      const codes = factor.getByRole("list", { name: "Recovery codes" });
      await codes.waitFor();
      return { page, codes, factor };
    };
    // Somebody looks at another tab, for a place to put them.
    const { page, codes, factor } = await openAndSet(asked, "/profile");
    const read = page.waitForResponse(/console\/api\/profile$/);
    await page.clock.fastForward(10_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    expect(await (await read).json()).toMatchObject({ secondFactor: true });
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    expect(await codes.getByRole("listitem").count()).toBe(10);
    await press(factor, "I have stored them");
    await see(factor, "Recovery codes left: 10");

    // The connection is lost and mended where a second factor is demanded.
    await api.rows(secondFactor("required"));
    onTestFinished(async () => {
      await api.rows(secondFactor("optional"));
    });
    const first = await openAndSet(demanded, "/overview");
    await first.page.evaluate("localStorage.setItem('hodhod.signedIn', String(Date.now()))");
    const who = first.page.waitForResponse(/console\/api\/session$/);
    await first.page.evaluate("window.dispatchEvent(new StorageEvent('storage', { key: 'hodhod.signedIn' }))");
    expect((await (await who).json()) as object).not.toHaveProperty("mustSetSecondFactor");
    await first.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    expect(await first.codes.getByRole("listitem").count()).toBe(10);
    await press(first.factor, "I have stored them");
    await first.page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  it("shows nobody what the one before has typed in the same tab", async () => {
    const { page } = await open();
    const leave = async (username: string) => {
      await press(page, username, { exact: true });
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByLabel("Organisation").waitFor();
    };
    const text = page.getByLabel("Text", { exact: true });
    const openSend = async (username: string) => {
      await page.goto(`${base}/sign-in?next=/send`);
      await signIn(page, username, `password-of-${username}`, `${username}.example`);
      await text.waitFor();
    };
    await openSend("demo");
    await page.getByLabel("Recipients").fill("09121234567");
    await text.fill("Your code is 48151");
    await leave("demo");
    // The same person finds it again.
    await openSend("demo");
    expect(await text.inputValue()).toBe("Your code is 48151");
    await leave("demo");
    await openSend("text");
    expect([await text.inputValue(), await page.getByLabel("Recipients").inputValue()]).toEqual(["", ""]);
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain("48151");
  });
});
