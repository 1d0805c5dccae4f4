import { savePerson } from "../../src/credentials/people.ts";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { abilitiesOf, type Operation, refusalOf } from "../../src/credentials/abilities.ts";
import { confirmSecondFactor, newTotpSecret, totpCode, totpStep } from "../../src/credentials/second-factor.ts";
import { importBlockList } from "../../src/setup/change-number-lists.ts";
import { createEndpoint } from "../../src/setup/change-endpoints.ts";
import { NumberCollector } from "../../src/sms/number-blocks.ts";
import { addOptOuts } from "../../src/store/opt-outs.ts";
import { seriousFindings } from "../support/axe.ts";
import { loseFirstBind } from "../support/bound-connector.ts";
import { isBrowserThere, newPage, press, type WatchedPage } from "../support/browser.ts";
import { addStaff, callConsole, demoOwner, signInAs, staffPassword } from "../support/console.ts";
import type { TestApi } from "../support/test-api.ts";
import { goOn, openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";
import { applyDocument } from "../support/apply-document.ts";
import { savePendingSecret } from "../../src/store/people.ts";
// Every page that the router knows, as everybody sees it who has it: read by axe in both languages
// and both themes, on a desk and on the smallest phone, while the browser logs no error. The list of
// pages is the router's own, so that no page is forgotten.

const pageList = readFileSync(new URL("../../console/src/frame/page-list.ts", import.meta.url), "utf8");

const constants: Readonly<Record<string, readonly Operation[]>> = {
  sendsCampaigns: ["sendBulk", "sendTemplate"],
  readsCampaigns: ["readMessages", "sendBulk", "sendTemplate"],
};

/** The router's list: the path, the ability that is needed, if any, and the operations of which one is. */
const routes = pageList
  .split(/(?=\bpath: ")/)
  .slice(1)
  .flatMap((text) => {
    const [, path] = /^path: "([^"]+)",\s*Page:/.exec(text) ?? [];
    const [, needs] = /needs: "(\w+)"/.exec(text) ?? [];
    const named = /operations: ([^\n]+)/.exec(text)?.[1]?.match(/\b(?:read|send)\w+/g) ?? [];
    const operations = named.flatMap((name) => constants[name] ?? (name as Operation));
    return path === undefined ? [] : [{ path, needs, operations }];
  });

const looks = [
  { language: "en", theme: "light" },
  { language: "fa", theme: "dark" },
] as const;

/** By their names in both languages. */
const switches = {
  en: "English",
  fa: "فارسی",
  light: /^(Light theme|پوستهٔ روشن)$/,
  dark: /^(Dark theme|پوستهٔ تیره)$/,
} as const;

/** Ends when no colour is on its way to another theme's. */
const coloursAreThere = `Promise.all(
  document.getAnimations().filter((motion) => motion instanceof CSSTransition).map((motion) => motion.finished.catch(() => {})))`;

let api: TestApi;
let base: string;
let shown: OpenConsole;
/** The addresses of pages that need more than their path. */
let examples: Readonly<Record<string, string>>;

const by = () => ({ db: api.db, actor: { who: "command:test@test" } });

function addressOf(path: string): string {
  const address = examples[path] ?? path;
  if (address.includes("/:")) throw new Error(`${path} needs an example in test/console/every-page.test.ts`);
  return base + address;
}

/**
 * Desk, small laptop, tablet and the smallest phone, in px. A wide page is narrowed in steps, and
 * the next look is chosen at the widest, where all buttons are.
 */
const widths = [1280, 1024, 800, 360] as const;
/** Axe reads each page dark in both, and light in one: the next page in the other. */
const readWidths = [1280, 360] as const;
let readPages = 0;

/** What axe calls serious, and what does not fit, in each look. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const ofLight = readWidths[readPages % readWidths.length];
  readPages += 1;
  for (const { language, theme } of looks) {
    const state = "[document.documentElement.lang, document.documentElement.dataset.theme]";
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      if (width === widths[0]) {
        const [isIn, has] = await page.evaluate<readonly [string, string]>(state);
        if (isIn !== language) await press(page, switches[language], { exact: true });
        if (has !== theme) await press(page, switches[theme]);
        await page.evaluate(coloursAreThere);
        expect(await page.evaluate(state)).toEqual([language, theme]);
      }
      const look = `${language}, ${theme}, ${String(width)} px`;
      const isRead = theme === "light" ? width === ofLight : readWidths.some((each) => each === width);
      if (isRead) found.push(...(await seriousFindings(page)).map((finding) => `${look}: ${finding}`));
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      if (overflow !== 0) found.push(`${look}: ${page.url()} is ${String(overflow)} px too wide`);
    }
  }
  return found;
}

describe.skipIf(!isBrowserThere)("every page of the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ admin: "administrator" });
    ({ api, base } = shown);
    const { sentMessageId, batchId } = await send(api, "09121234567");
    await send(api, "09351234567");
    const rules = `
contentRules: [{ name: games, words: [casino], action: review }]
sendingHours: [{ name: nights, lines: ["10007777"], windows: [{ days: [sat, sun], from: "09:00", to: "21:00" }] }]
inboundRules: [{ line: "10001234", any: true, account: demo }]
`;
    await applyDocument(api.db, rules);
    await api.directory.refresh();
    const listed = new NumberCollector();
    listed.add(120_001_001, 1);
    await importBlockList(api.db, { name: "spam", numbers: listed, by: { who: "command:test@test" } });
    await addOptOuts(api.db, { line: "10001234", numbers: ["989120001001"], how: "message" });
    await send(api, "09121110001", { content: "casino" });
    await createEndpoint(
      api.db,
      { accountId: api.accountId("demo"), account: "demo", by: { who: "command:test@test" } },
      { name: "shop", url: "https://shop.example/hook", events: ["message.*"], batchSize: 1, enabled: true },
    );
    await loseFirstBind(api);
    examples = {
      "/messages": "/messages?recipient=09121234567&since=2026-01-01",
      "/messages/:id": `/messages/${sentMessageId}`,
      "/batches/:id": `/batches/${batchId}`,
      "/campaigns/:id": `/campaigns/${await draftCampaign()}`,
      "/accounts/:name": "/accounts/demo",
      "/block-lists/:name": "/block-lists/spam",
      "/search": "/search?q=demo",
    };
  });
  afterAll(() => shown.close());

  /** A draft with a row that is sent, one at fault and a repetition. */
  async function draftCampaign(): Promise<string> {
    const cookie = await signInAs(api, demoOwner);
    const payload = { name: "Autumn", senderNumber: "10001234", content: "Hello" };
    const { body } = await callConsole(api, "POST", "/campaigns", { cookie, payload });
    const id = String(body["id"]);
    const rows = { first: 1, rows: [["09121234567"], ["12"], ["09121234567"]] };
    const { status } = await callConsole(api, "POST", `/campaigns/${id}/rows`, { cookie, payload: rows });
    expect(status).toBe(200);
    return id;
  }

  it("is in the list that is read here", () => {
    expect(routes).toHaveLength(pageList.match(/^\s+(\{ )?path: "/gm)?.length ?? 0);
    expect(routes.length).toBeGreaterThan(30);
  });

  it.each([
    ["admin", "administrator"],
    ["demo", "owner"],
  ] as const)(
    "is accessible in both languages and themes, fits, and logs no error (%s)",
    async (person, role) => {
      // Not one of those that follow: to go on to the page that is shown changes nothing.
      const { page, problems } = await openPageAs(shown, person, { next: "/nowhere" });
      await page.locator("h1").waitFor();
      const found: string[] = [];
      const abilities: readonly string[] = abilitiesOf(role);
      const may = (operation: Operation) => refusalOf(operation, { role }) === undefined;
      const own = routes.filter(
        ({ needs, operations }) =>
          (needs === undefined || abilities.includes(needs)) && (operations.length === 0 || operations.some(may)),
      );
      for (const path of [...own.map((route) => addressOf(route.path)), `${base}/nowhere`]) {
        await goOn(page, path);
        found.push(...(await faultsOf(page)));
      }
      expect([...found, ...problems]).toEqual([]);
    },
    // Some thirty pages, each read three times by axe.
    600_000,
  );

  it("is so before one is in, too: signing in, the code, and what has to be set first", async () => {
    const found: string[] = [];
    const signIn = async (username: string): Promise<WatchedPage> => {
      const opened = await newPage(shown.browser, base);
      onTestFinished(opened.close);
      const { page } = opened;
      await page.goto(`${base}/sign-in`);
      if (username === "") return opened;
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("Password").fill(staffPassword);
      await press(page, "Sign in");
      return opened;
    };
    const readAs = async (username: string, heading: string): Promise<void> => {
      const { page, problems, close } = await signIn(username);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      found.push(...(await faultsOf(page)), ...problems);
      await close();
    };
    await addStaff(by(), { username: "new", password: staffPassword, role: "viewer" });
    await savePerson({ ...by(), username: "new" }, { password: staffPassword });
    await addStaff(by(), { username: "careful", password: staffPassword, role: "viewer" });
    await setSecondFactor("careful");
    await readAs("", "Sign in");
    await readAs("new", "Choose your own password");
    await readAs("careful", "One more step");
    const required = "staffSecondFactor: required";
    await applyDocument(api.db, required);
    await api.directory.refresh();
    await readAs("admin", "Set up your second factor");
    expect(found).toEqual([]);
  });

  async function setSecondFactor(username: string): Promise<void> {
    const secret = newTotpSecret();
    const [{ id: personId } = { id: 0 }] = await api.rows<{ id: number }>(
      "select id from person where account_id is null and username = $1",
      [username],
    );
    const codes = await api.db.transaction(async (tx) => {
      await savePendingSecret(tx, personId, secret);
      return confirmSecondFactor(tx, personId, totpCode(secret, totpStep(Date.now() / 1000)));
    });
    expect(codes).toHaveLength(10);
  }
});
