// npm run screenshots: starts a service on this machine with simulated operators, and takes the
// pictures of docs/console.md into docs/console/.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { parse } from "yaml";
import { endWith, readCommandLine } from "../bench/command-line.ts";
import { startGatewayProcess } from "../src/app/gateway-process.ts";
import { readConfig } from "../src/platform/config.ts";
import { savePerson } from "../src/credentials/people.ts";
import { applySetup } from "../src/setup/change-setup.ts";
import { startSimulatedSmsc } from "../src/simulator/simulated-smsc.ts";
import { gatewayActor } from "../src/store/audit.ts";
import type { Database } from "../src/store/database.ts";
import { picturesOf, type Picture } from "./pictures.ts";
import { fillFigures, fillReports, keepSending, sendScene } from "./scene.ts";

/** The first that is there is used. */
const browserPaths = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"];
const target = fileURLToPath(new URL("../docs/console/", import.meta.url));
const setup = parse(readFileSync(new URL("setup.yaml", import.meta.url), "utf8")) as { connectors: object[] };
const languages = { en: "en-GB", fa: "fa-IR" } as const;
const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } } as const;
/** Small enough for a repository, and sharp enough to read. */
const quality = 78;
/** Until receipts are in, and charts are drawn. */
const settleMs = 2_000;
/** A busy machine takes this long for a page. */
const timeoutMs = 120_000;
/** By the names of the fields. */
const logins = {
  staff: { username: "ali", password: "a long password of staff" },
  customer: { username: "sara", password: "a password of sara", organisation: "hodhodshop.ir" },
} as const;

const usage = "Usage: npm run screenshots [-- --only NAME] [-- --to FOLDER]";

async function main(): Promise<void> {
  const { values } = readCommandLine(usage, { only: { type: "string" }, to: { type: "string" } });
  const { only, to = target } = values;
  const browserPath = browserPaths.find((candidate) => existsSync(candidate));
  if (browserPath === undefined) endWith(`There is no ${browserPaths.join(" nor ")}.`);
  mkdirSync(to, { recursive: true });
  const dataDir = mkdtempSync(path.join(tmpdir(), "hodhod-screenshots-"));
  const operator = { systemId: "hodhod", password: "secret-7", submitDelayMs: 40, receiptDelayMs: 900 };
  const smscs = await Promise.all([operator, operator, operator].map(startSimulatedSmsc));
  const connectors = setup.connectors.map((connector, index) => ({ ...connector, port: smscs[index]?.port }));
  const text = JSON.stringify({ ...setup, connectors });
  let stored: Database | undefined;
  const service = await startGatewayProcess({
    config: readConfig({ HODHOD_DATA_DIR: dataDir, HODHOD_PORT: "0", HODHOD_HOST: "127.0.0.1" }),
    progress: (line) => console.log(line),
    logFile: path.join(dataDir, "gateway.log"),
    prepare: async (db) => {
      await applySetup(db, { text, folder: dataDir, prune: false, dryRun: false });
      const wanted = { role: "administrator", password: logins.staff.password, keepsPassword: true } as const;
      await savePerson({ db, actor: gatewayActor, username: logins.staff.username }, wanted);
      await fillFigures(db);
      stored = db;
    },
  });
  let endSending = (): void => undefined;
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const { address } = service.gateway;
    const base = `${address}/console`;
    const message = await sendScene(address);
    const cookies = { staff: await signIn(browser, base, "staff"), customer: await signIn(browser, base, "customer") };
    endSending = keepSending(address, (error) => console.error(error));
    await delay(settleMs);
    await service.gateway.runNow("build-reports");
    if (stored) await fillReports(stored);
    const pictures = picturesOf(message).filter(({ name }) => only === undefined || name === only);
    for (const picture of pictures) {
      for (const language of ["en", "fa"] as const)
        await take(browser, base, { picture, language, to, cookies: cookies[picture.who] });
    }
  } finally {
    endSending();
    await browser.close();
    await service.stop();
    await Promise.all(smscs.map((smsc) => smsc.stop()));
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Wanted {
  readonly picture: Picture;
  readonly language: keyof typeof languages;
  readonly to: string;
  /** Of one who has signed in. */
  readonly cookies: Cookies;
}

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

async function take(browser: Browser, base: string, { picture, language, to, cookies }: Wanted): Promise<void> {
  const { name, path: place, theme, isPhone = false } = picture;
  const viewport = isPhone ? sizes.phone : sizes.desk;
  const context = await browser.newContext({ locale: languages[language], colorScheme: theme, viewport });
  context.setDefaultTimeout(timeoutMs);
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(base + place, { waitUntil: "domcontentloaded" });
  await page.locator("h1").waitFor();
  await delay(settleMs);
  for (const [field, value] of Object.entries(picture.fill ?? {})) await page.locator(field).fill(value);
  if (picture.submit) await page.locator("main form [type=submit]").last().click();
  if (picture.fill) await delay(settleMs);
  const file = path.join(to, `${name}-${language}.jpg`);
  await page.screenshot({ path: file, type: "jpeg", quality, animations: "disabled" });
  console.log(file);
  await context.close();
}

async function signIn(browser: Browser, base: string, who: Picture["who"]): Promise<Cookies> {
  const context = await browser.newContext();
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  await page.goto(`${base}/sign-in`);
  for (const [field, value] of Object.entries(logins[who])) await page.locator(`[name=${field}]`).fill(value);
  await page.locator("[type=submit]").click();
  await page.waitForURL(/overview|home/);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

await main();
