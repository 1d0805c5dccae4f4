// What staff and customers do about the rules of sending, in a real browser: messages in review are
// decided, numbers opted out and back, rules changed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isBrowserThere, press, rowOf, see } from "../support/browser.ts";
import { callConsole, demoOwner, signInAs, staffPassword } from "../support/console.ts";
import type { TestApi } from "../support/test-api.ts";
import { openConsole, type OpenConsole, openPageAs } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";
import { applyDocument } from "../support/apply-document.ts";

let api: TestApi;
let shown: OpenConsole;
let owner: string;

const text = `
contentRules:
  - { name: games, words: ["casino"], action: review }
`;

const openAs = (who: string, next: string) => openPageAs(shown, who, { next });

async function codeOf(id: string): Promise<unknown> {
  const { body } = await callConsole(api, "GET", `/messages/${id}`, { cookie: owner });
  return body["errorCode"];
}

function changeMeanwhile(setup: string): Promise<unknown> {
  return applyDocument(api.db, setup);
}

async function stored(path: string, section: string): Promise<unknown> {
  const cookie = await signInAs(api, { username: "vida", password: staffPassword });
  return (await callConsole(api, "GET", path, { cookie })).body[section];
}

describe.skipIf(!isBrowserThere)("the rules of sending in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ ali: "operator", vida: "viewer" });
    ({ api } = shown);
    await applyDocument(api.db, text);
    await api.directory.refresh();
    owner = await signInAs(api, demoOwner);
  });
  afterAll(() => shown.close());

  it("keep messages for review: one is refused, a selected one allowed, the rest of the rule too", async () => {
    const sent = [];
    for (const word of ["first", "second", "third"])
      sent.push(await send(api, "09121234567", { content: `casino ${word}` }));
    const [first, second, third] = sent.map(({ sentMessageId }) => sentMessageId);
    const { page, problems } = await openAs("ali", "/review");
    await press(rowOf(page, "casino first"), "Refuse");
    const question = page.getByRole("dialog");
    await see(question, "their cost is refunded");
    await press(question, "Refuse");
    await see(page, "Refused: 1.");
    await rowOf(page, "casino first").waitFor({ state: "detached" });
    expect(await codeOf(first ?? "")).toBe(1309);

    await rowOf(page, "casino second").getByRole("checkbox").check();
    await see(page, "Selected: 1");
    await press(page, "Allow selected");
    await press(question, "Allow", { exact: true });
    await see(page, "Allowed: 1.");
    expect([await codeOf(second ?? ""), await codeOf(third ?? "")]).toEqual([undefined, 1308]);

    await press(rowOf(page, "casino third"), "Allow");
    await question
      .getByLabel("Which messages")
      .selectOption({ label: "All messages that the rule \u2068games\u2069 holds, of every account" });
    await press(question, "Allow", { exact: true });
    await see(page, "No message waits for review");
    expect(await codeOf(third ?? "")).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("tell a customer in the list why a message waits", async () => {
    const { sentMessageId } = await send(api, "09121112222", { content: "casino again" });
    const { page } = await openAs("demo", "/messages");
    await see(rowOf(page, "casino again"), "The message waits until staff allow or refuse it.");
    await page.goto(`${shown.base}/messages/${sentMessageId}`);
    await see(page, "The message waits until staff allow or refuse it.");
  });

  it("tell a customer before the send that a rule will hold the text", async () => {
    const { page } = await openAs("demo", "/send");
    await page.getByLabel("Recipients").fill("09121112224");
    await page.getByLabel("Text", { exact: true }).fill("casino tonight");
    await see(page, "Messages that a rule holds until staff allow them: 1.");
    expect(await page.getByText("Not sent:").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Send now" }).isEnabled()).toBe(true);
  });

  it("tell on the overview that messages wait for review, with a way to them for those who decide", async () => {
    await send(api, "09121112223", { content: "casino once more" });
    const words = /Messages that wait for review: \d/;
    const { page, problems } = await openAs("ali", "/overview");
    await page.getByRole("listitem").filter({ hasText: words }).getByRole("link", { name: "Open" }).click();
    await page.waitForURL(`${shown.base}/review`);
    await rowOf(page, "casino once more").waitFor();
    const viewer = await openAs("vida", "/overview");
    const told = viewer.page.getByRole("listitem").filter({ hasText: words });
    await told.waitFor();
    expect(await told.getByRole("link").count()).toBe(0);
    expect([...problems, ...viewer.problems]).toEqual([]);
  });

  it("opt numbers out and in: a customer's own entry, and what staff enter for all", async () => {
    const { page, problems } = await openAs("demo", "/opt-outs");
    await press(page, "Add a number");
    const form = page.getByRole("dialog");
    await form.getByLabel("Line").selectOption("10005678");
    await form.getByLabel("Number").fill("123");
    await press(form, "Add a number");
    await expect.poll(() => form.getByLabel("Number").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Number").fill("۰۹۱۲ ۰۰۰ ۴۰۰۱");
    await press(form, "Add a number");
    await see(rowOf(page, "09120004001"), "Your account");
    // The browser logs the refused call.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);

    const staff = await openAs("ali", "/opt-outs?number=09120004001");
    await rowOf(staff.page, "09120004001").getByText("demo").first().waitFor();
    await press(staff.page, "Add a number");
    const staffForm = staff.page.getByRole("dialog");
    await staffForm.getByLabel("Line").selectOption("10001234");
    await staffForm.getByLabel("Number").fill("09120004001");
    await press(staffForm, "Add a number");
    await see(staff.page, "All accounts", { exact: true });
    await page.reload();
    const ofStaff = rowOf(page, "10001234");
    await see(ofStaff, "Staff of the service");
    expect(await ofStaff.getByRole("button", { name: "Remove" }).count()).toBe(0);

    await press(rowOf(page, "10005678"), "Remove");
    await press(page.getByRole("alertdialog"), "Remove");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await rowOf(page, "10005678").waitFor({ state: "detached" });
    await press(rowOf(staff.page, "10001234"), "Remove");
    await see(staff.page.getByRole("alertdialog"), "stop word");
    await press(staff.page.getByRole("alertdialog"), "Remove");
    await staff.page.getByRole("alertdialog").waitFor({ state: "detached" });
    await rowOf(staff.page, "10001234").waitFor({ state: "detached" });
    expect(staff.problems).toEqual([]);
  });

  it("are shown and changed as lists: a fault at its field, a rule kept beside another's change", async () => {
    const { page } = await openAs("ali", "/rules");
    await see(rowOf(page, "games"), "Hold for review");
    await see(page, /لغو 11, stop, unsubscribe, .* \(Default\)$/);
    const form = page.getByRole("dialog");
    await press(page, "Add a content rule");
    await form.getByLabel("Name").fill("prizes");
    await press(form, "Add", { exact: true });
    await expect.poll(() => form.getByLabel("Words and phrases").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Words and phrases").fill("you have won\nجایزه*");
    await form.getByLabel("What happens").selectOption("Refuse");
    await changeMeanwhile("contentRules: [{ name: games, words: [casino, poker], action: review }]");
    await press(form, "Add", { exact: true });
    await press(form.getByRole("alert"), "Load the current state");
    await see(form, "The current state, with what you typed");
    await press(form, "Add", { exact: true });
    await rowOf(page, "prizes").waitFor();
    expect(await stored("/content-rules", "contentRules")).toMatchObject([
      { name: "games", words: ["casino", "poker"] },
      { name: "prizes", words: ["you have won", "جایزه*"], action: "refuse", lines: ["*"], links: "any" },
    ]);
    await press(page, "Move prizes up");
    await expect.poll(() => stored("/content-rules", "contentRules")).toMatchObject([{ name: "prizes" }, {}]);
    await press(rowOf(page, "prizes"), "Edit");
    await form.getByLabel("Accounts").fill("demo");
    await press(form, "Save");
    await form.waitFor({ state: "detached" });
    await press(rowOf(page, "prizes"), "Remove");
    await press(page.getByRole("alertdialog"), "Remove");
    await page.getByRole("alertdialog").waitFor({ state: "detached" });
    await rowOf(page, "prizes").waitFor({ state: "detached" });
    expect(await stored("/content-rules", "contentRules")).toMatchObject([{ name: "games" }]);
  });

  it("are moved and removed only as they are shown", async () => {
    const twoRules = (words: string) =>
      `contentRules: [{ name: games, words: [${words}], action: review }, { name: loans, words: [loan], action: refuse }]`;
    await changeMeanwhile(twoRules("casino"));
    const { page } = await openAs("ali", "/rules");
    await rowOf(page, "loans").waitFor();
    await changeMeanwhile(twoRules("casino, dice"));
    await press(page, "Move loans up");
    await see(page.getByRole("alert"), "Nothing was changed");
    expect(await stored("/content-rules", "contentRules")).toMatchObject([{ name: "games" }, { name: "loans" }]);
    // The page shows the present state by now.
    await see(rowOf(page, "games"), "dice");
    await press(rowOf(page, "games"), "Remove");
    await changeMeanwhile(twoRules("casino, poker"));
    const question = page.getByRole("alertdialog");
    await press(question, "Remove");
    await see(question.getByRole("alert"), "Nothing was changed");
    await press(question, "Go back");
    await see(rowOf(page, "games"), "poker");
    expect(await stored("/content-rules", "contentRules")).toMatchObject([{ name: "games" }, { name: "loans" }]);
    await press(page, "Move loans up");
    await expect.poll(() => stored("/content-rules", "contentRules")).toMatchObject([{ name: "loans" }, {}]);
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("are moved by one click after the other, each on the list that the one before made", async () => {
    const names = ["first", "second", "third"];
    const rules = names.map((name) => `{ name: ${name}, words: [${name}], action: refuse }`).join(", ");
    await changeMeanwhile(`contentRules: [{ name: games, words: [casino], action: review }, ${rules}]`);
    const { page, problems } = await openAs("ali", "/rules");
    const up = page.getByRole("button", { name: "Move third up" });
    await up.waitFor();
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/console/api/content-rules", async (route) => {
      if (route.request().method() === "GET") await held;
      await route.continue();
    });
    await up.click();
    await expect.poll(() => stored("/content-rules", "contentRules")).toMatchObject([{}, {}, { name: "third" }, {}]);
    expect(await up.isDisabled()).toBe(true);
    letGo();
    await up.click();
    await expect.poll(() => stored("/content-rules", "contentRules")).toMatchObject([{}, { name: "third" }, {}, {}]);
    expect(problems).toEqual([]);
  });

  it("hold sending hours by windows, and give a line's messages to accounts", async () => {
    const { page } = await openAs("ali", "/rules");
    const form = page.getByRole("dialog");
    await press(page, "Add sending hours");
    await form.getByLabel("Name").fill("advertising");
    await form.getByLabel("Fri", { exact: true }).uncheck();
    await form.getByLabel("From", { exact: true }).fill("۹:۳۰");
    await form.getByLabel("Lines").fill("advertising");
    await form.getByLabel("Except on").fill("1406-01-01\n1406-01-13");
    await press(form, "Add", { exact: true });
    await rowOf(page, "09:30–21:00").waitFor();
    expect(await stored("/sending-hours", "sendingHours")).toEqual([
      {
        name: "advertising",
        lines: ["advertising"],
        accounts: ["*"],
        timeZone: "Asia/Tehran",
        windows: [{ days: ["sat", "sun", "mon", "tue", "wed", "thu"], from: "09:30", to: "21:00" }],
        except: ["1406-01-01", "1406-01-13"],
      },
    ]);
    await press(page, "Add an inbound rule");
    await form.getByLabel("Line").fill("10001234");
    await form.getByLabel("Or the beginning of a text").fill("order");
    await form.getByLabel("Account").selectOption("demo");
    await press(form, "Add", { exact: true });
    await see(page, "Begins with");
    expect(await stored("/inbound-rules", "inboundRules")).toEqual([
      { line: "10001234", prefix: "order", account: "demo" },
    ]);
    expect(await page.getByRole("button", { name: "Settings", exact: true }).count()).toBe(0);
    await see(page, "Stop words");
  });

  it("are shown to a viewer without a way to change them", async () => {
    const { page } = await openAs("vida", "/rules");
    await rowOf(page, "games").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  });
});
