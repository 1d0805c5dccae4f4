import { beforeAll, describe, expect, it } from "vitest";
import { importBlockList } from "../../../src/setup/change-number-lists.ts";
import { NumberCollector } from "../../../src/sms/number-blocks.ts";
import { callConsole, signInStaff, consoleCalls } from "../../support/console.ts";
import { keys, useTestApi } from "../../support/test-api.ts";
import { applyDocument } from "../../support/apply-document.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let operator: string;
let viewer: string;

const name = "law suits/2026";

beforeAll(async () => {
  operator = await signInStaff(api, "operator");
  viewer = await signInStaff(api, "viewer");
  const by = { who: "command:test@test" };
  for (const each of [name, "unused"])
    await importBlockList(api.db, { name: each, numbers: new NumberCollector(), by });
  const text = `blockLists: [{ name: ${name}, lines: ["10001234"] }]`;
  await applyDocument(api.db, text);
  await api.directory.refresh();
});

const list = async (cookie: string) => {
  const { status, body } = await get("/block-lists", cookie);
  expect(status).toBe(200);
  return body["items"] as Readonly<Record<string, unknown>>[];
};
const call = (method: "GET" | "PUT" | "DELETE", cookie: string, number: string, of = name) =>
  callConsole(api, method, `/block-lists/${encodeURIComponent(of)}/numbers/${encodeURIComponent(number)}`, { cookie });

async function sendTo(recipientNumber: string): Promise<number | undefined> {
  const payload = { senderNumber: "10001234", recipientNumber, content: "hello" };
  const { body } = await api.call("POST", "/messages/send", { key: keys.demo, payload });
  return body.errorCode;
}

describe("block lists in the console", () => {
  it("take and give up numbers in any form, count at once, and are told with their sizes and uses", async () => {
    const before = await list(viewer);
    expect(before.map((each) => each["name"])).toEqual([name, "unused"]);
    const put = await call("PUT", operator, "0912 000 2001");
    expect([put.status, put.body]).toEqual([200, { number: "989120002001", isListed: true, changed: true }]);
    expect((await call("PUT", operator, "+989120002001")).body).toMatchObject({ isListed: true, changed: false });
    expect((await call("GET", viewer, "۰۹۱۲۰۰۰۲۰۰۱")).body).toEqual({ number: "989120002001", isListed: true });
    expect((await call("GET", viewer, "09120002002")).body).toMatchObject({ isListed: false });
    expect((await call("GET", viewer, "09120002001", "unused")).body).toMatchObject({ isListed: false });
    expect(await sendTo("09120002001")).toBe(1202);
    const [listed, unused] = await list(viewer);
    expect(listed).toMatchObject({ name, numbers: 1, lines: ["10001234"], accounts: ["*"] });
    expect(new Date(String(listed?.["updatedAt"])).getTime()).toBeGreaterThan(
      new Date(String(before[0]?.["updatedAt"])).getTime(),
    );
    expect(unused).toEqual({ name: "unused", numbers: 0, updatedAt: expect.any(String) as unknown });

    const removed = await call("DELETE", operator, "09120002001");
    expect(removed.body).toEqual({ number: "989120002001", isListed: false, changed: true });
    expect((await call("DELETE", operator, "09120002001")).body).toMatchObject({ changed: false });
    expect(await sendTo("09120002001")).toBeUndefined();
    const audit = await get("/audit?kind=blockList&who=staff:operator", operator);
    // As the command writes them.
    const of = { who: "staff:operator", action: "change", name };
    expect(audit.body["items"]).toMatchObject([
      { ...of, before: { removed: "989120002001" } },
      { ...of, after: { added: "989120002001" } },
    ]);
  });

  it("give their numbers page by page in their order, also where they lie far apart, and one by its number", async () => {
    const numbers = ["989120000001", "989120000002", "989120065537", "989121234567", "989990000000"];
    const by = { who: "command:test@test" };
    const far = new NumberCollector();
    for (const number of numbers) far.add(Number(number.slice(3)), 1);
    await importBlockList(api.db, { name: "far", numbers: far, by });
    const page = (query: string, of = "far") => get(`/block-lists/${encodeURIComponent(of)}/numbers${query}`, viewer);
    const read: unknown[] = [];
    for (let after = "", pages = 0; pages === 0 || after !== ""; pages += 1) {
      expect(pages).toBeLessThan(numbers.length);
      const { status, body } = await page(`?count=2&after=${after}`);
      expect(status).toBe(200);
      read.push(...(body["items"] as { readonly number: string }[]).map(({ number }) => number));
      after = typeof body["nextCursor"] === "string" ? body["nextCursor"] : "";
    }
    expect(read).toEqual(numbers);
    expect((await page("?number=0912 123 4567")).body).toEqual({ items: [{ number: "989121234567" }] });
    expect((await page("?number=09121234568")).body).toEqual({ items: [] });
    expect((await page("", "unused")).body).toEqual({ items: [] });
    expect((await page("", "nothing")).status).toBe(404);
    for (const [query, field] of [
      ["?number=12", "number"],
      ["?after=12", "after"],
      ["?count=0", "count"],
    ] as const)
      expect((await page(query)).body["validationErrors"]).toMatchObject([{ field }]);
  });

  it("are 404 where there is none, and 1001 for what is no mobile number", async () => {
    for (const method of ["GET", "PUT", "DELETE"] as const) {
      expect((await call(method, operator, "09120002001", "nothing")).status).toBe(404);
      const wrong = await call(method, operator, "02188001122");
      expect([wrong.status, wrong.body["validationErrors"]]).toMatchObject([400, [{ field: "number" }]]);
    }
  });
});
