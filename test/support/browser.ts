// A real browser for the tests of pages: Debian's Chromium, the headless shell first, which draws
// the same for half the processor time. Where there is none, the reason is printed once and those
// tests are skipped. The files of a process share one.
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import type { TestApi } from "./test-api.ts";

/** The first that is there is used. */
const browserPaths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const browserPath = browserPaths.find((candidate) => existsSync(candidate));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
/** One process and its messages less; what draws without a graphics card stands in it otherwise. */
const together = ["--in-process-gpu"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
/** Ends what hangs; nothing is asserted by it. */
const timeout = 60_000;

export const isBrowserThere = browserPath !== undefined;
if (!isBrowserThere) process.stderr.write(`pages are not looked at: there is no ${browserPaths.join(" nor ")}\n`);

let launched: Promise<Browser> | undefined;

/** What a file opens in it, it closes: by `closePages` at the latest. */
export function openBrowser(): Promise<Browser> {
  launched ??= launch().catch((error: unknown) => {
    launched = undefined;
    throw error;
  });
  return launched;
}

async function launch(): Promise<Browser> {
  if (browserPath === undefined) throw new Error("there is no browser");
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: [...flags, ...together, ...quiet],
    timeout: 2 * timeout,
  });
  // The next file shall not fail because it ended.
  browser.once("disconnected", () => (launched = undefined));
  return browser;
}

/** Closes all that the file has left open. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

let built: Promise<void> | undefined;

/** Makes dist/console current, as every start of the gateway does. */
export function buildConsole(): Promise<void> {
  return (built ??= build());
}

async function build(): Promise<void> {
  // @ts-expect-error -- plain JavaScript, for it runs before anything is compiled
  const { ensureConsoleBuilt } = (await import("../../bin/build.js")) as {
    /** What went wrong. */
    readonly ensureConsoleBuilt: () => string | undefined;
  };
  const problem = ensureConsoleBuilt();
  if (problem !== undefined) throw new Error(problem);
}

/** The address of the console of a HTTP service that listens. */
export async function listen(api: TestApi): Promise<string> {
  return `http://127.0.0.1:${await api.listen()}/console`;
}

/** `exact`: the whole name or text, in its case. */
interface Naming {
  readonly exact?: boolean;
}

/** Clicks on the button of that name. */
export function press(place: Page | Locator, name: string | RegExp, naming: Naming = {}): Promise<void> {
  return place.getByRole("button", { name, ...naming }).click();
}

/** Waits until the text is there. */
export function see(place: Page | Locator, text: string | RegExp, naming: Naming = {}): Promise<void> {
  return place.getByText(text, naming).waitFor();
}

/** The rows of tables that have this text. */
export function rowOf(page: Page, text: string): Locator {
  return page.getByRole("row").filter({ hasText: text });
}

/** Gives the page a file. */
export function chooseFile(page: Page, name: string, content: string | Buffer): Promise<void> {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
  return page.locator("input[type=file]").setInputFiles(file);
}

export interface WatchedPage {
  readonly page: Page;
  /** What the browser logged as an error, and what was asked of other hosts. */
  readonly problems: string[];
  readonly close: () => Promise<void>;
}

/**
 * A page of a browser that knows nobody yet. It asks for no motion, as some people do: what moves
 * is drawn sixty times a second, and is on its way while a test looks at it.
 */
export async function newPage(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    locale: "en-GB",
    colorScheme: "light",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  const problems: string[] = [];
  page.on("console", (line) => {
    if (line.type() === "error") problems.push(`${page.url()}: ${line.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(base).origin)) problems.push(`asked for ${request.url()}`);
  });
  return { page, problems, close: () => context.close() };
}
