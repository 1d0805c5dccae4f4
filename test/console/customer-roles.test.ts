// What an account's users of each role find in the console: a reader looks, a sender sends, and
// neither manages.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { isBrowserThere } from "../support/browser.ts";
import { goTo, openConsole, openPageAs, type OpenConsole } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";

let shown: OpenConsole;

describe.skipIf(!isBrowserThere)("in the console of an account", () => {
  beforeAll(async () => {
    shown = await openConsole({});
    const { door } = shown;
    const users = [
      { username: "demo", password: "demo-password" },
      { username: "sara", password: "demo-password", role: "sender" },
      { username: "reza", password: "demo-password", role: "reader" },
    ];
    const text = JSON.stringify({ accounts: [{ name: "demo", users }] });
    await applySetup(door.db, { text, folder: ".", prune: false, dryRun: false });
    await door.directory.refresh();
    await send(door, "09121234567", { content: "seen by all" });
  });
  afterAll(() => shown.close());

  const links = ["Messages", "Send", "Users", "API keys"];

  async function open(username: string) {
    const { page, problems } = await openPageAs(shown, username, { isCustomer: true });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const navigation = page.getByRole("navigation").first();
    const seen: string[] = [];
    for (const name of links) {
      if ((await navigation.getByRole("link", { name, exact: true }).count()) > 0) seen.push(name);
    }
    const isThere = async (path: string): Promise<boolean> => {
      await goTo(page, shown.base + path);
      return (await page.getByText("your role does not include this page").count()) === 0;
    };
    return { page, problems, seen, isThere };
  }

  it("a reader looks at messages, and finds no page to send or to manage, by its address neither", async () => {
    const { page, problems, seen, isThere } = await open("reza");
    expect(seen).toEqual(["Messages"]);
    for (const path of ["/send", "/users", "/keys"]) expect([path, await isThere(path)]).toEqual([path, false]);
    await goTo(page, `${shown.base}/messages`);
    await page.getByText("seen by all").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("a sender sends, and finds no page to manage, by its address neither", async () => {
    const { page, problems, seen, isThere } = await open("sara");
    expect(seen).toEqual(["Messages", "Send"]);
    for (const path of ["/users", "/keys"]) expect([path, await isThere(path)]).toEqual([path, false]);
    await goTo(page, `${shown.base}/send`);
    await page.getByLabel("Recipients").fill("09121234567");
    await page.getByLabel("Text", { exact: true }).fill("from a sender");
    await page.getByRole("button", { name: "Send now" }).click();
    await expect
      .poll(async () => (await shown.door.db.query<{ count: number }>(sentBySara))[0]?.count, { timeout: 30_000 })
      .toBe(1);
    expect(problems).toEqual([]);
  });
});

const sentBySara = {
  name: "sentBySara",
  text: "select count(*)::int as count from message where content = 'from a sender'",
  values: [],
};
