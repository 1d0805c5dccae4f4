// The console in a browser: a front door that listens, people of the staff with `staffPassword`,
// and Chromium.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { addStaff } from "../../src/credentials/staff.ts";
import { buildConsole, closePages, listen, newPage, openBrowser, type WatchedPage } from "./browser.ts";
import { staffPassword } from "./console.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

export interface OpenConsole {
  readonly door: FrontDoor;
  readonly base: string;
  readonly browser: Browser;
  readonly close: () => Promise<void>;
}

type Role = Parameters<typeof addStaff>[1]["role"];

/** `staff`: role by username. `settings`: of the environment. */
export async function openConsole(
  staff: Readonly<Record<string, Role>>,
  settings: Readonly<Record<string, string>> = {},
): Promise<OpenConsole> {
  await buildConsole();
  const door = await openFrontDoor(settings);
  const base = await listen(door);
  const browser = await openBrowser();
  const by = { db: door.db, actor: { who: "command:test@test" } };
  for (const [username, role] of Object.entries(staff)) await addStaff(by, { username, password: staffPassword, role });
  const close = async (): Promise<void> => {
    await closePages(browser);
    await door.close();
  };
  return { door, base, browser, close };
}

const customer = { password: "demo-password", organisation: "demo.example" };

/**
 * A page of somebody who has signed in: one of the staff, or a user of the demo account: its owner
 * `demo`, and with `isCustomer` those whom a test gives it, with the same password. Signed in by
 * the API, without a look at the sign-in page, which has tests of its own. Closed when the test
 * ends.
 */
export async function openPageAs(
  { base, browser }: Pick<OpenConsole, "base" | "browser">,
  username: string,
  {
    next = "",
    isCustomer = username === "demo",
    ...options
  }: BrowserContextOptions & { readonly next?: string; readonly isCustomer?: boolean } = {},
): Promise<WatchedPage> {
  const opened = await newPage(browser, base, options);
  onTestFinished(opened.close);
  const { page } = opened;
  const answer = await page.request.post(`${base}/api/session`, {
    headers: { "x-hodhod-console": "1" },
    data: { username, ...(isCustomer ? customer : { password: staffPassword }) },
  });
  if (!answer.ok()) throw new Error(`${username} was not signed in: ${await answer.text()}`);
  await page.goto(base + (next === "" ? (isCustomer ? "/home" : "/overview") : next));
  return opened;
}

/** Waits until everything that the page asked for is shown. */
async function untilShown(page: Page): Promise<void> {
  await page.locator("h1:not([data-left])").waitFor();
  await expect.poll(() => page.getByText(/^(Loading|در حال بارگذاری)$/).count(), { timeout: 60_000 }).toBe(0);
}

/** Loads the page of an address: the whole document anew. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await untilShown(page);
}

/**
 * Goes from one page to another kind of page in the loaded document, as a link of the console does.
 * Takes a third of the time of loading it, and of loading axe again.
 */
export async function goOn(page: Page, address: string): Promise<void> {
  await page.evaluate(`document.querySelector("h1").dataset.left = ""; history.pushState(null, "", "${address}")`);
  await untilShown(page);
}
