// What staff and customers do about the rules of sending, in a real browser: messages in review are
// decided, numbers opted out and back, rules changed.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applySetup } from "../../src/setup/apply-setup.ts";
import { isBrowserThere } from "../support/browser.ts";
import { callConsole, demoOwner, signInAs } from "../support/console.ts";
import type { FrontDoor } from "../support/front-door.ts";
import { openConsole, openPageAs, type OpenConsole } from "../support/open-console.ts";
import { send } from "../http/console/reads.ts";

let door: FrontDoor;
let shown: OpenConsole;
let owner: string;

const text = `
contentRules:
  - { name: games, words: ["casino"], action: review }
`;

const openAs = (who: string, next: string) => openPageAs(shown, who, { next });

async function codeOf(id: string): Promise<unknown> {
  const { body } = await callConsole(door, "GET", `/messages/${id}`, { cookie: owner });
  return body["errorCode"];
}

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

describe.skipIf(!isBrowserThere)("the rules of sending in the console", () => {
  beforeAll(async () => {
    shown = await openConsole({ ali: "operator" });
    ({ door } = shown);
    await applySetup(door.db, { text, folder: ".", prune: false, dryRun: false });
    await door.directory.refresh();
    owner = await signInAs(door, demoOwner);
  });
  afterAll(() => shown.close());

  it("keep messages for review: one is refused, a selected one allowed, the rest of the rule too", async () => {
    const sent = [];
    for (const word of ["first", "second", "third"])
      sent.push(await send(door, "09121234567", { content: `casino ${word}` }));
    const [first, second, third] = sent.map(({ sentMessageId }) => sentMessageId);
    const { page, problems } = await openAs("ali", "/review");
    await rowOf(page, "casino first").getByRole("button", { name: "Refuse" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("its cost goes back to the account").waitFor();
    await question.getByRole("button", { name: "Refuse" }).click();
    await page.getByText("Refused: 1.").waitFor();
    await rowOf(page, "casino first").waitFor({ state: "detached" });
    expect(await codeOf(first ?? "")).toBe(1309);

    await rowOf(page, "casino second").getByRole("checkbox").check();
    await page.getByText("Selected: 1").waitFor();
    await page.getByRole("button", { name: "Allow selected" }).click();
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("Allowed: 1.").waitFor();
    expect([await codeOf(second ?? ""), await codeOf(third ?? "")]).toEqual([undefined, 1308]);

    await rowOf(page, "casino third").getByRole("button", { name: "Allow" }).click();
    await question
      .getByLabel("What")
      .selectOption({ label: "All that the rule \u2068games\u2069 keeps, of every account" });
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("Nothing waits for a decision").waitFor();
    expect(await codeOf(third ?? "")).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("tell a customer in the list why a message waits", async () => {
    const { sentMessageId } = await send(door, "09121112222", { content: "casino again" });
    const { page } = await openAs("demo", "/messages");
    await rowOf(page, "casino again").getByText("The message waits until staff allow or refuse it.").waitFor();
    await page.goto(`${shown.base}/messages/${sentMessageId}`);
    await page.getByText("The message waits until staff allow or refuse it.").waitFor();
  });

  it("opt numbers out and in: a customer's own entry, and what staff enter for all", async () => {
    const { page, problems } = await openAs("demo", "/opt-outs");
    await page.getByRole("button", { name: "Add a number" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Line").selectOption("10005678");
    await form.getByLabel("Number").fill("123");
    await form.getByRole("button", { name: "Add a number" }).click();
    await expect.poll(() => form.getByLabel("Number").getAttribute("aria-invalid")).toBe("true");
    await form.getByLabel("Number").fill("۰۹۱۲ ۰۰۰ ۴۰۰۱");
    await form.getByRole("button", { name: "Add a number" }).click();
    await rowOf(page, "09120004001").getByText("Your account").waitFor();
    // The browser logs the refused call.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);

    const staff = await openAs("ali", "/opt-outs?number=09120004001");
    await rowOf(staff.page, "09120004001").getByText("demo").first().waitFor();
    await staff.page.getByRole("button", { name: "Add a number" }).click();
    const staffForm = staff.page.getByRole("dialog");
    await staffForm.getByLabel("Line").selectOption("10001234");
    await staffForm.getByLabel("Number").fill("09120004001");
    await staffForm.getByRole("button", { name: "Add a number" }).click();
    await staff.page.getByText("All accounts").waitFor();
    await page.reload();
    const ofStaff = rowOf(page, "10001234");
    await ofStaff.getByText("Staff of the service").waitFor();
    expect(await ofStaff.getByRole("button", { name: "Remove" }).count()).toBe(0);

    await rowOf(page, "10005678").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await rowOf(page, "10005678").waitFor({ state: "detached" });
    await rowOf(staff.page, "10001234").getByRole("button", { name: "Remove" }).click();
    await staff.page.getByRole("alertdialog").getByText("stop word").waitFor();
    await staff.page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await rowOf(staff.page, "10001234").waitFor({ state: "detached" });
    expect(staff.problems).toEqual([]);
  });
});
