// The pages of the network in a real browser: an operator switched off and on again, routes put in
// order by keys, a link added and tested, a conflict that loses nothing, and who sees but may not
// change.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectorSettings } from "../../src/connectors/connector-settings.ts";
import { startSimulatedSmsc, type SimulatedSmsc } from "../../src/simulator/simulated-smsc.ts";
import { isBrowserThere, press, see } from "../support/browser.ts";
import { bindFirstConnector, failFurtherBinds } from "../support/bound-connector.ts";
import { goOn, openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import type { TestApi } from "../support/test-api.ts";
import { statement } from "../support/database.ts";
import { applyDocument } from "../support/apply-document.ts";

let api: TestApi;
let base: string;
let shown: OpenConsole;
let smsc: SimulatedSmsc;

const pem = (file: string): string => readFileSync(new URL(`../fixtures/tls/${file}`, import.meta.url), "utf8").trim();

const openAs = (username: string, next: string, options = {}) => openPageAs(shown, username, { next, ...options });

async function apply(text: string): Promise<void> {
  await applyDocument(api.db, text);
}

async function rowNames(page: Page): Promise<readonly (string | null)[]> {
  const rows = await page.getByRole("listitem", { name: /^Route / }).all();
  return Promise.all(rows.map((row) => row.getAttribute("aria-label")));
}

describe.skipIf(!isBrowserThere)("the pages of the network", () => {
  beforeAll(async () => {
    shown = await openConsole({
      administrator: "administrator",
      operator: "operator",
      viewer: "viewer",
    });
    ({ api, base } = shown);
    smsc = await startSimulatedSmsc({ systemId: "hodhod", password: "secret" });
  });
  afterAll(async () => {
    await shown.close();
    await smsc.stop();
  });

  it("switch nothing that somebody has changed meanwhile, and show it first", async () => {
    const { page, problems } = await openAs("operator", "/operators");
    const irancell = page.getByRole("switch", { name: "Irancell", exact: true });
    await irancell.waitFor();
    const prefixes = async (): Promise<string> =>
      (await page.getByRole("row").filter({ has: irancell }).textContent()) ?? "";
    const path = `${base}/api/operators/Irancell`;
    const headers = { "x-hodhod-console": "1", "content-type": "application/json" };
    const stored = await page.request.get(path);
    const operator = (await stored.json()) as { readonly prefixes: readonly string[] };
    const data = { ...operator, prefixes: [...operator.prefixes, "999"] };
    const etag = stored.headers()["etag"] ?? "";
    expect((await page.request.put(path, { headers: { ...headers, "if-match": etag }, data })).status()).toBe(200);
    expect(await prefixes()).not.toContain("0999");
    await irancell.click();
    await see(page.getByRole("alert"), /changed/);
    await expect.poll(prefixes).toContain("0999");
    expect(await irancell.getAttribute("aria-checked")).toBe("true");
    await irancell.click();
    await expect.poll(() => irancell.getAttribute("aria-checked")).toBe("false");
    await press(page, "Undo");
    await expect.poll(() => irancell.getAttribute("aria-checked")).toBe("true");
    expect(problems).toEqual([]);
  });

  it("put routes in order by the keyboard, and save them as one list", async () => {
    const { page, problems } = await openAs("operator", "/routes");
    const first = page.getByRole("listitem", { name: "Route 1: operator MCI" });
    await first.waitFor();
    await first.focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowDown");
    expect(await rowNames(page)).toEqual([
      "Route 1: operator Irancell, line *",
      "Route 2: operator RighTel, line *",
      "Route 3: operator MCI, line *",
    ]);
    await page.getByRole("button", { name: "Save the routes" }).press("Enter");
    await page.getByText("The routes are saved").waitFor({ state: "attached" });
    await api.directory.refresh();
    expect(api.directory.current.routes.map(({ operator }) => operator)).toEqual(["Irancell", "RighTel", "MCI"]);
    await press(page, "Move route 3 up");
    await press(page, "Undo my changes");
    expect(await rowNames(page)).toContain("Route 3: operator MCI, line *");
    // On a choice within a route the same keys are the browser's: they open its list.
    const order = await rowNames(page);
    await page.getByRole("combobox", { name: "Line", exact: true }).first().focus();
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Escape");
    expect(await rowNames(page)).toEqual(order);
    expect(problems).toEqual([]);
    // One that takes everything, at the top, leaves the others nothing.
    await press(page, "Add a route");
    for (const position of [4, 3, 2]) await press(page, `Move route ${position} up`);
    expect(await page.getByText("Route 1 stands before it").count()).toBe(3);
  });

  it("tell which way a number goes, and why not", async () => {
    const { page } = await openAs("viewer", "/routes");
    await page.getByLabel("Number of the recipient").fill("۰۹۲۰۱۲۳۴۵۶۷");
    await page.getByLabel("Line", { exact: true }).fill("10001234");
    await press(page, "Show the route");
    await see(page, "by the prefix 0920");
    await see(page, "1048");
    await page.getByLabel("Number of the recipient").fill("123");
    await press(page, "Show the route");
    await see(page, "must be a mobile number");
  });

  it("add a link: test it as it is typed, show faults at their fields, save and disable it", async () => {
    const { page } = await openAs("administrator", "/connectors");
    await press(page, "Add a connector");
    await page.getByLabel("Name", { exact: true }).fill("sim-1");
    await page.getByLabel("Host").fill("127.0.0.1");
    await page.getByLabel("Port").fill("0");
    await page.getByLabel("System ID").fill("hodhod");
    await page.getByLabel("Bind password").fill("secret");
    await press(page, "Add", { exact: true });
    await see(page, "must be a whole number from 1 to 65535");
    await page.getByLabel("Port").fill(String(smsc.port));
    await press(page, "Test the bind");
    const last = page.getByText("The bind was closed properly.");
    await last.waitFor();
    const bottomOf = async (shown: Locator) => {
      const { y = NaN, height = NaN } = (await shown.boundingBox()) ?? {};
      return y + height;
    };
    expect(await bottomOf(last)).toBeLessThanOrEqual(await bottomOf(page.getByRole("dialog")));
    expect((await page.getByLabel("Kind of bind").boundingBox())?.height).toBe(
      (await page.getByLabel("System type").boundingBox())?.height,
    );
    await press(page, "Add", { exact: true });
    const row = page.getByRole("row", { name: /sim-1/ });
    await press(row, "Disable");
    await see(row, "Disabled");
    await press(page, "Undo");
    await row.getByRole("button", { name: "Disable" }).waitFor();
    await press(row, "Edit sim-1");
    await page.getByLabel("Host").fill("localhost");
    await press(page, "Save", { exact: true });
    await page.locator("p[id$=note]").filter({ hasText: "host" }).waitFor();
    await page.keyboard.press("Escape");
    await press(row, "Remove");
    await press(page.getByRole("alertdialog"), "Remove");
    await row.waitFor({ state: "detached" });
  });

  it("set what an operator demands: parameters, words of receipts and a certificate, whose key is not shown", async () => {
    await apply(
      `connectors: [{ name: strict, type: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: x, password: y, enabled: false }]`,
    );
    const { page, problems } = await openAs("administrator", "/connectors");
    const row = page.getByRole("row", { name: /strict/ });
    const stored = async () =>
      (
        await api.db.query<{ settings: ConnectorSettings }>(
          statement("select body as settings from configured_object where name = 'strict'"),
        )
      )[0]?.settings;
    await press(row, "Edit strict");
    await page.getByText("More settings").click();
    await press(page, "Add to tlvs");
    await page.getByLabel("tlvs 1 tag").fill("0x1400");
    await page.getByLabel("tlvs 1 text").fill("1100");
    await press(page, "Add to receiptStates");
    await page.getByLabel("receiptStates 1 name").selectOption("delivered");
    await page.getByLabel("receiptStates 1 value").fill("HANDED, DONE");
    await press(page, "Add to receiptErrors");
    await page.getByLabel("receiptErrors 1 name").fill("130");
    await page.getByLabel("receiptErrors 1 kind").selectOption("blacklist");
    await press(page, "Add to receiptErrors");
    await page.getByLabel("receiptErrors 2 name").fill("130");
    await see(page, "“⁨130⁩” is there twice: only the last of its rows is saved.");
    await page.getByLabel("receiptErrors 2 name").fill("255");
    await page.getByLabel("receiptErrors 2 kind").selectOption("other");
    await page.getByLabel("receiptErrors 2 fa").fill("شب");
    await press(page, "Save", { exact: true });
    await expect.poll(async () => (await stored())?.tlvs).toEqual([{ tag: "0x1400", text: "1100" }]);
    expect((await stored())?.receiptStates).toEqual({ delivered: ["HANDED", "DONE"] });
    const receiptErrors = { "130": "blacklist", "255": { kind: "other", fa: "شب" } };
    expect((await stored())?.receiptErrors).toEqual(receiptErrors);

    await press(row, "Edit strict");
    await page.getByText("More settings").click();
    expect(await page.getByLabel("receiptErrors 1 kind").inputValue()).toBe("blacklist");
    expect(await page.getByLabel("receiptErrors 2 fa").inputValue()).toBe("شب");
    await page.getByLabel("Encryption (TLS)", { exact: true }).selectOption("unverified");
    await page.getByLabel("Certificate of this side, as PEM text").fill(pem("server.pem"));
    await page.getByLabel("Its private key, as PEM text").fill(pem("server-key.pem"));
    await page.getByLabel("Bind password").fill("y");
    await press(page, "Save", { exact: true });
    await expect.poll(async () => (await stored())?.tlsKey).toContain("PRIVATE KEY");
    expect((await stored())?.tlvs).toHaveLength(1);
    await press(row, "Edit strict");
    await page.getByLabel("Certificate of this side, as PEM text").waitFor();
    expect(await page.getByLabel("Its private key, as PEM text").inputValue()).toBe("");
    await page.getByLabel("Oldest version of TLS").selectOption("1.0");
    await press(page, "Save", { exact: true });
    await expect.poll(async () => (await stored())?.tls).toMatchObject({ minVersion: "1.0" });
    expect((await stored())?.tlsKey).toContain("PRIVATE KEY");
    expect(problems).toEqual([]);
  });

  it("call a paused connector paused, wherever its state stands, until Undo", async () => {
    const { page, problems } = await openAs("operator", "/connectors");
    const row = page.getByRole("row", { name: /mci-1/ });
    await press(row, "Pause");
    await see(row, "Paused", { exact: true });
    await page.getByRole("link", { name: "Overview" }).click();
    const card = page.getByRole("article").filter({ hasText: "mci-1" });
    await see(card, "Paused", { exact: true });
    await page.goBack();
    await press(row, "Resume");
    await row.getByRole("button", { name: "Pause" }).waitFor();
    expect(await row.getByText("Paused", { exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("take a second click on Pause for the same one, not for a change of somebody else", async () => {
    const { page, problems } = await openAs("operator", "/connectors");
    const row = page.getByRole("row", { name: /mci-1/ });
    let stored = 0;
    await page.route(/connectors\/mci-1$/, async (route) => {
      if (route.request().method() === "PUT") stored += 1;
      await route.continue();
    });
    await row.getByRole("button", { name: "Pause" }).dblclick();
    await see(row, "Paused", { exact: true });
    await page.getByRole("button", { name: "Undo" }).dblclick();
    await row.getByRole("button", { name: "Pause" }).click({ trial: true });
    expect(stored).toBe(2);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("keep the order that was made here, and show what somebody else has made of the routes meanwhile", async () => {
    await apply(
      "routes: [{ operator: MCI, line: '*', connectors: [mci-1] }, { operator: Irancell, line: '*', connectors: [mci-1] }]",
    );
    const { page, problems } = await openAs("operator", "/routes");
    await press(page, "Move route 2 up");
    await apply(
      "routes: [{ operator: MCI, line: '*', connectors: [mci-1] }, { operator: RighTel, line: '*', connectors: [mci-1] }]",
    );
    await press(page, "Save the routes");
    await see(page.getByRole("alert"), "has changed this");
    await press(page, "Load the current state");
    await see(page.getByRole("status"), "operator RighTel, line all, by mci-1");
    expect(await rowNames(page)).toEqual(["Route 1: operator Irancell, line *", "Route 2: operator MCI, line *"]);
    await press(page, "Save the routes");
    await page.getByText("The routes are saved").waitFor({ state: "attached" });
    await api.directory.refresh();
    expect(api.directory.current.routes.map(({ operator }) => operator)).toEqual(["Irancell", "MCI"]);
    expect(await page.getByText("operator RighTel, line all").count()).toBe(0);
    expect(problems.filter((problem) => !problem.includes("412"))).toEqual([]);
  });

  it("send a test message whose answer was lost once", async () => {
    await bindFirstConnector(api);
    const { page } = await openAs("administrator", "/connectors");
    const countMessages = async () => (await api.rows<{ n: bigint }>("select count(*) as n from message"))[0]?.n;
    const send = page.getByRole("button", { name: "Send the test message" });
    await press(page.getByRole("row", { name: /mci-1/ }), "Test");
    await page.getByLabel("Account").selectOption("demo");
    await page.getByLabel("Line").selectOption("10001234");
    await page.getByLabel("Recipient").fill("09121234567");
    await page.getByLabel("Text").fill("is it there?");
    const before = (await countMessages()) ?? 0n;
    await page.route(/test-message$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await send.click();
    await see(page, "It is not known whether this was done");
    expect(await countMessages()).toBe(before + 1n);
    await page.unroute(/test-message$/);
    await send.click();
    await see(page, "accepted and charged");
    expect(await countMessages()).toBe(before + 1n);
  });

  it("tell once what a hundred binds fail by, with how many they are", async () => {
    const failed = await failFurtherBinds(api, 100);
    expect(failed).toBeGreaterThan(90);
    const { page } = await openAs("viewer", "/connectors");
    const row = page.getByRole("row", { name: /mci-1/ });
    await see(row, `${failed} binds:`);
    expect(await row.getByText("connect ECONNREFUSED 10.0.0.4:2775").count()).toBe(1);
    expect(await row.getByText("Nothing listens at the port").count()).toBe(1);
  });

  it("add no tariff without a price: it would charge nothing", async () => {
    const { page } = await openAs("administrator", "/tariffs");
    await press(page, "Add a tariff");
    const form = page.getByRole("dialog");
    await form.getByLabel("Tariff", { exact: true }).fill("priceless");
    await press(form, "Add", { exact: true });
    await form.locator("fieldset p[id$=note]").waitFor();
    await form.getByLabel("Price 1").fill("1,390");
    await press(form, "Add", { exact: true });
    await see(page.getByRole("row", { name: /priceless/ }), "1,390");
  });

  it("change a tariff row by row", async () => {
    const { page } = await openAs("administrator", "/tariffs");
    await press(page, "Edit standard");
    await page.getByLabel("Price 1").fill("۱٬۵۰۰");
    await press(page, "Remove 2 from Prices");
    await page.getByLabel("Language 1").selectOption("en");
    await press(page, "Save", { exact: true });
    await page.locator("fieldset p[id$=note]").waitFor();
    await page.getByLabel("Language 1").selectOption("*");
    await press(page, "Save", { exact: true });
    await see(page, "1,500");
  });

  it("show a viewer everything and no way to change it, in Persian too", async () => {
    const { page, problems } = await openAs("viewer", "/profile", { locale: "fa-IR" });
    for (const path of ["/operators", "/connectors", "/routes", "/lines", "/tariffs"]) {
      await goOn(page, base + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page
        .getByRole("button", { name: /^(ویرایش|حذف|افزودن)/ })
        .first()
        .waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: /ویرایش|حذف|افزودن|ذخیره/ }).count()).toBe(0);
    }
    await goOn(page, `${base}/operators`);
    expect(await page.getByRole("switch", { name: "MCI" }).isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });

  it("offer every account, also of a service that has hundreds", async () => {
    const names = Array.from({ length: 450 }, (_, at) => `shop ${at}`);
    const accounts = names.map((name, at) => ({ name, domain: `shop-${at}.example`, tariff: "standard" }));
    await apply(JSON.stringify({ accounts }));
    const { page } = await openAs("operator", "/routes");
    const choice = page.getByRole("combobox", { name: "Account" });
    await choice.getByRole("option", { name: "shop 99", exact: true }).waitFor({ state: "attached" });
    expect(await choice.getByRole("option", { name: /^shop/ }).count()).toBe(450);
  });
});
