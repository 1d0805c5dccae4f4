import { beforeAll, describe, expect, it } from "vitest";
import { addOptOuts } from "../../../src/store/opt-outs.ts";
import { callConsole, demoOwner, signInAs, signInStaff, consoleCalls, foreignOwner } from "../../support/console.ts";
import { keys, useTestApi, refusal } from "../../support/test-api.ts";
import { allPages } from "./reads.ts";

const api = useTestApi();
const { get } = consoleCalls(api);
let operator: string;
let viewer: string;
let owner: string;
let foreign: string;

beforeAll(async () => {
  operator = await signInStaff(api, "operator");
  viewer = await signInStaff(api, "viewer");
  owner = await signInAs(api, demoOwner);
  foreign = await signInAs(api, foreignOwner);
});

const list = (cookie: string, query = "") => get(`/opt-outs?${query}`, cookie);
const change = (method: "PUT" | "DELETE", cookie: string, line: string, number: string) =>
  callConsole(api, method, `/opt-outs/${encodeURIComponent(line)}/${encodeURIComponent(number)}`, { cookie });

async function entriesOf(cookie: string, query = ""): Promise<readonly string[]> {
  const items = await allPages((page) => list(cookie, `${page}&${query}`), 2);
  const keysOf = ["lineNumber", "recipientNumber", "how", "account"];
  return items.map((item) =>
    keysOf
      .map((key) => item[key])
      .filter((value) => typeof value === "string")
      .join(" "),
  );
}

async function sendTo(recipientNumber: string, key: string): Promise<number | undefined> {
  const payload = { senderNumber: "10001234", recipientNumber, content: "hello" };
  const { body } = await api.call("POST", "/messages/send", { key, payload });
  return body.errorCode;
}

describe("opt-outs of a customer", () => {
  it("count for the account alone, are told to it, and are taken back", async () => {
    const put = await change("PUT", owner, "+9810001234", "0912 000 1001");
    expect(put.status).toBe(200);
    expect(put.body).toMatchObject({ lineNumber: "10001234", recipientNumber: "989120001001", how: "api" });
    expect([await sendTo("09120001001", keys.demo), await sendTo("09120001001", keys.foreign)]).toEqual([
      1202,
      undefined,
    ]);
    expect(await entriesOf(owner, "number=09120001001")).toEqual(["10001234 989120001001 api"]);
    expect(await entriesOf(foreign, "number=09120001001")).toEqual([]);
    expect(await entriesOf(viewer, "number=09120001001")).toEqual(["10001234 989120001001 api demo"]);
    const removed = await change("DELETE", owner, "10001234", "09120001001");
    expect([removed.status, removed.body]).toEqual([200, { removed: true }]);
    expect((await change("DELETE", owner, "10001234", "09120001001")).body).toEqual({ removed: false });
    expect(await sendTo("09120001001", keys.demo)).toBeUndefined();
    const { body } = await get("/audit?kind=optOut", operator);
    const [last, first] = body["items"] as object[];
    const of = { who: "user:demo/demo", kind: "optOut", name: "10001234 989120001001", account: "demo" };
    expect([first, last]).toMatchObject([
      { ...of, action: "create" },
      { ...of, action: "remove" },
    ]);
  });

  it("are 403 where the person or staff made the entry", async () => {
    await addOptOuts(api.db, { line: "10001234", numbers: ["989120001002"], how: "message" });
    expect(refusal(await change("DELETE", owner, "10001234", "09120001002"))).toEqual([403, 1005]);
    expect(await entriesOf(owner, "number=09120001002")).toEqual(["10001234 989120001002 message"]);
  });

  it("are 404 for another's line, and 1001 for what is no mobile number", async () => {
    expect((await change("PUT", owner, "10007777", "09120001003")).status).toBe(404);
    expect((await list(owner, "line=10007777")).status).toBe(404);
    for (const wrong of [await change("PUT", owner, "10001234", "123"), await list(owner, "number=x")])
      expect([wrong.status, wrong.body["errorCode"]]).toEqual([400, 1001]);
    expect((await list(owner, "after=x")).status).toBe(400);
  });
});

describe("opt-outs of staff", () => {
  it("count for all accounts, and are removed whoever made them", async () => {
    await change("PUT", owner, "10001234", "09120002001");
    const put = await change("PUT", operator, "10001234", "09120002001");
    expect(put.body).toMatchObject({ how: "staff" });
    expect(await sendTo("09120002001", keys.unlimited)).toBe(1202);
    expect(await entriesOf(viewer, "line=10001234&number=09120002001")).toEqual([
      "10001234 989120002001 staff",
      "10001234 989120002001 api demo",
    ]);
    expect((await change("DELETE", operator, "10001234", "09120002001")).body).toEqual({ removed: true });
    expect(await entriesOf(viewer, "number=09120002001")).toEqual([]);
    expect(await sendTo("09120002001", keys.demo)).toBeUndefined();
    expect((await change("PUT", operator, "99999999", "09120002001")).status).toBe(404);
    expect((await change("DELETE", operator, "99999999", "09120002001")).status).toBe(404);
  });

  it("are found by number over all lines, page by page", async () => {
    for (const line of ["10001234", "10005678", "10007777"])
      await addOptOuts(api.db, { line, numbers: ["989120003001", "989120003002"], how: "import" });
    const one = await entriesOf(viewer, "number=989120003001");
    expect(one).toEqual(["10001234", "10005678", "10007777"].map((line) => `${line} 989120003001 import`));
    const all = await entriesOf(viewer);
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((entry) => entry.includes("98912000300"))).toHaveLength(6);
    // The customer has two of the three lines.
    expect((await entriesOf(owner)).filter((entry) => entry.includes("98912000300"))).toHaveLength(4);
  });
});
