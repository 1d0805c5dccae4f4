// The console in a browser: a HTTP service that listens, people of the staff with `staffPassword`,
// and Chromium.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { openSession } from "../../src/credentials/console-sessions.ts";
import type { Database } from "../../src/store/database.ts";
import { buildConsole, closePages, listen, newPage, openBrowser, type WatchedPage } from "./browser.ts";
import { addStaff, staffPassword } from "./console.ts";
import { statement } from "./database.ts";
import { openTestApi, type TestApi } from "./test-api.ts";

export interface OpenConsole {
  readonly api: TestApi;
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
  const api = await openTestApi(settings);
  const base = await listen(api);
  const browser = await openBrowser();
  const by = { db: api.db, actor: { who: "command:test@test" } };
  for (const [username, role] of Object.entries(staff)) await addStaff(by, { username, password: staffPassword, role });
  const close = async (): Promise<void> => {
    await closePages(browser);
    await api.close();
  };
  return { api, base, browser, close };
}

/** What a page needs of a console. */
interface Shown extends Pick<OpenConsole, "base" | "browser"> {
  readonly api: { readonly db: Database };
}

/**
 * A page of somebody who has signed in: one of the staff, the owner `demo` of the demo account or,
 * with `isCustomer`, another user of it. The session is written to the database, because signing in
 * takes the time of a password check, and the sign-in page has its own tests. The page is closed
 * when the test ends. It opens at `next`: loading a page takes half a second, so a test should not
 * load another one first.
 */
export async function openPageAs(
  { base, browser, api }: Shown,
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
  const token = await sessionFor(api.db, username, isCustomer);
  // As a browser keeps what the answer to a sign-in sets.
  const cookie = { name: "hodhod_session", value: token, domain: new URL(base).hostname, path: "/console" };
  await page.context().addCookies([{ ...cookie, httpOnly: true, sameSite: "Strict" }]);
  await page.goto(base + (next === "" ? (isCustomer ? "/home" : "/overview") : next));
  return opened;
}

const personOfStaff = `select id as "personId", password_version as "passwordVersion" from person where account_id is null and username = $1`;
const personOfDemo = `select u.id as "personId", u.password_version as "passwordVersion"
  from person u join account a on a.id = u.account_id where u.username = $1 and a.domain = 'demo.example'`;

/** The token of a new session. */
async function sessionFor(db: Database, username: string, isCustomer: boolean): Promise<string> {
  const [found] = await db.query<{ readonly personId: number; readonly passwordVersion: number }>(
    statement(isCustomer ? personOfDemo : personOfStaff, [username]),
  );
  if (found === undefined) throw new Error(`there is nobody called ${username}`);
  const session = { ...found, address: "127.0.0.1", userAgent: "a test" };
  const token = await db.transaction((tx) => openSession(tx, session));
  if (token === undefined) throw new Error(`${username} may not sign in`);
  return token;
}

/** Waits until everything that the page asked for is shown. */
export async function untilShown(page: Page): Promise<void> {
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
  await page.locator("h1").waitFor();
  await page.evaluate(`document.querySelector("h1").dataset.left = ""; history.pushState(null, "", "${address}")`);
  await untilShown(page);
}
