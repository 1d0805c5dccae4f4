// A real browser for the tests of pages: Debian's Chromium, the headless shell first, which draws
// the same for half the processor time. Where there is none, the reason is printed once and those
// tests are skipped.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import type { FrontDoor } from "./front-door.ts";

/** The first that is there is used. */
const browserPaths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const browserPath = browserPaths.find((candidate) => existsSync(candidate));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
/** Ends what hangs; nothing is asserted by it. */
const timeout = 60_000;

export const isBrowserThere = browserPath !== undefined;
if (!isBrowserThere) process.stderr.write(`pages are not looked at: there is no ${browserPaths.join(" nor ")}\n`);

export function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error("there is no browser");
  return chromium.launch({ executablePath: browserPath, args: [...flags, ...quiet], timeout: 2 * timeout });
}

/** Makes dist/console current, as every start of the gateway does. */
export function buildConsole(): void {
  const script = fileURLToPath(new URL("../../bin/build.js", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** The address of the console of a front door that listens. */
export async function listen(door: FrontDoor): Promise<string> {
  await door.app.listen({ host: "127.0.0.1", port: 0 });
  // It listens at a port.
  const { port } = door.app.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/console`;
}

export interface WatchedPage {
  readonly page: Page;
  /** What the browser logged as an error, and what was asked of other hosts. */
  readonly problems: string[];
  readonly close: () => Promise<void>;
}

/** A page of a browser that knows nobody yet. */
export async function newPage(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: "en-GB", colorScheme: "light", ...options });
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
