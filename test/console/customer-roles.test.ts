// What an account's users of each role find and do in the console: a reader
// looks, a sender sends, and the owner manages.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, see } from "../support/browser.ts";
import { english, persian, type TextOf } from "../support/console-texts.ts";
import { goOn, goTo, openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";
import { applyDocument } from "../support/apply-document.ts";

let shown: OpenConsole;

const links = ["messages.title", "send.title", "users.title", "keys.title"] as const;
type LinkText = (typeof links)[number];

async function open(username: string, locale: string, t: TextOf) {
  const { page, problems } = await openPageAs(shown, username, { isCustomer: true, locale });
  await page.getByRole("heading", { level: 1 }).waitFor();
  const navigation = page.getByRole("navigation").first();
  const seen: LinkText[] = [];
  for (const key of links) {
    if ((await navigation.getByRole("link", { name: t(key), exact: true }).count()) > 0) seen.push(key);
  }
  const isThere = async (path: string): Promise<boolean> => {
    await goTo(page, shown.base + path);
    return (await page.getByText(t("notFound.lead")).count()) === 0;
  };
  return { page, problems, seen, isThere };
}

const countSent = async (content: string): Promise<number | undefined> =>
  (
    await shown.api.rows<{ count: number }>("select count(*)::int as count from message where content = $1", [content])
  )[0]?.count;

async function sendByHand(page: Page, t: TextOf, content: string): Promise<void> {
  await goOn(page, `${shown.base}/send`);
  await page.getByLabel(t("send.recipients")).fill("09121234567");
  await page.getByLabel(t("message.text"), { exact: true }).fill(content);
  await press(page, t("send.send"), { exact: true });
  await expect.poll(() => countSent(content), { timeout: 30_000 }).toBe(1);
}

describe.skipIf(!isBrowserThere)("in the console of an account", () => {
  beforeAll(async () => {
    shown = await openConsole({});
    const { api } = shown;
    const users = [
      { username: "demo", password: "password-of-demo" },
      { username: "sara", password: "password-of-demo", role: "sender" },
      { username: "reza", password: "password-of-demo", role: "reader" },
    ];
    const text = JSON.stringify({ accounts: [{ name: "demo", users }] });
    await applyDocument(api.db, text);
    await api.directory.refresh();
    await send(api, "09121234567", { content: "seen by all" });
  });
  afterAll(() => shown.close());

  it("a reader looks at messages, and finds no page to send or to manage, by its address neither", async () => {
    const { t, locale } = persian;
    const { page, problems, seen, isThere } = await open("reza", locale, t);
    expect(seen).toEqual(["messages.title"]);
    expect(await page.getByRole("link", { name: t("home.send") }).count()).toBe(0);
    for (const path of ["/send", "/campaigns/new", "/users", "/keys"])
      expect([path, await isThere(path)]).toEqual([path, false]);
    await goOn(page, `${shown.base}/messages`);
    await page.getByText("seen by all").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("a sender sends, and finds no page to manage, by its address neither", async () => {
    const { t, locale } = english;
    const { page, problems, seen, isThere } = await open("sara", locale, t);
    expect(seen).toEqual(["messages.title", "send.title"]);
    for (const path of ["/users", "/keys"]) expect([path, await isThere(path)]).toEqual([path, false]);
    await sendByHand(page, t, "from a sender");
    expect(problems).toEqual([]);
  });

  it("the owner sends, gives somebody a user and a program a key, and blocks a number", async () => {
    const { t, locale } = persian;
    const { page, problems, seen } = await open("demo", locale, t);
    expect(seen).toEqual(links);
    await page.getByText("10001234").first().waitFor();
    await page.getByRole("heading", { name: t("home.today") }).waitFor();
    await page.getByRole("link", { name: t("campaign.new") }).waitFor();
    expect(await page.getByRole("link", { name: t("home.send") }).getAttribute("href")).toBe("/console/send");
    await sendByHand(page, t, "from the owner");
    await goOn(page, `${shown.base}/users`);
    await press(page, t("users.add"));
    const form = page.getByRole("dialog");
    await form.getByLabel(t("signIn.username")).fill("nima");
    await form.getByLabel(t("people.role")).selectOption("reader");
    await form.getByLabel(t("people.password")).fill("a first password");
    await press(form, t("object.add"), { exact: true });
    await see(form, t("people.tellThem"));
    await press(form, t("copy.all"));
    await form.getByRole("button", { name: t("copy.copied") }).waitFor();
    await page.context().grantPermissions(["clipboard-read"]);
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied.split("\n")).toEqual([
      `${t("people.address")}: ${shown.base}`,
      `${t("signIn.organisation")}: demo.example`,
      `${t("signIn.username")}: nima`,
      `${t("signIn.password")}: a first password`,
    ]);
    await press(form, t("dialog.close"));
    await see(page.getByRole("row").filter({ hasText: "nima" }), t("role.reader"));
    await goOn(page, `${shown.base}/keys`);
    await page
      .getByRole("button", { name: t("keys.make") })
      .first()
      .click();
    await form.getByLabel(t("object.name")).fill("shop");
    await press(form, t("keys.make"));
    await see(form, t("keys.once"));
    await press(form, t("dialog.close"));
    await page.getByRole("row").filter({ hasText: "shop" }).waitFor();
    await goOn(page, `${shown.base}/addresses`);
    await press(page, t("object.edit"));
    await form.getByLabel(t("addresses.blockedLabel")).fill("09129990000");
    await press(form, t("object.save"));
    await form.waitFor({ state: "detached" });
    await see(page, "09129990000");
    expect(problems).toEqual([]);
  });
});
